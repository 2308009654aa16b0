import { test as base, expect, type FrameLocator, type Page } from '@playwright/test'
import { openTestSession } from '#server/testing/builders.ts'
import { presentProfile } from '#server/users/user-queries.ts'
import { type Host, openHost, type RunningPortal } from './portal.ts'
import { translatePage } from './translate-page.ts'
import { watchViolations } from './watch-violations.ts'

export const PASSWORD = 'Patio-Demo-2026!'

/** A scripted fault of the emulated Power BI. */
export interface Fault {
  on:
    | 'directory'
    | 'report'
    | 'dataset'
    | 'refreshes'
    | 'capacities'
    | 'groups'
    | 'reports'
    | 'generateToken'
    | 'exportTo'
    | 'exportStatus'
    | 'exportFile'
    | 'frame'
  status?: number
  body?: unknown
  headers?: Record<string, string>
  delayMs?: number
  tokenLifeS?: number
  message?: string
  detailedMessage?: string
  errorCode?: string
  times?: number
}

export interface Mail {
  id: string
  to: string
  kind: string
  subject: string
  link: string | null
  text: string
}

/** Test controls of the running portal. */
export interface Demo {
  url: string
  /** Returns the newest mail of a kind to an address, once there are at least `count`. */
  mail(to: string, kind: string, count?: number): Promise<Mail>
  script(fault: Fault): Promise<void>
  calls(): Promise<{ method: string; path: string; status: number }[]>
  data(query: string): Promise<{ cards: { id: string; formatted: string }[]; byMarca: { marca: string }[] }>
  /** Clears scripted faults and recorded calls. */
  reset(): Promise<void>
  /** Makes a seeded account an administrator or an ordinary user. */
  setAdministrator(name: string, isAdministrator: boolean): Promise<void>
}

function createDemo({ url, database: { db } }: RunningPortal): Demo {
  const instruments = `${url}/demo/power-bi`
  return {
    url,
    async mail(to, kind, count = 1) {
      const read = async (): Promise<Mail[]> => {
        const mails: Mail[] = await (await fetch(`${url}/demo/mailbox.json?to=${to}`)).json()
        return mails.filter((mail) => mail.kind === kind)
      }
      await expect.poll(async () => (await read()).length, { timeout: 15_000 }).toBeGreaterThanOrEqual(count)
      return (await read()).at(-1) as Mail
    },
    async script(fault) {
      const reply = await fetch(`${instruments}/faults`, { method: 'PUT', body: JSON.stringify(fault) })
      if (!reply.ok) throw new Error(await reply.text())
    },
    calls: async () => (await fetch(`${instruments}/calls`)).json(),
    data: async (query) => (await fetch(`${instruments}/data?${query}`)).json(),
    async reset() {
      for (const instrument of ['faults', 'calls'])
        await fetch(`${instruments}/${instrument}`, { method: 'DELETE' })
    },
    async setAdministrator(name, isAdministrator) {
      const { user_id } = await db
        .selectFrom('profiles')
        .select('user_id')
        .where('email', '=', toEmail(name))
        .executeTakeFirstOrThrow()
      await db.deleteFrom('user_roles').where('user_id', '=', user_id).execute()
      if (isAdministrator) await db.insertInto('user_roles').values({ user_id, role: 'admin' }).execute()
    },
  }
}

/** Returns the address of a seeded account. */
export const toEmail = (name: string): string => `${name}@grupopatio.com.br`

/** Console errors that tests cause on purpose: refused requests; the missing page logs its path. */
const EXPECTED_ERRORS =
  /^Failed to load resource|^404: no screen at this path|^Refused to display 'https:\/\/app\.powerbi\.com/

let running: RunningPortal | undefined

/** Returns the portal of the running test; a worker runs one test at a time. */
function getRunningPortal(): RunningPortal {
  if (!running) throw new Error('The test has no portal')
  return running
}

interface Fixtures {
  /** Additional settings of the portal. */
  env: Record<string, string>
  /** Whether the browser translates every page. */
  isTranslated: boolean
  portal: RunningPortal
  demo: Demo
}

