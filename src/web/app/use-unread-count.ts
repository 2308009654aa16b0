import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { supportRoutes } from '#contract/support.ts'
import { callApi } from '#web/http/api.ts'
import { logWarning } from '#web/http/log.ts'
import { useSession } from '#web/session/session.ts'
import { followMessageChanges, MESSAGES_QUERY } from '#web/support/message-changes.ts'
import { useUnreadInTitle } from './unread-in-title.ts'

/**
 * How many support messages nobody has read yet, live, here and in the name of the browser's tab; 0 while
 * unknown. Only administrators may ask.
 */
export function useUnreadCount(): number {
  const userId = useSession()?.user.id
  const { data, error } = useQuery({
    queryKey: [MESSAGES_QUERY, 'unread-count', userId],
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
