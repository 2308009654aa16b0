import { request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { RunningProcess } from './run-process.ts'

const LONGEST_WAIT_MS = 120_000
const PAUSE_MS = 4

/** One request on a connection of its own, without the warm-up that fetch needs. @returns its status, 0 when refused */
function statusOf(url: string): Promise<number> {
  return new Promise((resolve) => {
    const probe = request(url, { agent: false, timeout: 2_000 }, (reply) => {
      reply.resume()
      resolve(reply.statusCode ?? 0)
    })
    probe.on('timeout', () => probe.destroy())
    probe.on('error', () => resolve(0))
    probe.end()
  })
}

/**
 * Waits until an address answers with a status below 500.
 * @returns milliseconds since the process was started
 * @throws Error with what the process said when it ends first, or when nothing answers in two minutes
 */
export async function waitUntilAnswers(url: string, started: RunningProcess): Promise<number> {
  while (performance.now() - started.startedAt < LONGEST_WAIT_MS) {
    const status = await statusOf(url)
    if (status > 0 && status < 500) return performance.now() - started.startedAt
    if (started.hasEnded()) throw new Error(`the process behind ${url} ended:\n${started.errors()}`)
    await wait(PAUSE_MS)
  }
  throw new Error(`nothing answered at ${url}:\n${started.errors()}`)
}
