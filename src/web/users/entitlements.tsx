import type { Catalogue } from '#contract/catalogue.ts'
import { noteChanges } from '#contract/change-notes.ts'
import {
  type Entitlements,
  getValues,
  LISTS,
  type ListName,
  mapLists,
  sortItems,
} from '#contract/entitlement-lists.ts'
import { formatList } from '#contract/format-list.ts'
import { toSaoPauloDay } from '#contract/user-rules.ts'
import type { ManagedProfile } from '#contract/users.ts'
import { listChoices, useCatalogue } from '#web/http/catalogue-query.ts'
import { Button } from '#web/ui/button.tsx'
import { CheckboxList } from '#web/ui/choices.tsx'
import { DateField } from '#web/ui/date-field.tsx'
import { diffEntitlements } from './describe-effect.ts'

/** Returns the entitlements that the catalogue knows; values of older versions are dropped. */
export function toEntitlements(catalogue: Catalogue, profile: Readonly<Entitlements>): Entitlements {
  return mapLists((list) => {
    const values = getValues(catalogue, list)
    return sortItems(catalogue, list, profile[list]).filter((value) => values.includes(value))
  })
}

/** Returns the initial entitlements of an approval: the current ones plus a verified person's request. */
export function getInitialAccess(catalogue: Catalogue, profile: ManagedProfile): Entitlements {
  const request = profile.email_verified_at ? profile.request : null
  if (!request) return toEntitlements(catalogue, profile)
  // Items archived since the request can no longer be granted.
  const withRequest = (list: ListName) => {
    const offered = listChoices(catalogue, list, profile[list]).map(({ value }) => value)
    return [...profile[list], ...request[list].filter((value) => offered.includes(value))]
  }
  return toEntitlements(catalogue, { ...profile, ...mapLists(withRequest) })
}

/** Checks whether the same items are ticked; both sides must be in catalogue order. */
export function isSame<Lists extends readonly string[] | Entitlements>(one: Lists, other: Lists): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/**
 * Joins two changes of the same lists, as '+ HPD' and '+ Slack'. @param catalogue for the order
 * @returns undefined where they concern the same item, one changes none, or nothing of a list is left
 */
export function joinChanges(
  catalogue: Catalogue,
  base: Entitlements,
  [mine, theirs]: readonly [Entitlements, Entitlements],
): Entitlements | undefined {
  const listChanged = (lists: Entitlements) =>
    diffEntitlements(base, lists).map(({ list, item }) => `${list} ${item}`)
  const [own, other] = [listChanged(mine), listChanged(theirs)]
  if (own.length === 0 || other.length === 0 || own.some((item) => other.includes(item))) return undefined
  const joined = mapLists((list) => [
    ...theirs[list].filter((item) => mine[list].includes(item) || !base[list].includes(item)),
    ...mine[list].filter((item) => !base[list].includes(item)),
  ])
  const isEmptied = noteChanges([{ names: [''], before: base, after: joined }]).emptied.length > 0
  return isEmptied ? undefined : mapLists((list) => sortItems(catalogue, list, joined[list]))
}

/** Title and grid columns of each list. */
export const LIST_STYLES = {
  types: { title: 'Tipos', columns: 'grid-cols-2 sm:grid-cols-3' },
  marcas: { title: 'Marcas', columns: 'grid-cols-3 sm:grid-cols-5' },
  estados: { title: 'Estados', columns: 'grid-cols-4 sm:grid-cols-5' },
} as const satisfies Record<ListName, object>

interface EntitlementListProps {
  name: ListName
  ticked: Entitlements
  /** Archived items to offer nevertheless; undefined for all. */
  held: Entitlements | undefined
  onChange: (ticked: Entitlements) => void
  isLegendHidden?: boolean
}

export function EntitlementList({ name, ticked, held, onChange, ...rest }: EntitlementListProps) {
  const { title, columns } = LIST_STYLES[name]
  const options = listChoices(useCatalogue(), name, held?.[name])
  const isLong = options.some(({ label }) => label.length > 8)
  return (
    <CheckboxList
      {...rest}
      legend={title}
      options={options}
      ticked={ticked[name]}
      onChange={(items) => onChange({ ...ticked, [name]: items })}
      className={isLong ? LIST_STYLES.types.columns : columns}
    />
  )
}

/** Formats entitlements: 'Oficina, CRM · VW · RJ'. */
export function formatAccess(ticked: Entitlements): string {
  const lists = LISTS.map((name) => ticked[name].join(', ')).filter(Boolean)
  return lists.length > 0 ? lists.join(' · ') : 'Nenhum acesso ainda'
}

/** Warns about empty lists that hide every report; undefined when none is empty. */
export function describeMissing(ticked: Entitlements): string | undefined {
  const missing = LISTS.filter((name) => ticked[name].length === 0)
  if (missing.length === 0) return undefined
  const named = formatList(missing.map((name) => LIST_STYLES[name].title.toLowerCase()))
  return `Sem ${named}, a pessoa entra mas não vê relatórios.`
}

interface ValidUntilProps {
  /** Empty for unlimited access; undefined until chosen. */
  value: string | undefined
  error?: string | undefined
  onChange: (day: string) => void
}

/** 'Válido até': the last day of an access that expires. */
export function ValidUntil({ value, error, onChange }: ValidUntilProps) {
  return (
    <div className="flex flex-wrap items-end gap-x-3 gap-y-2">
      <DateField
        label="Válido até"
        value={value ?? ''}
        error={error}
        min={toSaoPauloDay(Date.now())}
        onChange={onChange}
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
