import type { Browser, Page } from '@playwright/test'

interface TraceEvent {
  name: string
  ph: string
  pid: number
  tid: number
  args?: { name?: string }
  /** Microseconds on the clock, and of the processor. */
  dur?: number
  tdur?: number
}

/** The longest task of the page's main thread in milliseconds: of the processor, and on the clock. */
export interface LongestTask {
  cpu: number
  clock: number
}

/**
 * Watches the page's main thread while something is done. What other programs take of the machine stretches a task
 * on the clock, not in its processor time.
 */
export async function longestTask(
  browser: Browser,
  page: Page,
  act: () => Promise<void>,
): Promise<LongestTask> {
  await browser.startTracing(page, { categories: ['toplevel'] })
  await act()
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] }
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid}:${tid}`
  const isMainThread = ({ name, args }: TraceEvent) =>
    name === 'thread_name' && args?.name === 'CrRendererMain'
  const mainThreads = new Set(trace.traceEvents.filter(isMainThread).map(threadOf))
  const tasks = trace.traceEvents.filter((event) => event.ph === 'X' && mainThreads.has(threadOf(event)))
  if (tasks.length === 0) throw new Error('the trace holds no task of the page')
  const most = (name: 'dur' | 'tdur') => Math.max(...tasks.map((task) => task[name] ?? 0)) / 1000
  return { cpu: most('tdur'), clock: most('dur') }
}
