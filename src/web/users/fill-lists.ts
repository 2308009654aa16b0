import type { Catalogue } from '#contract/catalogue.ts'
import { type Entitlements, inOrder, LISTS, type ListName, valuesOf } from '#contract/held-lists.ts'
import { choicesOf } from '#web/http/catalogue-query.ts'

export interface Filling {
  /** The lists that are shown: no other is touched. */
  lists: readonly ListName[]
  /** What may be ticked although it is archived; undefined for all of it. */
  held: Entitlements | undefined
}

/**
 * Ticks what a template or a colleague has: a copy.
 * @param how a template is added to what is ticked, a colleague replaces it
 * @returns archived names what was left out because it is archived
 */
export function fillFrom(
  catalogue: Catalogue,
  { lists, held }: Filling,
  ticked: Entitlements,
  source: Partial<Entitlements>,
  how: 'add' | 'replace',
): { ticked: Entitlements; archived: string[] } {
  const next = { ...ticked }
  const archived: string[] = []
  for (const list of lists) {
    const wanted = source[list]
    if (!wanted) continue
    const offered = new Set(choicesOf(catalogue, list, held?.[list]).map(({ value }) => value))
    const known = valuesOf(catalogue, list)
    const values = inOrder(catalogue, list, wanted).filter((value) => known.includes(value))
    const given = values.filter((value) => offered.has(value))
    archived.push(...values.filter((value) => !offered.has(value)))
    next[list] = how === 'replace' ? given : inOrder(catalogue, list, [...ticked[list], ...given])
  }
  return { ticked: next, archived }
}

/** 'Oficina, CRM · VW · RJ', with what is archived marked; empty when there is nothing. */
export function templateInWords(catalogue: Catalogue, template: Entitlements): string {
  const isArchived = (list: ListName, value: string) =>
    !choicesOf(catalogue, list, []).some((choice) => choice.value === value)
  return LISTS.map((list) =>
    template[list].map((value) => (isArchived(list, value) ? `${value} (no arquivo)` : value)).join(', '),
  )
    .filter(Boolean)
    .join(' · ')
}
