import { Link } from '@tanstack/react-router'
import ChartColumn from 'lucide-react/icons/chart-column'
import LogOut from 'lucide-react/icons/log-out'
import Search from 'lucide-react/icons/search'
import UserRound from 'lucide-react/icons/user-round'
import { useOptionalChunk } from '#web/http/load-chunk.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { BrandMark } from '#web/ui/brand-mark.tsx'
import { FRAME_SLOTS } from '#web/ui/frame-slot.tsx'
import { Tooltip } from '#web/ui/tooltip.tsx'
import { HeaderButton, HeaderLink } from './header-item.tsx'
import { useRole } from './use-role.ts'
import { useSignOut } from './use-sign-out.ts'

const loadLinks = () => import('./admin-links.tsx')

/** On a phone the thumb bar has all links but the administrators'. */
export function Header({ onSearch }: { onSearch: () => void }) {
  const links = useOptionalChunk(loadLinks, useRole() === 'admin')
  const { confirmAndSignOut, isSigningOut } = useSignOut()
  return (
    <header className="group/header print:hidden sticky top-0 z-10 flex h-12 sideways:h-11 shrink-0 items-center gap-2 border-line border-b bg-surface px-3 sm:px-4 group-has-data-[whole-height=always]/frame:hidden sideways:group-has-data-whole-height/frame:hidden">
      <Link
        to="/power-bi"
        aria-label={`${portalSettings.groupName}: ir para os relatórios`}
        className="inline-flex min-w-0 items-center rounded-lg p-1"
      >
        <BrandMark />
      </Link>
      <div id={FRAME_SLOTS.header} className="flex min-w-0 flex-1 items-center empty:hidden sm:hidden" />
      {/* Reports on the left: the administrators' links load later and must not move them, nor 'Buscar'. */}
      <nav
        aria-label="Principal"
        className="ml-auto flex shrink-0 items-center gap-0.5 sm:flex-1 sm:gap-1 lg:gap-4 sm:[&>:first-child]:ml-3"
      >
        <HeaderLink to="/power-bi" label="Relatórios" icon={ChartColumn} className="max-sm:hidden" />
        <Tooltip text="Buscar (Ctrl K)" className="relative mr-auto max-sm:hidden" popupClassName="lg:hidden">
          <button
            type="button"
            aria-keyshortcuts="Control+K Meta+K"
            onClick={onSearch}
            className="inline-flex h-10 min-w-10 items-center justify-center gap-2 rounded-lg px-2.5 text-muted text-sm transition-colors hover:bg-subtle hover:text-ink"
          >
            <Search aria-hidden="true" className="size-[1.125rem]" />
            <span className="sr-only lg:not-sr-only">Buscar</span>
            <span
              aria-hidden="true"
              className="ml-auto hidden rounded-md border border-line px-1.5 py-0.5 font-sans text-xs xl:inline"
            >
              Ctrl K
            </span>
          </button>
        </Tooltip>
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
