import type { Catalogue } from '#contract/catalogue.ts'
import { type Entitlements, eachList, inOrder, LISTS, type ListName, valuesOf } from '#contract/held-lists.ts'
import { saoPauloDay } from '#contract/user-rules.ts'
import type { ManagedProfile } from '#contract/users.ts'
import { choicesOf, useCatalogue } from '#web/http/catalogue-query.ts'
import { Button } from '#web/ui/button.tsx'
import { CheckboxList } from '#web/ui/choices.tsx'
import { TextField } from '#web/ui/text-field.tsx'
import { LIST_NAMES } from './describe-change.ts'

/** What a person has, as far as it can be ticked; what an older portal has left behind cannot. */
export function entitlementsOf(catalogue: Catalogue, profile: ManagedProfile): Entitlements {
  return eachList((list) => {
    const values = valuesOf(catalogue, list)
    return inOrder(catalogue, list, profile[list]).filter((value) => values.includes(value))
  })
}

/** What an approval opens with: what the person has, and what was asked for, once it is known who asked. */
export function openingTicks(catalogue: Catalogue, profile: ManagedProfile): Entitlements {
  const request = profile.email_verified_at ? profile.request : null
  if (!request) return entitlementsOf(catalogue, profile)
  // What has been archived since it was asked for can be given no more.
  const withRequest = (list: ListName) => {
    const offered = choicesOf(catalogue, list, profile[list]).map(({ value }) => value)
    return [...profile[list], ...request[list].filter((value) => offered.includes(value))]
  }
  return entitlementsOf(catalogue, { ...profile, ...eachList(withRequest) })
}

/** Whether the same is ticked, in one list or in all: both sides are in the order of the options. */
export function isSame<Lists extends readonly string[] | Entitlements>(one: Lists, other: Lists): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** The three lists as they are ticked: what headings and tabs call them. */
export const LOOKS = {
  types: { title: 'Tipos', columns: 'grid-cols-2 sm:grid-cols-3' },
  marcas: { title: 'Marcas', columns: 'grid-cols-3 sm:grid-cols-5' },
  estados: { title: 'Estados', columns: 'grid-cols-4 sm:grid-cols-5' },
} as const satisfies Record<ListName, object>

interface EntitlementListProps {
  name: ListName
  ticked: Entitlements
  /** What is offered although it is archived; undefined for all of it. */
  held: Entitlements | undefined
  onChange: (ticked: Entitlements) => void
  isLegendHidden?: boolean
}

export function EntitlementList({ name, ticked, held, onChange, ...rest }: EntitlementListProps) {
  const { title, columns } = LOOKS[name]
  const options = choicesOf(useCatalogue(), name, held?.[name])
  const isLong = options.some(({ label }) => label.length > 8)
  return (
    <CheckboxList
      {...rest}
      legend={title}
      options={options}
      ticked={ticked[name]}
      onChange={(items) => onChange({ ...ticked, [name]: items })}
      className={isLong ? LOOKS.types.columns : columns}
    />
  )
}

/** 'Oficina, CRM · VW · RJ', or what keeps somebody from seeing anything. */
export function ticksInWords(ticked: Entitlements): string {
  const lists = LISTS.map((name) => ticked[name].join(', ')).filter(Boolean)
  return lists.length > 0 ? lists.join(' · ') : 'Nenhum acesso ainda'
}

/** Which empty lists keep a person from every report, as a sentence; undefined when none is empty. */
export function missingIn(ticked: Entitlements): string | undefined {
  const missing = LISTS.filter((name) => ticked[name].length === 0)
  if (missing.length === 0) return undefined
  const named = new Intl.ListFormat('pt-BR').format(missing.map((name) => LIST_NAMES[name]))
  return `Sem ${named}, a pessoa entra mas não vê relatórios.`
}

interface ValidUntilProps {
  /** Empty for an access without an end; undefined until that is chosen. */
  value: string | undefined
  error?: string | undefined
  onChange: (day: string) => void
}

/** 'Válido até': the last day of an access that ends by itself. */
export function ValidUntil({ value, error, onChange }: ValidUntilProps) {
  return (
    <div className="flex flex-wrap items-end gap-x-3 gap-y-2">
      <TextField
        type="date"
        label="Válido até"
        value={value ?? ''}
        error={error}
        min={saoPauloDay(Date.now())}
        onChange={({ target }) => onChange(target.value)}
        className="w-44"
      />
      {value === '' ? (
        <p className="flex h-11 items-center text-muted text-sm">Sem data, o acesso não termina sozinho.</p>
      ) : (
        <Button variant="ghost" onClick={() => onChange('')} className="h-11 px-3">
          Sem prazo
        </Button>
      )}
    </div>
  )
}
