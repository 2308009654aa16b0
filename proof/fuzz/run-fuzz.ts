// Sends random requests to every route of the contract, and bytes that are no
// requests: no reply may be 5xx or take 2 s, and memory must stay flat. With --only,
// exactly that many requests go to one target; a failure prints the command that
// repeats them. `npm run fuzz [-- --requests 50000] [--seed N] [--only "GET /api/…"]`
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import { routeGroups } from '#contract/index.ts'
import type { Route } from '#contract/route.ts'
import { describeMachine } from '#proof/shared/figures.ts'
import { prepareDatabase } from '#proof/shared/postgres.ts'
import { createSecret, readResidentMemory, type StartedPortal, startPortal } from '#proof/shared/processes.ts'
import { type CleanUp, runTask, say } from '#proof/shared/run-task.ts'
import { readDemoSecret } from '#server/demo/demo-installation.ts'
import { createRequests, MICROSOFT_ROUTES } from './arbitrary-request.ts'
import { rawBytes, sendBytes } from './raw-requests.ts'
import { type Callers, createCallers, sendFuzzed } from './send-fuzzed.ts'

const PORT = Number(process.env.FUZZ_PORT ?? 4700)
const LANES = 6
/** The seed offset between the parts of a target's requests; the warm-up uses the seeds in between. */
const PARTS_APART = 2
const RAW_SHARE = 0.1
const WARM_UP_SHARE = 0.1
const MAX_GROWTH = 1.25
/** Time limit of every reply. */
const MAX_ANSWER_MS = 2_000
/** Time limit of a target. */
const MAX_TARGET_MS = 600_000
const RAW_BYTES = 'raw bytes'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '50000' },
    seed: { type: 'string', default: String(randomInt(2 ** 31 - 1)) },
    only: { type: 'string' },
  },
})
const seed = Number(values.seed)
const requests = Number(values.requests)

async function startFuzzedPortal(cleanUp: CleanUp): Promise<{ portal: StartedPortal; targets: Target[] }> {
  const env = await prepareDatabase('fuzz', cleanUp)
  const METRICS_TOKEN = createSecret()
  const portal = await startPortal(PORT, {
    ...env,
    METRICS_TOKEN,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'fatal',
    ALTCHA_COST: '50',
  })
  cleanUp(portal.stop)
  const callers = await createCallers(env.DATABASE_URL, {
    session: readDemoSecret(env.DATA_DIR),
    METRICS_TOKEN,
  })
  cleanUp(callers.close)
  return { portal, targets: listTargets(portal, callers, await callers.readIds()) }
}

/**
 * Runs targets concurrently, each split into parts, so that a
 * slow one does not occupy a lane; the order is irrelevant.
 */
