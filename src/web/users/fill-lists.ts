import type { Catalogue } from '#contract/catalogue.ts'
import { type Entitlements, getValues, LISTS, type ListName, sortItems } from '#contract/entitlement-lists.ts'
import { listChoices } from '#web/http/catalogue-query.ts'

export interface FillScope {
  /** The visible lists; the others stay untouched. */
  lists: readonly ListName[]
  /** Archived items that may be ticked nevertheless; undefined for all. */
  held: Entitlements | undefined
}

/**
 * Copies the entitlements of a template or a colleague.
 * @param how templates are added to what is ticked, a colleague's replace it
 * @returns archived: the items left out because they are archived
 */
export function fillLists(
  catalogue: Catalogue,
  { lists, held }: FillScope,
  ticked: Entitlements,
  source: Partial<Entitlements>,
  how: 'add' | 'replace',
): { ticked: Entitlements; archived: string[] } {
  const next = { ...ticked }
  const archived: string[] = []
  for (const list of lists) {
    const wanted = source[list]
    if (!wanted) continue
    const offered = new Set(listChoices(catalogue, list, held?.[list]).map(({ value }) => value))
    const known = getValues(catalogue, list)
    const values = sortItems(catalogue, list, wanted).filter((value) => known.includes(value))
    const given = values.filter((value) => offered.has(value))
    archived.push(...values.filter((value) => !offered.has(value)))
    next[list] = how === 'replace' ? given : sortItems(catalogue, list, [...ticked[list], ...given])
  }
  return { ticked: next, archived }
}

/** Formats a template: 'Oficina, CRM · VW · RJ', archived items marked; empty when it has none. */
export function formatTemplate(catalogue: Catalogue, template: Entitlements): string {
  const isArchived = (list: ListName, value: string) =>
    !listChoices(catalogue, list, []).some((choice) => choice.value === value)
  return LISTS.map((list) =>
    template[list].map((value) => (isArchived(list, value) ? `${value} (no arquivo)` : value)).join(', '),
  )
    .filter(Boolean)
    .join(' · ')
}
