import fc from 'fast-check'
import { api } from '#contract/index.ts'
import type { Route } from '#contract/route.ts'
import type { StartedPortal } from '#proof/bench/support/start-portal.ts'
import { requestsTo } from './arbitrary-request.ts'
import type { Callers } from './callers.ts'
import { rawBytes, sendBytes } from './raw-requests.ts'
import { sendFuzzed } from './send-fuzzed.ts'

/** Nothing may take longer. */
export const SLOWEST_MS = 2_000
/** A target that is not through by then has failed. */
const LONGEST_TARGET_MS = 600_000
export const RAW_BYTES = 'raw bytes'

/** What one target took in one pass. */
export interface Tally {
  name: string
  sent: number
  /** How often each kind of answer came: '2xx', or words for what is no answer. */
  answers: Record<string, number>
  slowestMs: number
  /** What was found, with the command that sends the same requests again. */
  failure?: string
}

/** Something to send requests to. */
export interface Target {
  name: string
  /** Sends exactly this many requests, the same ones for the same seed. */
  fuzz(seed: number, requests: number): Promise<Tally>
}

/** Every route of the contract, and bytes that are no requests. */
export function targetsOf(portal: StartedPortal, callers: Callers, knownIds: string[]): Target[] {
  const routes = Object.values(api).flatMap((group) => Object.values<Route>(group))
  return [...routes.map((route) => routeTarget(route, portal, callers, knownIds)), rawTarget(portal)]
}

function routeTarget(route: Route, portal: StartedPortal, callers: Callers, knownIds: string[]): Target {
  return newTarget(`${route.method} ${route.path}`, (tally) =>
    fc.asyncProperty(requestsTo(route, knownIds), async (request) => {
      const { status, ms, text } = await sendFuzzed(portal.url, request, callers, SLOWEST_MS * 2)
      count(tally, [classOf(status)], ms)
      if (status === 0 || status >= 500) throw new Error(`answered ${status} ${text.slice(0, 300)}`)
      if (ms > SLOWEST_MS) throw new Error(`took ${Math.round(ms)} ms`)
    }),
  )
}

function rawTarget(portal: StartedPortal): Target {
  const port = Number(new URL(portal.url).port)
  return newTarget(RAW_BYTES, (tally) =>
    fc.asyncProperty(rawBytes, async (bytes) => {
      const { statuses, ms, end } = await sendBytes(port, bytes, SLOWEST_MS)
      count(tally, statuses.length > 0 ? statuses.map(classOf) : [end], ms)
      const bad = statuses.find((status) => status >= 500)
      if (bad) throw new Error(`answered ${bad}`)
      if (end === 'left hanging') throw new Error(`a whole request was left hanging for ${SLOWEST_MS} ms`)
      if (end === 'not let go') throw new Error(`still open ${SLOWEST_MS} ms after the caller had hung up`)
    }),
  )
}

function newTarget<Ts>(name: string, propertyFor: (tally: Tally) => fc.IAsyncProperty<Ts>): Target {
  return {
    name,
    async fuzz(seed, requests) {
      const tally: Tally = { name, sent: 0, answers: {}, slowestMs: 0 }
      const details = await fc.check(propertyFor(tally), {
        numRuns: requests,
        seed,
        endOnFailure: false,
        interruptAfterTimeLimit: LONGEST_TARGET_MS,
        // Fewer requests than were asked for would pass as all of them.
        markInterruptAsFailure: true,
      })
      if (details.failed) {
        const replay = `npm run fuzz -- --only "${name}" --seed ${seed} --requests ${requests}`
        const what = details.interrupted ? 'not through in time' : details.errorInstance
        tally.failure = `${what}\n    with ${fc.stringify(details.counterexample)}\n    replay: ${replay}`
      }
      return tally
    },
  }
}

const classOf = (status: number) => (status === 0 ? 'no answer' : `${Math.floor(status / 100)}xx`)

function count(tally: Tally, answers: string[], ms: number): void {
  tally.sent += 1
  for (const answer of answers) tally.answers[answer] = (tally.answers[answer] ?? 0) + 1
  tally.slowestMs = Math.max(tally.slowestMs, ms)
}
