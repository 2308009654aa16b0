import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { ProfileFilter } from '#contract/users.ts'
import { callApi } from '#web/http/api.ts'
import { USERS_QUERY } from '#web/http/query-client.ts'

export const NO_FILTER: ProfileFilter = {}

/** Counts what is open besides people. */
export const tasksQuery = queryOptions({
  queryKey: [USERS_QUERY, 'tasks'],
  queryFn: ({ signal }) => callApi('GET /api/profiles/tasks', { signal }),
})

/** Counts the people who match the filter, and all who wait for approval. */
export function profileCountQuery(filter: ProfileFilter) {
  return queryOptions({
    queryKey: [USERS_QUERY, 'count', filter],
    queryFn: ({ signal }) => callApi('GET /api/profiles/count', { query: filter, signal }),
    placeholderData: keepPreviousData,
  })
}
