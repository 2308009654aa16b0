import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { Hono } from 'hono'
import { LOGO_PATH } from '#contract/portal.ts'
import type { HttpEnv } from './implement.ts'

export interface Brand {
  /** Accent color, '#0f5c7d'. */
  color: string
  /** Path of the group's logo, SVG or PNG. */
  logo: string | undefined
}

/**
 * Serves the group's color as a style sheet, and its logo if there is one.
 * @returns the URL of the style sheet, with a hash of the content, so that browsers can cache it
 */
export function serveBrand(app: Hono<HttpEnv>, { color, logo }: Brand): string {
  const styles = createBrandStyleSheet(color)
  const version = createHash('sha256').update(styles).digest('hex').slice(0, 8)
  app.get('/brand.css', (context) => {
    const isNamed = context.req.query('v') === version
    context.header('Cache-Control', isNamed ? 'public, max-age=31536000, immutable' : 'no-cache')
    return context.body(styles, 200, { 'Content-Type': 'text/css; charset=utf-8' })
  })
  if (logo) serveLogo(app, logo)
  return `/brand.css?v=${version}`
}

function serveLogo(app: Hono<HttpEnv>, logo: string): void {
  const image = readFileSync(logo)
  const type = extname(logo) === '.svg' ? 'image/svg+xml' : 'image/png'
  app.get(LOGO_PATH, (context) => {
    context.header('Cache-Control', 'no-cache')
    return context.body(image, 200, { 'Content-Type': type })
  })
}

type Rgb = [number, number, number]

const WHITE: Rgb = [255, 255, 255]
const DARK: Rgb = [17, 20, 24]
/** --color-subtle of src/web/app/index.css, the background with the least contrast in each scheme. */
const LIGHT_BACKGROUND: Rgb = [238, 238, 241]
const DARK_BACKGROUND: Rgb = [31, 36, 42]
/** WCAG 2.2 AA for text. */
const AA_CONTRAST = 4.5
/** In dark mode the accent must differ from --color-muted, which has 6.6. */
const DARK_CONTRAST = 8
/** Brightest channel of the accent in dark mode. */
const DARK_BRIGHTNESS = 224

function parseHex(hex: string): Rgb {
  return [1, 3, 5].map((start) => Number.parseInt(hex.slice(start, start + 2), 16)) as Rgb
}

function toHex(color: Rgb): string {
  return `#${color.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`
}

function computeLuminance(color: Rgb): number {
  const [r, g, b] = color.map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as Rgb
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

/** Returns the contrast ratio of two colors, 1 to 21 (WCAG 2.2). */
export function getContrast(a: string, b: string): number {
  const [one, other] = [computeLuminance(parseHex(a)), computeLuminance(parseHex(b))]
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
}

/** Mixes a color with another until it reaches the contrast to the background. */
function ensureContrast(color: string, background: Rgb, target: Rgb, wanted = AA_CONTRAST): string {
  const from = parseHex(color)
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = toHex(from.map((channel, i) => channel + ((target[i] as number) - channel) * share) as Rgb)
    if (getContrast(mixed, toHex(background)) >= wanted) return mixed
  }
  return toHex(target)
}

/** Brightens a color and mixes it with gray against glare; mixed with white it would fade. */
function brighten(color: string): string {
  const channels = parseHex(color)
  const factor = DARK_BRIGHTNESS / Math.max(1, ...channels)
  return toHex(channels.map((channel) => (channel * factor + DARK_BRIGHTNESS) / 2) as Rgb)
}

/**
 * Creates custom properties for light and dark with AA contrast: --brand for surfaces,
 * --brand-foreground for text on them, --brand-strong for colored text on any background of the page.
 */
export function createBrandStyleSheet(color: string): string {
  const foreground = getContrast(color, '#ffffff') >= AA_CONTRAST ? '#ffffff' : toHex(DARK)
  const surface =
    getContrast(color, foreground) >= AA_CONTRAST ? color : ensureContrast(color, parseHex(foreground), WHITE)
  const properties = (strong: string) =>
    `:root{--brand:${surface};--brand-foreground:${foreground};--brand-strong:${strong}}`
  const light = properties(ensureContrast(color, LIGHT_BACKGROUND, DARK))
  const dark = properties(ensureContrast(brighten(color), DARK_BACKGROUND, WHITE, DARK_CONTRAST))
  return `${light}@media (prefers-color-scheme:dark){${dark}}`
}
