/** What the page knows of its installation before it has asked anything: sent along with the HTML. */
export interface PortalSettings {
  groupName: string
  /** Path of the group's logo, or null for the portal's own. */
  logoPath: string | null
  groupSiteUrl: string
  groupDealershipsUrl: string
  companyEmailDomain: string
  humanCheck: { kind: 'altcha' } | { kind: 'recaptcha'; siteKey: string }
  /** Whether the contact form asks for a human check. */
  contactCaptcha: boolean
  /** Where /reportEmbed lives: an allowed https host, or in demo mode a same-origin path. */
  reportEmbedBase: string
  /** Hosts that may be framed for secure_sso reports. */
  powerBiHosts: string[]
  isDemo: boolean
}

/** The id of the JSON element that carries the settings in the page. */
export const PORTAL_SETTINGS_ELEMENT_ID = 'portal-settings'
