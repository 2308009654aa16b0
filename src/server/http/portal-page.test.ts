import { gunzipSync } from 'node:zlib'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import {
  getVariant,
  PLACEHOLDERS,
  type PortalSettings,
  type PrerenderedScreen,
  STYLE_PATH,
} from '#contract/portal.ts'
import type { HttpEnv } from './implement.ts'
import { servePortalPage } from './portal-page.ts'

const html = `<html><head><title>Pátio</title><script type="application/json" id="portal-settings">{}</script></head>
<body><div id="root"></div></body></html>`
const settings: PortalSettings = {
  groupName: `<b>"A" & 'B'</b> $&`,
  logoPath: null,
  groupSiteUrl: 'https://example.com/?a=1&b=2',
  groupDealershipsUrl: 'https://example.com',
  companyEmailDomain: 'example.com',
  humanCheck: { kind: 'altcha' },
  contactCaptcha: false,
  signIn: 'password',
  reportEmbedBase: 'https://app.powerbi.com',
  powerBiHosts: ['app.powerbi.com'],
  isDemo: false,
  version: '9.8.7',
}
const allTexts = Object.values(PLACEHOLDERS).join(' ')
const screens: PrerenderedScreen[] = [
  {
    path: '/login',
    title: 'Entrar',
    isHydrated: true,
    head: '<link rel="stylesheet" href="/login.css">',
    bodies: { [getVariant(settings)]: `<p>${allTexts} ${allTexts}</p>`, other: '<p>another shape</p>' },
  },
  {
    path: '/power-bi',
    title: 'Relatórios',
    isHydrated: false,
    head: '',
    bodies: { [getVariant(settings)]: '<i></i>' },
  },
]

const app = new Hono<HttpEnv>()
servePortalPage(app, { html, screens, settings })
const read = async (path: string) => (await app.request(path)).text()

test('a prerendered screen contains the installation’s texts, escaped, and its style sheets', async () => {
  const page = await read('/login')
  expect(page).toContain(
    `<div id="root" data-prerendered="/login"><p>&lt;b&gt;&quot;A&quot; &amp; &#x27;B&#x27;&lt;/b&gt; $&amp; https://example.com/?a=1&amp;b=2 `,
  )
  for (const placeholder of Object.values(PLACEHOLDERS)) expect(page).not.toContain(placeholder)
  expect(page).toContain('<link rel="stylesheet" href="/login.css"></head>')
  expect(page).toContain('<title>Entrar · Pátio &lt;b&gt;')
  expect(page).not.toContain('another shape')
})

test('a screen that is not hydrated is inert, and other paths have an empty root', async () => {
  expect(await read('/power-bi')).toContain('<div id="root"><div inert><i></i></div></div>')
  expect(await read('/nao-existe')).toContain('<div id="root"></div>')
})

test('the page is compressed if the client accepts it', async () => {
  const reply = await app.request('/login', { headers: { 'accept-encoding': 'br, gzip' } })
  expect(reply.headers.get('content-encoding')).toBe('gzip')
  expect(reply.headers.get('vary')).toBe('Accept-Encoding')
  expect(gunzipSync(await reply.arrayBuffer()).toString()).toBe(await read('/login'))
})

test('only the page of the reports preconnects to the report host', async () => {
  const readLinkHeader = async (path: string) => (await app.request(path)).headers.get('link')
  expect(await readLinkHeader('/power-bi')).toBe('<https://app.powerbi.com>; rel=preconnect')
  expect(await readLinkHeader('/login')).toBeNull()
})

test('the style page exists only in the demo', async () => {
  const demo = new Hono<HttpEnv>()
  servePortalPage(demo, { html, screens, settings: { ...settings, isDemo: true } })
  const statuses = async (path: string) => [
    (await app.request(path)).status,
    (await demo.request(path)).status,
  ]
  expect(await statuses(STYLE_PATH)).toEqual([404, 200])
  expect(await statuses('/demo/outra')).toEqual([404, 404])
})

test('the page of the previous version is served everywhere while one of its replicas lives', async () => {
  let isActive = true
  const upgrading = new Hono<HttpEnv>()
  const previous = { html: html.replace('<head>', '<head><meta name="previous">'), isActive: () => isActive }
  servePortalPage(upgrading, { html, screens, settings, previous })
  for (const path of ['/login', '/power-bi', '/nao-existe']) {
    const page = await (await upgrading.request(path)).text()
    expect(page).toContain('<meta name="previous">')
    expect(page).toContain('"version":"9.8.7"')
    expect(page).toContain('<div id="root"></div>')
  }
  isActive = false
  expect(await (await upgrading.request('/login')).text()).toBe(await read('/login'))
})
