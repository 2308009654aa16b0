import {
  type AccessType,
  ESTADOS,
  type Estado,
  inOrder,
  MARCAS,
  type Marca,
  TYPES,
} from '#contract/catalogue.ts'
import type { ManagedProfile, ProfileChange } from '#contract/users.ts'
import { CheckboxList } from '#web/ui/choices.tsx'
import { LIST_NAMES, type ListName } from './describe-change.ts'

/** What is ticked for one person or for many. */
export interface Entitlements {
  types: AccessType[]
  marcas: Marca[]
  estados: Estado[]
}
export const NO_ENTITLEMENTS: Entitlements = { types: [], marcas: [], estados: [] }

/** What a person has, as far as it can be ticked; what an older portal has left behind cannot. */
export function entitlementsOf(profile: ManagedProfile): Entitlements {
  const types = inOrder('types', profile.types)
  return {
    types: TYPES.filter((type) => types.includes(type)),
    marcas: MARCAS.filter((marca) => profile.marcas.includes(marca)),
    estados: ESTADOS.filter((estado) => profile.estados.includes(estado)),
  }
}

/** The changes that turn what a person has into what is wanted, only where they differ, and the approval last. */
export function stepsToApprove(profile: ManagedProfile, wanted: Entitlements): ProfileChange[] {
  const has = entitlementsOf(profile)
  const { types, marcas, estados } = wanted
  const steps: ProfileChange[] = []
  if (!isSame(has.types, types)) steps.push({ types })
  if (!isSame(has.marcas, marcas) || !isSame(has.estados, estados)) steps.push({ marcas, estados })
  if (!profile.approved) steps.push({ approved: true })
  return steps
}

/** What a change is about, as a sentence names it. */
export function namesOfStep(step: ProfileChange): string[] {
  if ('types' in step) return ['tipos']
  return 'marcas' in step ? ['marcas', 'estados'] : ['aprovação']
}

/** A person with changes applied, ahead of the server's reply. */
export function withSteps(profile: ManagedProfile, steps: readonly ProfileChange[]): ManagedProfile {
  return Object.assign({}, profile, ...steps)
}

/** Whether the same is ticked, in one list or in all: both sides are in the order of the options. */
export function isSame<Lists extends readonly string[] | Entitlements>(one: Lists, other: Lists): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

const OPTIONS: { [Name in ListName]: readonly Entitlements[Name][number][] } = {
  types: TYPES,
  marcas: MARCAS,
  estados: ESTADOS,
}
const COLUMN_CLASSES: Record<ListName, string> = {
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
      className={COLUMN_CLASSES[name]}
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
