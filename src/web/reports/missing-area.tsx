import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { foldText } from '#contract/entitlement-lists.ts'
import { catalogueQuery } from '#web/http/catalogue-query.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button, textLinkClasses } from '#web/ui/button.tsx'

/** Names the area of a link that is not among the person's, or that does not exist. */
export function MissingArea({ area, onClose }: { area: string; onClose: () => void }) {
  const { data } = useQuery(catalogueQuery)
  const known = data?.types.find(({ label }) => foldText(label) === foldText(area.trim()))
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
        {!isMisspelt && (
          <Link to="/pedir-acesso" search={{ area: name }} className={textLinkClasses}>
            Pedir acesso
          </Link>
        )}
        <Button variant="ghost" className="ml-auto h-8" onClick={onClose}>
          Fechar
        </Button>
      </div>
    </Alert>
  )
}
