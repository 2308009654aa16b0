import Mail from 'lucide-react/icons/mail'
import ShieldCheck from 'lucide-react/icons/shield-check'
import { HeaderLink } from './header-item.tsx'
import { useUnreadCount } from './use-unread-count.ts'

const LARGEST_SHOWN = 99

/** The header's links that only administrators see and load: messages with their unread badge, and administration. */
export function AdminLinks() {
  const unread = useUnreadCount()
  return (
    <>
      <HeaderLink
        to="/mensagens"
        label="Mensagens"
        icon={Mail}
        {...(unread > 0 && { badge: unread > LARGEST_SHOWN ? `${LARGEST_SHOWN}+` : String(unread) })}
        {...(unread > 0 && { remark: unread === 1 ? '1 não lida' : `${unread} não lidas` })}
      />
      <HeaderLink to="/admin" label="Administração" icon={ShieldCheck} />
    </>
  )
}
