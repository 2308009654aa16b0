import { ESTADOS, MARCAS, TYPES } from '#contract/catalogue.ts'
import { CheckboxList } from '#web/ui/checkbox-list.tsx'
import { LIST_NAMES, type ListName } from './describe-lists.ts'
import type { Entitlements } from './profile-steps.ts'

const OPTIONS: { [Name in ListName]: readonly Entitlements[Name][number][] } = {
  types: TYPES,
  marcas: MARCAS,
  estados: ESTADOS,
}
const COLUMNS: Record<ListName, string> = {
  types: 'grid-cols-2 sm:grid-cols-3',
  marcas: 'grid-cols-3 sm:grid-cols-5',
  estados: 'grid-cols-4 sm:grid-cols-5',
}
/** The lists by the names that headings and tabs give them. */
export const LIST_TITLES: Record<ListName, string> = { types: 'Tipos', marcas: 'Marcas', estados: 'Estados' }

interface EntitlementListProps {
  name: ListName
  ticked: Entitlements
  onChange: (ticked: Entitlements) => void
  isLegendHidden?: boolean
}

/** One of the three lists as boxes to tick. */
export function EntitlementList({ name, ticked, onChange, ...rest }: EntitlementListProps) {
  return (
    <CheckboxList<string>
      {...rest}
      legend={LIST_TITLES[name]}
      options={OPTIONS[name]}
      ticked={ticked[name]}
      onChange={(items) => onChange({ ...ticked, [name]: items })}
      className={COLUMNS[name]}
    />
  )
}

/** What nobody can see a report without, as a sentence; undefined when nothing is missing. */
export function missingIn(ticked: Entitlements): string | undefined {
  const missing = (['types', 'marcas', 'estados'] as const).filter((name) => ticked[name].length === 0)
  if (missing.length === 0) return undefined
  const named = new Intl.ListFormat('pt-BR').format(missing.map((name) => LIST_NAMES[name]))
  return `Sem ${named}, a pessoa entra mas não vê relatórios.`
}
