import type { Browser } from '@playwright/test'

const AT_ONCE = 3
const ALIVE_MS = 20_000

export interface PageLoads {
  dead: number
  total: number
  /** Loads by the entry script that the page named. */
  entries: Record<string, number>
}

/**
 * Loads pages in fresh browsers. One without a running script or without its style is dead.
 * @param session stored before the load, as the portal's page stores it
 */
export async function loadPages(
  browser: Browser,
  urls: readonly string[],
  session?: string,
): Promise<PageLoads> {
  const loads: PageLoads = { dead: 0, total: 0, entries: {} }
  const waiting = [...urls]
  const work = async () => {
    for (let url = waiting.pop(); url; url = waiting.pop()) {
      const { isAlive, entry } = await loadPage(browser, url, session)
      loads.total++
      if (!isAlive) loads.dead++
      loads.entries[entry] = (loads.entries[entry] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return loads
}

async function loadPage(browser: Browser, url: string, session?: string) {
  const context = await browser.newContext()
  if (session) await context.addInitScript((kept) => localStorage.setItem('patio.session', kept), session)
  const page = await context.newPage()
  let entry = 'none'
  try {
    await page.goto(url, { waitUntil: 'load' })
    entry = await page.evaluate(
      () => document.querySelector('script[type=module]')?.getAttribute('src') ?? 'none',
    )
    await page.waitForFunction(
      () =>
        Object.keys(document.getElementById('root') ?? {}).some((key) => key.startsWith('__react')) &&
        getComputedStyle(document.body).margin === '0px',
      undefined,
      { timeout: ALIVE_MS },
    )
    return { isAlive: true, entry }
  } catch {
    return { isAlive: false, entry }
  } finally {
    await context.close()
  }
}
