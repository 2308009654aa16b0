import { QueryClient } from '@tanstack/react-query'
import { backoffDelay } from '#contract/timing.ts'
import { type AuthEvent, getSession, onAuthStateChange } from '#web/session/session.ts'
import { onForbidden } from './api.ts'
import { isDefiniteRefusal } from './send-request.ts'

const MAX_RETRIES = 2
const BACKOFF = { firstMs: 500, maxMs: 1_000 }

/** What has been read from the server, for as long as one person is signed in. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // A refusal stays a refusal; being offline should show as an error, not as waiting.
      retry: (failures, error) => failures < MAX_RETRIES && !isDefiniteRefusal(error),
      retryDelay: (failures) => backoffDelay(failures + 1, BACKOFF),
      networkMode: 'always',
      refetchOnReconnect: true,
      staleTime: 30_000,
    },
    mutations: { networkMode: 'always' },
  },
})

/** Of what is read anew when it is opened, and only then: what stands in a dialog must not change under the hand. */
export const READ_ONCE = {
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
  refetchOnReconnect: false,
  refetchOnWindowFocus: false,
} as const

/** Query key of the signed-in person's role; read again on every change of the session and when a call is refused. */
export const ROLE_QUERY = 'own-role'
/** First part of the key of every query of people, for administrators: read again whenever somebody has changed. */
export const USERS_QUERY = 'profiles'

/**
 * Keeps what one person has read from the next one, and reads the role again on every change of the session.
 * @returns a function that ends it
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
