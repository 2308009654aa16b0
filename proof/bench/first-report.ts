// Measures the time from pressing 'Entrar', with the human check solved,
// to the first report: for a person with seven areas, against a freshly
// started portal. Then from a reload. FOLDER is another built checkout, measured
// in turns. `node proof/bench/first-report.ts [--rounds 7] [--beside FOLDER]`
import { parseArgs } from 'node:util'
import type { Browser, ConsoleMessage, Page } from '@playwright/test'
import { openChromium } from '#proof/shared/chromium.ts'
import { type Figure, formatSpread, median, runBench } from '#proof/shared/figures.ts'
import { DIRECTOR } from '#proof/shared/people.ts'
import { FIRST_PORT, startPortal } from '#proof/shared/processes.ts'
import { makeTempFolder, say } from '#proof/shared/run-task.ts'
import { root } from '#scripts/run-command.mjs'

const LIMIT_MS = 20_000
const MIN_PERSON_MS = 500

/** Milliseconds since 'Entrar' was pressed, or since the reload began. */
interface FirstReport {
  signedIn: number
  frame: number
  rendered: number
}

interface Opened {
  first: FirstReport
  reloaded: FirstReport
}

interface Checkout {
  folder: string
  dataDir: string
}

/**
 * Runs in the page and in all its frames. The report checks in every frame
 * whether its figures are drawn; the page, from the click on, whether the
 * report's frame exists and is uncovered. Marks are milliseconds since the epoch.
 */
function watchFirstReport(): void {
  const marks: Record<string, number> = {}
  const mark = (name: string) => {
    if (marks[name] !== undefined) return
    marks[name] = performance.timeOrigin + performance.now()
    if (name !== 'uncovered' && name !== 'drawn') return
    // biome-ignore lint/suspicious/noConsole: polling the page would distort the measurement
    console.info('first report', JSON.stringify(marks))
  }
  const draws = () => {
    if (document.querySelector('[data-card]')) mark('drawn')
    else requestAnimationFrame(draws)
  }
  if (window !== top) {
    draws()
    return
  }
  const look = () => {
    if (location.pathname === '/power-bi') mark('signedIn')
    const panel = [...document.querySelectorAll('[role=tabpanel]')].find(
      (each) => getComputedStyle(each).visibility === 'visible',
    )
    const frame = panel?.querySelector('iframe')
    if (frame) mark('frame')
    if (frame && !panel?.querySelector('[role=status]')) mark('uncovered')
    else requestAnimationFrame(look)
  }
  // A reload begins with the page itself.
  if (location.pathname === '/power-bi') {
    marks.began = performance.timeOrigin
    requestAnimationFrame(look)
  }
  addEventListener(
    'click',
    (event) => {
      const button = event.target instanceof Element ? event.target.closest('button[type=submit]') : null
      if (!button || marks.began) return
      mark('began')
      requestAnimationFrame(look)
    },
    { capture: true },
  )
}

/** Performs what opens the report and waits until the page and the report's frame have set their marks. */
async function readFirstReport(page: Page, open: () => Promise<unknown>): Promise<FirstReport> {
  const marks: Record<string, number> = {}
  const isThere = async (message: ConsoleMessage) => {
    const [title, payload] = message.args()
    if (!payload || (await title?.jsonValue()) !== 'first report') return false
    Object.assign(marks, JSON.parse(await payload.jsonValue()))
    return marks.uncovered !== undefined && marks.drawn !== undefined
  }
  await Promise.all([page.waitForEvent('console', isThere), open()])
  const { began = 0, signedIn = 0, frame = 0, uncovered = 0, drawn = 0 } = marks
  return { signedIn: signedIn - began, frame: frame - began, rendered: Math.max(uncovered, drawn) - began }
}

async function fillForm(page: Page, portalUrl: string): Promise<void> {
  await page.goto(`${portalUrl}/login`)
  await page.getByLabel('E-mail').fill(DIRECTOR.email)
  await page.getByLabel('Senha', { exact: true }).fill(DIRECTOR.password)
}

/** Fills in the form and waits for the human check, so that only the click remains. */
async function prepareForm(page: Page, portalUrl: string): Promise<void> {
  const [reply] = await Promise.all([
    page.waitForResponse((each) => each.url().endsWith('/functions/verify-recaptcha')),
    fillForm(page, portalUrl),
  ])
  if (!(await reply.text()).includes('"success":true')) throw new Error('the human check was not passed')
  // Typing has started to preload the next screen; even the fastest person takes longer than this.
  await page.waitForTimeout(MIN_PERSON_MS)
}

