import type { Locator, Page } from '@playwright/test'
import type { ManagedProfile } from '#contract/users.ts'
import { test as base, createSession, expect, openAs } from './portal-fixture.ts'

/** The second administrator in tests with two. */
export const OTHER_ADMIN = 'naoverificado@grupopatio.com.br'

interface Reply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: replies of many routes
  body: any
}

/** A second administrator, acting through the API. */
export interface OtherAdmin {
  call(method: string, path: string, body?: unknown, ifMatch?: number): Promise<Reply>
  /** Returns a person by e-mail address, in the current state. */
  person(email: string): Promise<ManagedProfile>
  /** Lists the people who match a query, by e-mail. */
  people(query: string): Promise<ManagedProfile[]>
  /** Changes entitlements or the approval, whatever the current version. */
  change(email: string, change: object): Promise<void>
}

/** The test function with a second administrator. */
export const test = base.extend<{ other: OtherAdmin }>({
  other: async ({ demo, portal: { database } }, use) => {
    await database.db
      .updateTable('profiles')
      .set({ email_verified_at: new Date() })
      .where('email', '=', OTHER_ADMIN)
      .execute()
    const [name = ''] = OTHER_ADMIN.split('@')
    await demo.setAdministrator(name, true)
    const session = await createSession(name)
    await use(createOtherAdmin(demo.url, session.access_token))
  },
})
export { expect }

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

function createOtherAdmin(url: string, token: string): OtherAdmin {
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

/** Opens /admin as the administrator, with the filters of the query. */
export async function openAdmin(page: Page, query = ''): Promise<void> {
  await openAs(page, 'admin', `/admin${query}`)
  await expect(getRowMenu(page)).toBeVisible()
}

/** Returns the button of a row's menu; in a page, that of the first row. */
export const getRowMenu = (scope: Page | Locator): Locator =>
  scope.getByRole('button', { name: 'Mais ações' }).first()

/** Opens a row's menu and clicks an item. */
export async function clickMenuItem(scope: Page | Locator, name: string): Promise<void> {
  const button = getRowMenu(scope)
  await button.click()
  await button.page().getByRole('menuitem', { name, exact: true }).click()
}

export const openPerson = (page: Page, email: string) => openAdmin(page, `?q=${encodeURIComponent(email)}`)

/** Returns the toast with the title. */
export function toast(page: Page, title: string | RegExp): Locator {
  return page.getByRole('region', { name: 'Notificações' }).getByText(title, { exact: true })
}

/** Lists the labels of a dialog's selected checkboxes, in order, without those that select all. */
export async function listSelected(dialog: Locator): Promise<string[]> {
  const labels = await dialog.locator('label:has(input[type=checkbox]:checked)').allTextContents()
  return labels.filter((label) => label !== 'Marcar todos')
}
