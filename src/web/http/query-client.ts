import { QueryClient } from '@tanstack/react-query'
import { backoffDelay } from '#contract/timing.ts'
import { type AuthEvent, getSession, onAuthStateChange } from '#web/session/session.ts'
import { onForbidden } from './api.ts'
import { isDefiniteRefusal } from './send-request.ts'

const MAX_RETRIES = 2
const BACKOFF = { firstMs: 500, maxMs: 1_000 }

/** The cache of server data; cleared when another person signs in. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // Refusals are final; being offline must show as an error, not as loading.
      retry: (failures, error) => failures < MAX_RETRIES && !isDefiniteRefusal(error),
      retryDelay: (failures) => backoffDelay(failures + 1, BACKOFF),
      networkMode: 'always',
      refetchOnReconnect: true,
      staleTime: 30_000,
    },
    mutations: { networkMode: 'always' },
  },
})

/** For data that is fetched once when a dialog opens: it must not change while the person edits it. */
export const READ_ONCE = {
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
  refetchOnReconnect: false,
  refetchOnWindowFocus: false,
} as const

/** Query key of the person's role; invalidated on every session change and after a refused call. */
export const ROLE_QUERY = 'own-role'
/** Key prefix of every query of people (administrators only); invalidated whenever any person changes. */
export const USERS_QUERY = 'profiles'

/** Key prefix of every query of support messages. */
export const MESSAGES_QUERY = 'support-messages'

/**
 * Clears the cache when the person changes and refetches the role on every session change.
 * @returns an unsubscribe function
 */
export function syncQueriesWithSession(): () => void {
  let userId = getSession()?.user.id
  onForbidden(() => void queryClient.invalidateQueries({ queryKey: [ROLE_QUERY] }))
  return onAuthStateChange((event: AuthEvent) => {
    const isSamePerson = getSession()?.user.id === userId
    userId = getSession()?.user.id
    if (event === 'SIGNED_OUT' || !isSamePerson) queryClient.clear()
    else void queryClient.invalidateQueries({ queryKey: [ROLE_QUERY] })
  })
}
