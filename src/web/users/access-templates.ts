import { queryOptions } from '@tanstack/react-query'
import type { AccessTemplate } from '#contract/access-templates.ts'
import type { Entitlements, ListName } from '#contract/held-lists.ts'
import { callApi } from '#web/http/api.ts'
import { queryClient } from '#web/http/query-client.ts'
import { getSession } from '#web/session/session.ts'

export const accessTemplatesQuery = queryOptions({
  queryKey: ['access-templates'],
  queryFn: async ({ signal }) => (await callApi('GET /api/access-templates', { signal })).items,
})

/** Reads the templates again after a change of one, and the people whom the table finds by one. */
export async function refreshTemplates(): Promise<AccessTemplate[]> {
  void queryClient.invalidateQueries({ queryKey: ['profiles'] })
  return queryClient.fetchQuery({ ...accessTemplatesQuery, staleTime: 0 })
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
