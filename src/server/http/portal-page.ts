import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { Hono } from 'hono'
import { PORTAL_SETTINGS_ELEMENT_ID, type PortalSettings } from '#contract/portal.ts'
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

type Rgb = [number, number, number]

const WHITE: Rgb = [255, 255, 255]
const NIGHT: Rgb = [17, 20, 24]
/** --subtle, the ground that is nearest to the text in light and in dark, as src/web/app/index.css has it. */
const DAY_GROUND: Rgb = [238, 238, 241]
const NIGHT_GROUND: Rgb = [31, 36, 42]
/** WCAG 2.2 AA for text. */
const AA_CONTRAST = 4.5

function parseHex(hex: string): Rgb {
  return [1, 3, 5].map((start) => Number.parseInt(hex.slice(start, start + 2), 16)) as Rgb
}

function hexOf(color: Rgb): string {
  return `#${color.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`
}

function luminance(color: Rgb): number {
  const [r, g, b] = color.map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as Rgb
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

/** Contrast ratio of two colours, 1 to 21 (WCAG 2.2). */
export function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(parseHex(a)), luminance(parseHex(b))].sort((x, y) => y - x) as [
    number,
    number,
  ]
  return (light + 0.05) / (dark + 0.05)
}

/** Moves a colour towards another until it can be read on the ground. */
function readableOn(color: string, ground: Rgb, towards: Rgb): string {
  const from = parseHex(color)
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = hexOf(from.map((channel, i) => channel + ((towards[i] as number) - channel) * share) as Rgb)
    if (contrast(mixed, hexOf(ground)) >= AA_CONTRAST) return mixed
  }
  return hexOf(towards)
}

/**
 * The group's colour as custom properties for light and dark: --brand for surfaces, --brand-foreground
 * for text on them, --brand-strong for coloured text on every ground of the page, each with AA contrast.
 */
export function brandStyleSheet(color: string): string {
  const foreground = contrast(color, '#ffffff') >= AA_CONTRAST ? '#ffffff' : hexOf(NIGHT)
  const surface =
    contrast(color, foreground) >= AA_CONTRAST ? color : readableOn(color, parseHex(foreground), WHITE)
  const properties = (strong: string) =>
    `:root{--brand:${surface};--brand-foreground:${foreground};--brand-strong:${strong}}`
  const light = properties(readableOn(color, DAY_GROUND, NIGHT))
  const dark = properties(readableOn(color, NIGHT_GROUND, WHITE))
  return `${light}@media (prefers-color-scheme:dark){${dark}}`
}
