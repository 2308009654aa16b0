import type { profileRoutes } from '#contract/profiles.ts'
import type { Handlers } from '#server/http/implement.ts'

/** Own profile and role: both come with the session check, so no further query is made. */
export function profileHandlers(): Handlers<typeof profileRoutes> {
  return {
    readOwnProfile: ({ actor }) => actor.profile,
    readOwnRole: ({ actor }) => ({ role: actor.role }),
  }
}
