import { type Browser, chromium, type Page } from '@playwright/test'
import { ensureChromium } from '#scripts/find-programs.mjs'
import type { CleanUp } from './run-task.ts'

/**
 * Opens the Chromium of the browser tests with the switches of
 * playwright.config.ts; closed when the run ends.
 * @param switches additional ones
 */
export async function openChromium(cleanUp: CleanUp, switches: string[] = []): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: await ensureChromium(),
    args: [
      '--no-sandbox',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-sync',
      ...switches,
    ],
  })
  cleanUp(() => browser.close())
  return browser
}

interface TraceEvent {
  name: string
  ph: string
  pid: number
  tid: number
  args?: { name?: string }
  /** Microseconds of wall-clock and of processor time. */
  dur?: number
  tdur?: number
}

/** The longest task of the page's main thread in milliseconds, by processor and by wall-clock time. */
export interface LongestTask {
  cpu: number
  clock: number
}

/**
 * Measures the page's main thread during an action. Other programs on the
 * machine prolong a task's wall-clock time, but not its processor time.
 */
export async function measureLongestTask(
  browser: Browser,
  page: Page,
  act: () => Promise<void>,
): Promise<LongestTask> {
  await browser.startTracing(page, { categories: ['toplevel'] })
  await act()
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] }
  const toThreadKey = ({ pid, tid }: TraceEvent) => `${pid}:${tid}`
  const isMainThread = ({ name, args }: TraceEvent) =>
    name === 'thread_name' && args?.name === 'CrRendererMain'
  const mainThreads = new Set(trace.traceEvents.filter(isMainThread).map(toThreadKey))
  const tasks = trace.traceEvents.filter((event) => event.ph === 'X' && mainThreads.has(toThreadKey(event)))
  if (tasks.length === 0) throw new Error('the trace holds no task of the page')
  const most = (name: 'dur' | 'tdur') => Math.max(...tasks.map((task) => task[name] ?? 0)) / 1000
  return { cpu: most('tdur'), clock: most('dur') }
}
