import { queryOptions, useQuery } from '@tanstack/react-query'
import Mail from 'lucide-react/icons/mail'
import ShieldCheck from 'lucide-react/icons/shield-check'
import { useEffect } from 'react'
import { callApi } from '#web/http/api.ts'
import { useSession } from '#web/session/session.ts'
import { followMessageChanges, MESSAGES_QUERY } from '#web/support/message-changes.ts'
import { HeaderLink } from './header-item.tsx'

const MAX_SHOWN = 99

/** The header's links that only administrators see and load: messages with their unread badge, and administration. */
export function AdminLinks() {
  const unread = useUnreadCount()
  return (
    <>
      <HeaderLink
        to="/mensagens"
        label="Mensagens"
        icon={Mail}
        {...(unread > 0 && { badge: unread > MAX_SHOWN ? `${MAX_SHOWN}+` : String(unread) })}
        {...(unread > 0 && { remark: unread === 1 ? '1 não lida' : `${unread} não lidas` })}
      />
      <HeaderLink to="/admin" label="Administração" icon={ShieldCheck} />
    </>
  )
}

const unreadCountQuery = (userId: string | undefined) =>
  queryOptions({
    queryKey: [MESSAGES_QUERY, 'unread-count', userId],
    queryFn: ({ signal }) => callApi('GET /api/support-messages/unread-count', { signal }),
    enabled: userId !== undefined,
  })

/**
 * How many support messages are still unread, live, here and in the name of the browser's tab; 0 while
 * unknown. Only administrators may ask.
 */
export function useUnreadCount(): number {
  const userId = useSession()?.user.id
  const { data, error } = useQuery(unreadCountQuery(userId))
  useEffect(() => {
    if (error) console.warn('The unread messages could not be counted', error)
  }, [error])
  useEffect(() => followMessageChanges(), [])
  const count = data?.count ?? 0
  useUnreadInTitle(count)
  return count
}

const UNREAD = /^\(\d+\) /

/** Puts the number of unread messages before the name of the browser's tab, whatever screen it names: '(3) Relatórios · Pátio'. */
export function useUnreadInTitle(count: number): void {
  useEffect(() => {
    const write = () => {
      const title = document.title.replace(UNREAD, '')
      const wanted = count > 0 ? `(${count}) ${title}` : title
      if (document.title !== wanted) document.title = wanted
    }
    write()
    // The screens name the tab themselves, as one gives way to the next.
    const element = document.querySelector('title')
    const observer = new MutationObserver(write)
    if (element) observer.observe(element, { childList: true })
    return () => {
      observer.disconnect()
      document.title = document.title.replace(UNREAD, '')
    }
  }, [count])
}
