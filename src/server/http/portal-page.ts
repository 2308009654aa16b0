import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { Hono } from 'hono'
import { PORTAL_SETTINGS_ELEMENT_ID, type PortalSettings } from '#contract/portal.ts'
import { brandStyleSheet } from './brand-style-sheet.ts'
import { contentSecurityPolicy, TRIED_POLICY } from './headers.ts'
import type { HttpEnv } from './implement.ts'

export interface PortalPageOptions {
  /** The built index.html. */
  html: string
  settings: PortalSettings
  brandColor: string
  /** File of the group's logo, SVG or PNG. */
  brandLogo: string | undefined
}

export const LOGO_PATH = '/brand-logo'

/** Serves the one page behind every screen's path, with the installation's settings in it. */
export function servePortalPage(app: Hono<HttpEnv>, options: PortalPageOptions): void {
  const page = withSettings(options.html, options.settings)
  const policy = contentSecurityPolicy({
    powerBiHosts: options.settings.powerBiHosts,
    usesRecaptcha: options.settings.humanCheck.kind === 'recaptcha',
  })
  const styles = brandStyleSheet(options.brandColor)
  app.get('/brand.css', (context) => {
    context.header('Cache-Control', 'no-cache')
    return context.body(styles, 200, { 'Content-Type': 'text/css; charset=utf-8' })
  })
  if (options.brandLogo) {
    const logo = readFileSync(options.brandLogo)
    const type = extname(options.brandLogo) === '.svg' ? 'image/svg+xml' : 'image/png'
    app.get(LOGO_PATH, (context) => {
      context.header('Cache-Control', 'no-cache')
      return context.body(logo, 200, { 'Content-Type': type })
    })
  }
  app.get('*', (context) => {
    if (context.req.path.startsWith('/api/') || context.req.path.startsWith('/demo/'))
      return context.notFound()
    context.header('Content-Security-Policy', policy)
    context.header('Content-Security-Policy-Report-Only', TRIED_POLICY)
    return context.html(page)
  })
}

/** JSON inside HTML: '<' is the one character that could end the element. */
function withSettings(html: string, settings: PortalSettings): string {
  const element = new RegExp(`(<script[^>]*id="${PORTAL_SETTINGS_ELEMENT_ID}"[^>]*>)[^<]*(</script>)`)
  if (!element.test(html)) throw new Error('index.html has no element for the portal settings')
  const json = JSON.stringify(settings).replaceAll('<', '\\u003c')
  return html.replace(element, (_, open: string, close: string) => open + json + close)
}
