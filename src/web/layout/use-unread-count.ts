import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { supportRoutes } from '#contract/support.ts'
import { callApi } from '#web/api.ts'
import { logWarning } from '#web/log.ts'
import { followMessageChanges } from '#web/message-changes.ts'
import { useSession } from '#web/session.ts'
import { useUnreadInTitle } from '#web/unread-in-title.ts'

/**
 * How many support messages nobody has read yet, live, here and in the name of the browser's tab; 0 while
 * unknown. Only administrators may ask.
 */
export function useUnreadCount(): number {
  const userId = useSession()?.user.id
  const { data, error } = useQuery({
    queryKey: ['support-messages', 'unread-count', userId],
    queryFn: ({ signal }) => callApi(supportRoutes.countUnreadMessages, { signal }),
    enabled: userId !== undefined,
  })
  useEffect(() => {
    if (error) logWarning('The unread messages could not be counted', error)
  }, [error])
  useEffect(() => followMessageChanges(), [])
  const count = data?.count ?? 0
  useUnreadInTitle(count)
  return count
}
