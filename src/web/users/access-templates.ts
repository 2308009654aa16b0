import { queryOptions } from '@tanstack/react-query'
import type { AccessTemplate } from '#contract/access-templates.ts'
import { type Catalogue, type Entitlements, inOrder, type ListName, valuesOf } from '#contract/catalogue.ts'
import { callApi } from '#web/http/api.ts'
import { choicesOf } from '#web/http/catalogue-query.ts'
import { queryClient } from '#web/http/query-client.ts'
import { getSession } from '#web/session/session.ts'
import { LIST_ORDER } from './describe-change.ts'

export const accessTemplatesQuery = queryOptions({
  queryKey: ['access-templates'],
  queryFn: async ({ signal }) => (await callApi('GET /api/access-templates', { signal })).items,
})

/** Reads the templates again after a change of one, and the people whom the table finds by one. */
export async function refreshTemplates(): Promise<AccessTemplate[]> {
  void queryClient.invalidateQueries({ queryKey: ['profiles'] })
  return queryClient.fetchQuery({ ...accessTemplatesQuery, staleTime: 0 })
}

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
  return LIST_ORDER.map((list) =>
    template[list].map((value) => (isArchived(list, value) ? `${value} (no arquivo)` : value)).join(', '),
  )
    .filter(Boolean)
    .join(' · ')
}

/** What was last saved in this tab, and by whom. */
let last: { userId: string | undefined; ticked: Partial<Entitlements> } | undefined

/** Keeps what was just given, so that the next person can be given the same. */
export function rememberTicks(ticked: Partial<Entitlements>): void {
  last = { userId: getSession()?.user.id, ticked }
}

/** What whoever is signed in gave last, where these lists were among it. */
export function lastTicks(lists: readonly ListName[]): Partial<Entitlements> | undefined {
  if (!last || last.userId !== getSession()?.user.id) return undefined
  return lists.some((list) => last?.ticked[list]) ? last.ticked : undefined
}
