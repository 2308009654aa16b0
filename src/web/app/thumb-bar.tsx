import { Link } from '@tanstack/react-router'
import ChartColumn from 'lucide-react/icons/chart-column'
import LogOut from 'lucide-react/icons/log-out'
import Mail from 'lucide-react/icons/mail'
import Search from 'lucide-react/icons/search'
import Star from 'lucide-react/icons/star'
import UserRound from 'lucide-react/icons/user-round'
import { useSession } from '#web/session/session.ts'
import { FooterLinks, FooterName } from '#web/ui/footer.tsx'
import { FRAME_SLOTS } from '#web/ui/frame-slot.tsx'
import { Popover } from '#web/ui/popover.tsx'
import { ThumbLabel, thumbItemClasses } from '#web/ui/thumb-item.tsx'
import { useSignOut } from './use-sign-out.ts'

/** On a phone: what the header has elsewhere, within reach of the thumb. */
export function ThumbBar({ onSearch }: { onSearch: () => void }) {
  return (
    <nav
      aria-label="Barra inferior"
      className="grid shrink-0 grid-cols-4 border-line border-t bg-surface pb-[env(safe-area-inset-bottom)] sm:hidden print:hidden group-has-data-[whole-height=always]/frame:hidden sideways:group-has-data-whole-height/frame:hidden"
    >
      <Link to="/power-bi" className={thumbItemClasses}>
        <ThumbLabel icon={ChartColumn}>Relatórios</ThumbLabel>
      </Link>
      <button type="button" aria-haspopup="dialog" onClick={onSearch} className={thumbItemClasses}>
        <ThumbLabel icon={Search}>Buscar</ThumbLabel>
      </button>
      <div className="grid">
        <div id={FRAME_SLOTS.views} className="peer grid empty:hidden" />
        {/* Leads to the reports, but is not the open screen's own. */}
        <Link
          to="/power-bi"
          activeProps={{}}
          className={`${thumbItemClasses} text-muted! peer-not-empty:hidden`}
        >
          <ThumbLabel icon={Star}>Visões</ThumbLabel>
        </Link>
      </div>
      <Popover
        label="Conta"
        trigger={{
          className: thumbItemClasses,
          children: <ThumbLabel icon={UserRound}>Conta</ThumbLabel>,
        }}
      >
        {(close) => <AccountPanel close={close} />}
      </Popover>
    </nav>
  )
}

const rowClasses = 'flex h-11 w-full items-center gap-3 rounded-md px-3 text-sm hover:bg-subtle'

function AccountPanel({ close }: { close: () => void }) {
  const email = useSession()?.user.email
  const { confirmAndSignOut, isSigningOut } = useSignOut()
  const leave = () => {
    close()
    void confirmAndSignOut()
  }
  return (
    <div className="w-72 max-w-full">
      <p className="truncate px-3 py-2 text-muted text-xs">{email}</p>
      <ul>
        <li>
          <Link to="/profile" onClick={close} className={rowClasses}>
            <UserRound aria-hidden="true" className="size-[1.125rem] text-muted" />
            Minha conta
          </Link>
        </li>
        <li>
          <Link to="/profile/envios" onClick={close} className={rowClasses}>
            <Mail aria-hidden="true" className="size-[1.125rem] text-muted" />
            Relatórios por e-mail
          </Link>
        </li>
        <li>
          <button
            type="button"
            aria-disabled={isSigningOut || undefined}
            onClick={leave}
            className={rowClasses}
          >
            <LogOut aria-hidden="true" className="size-[1.125rem] text-muted" />
            Sair
          </button>
        </li>
      </ul>
      <div className="mt-1 space-y-1 border-line border-t px-3 py-2 text-muted text-xs">
        <FooterLinks className="gap-x-5" />
        <FooterName />
      </div>
    </div>
  )
}
