import type { ProfileFilter, profileRoutes } from '#contract/profiles.ts'
import type { QueryOf } from '#contract/route.ts'

/** The filter of a query, where flags are words, as the one that bodies carry. */
export function readFilter({
  approved,
  verified,
  ...rest
}: QueryOf<typeof profileRoutes.countProfiles>): ProfileFilter {
  return {
    ...rest,
    ...(approved && { approved: approved === 'true' }),
    ...(verified && { verified: verified === 'true' }),
  }
}
