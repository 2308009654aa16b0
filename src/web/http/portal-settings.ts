import { PORTAL_SETTINGS_ELEMENT_ID, type PortalSettings } from '#contract/portal.ts'

/** Defaults for settings missing in the page, so that it never crashes over them. */
const defaults: PortalSettings = {
  groupName: 'Pátio',
  logoPath: null,
  groupSiteUrl: '/',
  groupDealershipsUrl: '/',
  companyEmailDomain: '',
  humanCheck: { kind: 'altcha' },
  contactCaptcha: false,
  signIn: 'password',
  reportEmbedBase: 'https://app.powerbi.com',
  powerBiHosts: ['app.powerbi.com', 'msit.powerbi.com'],
  isDemo: false,
  version: '',
}

/** This installation's settings, embedded in the HTML in the element of PORTAL_SETTINGS_ELEMENT_ID. */
export const portalSettings: PortalSettings = { ...defaults, ...readSettings() }

function readSettings(): Partial<PortalSettings> {
  if (typeof document === 'undefined') return {}
  return JSON.parse(document.getElementById(PORTAL_SETTINGS_ELEMENT_ID)?.textContent || '{}')
}
