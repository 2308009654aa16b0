// Random requests over every route of the contract, and bytes that are no requests: nothing may answer 5xx, nothing
// may take 2 s, and memory must stay flat. `npm run fuzz [-- --requests 50000] [--seed N] [--only "GET /api/…"]`
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import { machineLine } from '#bench/support/figures.ts'
import { newSecret } from '#bench/support/new-secret.ts'
import { prepareDatabase } from '#bench/support/prepare-database.ts'
import { residentMemory } from '#bench/support/resident-memory.ts'
import { runTask, say } from '#bench/support/run-task.ts'
import { type StartedPortal, startPortal } from '#bench/support/start-portal.ts'
import { api } from '#contract/index.ts'
import type { Route } from '#contract/route.ts'
import { requestsTo } from './arbitrary-request.ts'
import { type Callers, createCallers } from './callers.ts'
import { rawBytes, sendBytes } from './raw-requests.ts'
import { type Sent, sendFuzzed } from './send-fuzzed.ts'

const PORT = Number(process.env.FUZZ_PORT ?? 4700)
const LANES = 6
const SLOWEST_MS = 2_000
const RAW_SHARE = 0.1
const MOST_GROWTH = 1.25

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '50000' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    only: { type: 'string' },
  },
})
const seed = Number(values.seed)

/** What a target has taken so far. */
interface Tally {
  name: string
  sent: number
  classes: Record<string, number>
  slowestMs: number
  failure?: string
}

interface Target {
  tally: Tally
  fuzz(runs: number): Promise<void>
}

function targetsOf(portal: StartedPortal, callers: Callers, knownIds: string[]): Target[] {
  const routes = Object.values(api).flatMap((group) => Object.values<Route>(group))
  const targets = routes.map((route) => routeTarget(route, portal, callers, knownIds))
  return [...targets, rawTarget()].filter(({ tally }) => !values.only || tally.name === values.only)
}

function newTally(name: string): Tally {
  return { name, sent: 0, classes: {}, slowestMs: 0 }
}

function count(tally: Tally, { status, ms }: Sent): void {
  tally.sent += 1
  const group = `${Math.floor(status / 100)}xx`
  tally.classes[group] = (tally.classes[group] ?? 0) + 1
  tally.slowestMs = Math.max(tally.slowestMs, ms)
}

function routeTarget(route: Route, portal: StartedPortal, callers: Callers, knownIds: string[]): Target {
  const tally = newTally(`${route.method} ${route.path}`)
  const property = fc.asyncProperty(requestsTo(route, knownIds), async (request) => {
    const sent = await sendFuzzed(portal.url, request, callers, SLOWEST_MS * 2)
    count(tally, sent)
    if (sent.status === 0 || sent.status >= 500)
      throw new Error(`answered ${sent.status} ${sent.text.slice(0, 300)}`)
    if (sent.ms > SLOWEST_MS) throw new Error(`took ${Math.round(sent.ms)} ms`)
  })
  return { tally, fuzz: (runs) => check(tally, property, runs) }
}

function rawTarget(): Target {
  const tally = newTally('raw bytes')
  const property = fc.asyncProperty(rawBytes, async (bytes) => {
    const startedAt = performance.now()
    // A request whose body never comes is waited for; only the time-outs of the server end it.
    const statuses = await sendBytes(PORT, bytes, 32_000)
    for (const status of statuses.length > 0 ? statuses : [200])
      count(tally, { status, ms: performance.now() - startedAt, text: '' })
    const bad = statuses.find((status) => status >= 500)
    if (bad) throw new Error(`answered ${bad}`)
  })
  return { tally, fuzz: (runs) => check(tally, property, runs) }
}

async function check<Ts>(tally: Tally, property: fc.IAsyncProperty<Ts>, runs: number): Promise<void> {
  const details = await fc.check(property, {
    numRuns: runs,
    seed,
    endOnFailure: false,
    interruptAfterTimeLimit: 600_000,
  })
  if (!details.failed) return
  const shown = fc.stringify(details.counterexample)
  tally.failure = `${details.errorInstance}\n    with ${shown}\n    replay: npm run fuzz -- --only "${tally.name}" --seed ${seed} --requests ${runs}`
}

/** A few targets at a time; the order decides nothing. */
async function fuzzAll(targets: Target[], requests: number): Promise<void> {
  const isRaw = ({ tally }: Target) => tally.name === 'raw bytes'
  const rawRuns = Math.ceil(requests * (targets.some(isRaw) ? RAW_SHARE : 0))
  const runs = Math.ceil(
    (requests - rawRuns) / Math.max(1, targets.filter((target) => !isRaw(target)).length),
  )
  const waiting = [...targets]
  const lane = async () => {
    for (let target = waiting.shift(); target; target = waiting.shift())
      await target.fuzz(isRaw(target) ? rawRuns : runs)
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}

function print(tallies: Tally[], memory: { before: number; after: number }): void {
  const rows = tallies.map(({ name, sent, classes, slowestMs, failure }) => {
    const answered = Object.entries(classes)
      .sort()
      .map(([group, times]) => `${times} × ${group}`)
      .join(', ')
    return `| ${name} | ${sent} | ${answered} | ${slowestMs.toFixed(0)} ms | ${failure ? 'FAILED' : 'held'} |`
  })
  const total = tallies.reduce((sum, { sent }) => sum + sent, 0)
  const isFlat = memory.after <= memory.before * MOST_GROWTH
  rows.push(
    `| resident memory | ${total} | ${memory.before.toFixed(0)} → ${memory.after.toFixed(0)} MB | | ${isFlat ? 'held' : 'FAILED'} |`,
  )
  process.stdout.write(
    `\nrun-fuzz.ts, seed ${seed}, ${machineLine()}\n\n| route | requests | answers | slowest | verdict |\n| --- | --- | --- | --- | --- |\n${rows.join('\n')}\n`,
  )
  for (const { name, failure } of tallies) if (failure) say(`${name}: ${failure}`)
  if (!isFlat || tallies.some(({ failure }) => failure)) process.exitCode = 1
}

await runTask(async (cleanUp) => {
  const env = await prepareDatabase('fuzz', cleanUp)
  const SESSION_SECRET = newSecret()
  const portal = await startPortal(PORT, {
    ...env,
    SESSION_SECRET,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'fatal',
    ALTCHA_COST: '50',
  })
  cleanUp(portal.stop)
  const callers = await createCallers(env.DATABASE_URL, SESSION_SECRET)
  cleanUp(callers.close)
  const targets = targetsOf(portal, callers, await callers.readIds())
  if (targets.length === 0) throw new Error(`there is no route ${values.only}`)
  say(`seed ${seed}, ${targets.length} targets`)
  // The first tenth fills caches and pools; from there on memory must not grow.
  await fuzzAll(targets, Number(values.requests) * 0.1)
  const before = residentMemory(portal.pid)
  await fuzzAll(targets, Number(values.requests) * 0.9)
  const after = residentMemory(portal.pid)
  if (portal.hasEnded()) throw new Error(`the portal died:\n${portal.errors()}`)
  print(
    targets.map(({ tally }) => tally),
    { before, after },
  )
})
