import type { Locator, Page } from '@playwright/test'
import type { ManagedProfile } from '#contract/users.ts'
import { type PortalProcess, spawnPortal, untilReady } from '#server/testing/portal-process.ts'
import { test as base, expect, PASSWORD, signIn } from './portal-fixture.ts'

/** Becomes an administrator by confirming the address, because it is the built-in one here. */
export const OTHER_ADMIN = 'naoverificado@grupopatio.com.br'

interface Reply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: replies of many routes
  body: any
}

/** A second administrator, who works through the API. */
export interface OtherAdmin {
  call(method: string, path: string, body?: unknown, ifMatch?: number): Promise<Reply>
  /** The person of an e-mail address, as it stands now. */
  person(email: string): Promise<ManagedProfile>
  /** People who match, by e-mail. */
  people(query: string): Promise<ManagedProfile[]>
  /** Sets entitlements or the approval, whatever the person has now. */
  change(email: string, change: object): Promise<void>
}

/** A portal with two administrators for each worker; people change in it, and files that take them away say `ownPortal`. */
export const test = base.extend<{ other: OtherAdmin }, { portal: PortalProcess }>({
  portal: [
    async ({ ownPortal: _ }, use) => {
      const env = { RATE_LIMITS: 'off', ALTCHA_COST: '50', BUILTIN_ADMIN_EMAIL: OTHER_ADMIN }
      const portal = await spawnPortal(env)
      await untilReady(portal)
      await use(portal)
      await portal.stop()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  other: async ({ demo }, use) => {
    await confirmAddress(demo.url, (await askForLink(demo)).link ?? '')
    const { body } = await send(demo.url, 'POST', '/api/auth/token?grant_type=password', {
      body: { email: OTHER_ADMIN, password: PASSWORD },
    })
    await use(otherAdminOf(demo.url, body.access_token))
  },
})
export { expect }

async function askForLink(demo: {
  url: string
  mail: (to: string, kind: string) => Promise<{ link: string | null }>
}) {
  await send(demo.url, 'POST', '/api/auth/resend', { body: { type: 'signup', email: OTHER_ADMIN } })
  return demo.mail(OTHER_ADMIN, 'verification')
}

/** A link that has been used already changes nothing. */
function confirmAddress(url: string, link: string): Promise<Reply> {
  const token_hash = new URLSearchParams(new URL(link).hash.slice(1)).get('token_hash')
  return send(url, 'POST', '/api/auth/verify', { body: { type: 'signup', token_hash } })
}

interface Sent {
  body?: unknown
  token?: string
  ifMatch?: number | undefined
}

async function send(
  url: string,
  method: string,
  path: string,
  { body, token, ifMatch }: Sent,
): Promise<Reply> {
  const reply = await fetch(`${url}${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
      ...(ifMatch !== undefined && { 'if-match': `"${ifMatch}"` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await reply.text()
  return { status: reply.status, body: text ? JSON.parse(text) : undefined }
}

function otherAdminOf(url: string, token: string): OtherAdmin {
  const call: OtherAdmin['call'] = (method, path, body, ifMatch) =>
    send(url, method, path, { body, token, ifMatch })
  const people: OtherAdmin['people'] = async (query) =>
    (await call('GET', `/api/profiles?sort=email&limit=1000&${query}`)).body.items
  const person: OtherAdmin['person'] = async (email) => {
    const [found] = await people(`q=${encodeURIComponent(email)}`)
    if (!found) throw new Error(`Nobody has the address ${email}`)
    return found
  }
  return {
    call,
    people,
    person,
    async change(email, change) {
      const { user_id, version } = await person(email)
      const { status } = await call('PATCH', `/api/profiles/${user_id}`, change, version)
      expect(status).toBe(200)
    },
  }
}

/** Opens /admin as the administrator, with what the address says of filters. */
export async function openAdmin(page: Page, query = ''): Promise<void> {
  await signIn(page, 'admin')
  await expect(page).toHaveURL(/\/power-bi/)
  await page.goto(`/admin${query}`)
  await expect(page.getByRole('button', { name: 'Histórico' }).first()).toBeVisible()
}

/** Opens /admin with one person in the table. */
export const openPerson = (page: Page, email: string) => openAdmin(page, `?q=${encodeURIComponent(email)}`)

/** A notice over the page. */
export function toast(page: Page, title: string | RegExp): Locator {
  return page.getByRole('region', { name: 'Notificações' }).getByText(title, { exact: true })
}

/** The labels of the boxes ticked in a dialog, in order, without those that tick all. */
export async function tickedIn(dialog: Locator): Promise<string[]> {
  const labels = await dialog.locator('label:has(input:checked)').allTextContents()
  return labels.filter((label) => label !== 'Marcar todos')
}