async function fuzzAll(targets: Target[], passSeed: number, total: number): Promise<Tally[]> {
  const rawRequests = Math.ceil(total * RAW_SHARE)
  const routeRequests = Math.ceil((total - rawRequests) / (targets.length - 1))
  const tallies = targets.map(createTally)
  const waiting = Array.from({ length: LANES }, (_, part) =>
    targets.map((target, index) => async () => {
      const requests = target.name === RAW_BYTES ? rawRequests : routeRequests
      const ofPart = Math.floor((requests + part) / LANES)
      if (ofPart > 0) await target.fuzz(tallies[index] as Tally, passSeed + part * PARTS_APART, ofPart)
    }),
  ).flat()
  const lane = async () => {
    for (let fuzzPart = waiting.shift(); fuzzPart; fuzzPart = waiting.shift()) await fuzzPart()
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return tallies
}

/** Runs a warm-up pass that fills caches and pools; from then on memory must not grow. */
async function runWhole(portal: StartedPortal, targets: Target[]): Promise<void> {
  const warmUpSeed = seed + 1
  const warmUp = await fuzzAll(targets, warmUpSeed, requests * WARM_UP_SHARE)
  const before = readResidentMemory(portal.pid)
  const tallies = await fuzzAll(targets, seed, requests)
  const after = readResidentMemory(portal.pid)
  const isFlat = after <= before * MAX_GROWTH
  const memory = `| resident memory | | ${before.toFixed(0)} → ${after.toFixed(0)} MB | | ${isFlat ? 'held' : 'FAILED'} |`
  print(tallies, [memory])
  process.stdout.write(
    `\nCounted: ${sumSent(tallies)} requests with seed ${seed}. Before them ${sumSent(warmUp)} others (seed ${warmUpSeed}) warmed the portal up: they are not in the table, but what fails among them fails the run.\n`,
  )
  judge([...warmUp, ...tallies])
  if (!isFlat) process.exitCode = 1
}

/** Runs one target with exactly the given requests. */
async function runOnly(targets: Target[], name: string): Promise<void> {
  const target = targets.find((each) => each.name === name)
  if (!target) throw new Error(`there is no route ${name}`)
  const tally = createTally(target)
  await target.fuzz(tally, seed, requests)
  print([tally], [])
  process.stdout.write(
    `\nCounted: ${tally.sent} requests, sent once; memory is not judged without a warm-up.\n`,
  )
  judge([tally])
}

const sumSent = (tallies: Tally[]) => tallies.reduce((sum, { sent }) => sum + sent, 0)

function print(tallies: Tally[], more: string[]): void {
  const rows = tallies.map(({ name, sent, answers, slowestMs, failure }) => {
    const answered = Object.entries(answers)
      .sort()
      .map(([kind, times]) => `${times} × ${kind}`)
      .join(', ')
    return `| ${name} | ${sent} | ${answered} | ${slowestMs.toFixed(0)} ms | ${failure ? 'FAILED' : 'held'} |`
  })
  const head = '| route | requests | answers | slowest answer | verdict |\n| --- | --- | --- | --- | --- |'
  process.stdout.write(
    `\nrun-fuzz.ts, seed ${seed}, ${describeMachine()}\n\n${[head, ...rows, ...more].join('\n')}\n`,
  )
}

function judge(tallies: Tally[]): void {
  const failed = tallies.filter(({ failure }) => failure)
  for (const { name, failure } of failed) say(`${name}: ${failure}`)
  if (failed.length > 0) process.exitCode = 1
}

/** The results of one target in one pass. */
interface Tally {
  name: string
  sent: number
  /** Counts by kind of reply: '2xx', or words where there was no reply. */
  answers: Record<string, number>
  slowestMs: number
  /** What was found, with the command that repeats the requests. */
  failure?: string
}

/** A target of requests. */
interface Target {
  name: string
  /** Sends exactly this many requests, the same for the same seed, and adds the results to a tally. */
  fuzz(tally: Tally, seed: number, requests: number): Promise<void>
}

const createTally = ({ name }: Target): Tally => ({ name, sent: 0, answers: {}, slowestMs: 0 })

/** Lists every route of the contract, the two for Microsoft, and the raw bytes. */
function listTargets(portal: StartedPortal, callers: Callers, knownIds: string[]): Target[] {
  const routes: Route[] = [
    ...Object.values(routeGroups).flatMap((group) => Object.values(group)),
    ...MICROSOFT_ROUTES,
  ]
  return [...routes.map((route) => fuzzRoute(route, portal, callers, knownIds)), fuzzRaw(portal)]
}

function fuzzRoute(route: Route, portal: StartedPortal, callers: Callers, knownIds: string[]): Target {
  return createTarget(`${route.method} ${route.path}`, (tally) =>
    fc.asyncProperty(createRequests(route, knownIds), async (request) => {
      const { status, ms, text } = await sendFuzzed(portal.url, request, callers, MAX_ANSWER_MS * 2)
      count(tally, [toStatusClass(status)], ms)
      if (status === 0 || status >= 500) throw new Error(`answered ${status} ${text.slice(0, 300)}`)
      if (ms > MAX_ANSWER_MS) throw new Error(`took ${Math.round(ms)} ms`)
    }),
  )
}

function fuzzRaw(portal: StartedPortal): Target {
  const port = Number(new URL(portal.url).port)
  return createTarget(RAW_BYTES, (tally) =>
    fc.asyncProperty(rawBytes, async (bytes) => {
      const { statuses, ms, end } = await sendBytes(port, bytes, MAX_ANSWER_MS)
      count(tally, statuses.length > 0 ? statuses.map(toStatusClass) : [end], ms)
      const bad = statuses.find((status) => status >= 500)
      if (bad) throw new Error(`answered ${bad}`)
      if (end === 'left hanging') throw new Error(`a whole request was left hanging for ${MAX_ANSWER_MS} ms`)
      if (end === 'not let go') throw new Error(`still open ${MAX_ANSWER_MS} ms after the caller had hung up`)
    }),
  )
}

function createTarget<Ts>(name: string, propertyFor: (tally: Tally) => fc.IAsyncProperty<Ts>): Target {
  return {
    name,
    async fuzz(tally, seed, requests) {
      const details = await fc.check(propertyFor(tally), {
        numRuns: requests,
        seed,
        endOnFailure: false,
        interruptAfterTimeLimit: MAX_TARGET_MS,
        // Otherwise fewer requests than asked for would count as all of them.
        markInterruptAsFailure: true,
      })
      if (details.failed) {
        const replay = `npm run fuzz -- --only "${name}" --seed ${seed} --requests ${requests}`
        const what = details.interrupted ? 'not through in time' : details.errorInstance
        tally.failure ??= `${what}\n    with ${fc.stringify(details.counterexample)}\n    replay: ${replay}`
      }
    },
  }
}

const toStatusClass = (status: number) => (status === 0 ? 'no answer' : `${Math.floor(status / 100)}xx`)

function count(tally: Tally, answers: string[], ms: number): void {
  tally.sent += 1
  for (const answer of answers) tally.answers[answer] = (tally.answers[answer] ?? 0) + 1
  tally.slowestMs = Math.max(tally.slowestMs, ms)
}

await runTask(async (cleanUp) => {
  const { portal, targets } = await startFuzzedPortal(cleanUp)
  say(`seed ${seed}, ${values.only ?? `${targets.length} targets`}`)
  if (values.only) await runOnly(targets, values.only)
  else await runWhole(portal, targets)
  if (portal.hasEnded()) throw new Error(`the portal died:\n${portal.errors()}`)
})
