import type { Page } from '@playwright/test'
import { expect, test } from './portal-fixture.ts'

const GOOGLE = ['https://www.google.com/recaptcha/', 'https://www.gstatic.com/recaptcha/']
const EVERYWHERE = {
  'cross-origin-opener-policy': 'same-origin-allow-popups',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}
const SCREENS = ['/login', '/contato', '/admin', '/auth/callback', '/nada-aqui']

/** Parses a policy into its directives, each with its sources in order. */
function parsePolicy(policy: string | undefined): Record<string, string[]> {
  const directives = (policy ?? '').split(';').map((directive) => directive.trim().split(' '))
  return Object.fromEntries(directives.map(([name, ...sources]) => [name, sources.toSorted()]))
}
/** Returns the page's policy; frames and reCAPTCHA hosts differ between installations. */
const pagePolicy = (frames: string[], recaptcha: string[] = []) => ({
  'default-src': ["'none'"],
  'script-src': ["'self'", ...recaptcha].toSorted(),
  'style-src': ["'self'"],
  'img-src': ["'self'", 'data:'],
  'font-src': ["'self'"],
  'connect-src': ["'self'"],
  'frame-src': ["'self'", ...frames, ...recaptcha].toSorted(),
  'worker-src': ["'self'"],
  'base-uri': ["'none'"],
  'form-action': ["'self'"],
  'frame-ancestors': ["'none'"],
  'object-src': ["'none'"],
})
const POWER_BI = ['https://app.powerbi.com', 'https://msit.powerbi.com']

/** A stub of Google's script: loads a second script and draws the checkbox in a frame. */
const RECAPTCHA_SCRIPT = `
  const more = document.createElement('script')
  more.src = 'https://www.gstatic.com/recaptcha/releases/x/recaptcha__pt_br.js'
  document.head.append(more)
  globalThis.grecaptcha = {
    ready: (callback) => { more.onload = callback },
    render(place, options) {
      const frame = document.createElement('iframe')
      frame.title = 'reCAPTCHA'
      frame.src = 'https://www.google.com/recaptcha/api2/anchor?k=' + options.sitekey
      place.append(frame)
      return 0
    },
    getResponse: () => '',
    reset() {},
  }`

async function stubGoogle(page: Page): Promise<string[]> {
  const asked: string[] = []
  await page.route(/^https:\/\/(?!localhost)/, (route) => {
    const { origin, pathname } = new URL(route.request().url())
    asked.push(origin + pathname)
    if (pathname.endsWith('/anchor'))
      return route.fulfill({ contentType: 'text/html', body: '<p>I am no robot</p>' })
    const body = pathname.endsWith('/api.js') ? RECAPTCHA_SCRIPT : ''
    return route.fulfill({ contentType: 'text/javascript', body })
  })
  return asked
}

test('every page and every API reply has the security headers', async ({ demo }) => {
  const readHeaders = async (path: string) => Object.fromEntries((await fetch(demo.url + path)).headers)
  for (const path of SCREENS) {
    const headers = await readHeaders(path)
    expect(headers, path).toMatchObject(EVERYWHERE)
    expect(parsePolicy(headers['content-security-policy']), path).toEqual(pagePolicy(POWER_BI))
    // Only reports may use full screen and copy; cameras and the like are disabled.
    const reports = `(self ${POWER_BI.map((host) => `"${host}"`).join(' ')})`
    expect(headers['permissions-policy']?.split(', ').toSorted()).toEqual([
      'camera=()',
      `clipboard-write=${reports}`,
      `fullscreen=${reports}`,
      'geolocation=()',
      'microphone=()',
      'payment=()',
      'usb=()',
    ])
  }
  for (const path of ['/api/health/live', '/api/profiles', '/api/nada']) {
    const headers = await readHeaders(path)
    expect(headers, path).toMatchObject(EVERYWHERE)
    expect(headers['content-security-policy'], path).toBe("default-src 'none'; frame-ancestors 'none'")
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
  }
})

test.describe(() => {
  test.use({
    env: { RECAPTCHA_SITE_KEY: 'site-key-of-the-test', RECAPTCHA_SECRET_KEY: 'secret-key-of-the-test' },
  })

  test('with reCAPTCHA the policy allows its two hosts only', async ({ page }) => {
    const asked = await stubGoogle(page)
    for (const path of ['/login', '/signup']) {
      const reply = await page.goto(path)
      const policy = parsePolicy(reply?.headers()['content-security-policy'])
      expect(policy, path).toEqual(pagePolicy(POWER_BI, GOOGLE))
      await expect(page.frameLocator('iframe[title="reCAPTCHA"]').getByText('I am no robot')).toBeVisible()
    }
    expect(new Set(asked)).toEqual(
      new Set([
        'https://www.google.com/recaptcha/api.js',
        'https://www.gstatic.com/recaptcha/releases/x/recaptcha__pt_br.js',
        'https://www.google.com/recaptcha/api2/anchor',
      ]),
    )
  })
})
