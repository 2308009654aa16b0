import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { supportRoutes } from '#contract/support.ts'
import { callApi } from '#web/api.ts'
import { logWarning } from '#web/log.ts'
import { useSession } from '#web/session.ts'

/** How many support messages nobody has read yet; 0 while unknown. Only administrators may ask. */
export function useUnreadCount(isAdmin: boolean): number {
  const userId = useSession()?.user.id
  const { data, error } = useQuery({
    queryKey: ['support-messages', 'unread-count', userId],
    queryFn: ({ signal }) => callApi(supportRoutes.countUnreadMessages, { signal }),
    enabled: isAdmin && userId !== undefined,
  })
  useEffect(() => {
    if (error) logWarning('The unread messages could not be counted', error)
  }, [error])
  return isAdmin ? (data?.count ?? 0) : 0
}