/** Signs in as a person with seven areas, with an empty cache, waits for the first report, and reloads. */
async function measureSignIn(browser: Browser, portalUrl: string): Promise<Opened> {
  const context = await browser.newContext({ locale: 'pt-BR', viewport: { width: 1280, height: 800 } })
  try {
    const page = await context.newPage()
    page.setDefaultTimeout(LIMIT_MS)
    await page.addInitScript(watchFirstReport)
    await prepareForm(page, portalUrl)
    const first = await readFirstReport(page, () =>
      page.getByRole('button', { name: 'Entrar', exact: true }).click(),
    )
    return { first, reloaded: await readFirstReport(page, () => page.reload()) }
  } finally {
    await context.close()
  }
}

const { values } = parseArgs({ options: { rounds: { type: 'string' }, beside: { type: 'string' } } })
const rounds = Number(values.rounds ?? 7)
const DIRECTORY_MS = 150
const GENERATE_TOKEN_MS = 250
const ONE_OF_EACH_MS = DIRECTORY_MS + GENERATE_TOKEN_MS

/** More replies than one sign-in can request. */
const FAULTS = [
  { on: 'directory', delayMs: DIRECTORY_MS, times: 100 },
  { on: 'generateToken', delayMs: GENERATE_TOKEN_MS, times: 100 },
]

async function delayPowerBi(portalUrl: string): Promise<void> {
  for (const fault of FAULTS) {
    const reply = await fetch(`${portalUrl}/demo/power-bi/faults`, {
      method: 'PUT',
      body: JSON.stringify(fault),
    })
    if (!reply.ok) throw new Error(`the emulator refused a delay: ${await reply.text()}`)
  }
}

/** Measures against a new process, without cached directory or embed tokens. */
async function measureOnce(
  browser: Browser,
  { folder, dataDir }: Checkout,
  isDelayed: boolean,
): Promise<Opened> {
  const portal = await startPortal(FIRST_PORT, { DATA_DIR: dataDir, RATE_LIMITS: 'off' }, folder)
  try {
    if (isDelayed) await delayPowerBi(portal.url)
    return await measureSignIn(browser, portal.url)
  } finally {
    await portal.stop()
  }
}

const times = (runs: FirstReport[]) => runs.map(({ rendered }) => rendered)

function formatNote(runs: FirstReport[]): string {
  const middle = (name: keyof FirstReport) => median(runs.map((run) => run[name])).toFixed(0)
  return `${formatSpread(times(runs))}, screen after ${middle('signedIn')}, its frame after ${middle('frame')}`
}

await runBench(async (cleanUp) => {
  const browser = await openChromium(cleanUp)
  const checkouts = []
  for (const folder of [root, ...(values.beside ? [values.beside] : [])]) {
    const dataDir = makeTempFolder(cleanUp)
    await (await startPortal(FIRST_PORT, { DATA_DIR: dataDir }, folder)).stop()
    checkouts.push({ folder, dataDir, prompt: [] as Opened[], delayed: [] as Opened[] })
  }
  for (let round = 1; round <= rounds; round++)
    for (const checkout of checkouts) {
      checkout.prompt.push(await measureOnce(browser, checkout, false))
      checkout.delayed.push(await measureOnce(browser, checkout, true))
      const last = [checkout.prompt, checkout.delayed].map((runs) => runs.at(-1)?.first.rendered.toFixed(0))
      say(`round ${round} of ${rounds}: ${last[0]} ms, with delays ${last[1]} ms`)
    }
  return checkouts.flatMap(({ prompt, delayed }, index): Figure[] => {
    const figure = (what: string, runs: FirstReport[], atMost?: number): Figure => ({
      what: index === 0 ? what : `${what}, the other checkout`,
      value: median(times(runs)),
      unit: 'ms',
      note: formatNote(runs),
      ...(index === 0 && atMost !== undefined && { atMost }),
    })
    const delays = `directory ${DIRECTORY_MS} and GenerateToken ${GENERATE_TOKEN_MS} ms`
    const firsts = (opened: Opened[]) => opened.map(({ first }) => first)
    return [
      figure('first report, no latency', firsts(prompt), 1_500),
      // One call of each, and half a second above them.
      figure(`first report, ${delays}`, firsts(delayed), ONE_OF_EACH_MS + 500),
      figure(
        'report after a reload',
        prompt.map(({ reloaded }) => reloaded),
      ),
    ]
  })
})
