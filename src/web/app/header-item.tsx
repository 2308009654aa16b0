import { Link, type LinkProps } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import { Tooltip } from '#web/ui/tooltip.tsx'

const itemClasses =
  'inline-flex h-10 max-lg:h-11 min-w-10 max-lg:min-w-11 items-center justify-center gap-2 rounded-lg px-2.5 font-medium text-sm transition-colors hover:bg-subtle hover:text-ink'
/** The label is visible next to the icon there, so it needs no tooltip. */
const tooltipClasses = 'lg:hidden'

interface HeaderItemProps {
  label: string
  icon: LucideIcon
  /** A count inside the button: after the label, on the corner where that is hidden. */
  badge?: string
  /** Hides it where the thumb bar has it. */
  className?: string
}
type HeaderLinkProps = HeaderItemProps & {
  to: NonNullable<LinkProps['to']>
  /** The badge's accessible text, read after the label: '3 não lidas'. */
  remark?: string
}

/** A header link to a screen: icon and label; on narrow windows the icon only. */
export function HeaderLink({ to, remark, className = '', ...content }: HeaderLinkProps) {
  return (
    <Tooltip text={content.label} className={`relative ${className}`} popupClassName={tooltipClasses}>
      <Link
        to={to}
        aria-label={remark && `${content.label}, ${remark}`}
        className={itemClasses}
        activeProps={{ className: 'bg-subtle text-ink' }}
        inactiveProps={{ className: 'text-muted' }}
      >
        <HeaderItemContent {...content} />
      </Link>
    </Tooltip>
  )
}

export function HeaderButton(props: HeaderItemProps & { onClick: () => void; isBusy: boolean }) {
  const { onClick, isBusy, className = '', ...content } = props
  return (
    <Tooltip text={content.label} className={`relative ${className}`} popupClassName={tooltipClasses}>
      <button
        type="button"
        onClick={onClick}
        aria-disabled={isBusy || undefined}
        className={`text-muted ${itemClasses}`}
      >
        <HeaderItemContent {...content} />
      </button>
    </Tooltip>
  )
}

function HeaderItemContent({ label, icon: Icon, badge }: HeaderItemProps) {
  return (
    <>
      <Icon aria-hidden="true" className="size-[1.125rem]" />
      <span className="sr-only lg:not-sr-only">{label}</span>
      {badge && (
        // Drawn by CSS: the accessible name already holds the number.
        <span
          aria-hidden="true"
          data-text={badge}
          className="min-w-4 whitespace-nowrap rounded-full bg-brand px-1 text-center font-semibold text-brand-foreground text-xs tabular-nums after:content-[attr(data-text)] max-lg:absolute max-lg:top-1 max-lg:right-0 max-lg:px-0.5 max-lg:text-[0.625rem] max-lg:leading-4"
        />
      )}
    </>
  )
}
