import { queryOptions } from '@tanstack/react-query'
import { callApi } from './api.ts'

/** What the server has last seen of the services, and the reports that give no token. */
export const lampsQuery = queryOptions({
  queryKey: ['lamps'],
  queryFn: ({ signal }) => callApi('GET /api/health/lamps', { signal }),
  staleTime: 0,
  retry: false,
})
