/** What the page knows of its installation before it has asked anything: sent along with the HTML. */
export interface PortalSettings {
  groupName: string
  /** Path of the group's logo, or null for the portal's own. */
  logoPath: string | null
  groupSiteUrl: string
  groupDealershipsUrl: string
  companyEmailDomain: string
  humanCheck: { kind: 'altcha' } | { kind: 'recaptcha'; siteKey: string }
  contactCaptcha: boolean
  /** Where /reportEmbed lives: an allowed https host, or in demo mode a same-origin path. */
  reportEmbedBase: string
  /** Hosts that may be framed for secure_sso reports. */
  powerBiHosts: string[]
  isDemo: boolean
  /** Of the portal that runs; administrators see it below their screens. */
  version: string
}

export const PORTAL_SETTINGS_ELEMENT_ID = 'portal-settings'

export const LOGO_PATH = '/brand-logo'

/** The page of every component, in demo mode only. */
export const STYLE_PATH = '/demo/estilo'

const PRODUCT = 'Pátio'

/** The name of the browser's tab: 'Entrar · Pátio', with the group's name where it says more. */
export function documentTitle(screen: string | undefined, groupName: string): string {
  const owner = groupName.includes(PRODUCT) ? groupName : `${PRODUCT} ${groupName}`
  return screen ? `${screen} · ${owner}` : owner
}

/** A screen as it was drawn when the portal was built, PLACEHOLDERS in the place of an installation's texts. */
export interface PrerenderedScreen {
  path: string
  title: string
  /** Whether the browser takes the drawn elements over, so that what was typed stays; else it draws its own. */
  isHydrated: boolean
  /** The style sheets and scripts that the screen needs beside every screen's. */
  head: string
  /** What stands inside the root element, by shapeOf(). */
  bodies: Record<string, string>
}

/** Stand in prerendered screens for what the server fills in, escaped for HTML. */
export const PLACEHOLDERS = {
  groupName: '__GROUP_NAME__',
  groupSiteUrl: '__GROUP_SITE_URL__',
  groupDealershipsUrl: '__GROUP_DEALERSHIPS_URL__',
  companyEmailDomain: '__COMPANY_EMAIL_DOMAIN__',
  year: '__YEAR__',
} as const

type ShapingSettings = Pick<PortalSettings, 'logoPath' | 'contactCaptcha'> & {
  humanCheck: Pick<PortalSettings['humanCheck'], 'kind'>
}

/** What of the settings changes which elements a screen has; everything else is filled in. */
export function shapeOf({ logoPath, humanCheck, contactCaptcha }: ShapingSettings): string {
  return [
    logoPath ? 'logo' : 'mark',
    humanCheck.kind,
    contactCaptcha ? 'contact-check' : 'no-contact-check',
  ].join(' ')
}

/** Makes any text safe in HTML, as React does it: what it takes over is what it would have drawn. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#x27;')
}
