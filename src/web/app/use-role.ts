import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Role } from '#contract/access.ts'
import { callApi } from '#web/http/api.ts'
import { queryClient, ROLE_QUERY } from '#web/http/query-client.ts'
import { getSession, useSession } from '#web/session/session.ts'

const ownRoleQuery = (userId: string | undefined) =>
  queryOptions({
    queryKey: [ROLE_QUERY, userId],
    queryFn: ({ signal }) => callApi('GET /api/user-roles/me', { signal }),
    enabled: userId !== undefined,
  })

/** Reads the role while the screen's code still loads. */
export function prefetchRole(): void {
  const userId = getSession()?.user.id
  if (userId) void queryClient.prefetchQuery(ownRoleQuery(userId))
}

/**
 * Returns the person's role: undefined without a session,
 * 'user' until it is known or when it cannot be read.
 */
export function useRole(): Role | undefined {
  return useKnownRole().role
}

/** Returns the role, and whether it has been read (or failed to be) rather than assumed. */
export function useKnownRole(): { role: Role | undefined; isKnown: boolean } {
  const userId = useSession()?.user.id
  const { data, error } = useQuery(ownRoleQuery(userId))
  useEffect(() => {
    if (error) console.warn('The role could not be read', error)
  }, [error])
  if (userId === undefined) return { role: undefined, isKnown: true }
  return { role: error ? 'user' : (data?.role ?? 'user'), isKnown: Boolean(error || data) }
}
