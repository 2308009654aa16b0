// Measures /login on 'slow 4G', a slow phone and an empty cache: first paint,
// time until the e-mail can be typed and until 'Entrar' responds; and the first
// paint of the shell of /power-bi. FOLDER is another built checkout, measured
// in turns. `node proof/bench/first-paint.ts [--rounds 5] [--beside FOLDER]`
import { parseArgs } from 'node:util'
import type { Browser, Page } from '@playwright/test'
import { openChromium } from '#proof/shared/chromium.ts'
import type { Figure } from '#proof/shared/figures.ts'
import { formatSpread, median, runBench } from '#proof/shared/figures.ts'
import { FIRST_PORT, startPortal } from '#proof/shared/processes.ts'
import { makeTempFolder, say } from '#proof/shared/run-task.ts'
import { root } from '#scripts/run-command.mjs'

const { values } = parseArgs({ options: { rounds: { type: 'string' }, beside: { type: 'string' } } })
const rounds = Number(values.rounds ?? 5)
/** Chromium's 'Slow 4G' preset: throughput in bytes per second, latency in ms per round trip. */
const SLOW_4G = { downloadThroughput: 1.6e6 / 8, uploadThroughput: 750e3 / 8, latency: 150, offline: false }
const SLOWER_PROCESSOR = 4
const MAX_MS = 30_000

interface Marks {
  /** First contentful paint. */
  painted: number
  /** The e-mail field exists. */
  typable: number
  /** The form's button responds. */
  usable: number
}

/** Runs in the page before anything else and checks every frame. */
function watchForm(): void {
  const marks: Record<string, number> = {}
  Object.assign(window, { formMarks: marks })
  const look = () => {
    const email = document.querySelector<HTMLInputElement>('input[name=email]')
    if (email && !email.disabled) marks.typable ??= performance.now()
    const button = document.querySelector<HTMLButtonElement>('button[type=submit]')
    if (button && !button.disabled) marks.usable ??= performance.now()
    if (marks.usable === undefined) requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

async function openThrottled(browser: Browser): Promise<{ page: Page; close: () => Promise<void> }> {
  const context = await browser.newContext({ locale: 'pt-BR', viewport: { width: 390, height: 844 } })
  const page = await context.newPage()
  page.setDefaultTimeout(MAX_MS)
  const devTools = await context.newCDPSession(page)
  await devTools.send('Network.enable')
  await devTools.send('Network.emulateNetworkConditions', SLOW_4G)
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER_PROCESSOR })
  return { page, close: () => context.close() }
}

const readPaint = (page: Page) =>
  page
    .waitForFunction(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0)
    .then((handle) => handle.jsonValue())

async function measureLogin(browser: Browser, url: string): Promise<Marks> {
  const { page, close } = await openThrottled(browser)
  try {
    await page.addInitScript(watchForm)
    await page.goto(`${url}/login`, { waitUntil: 'commit' })
    const painted = await readPaint(page)
    const marks = await page.waitForFunction(() => {
      const seen = (window as unknown as { formMarks: { typable: number; usable: number } }).formMarks
      return seen.usable > 0 && seen
    })
    return { painted, ...((await marks.jsonValue()) as { typable: number; usable: number }) }
  } finally {
    await close()
  }
}

/** Without a session the shell is painted as well, before it redirects to /login. */
async function measureShell(browser: Browser, url: string): Promise<number> {
  const { page, close } = await openThrottled(browser)
  try {
    await page.goto(`${url}/power-bi`, { waitUntil: 'commit' })
    return await readPaint(page)
  } finally {
    await close()
  }
}

await runBench(async (cleanUp) => {
  const browser = await openChromium(cleanUp)
  const folders = [root, ...(values.beside ? [values.beside] : [])]
  const portals = []
  for (const [index, folder] of folders.entries()) {
    const env = { DATA_DIR: makeTempFolder(cleanUp), RATE_LIMITS: 'off' }
    const portal = await startPortal(FIRST_PORT + index, env, folder)
    cleanUp(() => portal.stop())
    portals.push({ url: portal.url, login: [] as Marks[], shell: [] as number[] })
  }
  for (let round = 1; round <= rounds; round++) {
    for (const portal of portals) {
      portal.login.push(await measureLogin(browser, portal.url))
      portal.shell.push(await measureShell(browser, portal.url))
    }
    say(
      `round ${round} of ${rounds}: painted ${portals.map(({ login }) => login.at(-1)?.painted.toFixed(0)).join(' / ')} ms`,
    )
  }
  return portals.flatMap(({ login, shell }, index): Figure[] => {
    const name = index === 0 ? '' : ', the other checkout'
    const figure = (what: string, runs: number[], atMost?: number): Figure => ({
      what: what + name,
      value: median(runs),
      unit: 'ms',
      note: formatSpread(runs),
      ...(index === 0 && atMost !== undefined && { atMost }),
    })
    const of = (mark: keyof Marks) => login.map((marks) => marks[mark])
    return [
      figure('/login painted', of('painted'), 900),
      figure('/login can be typed in', of('typable'), 900),
      figure('/login: the button answers', of('usable')),
      figure('/power-bi shell painted', shell, 900),
    ]
  })
})
