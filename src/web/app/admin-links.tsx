import { queryOptions, useQuery } from '@tanstack/react-query'
import Mail from 'lucide-react/icons/mail'
import ShieldCheck from 'lucide-react/icons/shield-check'
import { useEffect } from 'react'
import { callApi } from '#web/http/api.ts'
import { MESSAGES_QUERY } from '#web/http/query-client.ts'
import { useSession } from '#web/session/session.ts'
import { setDocumentTitle } from '#web/ui/document-title.ts'
import { NO_FILTER, profileCountQuery } from '#web/users/count-query.ts'
import { HeaderLink } from './header-item.tsx'

const MAX_SHOWN = 99

/** The header links for administrators only: messages with the unread badge, and administration. */
export function AdminLinks() {
  const unread = useUnreadCount()
  const { waiting, requests = 0 } = useQuery(profileCountQuery(NO_FILTER)).data ?? { waiting: 0 }
  return (
    <>
      <HeaderLink
        to="/mensagens"
        label="Mensagens"
        icon={Mail}
        {...toBadgeProps(unread, `${unread} ${unread === 1 ? 'não lida' : 'não lidas'}`)}
      />
      <HeaderLink
        to="/admin"
        label="Administração"
        icon={ShieldCheck}
        {...toBadgeProps(waiting + requests, describeQueues(waiting, requests))}
      />
    </>
  )
}

function toBadgeProps(count: number, remark: string) {
  if (count === 0) return {}
  return { badge: count > MAX_SHOWN ? `${MAX_SHOWN}+` : String(count), remark }
}

/** Formats '2 aguardam aprovação, 1 pedido de acesso'. */
function describeQueues(waiting: number, requests: number): string {
  return [
    waiting > 0 && `${waiting} ${waiting === 1 ? 'aguarda aprovação' : 'aguardam aprovação'}`,
    requests > 0 && `${requests} ${requests === 1 ? 'pedido de acesso' : 'pedidos de acesso'}`,
  ]
    .filter(Boolean)
    .join(', ')
}

export const unreadCountQuery = (userId: string | undefined) =>
  queryOptions({
    queryKey: [MESSAGES_QUERY, 'unread-count', userId],
    queryFn: ({ signal }) => callApi('GET /api/support-messages/unread-count', { signal }),
    enabled: userId !== undefined,
  })

/**
 * Returns the live number of unread support messages and shows it
 * in the document title; 0 while unknown. Administrators only.
 */
function useUnreadCount(): number {
  const userId = useSession()?.user.id
  const { data, error } = useQuery(unreadCountQuery(userId))
  useEffect(() => {
    if (error) console.warn('The unread messages could not be counted', error)
  }, [error])
  const count = data?.count ?? 0
  useEffect(() => {
    setDocumentTitle({ unreadCount: count })
    return () => setDocumentTitle({ unreadCount: 0 })
  }, [count])
  return count
}