/**
 * Each test has its own freshly seeded portal. A console error,
 * an uncaught exception or a policy violation fails the test.
 */
export const test = base.extend<Fixtures, { host: Host }>({
  host: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright parses the fixture names from it
    async ({}, use) => {
      const host = await openHost()
      await use(host)
      await host.close()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  env: [{}, { option: true }],
  isTranslated: [false, { option: true }],
  portal: async ({ host, env }, use) => {
    const portal = await host.start(env)
    running = portal
    await use(portal)
    running = undefined
    await portal.stop()
  },
  demo: async ({ portal }, use) => use(createDemo(portal)),
  baseURL: async ({ portal }, use) => use(portal.url),
  context: async ({ context, isTranslated }, use) => {
    if (isTranslated) await context.addInitScript(translatePage)
    const errors: string[] = []
    const violations = await watchViolations(context)
    context.on('console', (message) => {
      if (message.type() === 'error' && !EXPECTED_ERRORS.test(message.text())) errors.push(message.text())
    })
    context.on('weberror', (error) => errors.push(String(error.error())))
    await use(context)
    expect([...errors, ...violations]).toEqual([])
  },
})

export { expect }

/**
 * Stores a session of a seeded account in the browser, without the sign-in form.
 * @returns its access token
 */
export async function openSession(page: Page, name: string): Promise<string> {
  const session = await createSession(name)
  // On a page that loads nothing: storageState would open another page in a new process.
  await page.goto('/api/health/live')
  await page.evaluate((kept) => {
    localStorage.clear()
    localStorage.setItem('patio.session', kept)
  }, JSON.stringify(session))
  return session.access_token
}

/** Creates a new session of a seeded account. */
export async function createSession(name: string) {
  const portal = getRunningPortal()
  const row = await portal.database.db
    .selectFrom('profiles')
    .selectAll()
    .where('email', '=', toEmail(name))
    .executeTakeFirstOrThrow()
  return openTestSession(portal, presentProfile(row))
}

/** Opens a screen as a signed-in person. */
export async function openAs(page: Page, name: string, path = '/power-bi'): Promise<void> {
  await openSession(page, name)
  await page.goto(path)
}

/** Submits the sign-in form, with the human check solved. */
export async function signIn(page: Page, name: string, password = PASSWORD): Promise<void> {
  await page.goto('/login')
  await page.getByLabel('E-mail').fill(toEmail(name))
  await page.getByLabel('Senha', { exact: true }).fill(password)
  await solveHumanCheck(page)
  await page.getByRole('button', { name: 'Entrar', exact: true }).click()
}

/** Submits the sign-up form. */
export async function signUp(
  page: Page,
  email: string,
  password: string,
  confirmation = password,
): Promise<void> {
  await page.goto('/signup')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Senha', { exact: true }).fill(password)
  await page.getByLabel('Confirmar senha').fill(confirmation)
  await solveHumanCheck(page)
  await page.getByRole('button', { name: 'Criar conta' }).click()
}

/** Fills in the two fields of a new password, labeled alike in every form. */
export async function typeNewPassword(page: Page, password: string, confirmation = password): Promise<void> {
  await page.getByLabel('Nova senha', { exact: true }).fill(password)
  await page.getByLabel('Confirmar nova senha').fill(confirmation)
}

/** Focuses the form, upon which ALTCHA solves by itself. */
export async function solveHumanCheck(page: Page): Promise<void> {
  await expect(page.locator('altcha-widget').getByText('Verificado')).toBeVisible({ timeout: 20_000 })
}

/** Returns the report inside an area's frame. */
export function getReportFrame(page: Page, area: string): FrameLocator {
  return page.frameLocator(`iframe[title="${area}"]`)
}

/** Suppresses live changes, so that the page learns of them only from its own requests. */
export async function muteChanges(target: Pick<Page, 'route'>): Promise<void> {
  await target.route('**/api/changes', () => {})
}
