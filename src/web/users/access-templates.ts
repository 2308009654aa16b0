import { queryOptions } from '@tanstack/react-query'
import type { AccessTemplate } from '#contract/access-templates.ts'
import type { Entitlements, ListName } from '#contract/entitlement-lists.ts'
import { callApi } from '#web/http/api.ts'
import { queryClient } from '#web/http/query-client.ts'
import { getSession } from '#web/session/session.ts'

export const accessTemplatesQuery = queryOptions({
  queryKey: ['access-templates'],
  queryFn: async ({ signal }) => (await callApi('GET /api/access-templates', { signal })).items,
})

export const groupMappingsQuery = queryOptions({
  queryKey: ['group-mappings', 'list'],
  queryFn: ({ signal }) => callApi('GET /api/group-mappings', { signal }),
  staleTime: 0,
})

/** Refetches the templates, and the user lists, which can be filtered by template. */
export async function refreshTemplates(): Promise<AccessTemplate[]> {
  void queryClient.invalidateQueries({ queryKey: ['profiles'] })
  return queryClient.fetchQuery({ ...accessTemplatesQuery, staleTime: 0 })
}

/** The entitlements saved last in this tab, and the user who saved them. */
let last: { userId: string | undefined; ticked: Partial<Entitlements> } | undefined

/** Remembers the entitlements just granted, to offer them for the next person. */
export function setLastEntitlements(ticked: Partial<Entitlements>): void {
  last = { userId: getSession()?.user.id, ticked }
}

/** Returns what the signed-in user granted last, if it includes any of these lists. */
export function getLastEntitlements(lists: readonly ListName[]): Partial<Entitlements> | undefined {
  if (!last || last.userId !== getSession()?.user.id) return undefined
  return lists.some((list) => last?.ticked[list]) ? last.ticked : undefined
}
