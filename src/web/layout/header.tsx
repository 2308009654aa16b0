import { Link } from '@tanstack/react-router'
import ChartColumn from 'lucide-react/icons/chart-column'
import LogOut from 'lucide-react/icons/log-out'
import Mail from 'lucide-react/icons/mail'
import ShieldCheck from 'lucide-react/icons/shield-check'
import UserRound from 'lucide-react/icons/user-round'
import { portalSettings } from '#web/portal-settings.ts'
import { BrandMark } from './brand-mark.tsx'
import { HeaderButton, HeaderLink } from './header-item.tsx'
import { useRole } from './use-role.ts'
import { useSignOut } from './use-sign-out.ts'
import { useUnreadCount } from './use-unread-count.ts'

/** The bar at the top: the logo and the way to every screen that this person may open (SPEC section 1). */
export function Header() {
  const isAdmin = useRole() === 'admin'
  const unreadCount = useUnreadCount(isAdmin)
  const { leave, isLeaving } = useSignOut()
  return (
    <header className="sticky top-0 z-10 flex h-14 shrink-0 items-center gap-2 border-line border-b bg-surface px-3 sm:px-4">
      <Link
        to="/power-bi"
        aria-label={`${portalSettings.groupName}: ir para os relatórios`}
        className="inline-flex min-w-0 items-center rounded-lg p-1"
      >
        <BrandMark />
      </Link>
      <nav aria-label="Principal" className="ml-auto flex shrink-0 items-center gap-0.5 sm:gap-1">
        <HeaderLink to="/power-bi" label="Relatórios" icon={ChartColumn} />
        {isAdmin && <HeaderLink to="/mensagens" label="Mensagens" icon={Mail} unreadCount={unreadCount} />}
        {isAdmin && <HeaderLink to="/admin" label="Administração" icon={ShieldCheck} />}
        <HeaderLink to="/profile" label="Minha conta" icon={UserRound} />
        <HeaderButton label="Sair" icon={LogOut} onClick={leave} isBusy={isLeaving} />
      </nav>
    </header>
  )
}
