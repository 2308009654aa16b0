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
  /** Path of a picture beside the visitors' forms: JPEG, PNG, WebP, AVIF or SVG. */
  picture: string | undefined
}

/**
 * Serves the group's color as a style sheet, and its logo and picture if there are any.
 * @returns the URL of the style sheet, with a hash of the content, so that browsers can cache it
 */
export function serveBrand(app: Hono<HttpEnv>, { color, logo, picture }: Brand): string {
  const styles =
    createBrandStyleSheet(color) +
    (picture ? `:root{--brand-picture:url(${serveImage(app, PICTURE_PATH, picture)})}` : '')
  const version = hash(styles)
  app.get('/brand.css', (context) => {
    context.header('Cache-Control', getCaching(context.req.query('v') === version))
    return context.body(styles, 200, { 'Content-Type': 'text/css; charset=utf-8' })
  })
  if (logo) serveImage(app, LOGO_PATH, logo)
  return `/brand.css?v=${version}`
}

const PICTURE_PATH = '/brand-picture'

const IMAGE_TYPES: Record<string, string> = {
  '.svg': 'image/svg+xml',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
}

/** @returns its URL with a hash of the content, so that browsers can cache it */
function serveImage(app: Hono<HttpEnv>, path: string, file: string): string {
  const image = readFileSync(file)
  const type = IMAGE_TYPES[extname(file).toLowerCase()] ?? 'image/png'
  const version = hash(image)
  app.get(path, (context) => {
    context.header('Cache-Control', getCaching(context.req.query('v') === version))
    return context.body(image, 200, { 'Content-Type': type })
  })
  return `${path}?v=${version}`
}

function hash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 8)
}

/** @param isNamed whether the URL names the content by its hash */
function getCaching(isNamed: boolean): string {
  return isNamed ? 'public, max-age=31536000, immutable' : 'no-cache'
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
