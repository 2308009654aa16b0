import type { QueryOf } from '#contract/route.ts'
import type { ProfileFilter, userRoutes } from '#contract/users.ts'

/** The filter of a query, where flags are words, as the one that bodies carry. */
export function readFilter({
  approved,
  verified,
  ...rest
}: QueryOf<typeof userRoutes.countProfiles>): ProfileFilter {
  return {
    ...rest,
    ...(approved && { approved: approved === 'true' }),
    ...(verified && { verified: verified === 'true' }),
  }
}
