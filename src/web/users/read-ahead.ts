import type { ProfileFilter } from '#contract/users.ts'
import { queryClient } from '#web/http/query-client.ts'
import { type ProfileOrder, profileCountQuery, profileListQuery } from './profile-queries.ts'

/** Asks for a list before the screen that shows it is drawn; what has been read lately is not asked for again. */
export function readAhead(filter: ProfileFilter, order: ProfileOrder): void {
  void queryClient.prefetchInfiniteQuery(profileListQuery(filter, order))
  void queryClient.prefetchQuery(profileCountQuery(filter))
}
