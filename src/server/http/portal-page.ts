import { gzipSync } from 'node:zlib'
import type { Hono } from 'hono'
import {
  escapeHtml,
  formatDocumentTitle,
  getVariant,
  PLACEHOLDERS,
  PORTAL_SETTINGS_ELEMENT_ID,
  type PortalSettings,
  type PrerenderedScreen,
  STYLE_PATH,
} from '#contract/portal.ts'
import { createContentSecurityPolicy, REPORT_ONLY_POLICY } from './headers.ts'
import type { HttpEnv } from './implement.ts'

export interface PortalPageOptions {
  /** The built index.html. */
  html: string
  /** Screens rendered by the build; other paths get the one of ''. */
  screens: PrerenderedScreen[]
  settings: PortalSettings
  /** The built index.html of the version before, served while one of its replicas lives. */
  previous?: { html: string; isActive: () => boolean } | undefined
}

interface Page {
  html: string
  gzip: Buffer<ArrayBuffer>
}

/** Serves the page of every path, with the installation's settings and the prerendered screen. */
export function servePortalPage(app: Hono<HttpEnv>, options: PortalPageOptions): void {
  const policy = createContentSecurityPolicy({
    powerBiHosts: options.settings.powerBiHosts,
    usesRecaptcha: options.settings.humanCheck.kind === 'recaptcha',
  })
  const { reportEmbedBase } = options.settings
  const reportHost = reportEmbedBase.startsWith('https:') && new URL(reportEmbedBase).origin
  let year = 0
  let pages = new Map<string, Page>()
  const getPage = (path: string): Page => {
    const thisYear = new Date().getFullYear()
    if (year !== thisYear) {
      year = thisYear
      pages = renderPages(options, year)
    }
    // A page of this version needs files and routes that the other replicas lack.
    const previous = options.previous?.isActive() && pages.get('previous')
    return (previous || (pages.get(path) ?? pages.get(''))) as Page
  }
  app.get('*', (context) => {
    const { path } = context.req
    const isStylePage = path === STYLE_PATH && options.settings.isDemo
    if (path.startsWith('/api/') || (path.startsWith('/demo/') && !isStylePage)) return context.notFound()
    const { html, gzip } = getPage(path)
    context.header('Content-Security-Policy', policy)
    context.header('Content-Security-Policy-Report-Only', REPORT_ONLY_POLICY)
    context.header('Vary', 'Accept-Encoding')
    if (path === '/power-bi' && reportHost) context.header('Link', `<${reportHost}>; rel=preconnect`)
    if (!/\bgzip\b/.test(context.req.header('accept-encoding') ?? '')) return context.html(html)
    context.header('Content-Encoding', 'gzip')
    return context.body(gzip, 200, { 'Content-Type': 'text/html; charset=UTF-8' })
  })
}

/** Renders the pages by path; '' is the fallback. */
function renderPages(options: PortalPageOptions, year: number): Map<string, Page> {
  const { html, screens, settings, previous } = options
  const base = addSettings(html, settings)
  const page = (text: string) => ({ html: text, gzip: gzipSync(text) })
  return new Map([
    // Without prerendered screens every path gets this page.
    ['', page(base)],
    // Its prerendered screens are of its own form: the browser renders them.
    ...(previous ? [['previous', page(addSettings(previous.html, settings))] as const] : []),
    ...screens.map((screen) => [screen.path, page(addScreen(base, screen, settings, year))] as const),
  ])
}

/** In JSON inside HTML, only '<' could end the element. */
function addSettings(html: string, settings: PortalSettings): string {
  const element = new RegExp(`(<script[^>]*id="${PORTAL_SETTINGS_ELEMENT_ID}"[^>]*>)[^<]*(</script>)`)
  if (!element.test(html)) throw new Error('index.html has no element for the portal settings')
  const json = JSON.stringify(settings).replaceAll('<', '\\u003c')
  return html.replace(element, (_, open: string, close: string) => open + json + close)
}

/** Inserts a screen into the root element, which names the path if the browser may hydrate it. */
function addScreen(html: string, screen: PrerenderedScreen, settings: PortalSettings, year: number): string {
  const texts = { ...settings, year }
  let body = screen.bodies[getVariant(settings)] ?? ''
  for (const [name, placeholder] of Object.entries(PLACEHOLDERS)) {
    const text = escapeHtml(String(texts[name as keyof typeof PLACEHOLDERS]))
    // A function, because '$&' in a replacement string would insert the placeholder.
    body = body.replaceAll(placeholder, () => text)
  }
  // Inert until replaced, so that no input gets lost.
  const root = screen.isHydrated
    ? `<div id="root" data-prerendered="${screen.path}">${body}`
    : `<div id="root"><div inert>${body}</div>`
  const title = escapeHtml(formatDocumentTitle(screen.title, settings.groupName))
  return html
    .replace(/<title>[^<]*<\/title>/, () => `<title>${title}</title>`)
    .replace('</head>', () => `${screen.head}</head>`)
    .replace('<div id="root">', () => root)
}
