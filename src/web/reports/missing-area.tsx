import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { catalogueQuery } from '#web/http/catalogue-query.ts'
import { useSession } from '#web/session/session.ts'
import { Button, textLinkClasses } from '#web/ui/button.tsx'
import { describeMoment } from '#web/ui/format-instant.ts'
import { AboveReport } from './above-report.tsx'
import { isSameArea, ownRequestQuery } from './access-request.tsx'

interface MissingAreaProps {
  area: string
  /** The person's own report, which fails just now, and why. */
  failing: { title: string; detail: string | undefined } | undefined
  onRetry: () => void
  onClose: () => void
}

/** Names the area of a link that fails, is not among the person's, or does not exist. */
export function MissingArea({ area, failing, onRetry, onClose }: MissingAreaProps) {
  const { data } = useQuery(catalogueQuery)
  const known = data?.types.find(({ label }) => isSameArea(label, area))
  const isMisspelt = data !== undefined && !known
  const name = known?.label ?? area
  return (
    <AboveReport
      kind="warning"
      action={
        failing && (
          <Button variant="ghost" onClick={onRetry}>
            Tentar novamente
          </Button>
        )
      }
      onClose={onClose}
    >
      {failing
        ? `O relatório de ${failing.title} não abre agora. ${failing.detail ?? ''}`
        : isMisspelt
          ? `Não existe uma área chamada “${area}”. Confira o link.`
          : `A área ${name} não está entre os seus relatórios.`}{' '}
      {!failing && !isMisspelt && <RequestLink area={name} />}
    </AboveReport>
  )
}

interface RequestLinkProps {
  area?: string | undefined
  /** Of 'Pedir acesso', where it is not in a sentence. */
  className?: string
}

/** Leads to 'Pedir acesso', or to what was asked before, of this area if it is known which one lacks. */
export function RequestLink({ area, className = textLinkClasses }: RequestLinkProps) {
  const { data: own } = useQuery(ownRequestQuery(useSession()?.user.id ?? ''))
  const isFor = (types: readonly string[]) =>
    area === undefined || types.some((type) => isSameArea(type, area))
  const request = own?.request && isFor(own.request.types) ? own.request : undefined
  if (!request)
    return (
      <Link to="/pedir-acesso" search={area === undefined ? {} : { area }} className={className}>
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
