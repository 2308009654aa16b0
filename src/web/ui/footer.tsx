import { Link } from '@tanstack/react-router'
import { PLACEHOLDERS } from '#contract/portal.ts'
import { portalSettings } from '#web/http/portal-settings.ts'

const linkClasses = 'rounded-sm py-1 hover:text-ink hover:underline'

/** The footer; `version` is shown on administrators' screens only. */
export function Footer({ version }: { version?: string | undefined }) {
  return (
    <footer className="flex print:hidden min-h-8 shrink-0 flex-wrap items-center justify-center gap-x-2.5 border-line border-t bg-surface px-3 py-1 text-muted text-xs sm:h-8 sm:flex-nowrap sm:justify-between sm:px-4 sm:py-0 group-has-data-[whole-height=always]/frame:hidden sideways:group-has-data-whole-height/frame:hidden">
      <FooterName version={version} />
      <FooterLinks className="justify-center gap-x-2.5 sm:gap-x-5" />
    </footer>
  )
}

/** The year, the group and the portal's version. */
export function FooterName({ version }: { version?: string | undefined }) {
  const year = typeof document === 'undefined' ? PLACEHOLDERS.year : new Date().getFullYear()
  return (
    // The build's year may differ from the browser's around New Year.
    <p suppressHydrationWarning>
      © {year} {portalSettings.groupName}
      {version && <span className="max-sm:hidden"> · Pátio {version}</span>}
    </p>
  )
}

export function FooterLinks({ className }: { className: string }) {
  const { groupSiteUrl, groupDealershipsUrl } = portalSettings
  return (
    <nav aria-label="Rodapé" className={`flex flex-wrap ${className}`}>
      <a href={groupSiteUrl} target="_blank" rel="noopener noreferrer" className={linkClasses}>
        Site do grupo
      </a>
      <a href={groupDealershipsUrl} target="_blank" rel="noopener noreferrer" className={linkClasses}>
        Concessionárias
      </a>
      <Link to={'/contato' as string} className={linkClasses}>
        Contato
      </Link>
      <Link to={'/privacidade' as string} className={linkClasses}>
        Privacidade
      </Link>
    </nav>
  )
}
