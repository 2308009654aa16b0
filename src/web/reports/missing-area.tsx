import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { catalogueQuery } from '#web/http/catalogue-query.ts'
import { useSession } from '#web/session/session.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button, textLinkClasses } from '#web/ui/button.tsx'
import { describeMoment } from '#web/ui/format-instant.ts'
import { isSameArea, ownRequestQuery } from './access-request.tsx'

/** Names the area of a link that is not among the person's, or that does not exist. */
export function MissingArea({ area, onClose }: { area: string; onClose: () => void }) {
  const { data } = useQuery(catalogueQuery)
  const known = data?.types.find(({ label }) => isSameArea(label, area))
  const isMisspelt = data !== undefined && !known
  const name = known?.label ?? area
  return (
    <Alert
      kind="warning"
      className="min-h-24 shrink-0 rounded-none border-x-0 border-t-0 px-4 py-2 sm:min-h-14"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <p>
          {isMisspelt
            ? `Não existe uma área chamada “${area}”. Confira o link.`
            : `A área ${name} não está entre os seus relatórios.`}
        </p>
        {!isMisspelt && <RequestLink area={name} />}
        <Button variant="ghost" className="ml-auto h-8" onClick={onClose}>
          Fechar
        </Button>
      </div>
    </Alert>
  )
}

/** Leads to 'Pedir acesso', or to what was asked before, of this area if it is known which one lacks. */
export function RequestLink({ area }: { area?: string | undefined }) {
  const { data: own } = useQuery(ownRequestQuery(useSession()?.user.id ?? ''))
  const isFor = (types: readonly string[]) =>
    area === undefined || types.some((type) => isSameArea(type, area))
  const request = own?.request && isFor(own.request.types) ? own.request : undefined
  if (!request)
    return (
      <Link to="/pedir-acesso" search={area === undefined ? {} : { area }} className={textLinkClasses}>
        Pedir acesso
      </Link>
    )
  const { refused_at, requested_at } = request
  return (
    <span>
      Pedido {refused_at ? 'recusado' : 'enviado'} {describeMoment(refused_at ?? requested_at)}.{' '}
      <Link to="/pedir-acesso" className={textLinkClasses}>
        {refused_at ? 'Ver a resposta' : 'Ver o pedido'}
      </Link>
    </span>
  )
}
