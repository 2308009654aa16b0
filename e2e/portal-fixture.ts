import { test as base, expect, type FrameLocator, type Page } from '@playwright/test'
import { type PortalProcess, spawnPortal, untilReady } from '#server/testing/portal-process.ts'

export const PASSWORD = 'Patio-Demo-2026!'

/** A scripted answer of the emulated Power BI (DESIGN section 7, demo instruments). */
export interface Fault {
  on: 'directory' | 'report' | 'dataset' | 'generateToken' | 'frame'
  status?: number
  body?: unknown
  headers?: Record<string, string>
  delayMs?: number
  tokenLifeS?: number
  message?: string
  errorCode?: string
  times?: number
}

/** A captured mail (DESIGN section 7, demo instruments). */
export interface Mail {
  id: string
  to: string
  kind: string
  subject: string
  link: string | null
  text: string
}

export interface Demo {
  url: string
  /** The newest mail of a kind to an address, awaited until there are at least `count` of them. */
  mail(to: string, kind: string, count?: number): Promise<Mail>
  script(fault: Fault): Promise<void>
  calls(): Promise<{ method: string; path: string; status: number }[]>
  data(query: string): Promise<{ cards: { id: string; formatted: string }[]; byMarca: { marca: string }[] }>
  /** Clears scripted faults and recorded calls. */
  reset(): Promise<void>
}

interface Fixtures {
  demo: Demo
}
interface WorkerFixtures {
  /** Spec files that name themselves here get a portal of their own, whose caches nobody has filled. */
  ownPortal: string
  portal: PortalProcess
}

function instrumentsOf({ url }: PortalProcess): Demo {
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
      await fetch(`${instruments}/faults`, { method: 'DELETE' })
      await fetch(`${instruments}/calls`, { method: 'DELETE' })
    },
  }
}

/** Each worker has a demo portal of its own; a browser console error or a CSP violation fails the test. */
export const test = base.extend<Fixtures, WorkerFixtures>({
  ownPortal: ['', { scope: 'worker', option: true }],
  portal: [
    async ({ ownPortal: _ }, use) => {
      const portal = await spawnPortal({ RATE_LIMITS: 'off', ALTCHA_COST: '50' })
      await untilReady(portal)
      await use(portal)
      await portal.stop()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  demo: async ({ portal }, use) => {
    const demo = instrumentsOf(portal)
    await demo.reset()
    await use(demo)
  },
  baseURL: async ({ portal }, use) => use(portal.url),
  page: async ({ page }, use) => {
    const violations: string[] = []
    page.on('console', (message) => {
      if (/Content Security Policy/i.test(message.text())) violations.push(message.text())
    })
    await use(page)
    expect(violations).toEqual([])
  },
})

export { expect }

/** Fills the sign-in form in, lets the human check solve itself, and presses Entrar. */
export async function signIn(page: Page, name: string, password = PASSWORD): Promise<void> {
  await page.goto('/login')
  await page.getByLabel('E-mail').fill(`${name}@grupopatio.com.br`)
  await page.getByLabel('Senha', { exact: true }).fill(password)
  await solveHumanCheck(page)
  await page.getByRole('button', { name: 'Entrar' }).click()
}

/** Fills the two fields of a new password in, as every form of the portal names them. */
export async function typeNewPassword(page: Page, password: string, confirmation = password): Promise<void> {
  await page.getByLabel('Nova senha', { exact: true }).fill(password)
  await page.getByLabel('Confirmar nova senha').fill(confirmation)
}

/** ALTCHA works by itself once somebody is at the form. */
export async function solveHumanCheck(page: Page): Promise<void> {
  await expect(page.locator('altcha-widget').getByText('Verificado')).toBeVisible({ timeout: 20_000 })
}

/** The report inside an area's frame. */
export function reportOf(page: Page, area: string): FrameLocator {
  return page.frameLocator(`iframe[title="${area}"]`)
}
