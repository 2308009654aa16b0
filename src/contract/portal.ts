import type { PrivacySettings } from './privacy.ts'

/** Settings of the installation that are sent with the HTML. */
export interface PortalSettings {
  groupName: string
  /** Path of the group's logo; null for the portal's own. */
  logoPath: string | null
  groupSiteUrl: string
  groupDealershipsUrl: string
  companyEmailDomain: string
  humanCheck: { kind: 'altcha' } | { kind: 'recaptcha'; siteKey: string }
  contactCaptcha: boolean
  /** Whether Microsoft signs people in, besides the password or alone. */
  signIn: 'password' | 'both' | 'microsoft'
  /** Base URL of /reportEmbed: an allowed https host, or in demo mode a same-origin path. */
  reportEmbedBase: string
  /** Allowed frame hosts of secure_sso reports. */
  powerBiHosts: string[]
  isDemo: boolean
  /** How long data is kept, for /privacidade. */
  privacy?: PrivacySettings
  /** Version of the server, shown to administrators. */
  version: string
}

export const PORTAL_SETTINGS_ELEMENT_ID = 'portal-settings'

export const LOGO_PATH = '/brand-logo'

/** What is kept of people, and for how long. */
export const PRIVACY_PATH = '/privacidade'

/** The page of all components, in demo mode only. */
export const STYLE_PATH = '/demo/estilo'

const PRODUCT = 'Pátio'

/** Formats the document title: 'Entrar · Pátio', with the group's name unless it contains 'Pátio'. */
export function formatDocumentTitle(screen: string | undefined, groupName: string): string {
  const owner = groupName.includes(PRODUCT) ? groupName : `${PRODUCT} ${groupName}`
  return screen ? `${screen} · ${owner}` : owner
}

/** A screen prerendered by the build, with PLACEHOLDERS for the installation's texts. */
export interface PrerenderedScreen {
  path: string
  title: string
  /** Whether the browser hydrates the elements, which keeps typed input; else it renders again. */
  isHydrated: boolean
  /** Style sheets and scripts of this screen. */
  head: string
  /** Content of the root element, by getVariant(). */
  bodies: Record<string, string>
}

/** Placeholders in prerendered screens, replaced by the server with escaped texts. */
export const PLACEHOLDERS = {
  groupName: '__GROUP_NAME__',
  groupSiteUrl: '__GROUP_SITE_URL__',
  groupDealershipsUrl: '__GROUP_DEALERSHIPS_URL__',
  companyEmailDomain: '__COMPANY_EMAIL_DOMAIN__',
  year: '__YEAR__',
} as const

type ShapingSettings = Pick<PortalSettings, 'logoPath' | 'contactCaptcha' | 'signIn'> & {
  humanCheck: Pick<PortalSettings['humanCheck'], 'kind'>
}

/** Returns a key of the settings that determine which elements a screen has. */
export function getVariant({ logoPath, humanCheck, contactCaptcha, signIn }: ShapingSettings): string {
  return [
    logoPath ? 'logo' : 'mark',
    humanCheck.kind,
    contactCaptcha ? 'contact-check' : 'no-contact-check',
    signIn,
  ].join(' ')
}

/** Escapes text for HTML exactly as React does, which hydration requires. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#x27;')
}
