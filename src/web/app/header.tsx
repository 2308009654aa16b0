import { Link } from '@tanstack/react-router'
import ChartColumn from 'lucide-react/icons/chart-column'
import LogOut from 'lucide-react/icons/log-out'
import UserRound from 'lucide-react/icons/user-round'
import { useOptionalChunk } from '#web/http/load-chunk.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { BrandMark } from '#web/ui/brand-mark.tsx'
import { FRAME_SLOTS } from '#web/ui/frame-slot.tsx'
import { HeaderButton, HeaderLink } from './header-item.tsx'
import { useRole } from './use-role.ts'
import { useSignOut } from './use-sign-out.ts'

const loadLinks = () => import('./admin-links.tsx')

/** On a phone the thumb bar has all links but the administrators'. */
export function Header() {
  const links = useOptionalChunk(loadLinks, useRole() === 'admin')
  const { confirmAndSignOut, isSigningOut } = useSignOut()
  return (
    <header className="group/header print:hidden sticky top-0 z-10 flex h-12 shrink-0 items-center gap-2 border-line border-b bg-surface px-3 sm:px-4 group-has-data-[whole-height=always]/frame:hidden sideways:group-has-data-whole-height/frame:hidden">
      <Link
        to="/power-bi"
        aria-label={`${portalSettings.groupName}: ir para os relatórios`}
        className="inline-flex min-w-0 items-center rounded-lg p-1"
      >
        <BrandMark />
      </Link>
      <div id={FRAME_SLOTS.header} className="flex min-w-0 flex-1 items-center empty:hidden sm:hidden" />
      {/* Reports on the left: the administrators' links load later and must not move them. */}
      <nav
        aria-label="Principal"
        className="ml-auto flex shrink-0 items-center gap-0.5 sm:flex-1 sm:gap-1 lg:gap-4 [&>:first-child]:mr-auto sm:[&>:first-child]:ml-3"
      >
        <HeaderLink to="/power-bi" label="Relatórios" icon={ChartColumn} className="max-sm:hidden" />
        {links && <links.AdminLinks />}
        <HeaderLink to="/profile" label="Minha conta" icon={UserRound} className="max-sm:hidden" />
        <HeaderButton
          label="Sair"
          icon={LogOut}
          className="max-sm:hidden"
          onClick={confirmAndSignOut}
          isBusy={isSigningOut}
        />
      </nav>
    </header>
  )
}
