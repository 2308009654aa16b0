import { Link, useNavigate } from '@tanstack/react-router'
import ChartColumn from 'lucide-react/icons/chart-column'
import LogOut from 'lucide-react/icons/log-out'
import UserRound from 'lucide-react/icons/user-round'
import { sessionMessages } from '#contract/messages.ts'
import { useOptionalChunk } from '#web/http/load-chunk.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { activeLeaveGuard, signOut } from '#web/session/session.ts'
import { BrandMark } from '#web/ui/brand-mark.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { useSubmit } from '#web/ui/use-submit.ts'
import { HeaderButton, HeaderLink } from './header-item.tsx'
import { useRole } from './use-role.ts'

const loadLinks = () => import('./admin-links.tsx')

export function Header() {
  const links = useOptionalChunk(loadLinks, useRole() === 'admin')
  const { confirmAndSignOut, isSigningOut } = useSignOut()
  return (
    <header className="print:hidden sticky top-0 z-10 flex h-12 shrink-0 items-center gap-2 border-line border-b bg-surface px-3 sm:px-4 sideways:group-has-data-whole-height/frame:hidden">
      <Link
        to="/power-bi"
        aria-label={`${portalSettings.groupName}: ir para os relatórios`}
        className="inline-flex min-w-0 items-center rounded-lg p-1"
      >
        <BrandMark />
      </Link>
      {/* Reports on the left: the administrators' links load later and must not move them. */}
      <nav
        aria-label="Principal"
        className="flex flex-1 shrink-0 items-center gap-0.5 sm:gap-1 lg:gap-4 [&>:first-child]:mr-auto sm:[&>:first-child]:ml-3"
      >
        <HeaderLink to="/power-bi" label="Relatórios" icon={ChartColumn} />
        {links && <links.AdminLinks />}
        <HeaderLink to="/profile" label="Minha conta" icon={UserRound} />
        <HeaderButton label="Sair" icon={LogOut} onClick={confirmAndSignOut} isBusy={isSigningOut} />
      </nav>
    </header>
  )
}

/** Signs out: asks for confirmation where changes would be lost, shows the result, goes to /login. */
function useSignOut() {
  const navigate = useNavigate()
  const { submit, isBusy } = useSubmit({
    async send() {
      await signOut()
      showToast({ kind: 'success', title: sessionMessages.signedOut })
      await navigate({ to: '/login' })
    },
    onFailed: sessionMessages.signOutFailed,
  })
  const confirmAndSignOut = async () => {
    if (!isBusy && !(await activeLeaveGuard.ask?.())) await submit()
  }
  return { confirmAndSignOut, isSigningOut: isBusy }
}
