// Random requests over every route of the contract, and bytes that are no requests: nothing may answer 5xx, nothing
// may take 2 s, and memory must stay flat. `npm run fuzz [-- --requests 50000] [--seed N] [--only "GET /api/…"]`
// With --only, exactly so many requests go to that one target: what a failure prints sends the same ones again.
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { machineLine } from '#proof/bench/support/figures.ts'
import { newSecret } from '#proof/bench/support/new-secret.ts'
import { prepareDatabase } from '#proof/bench/support/prepare-database.ts'
import { residentMemory } from '#proof/bench/support/resident-memory.ts'
import { type CleanUp, runTask, say } from '#proof/bench/support/run-task.ts'
import { type StartedPortal, startPortal } from '#proof/bench/support/start-portal.ts'
import { createCallers } from './callers.ts'
import { RAW_BYTES, type Tally, type Target, targetsOf } from './fuzz-targets.ts'

const PORT = Number(process.env.FUZZ_PORT ?? 4700)
const LANES = 6
const RAW_SHARE = 0.1
const WARM_UP_SHARE = 0.1
const MOST_GROWTH = 1.25

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
  const secrets = { SESSION_SECRET: newSecret(), METRICS_TOKEN: newSecret() }
  const portal = await startPortal(PORT, {
    ...env,
    ...secrets,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'fatal',
    ALTCHA_COST: '50',
  })
  cleanUp(portal.stop)
  const callers = await createCallers(env.DATABASE_URL, secrets)
  cleanUp(callers.close)
  return { portal, targets: targetsOf(portal, callers, await callers.readIds()) }
}

/** A few targets at a time; the order decides nothing. */
async function fuzzAll(targets: Target[], passSeed: number, total: number): Promise<Tally[]> {
  const rawRequests = Math.ceil(total * RAW_SHARE)
  const routeRequests = Math.ceil((total - rawRequests) / (targets.length - 1))
  const waiting = [...targets].reverse()
  const tallies: Tally[] = []
  const lane = async () => {
    for (let target = waiting.shift(); target; target = waiting.shift())
      tallies.push(await target.fuzz(passSeed, target.name === RAW_BYTES ? rawRequests : routeRequests))
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return tallies.sort((a, b) => a.name.localeCompare(b.name, 'en'))
}

/** The first pass fills caches and pools; from there on memory must not grow. */
async function runWhole(portal: StartedPortal, targets: Target[]): Promise<void> {
  const warmUpSeed = seed + 1
  const warmUp = await fuzzAll(targets, warmUpSeed, requests * WARM_UP_SHARE)
  const before = residentMemory(portal.pid)
  const tallies = await fuzzAll(targets, seed, requests)
  const after = residentMemory(portal.pid)
  const isFlat = after <= before * MOST_GROWTH
  const memory = `| resident memory | | ${before.toFixed(0)} → ${after.toFixed(0)} MB | | ${isFlat ? 'held' : 'FAILED'} |`
  print(tallies, [memory])
  process.stdout.write(
    `\nCounted: ${sumOf(tallies)} requests with seed ${seed}. Before them ${sumOf(warmUp)} others (seed ${warmUpSeed}) warmed the portal up: they are not in the table, but what fails among them fails the run.\n`,
  )
  judge([...warmUp, ...tallies])
  if (!isFlat) process.exitCode = 1
}

/** One target alone, with exactly the requests that the command names. */
async function runOnly(targets: Target[], name: string): Promise<void> {
  const target = targets.find((each) => each.name === name)
  if (!target) throw new Error(`there is no route ${name}`)
  const tally = await target.fuzz(seed, requests)
  print([tally], [])
  process.stdout.write(
    `\nCounted: ${tally.sent} requests, sent once; memory is not judged without a warm-up.\n`,
  )
  judge([tally])
}

const sumOf = (tallies: Tally[]) => tallies.reduce((sum, { sent }) => sum + sent, 0)

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
    `\nrun-fuzz.ts, seed ${seed}, ${machineLine()}\n\n${[head, ...rows, ...more].join('\n')}\n`,
  )
}

function judge(tallies: Tally[]): void {
  const failed = tallies.filter(({ failure }) => failure)
  for (const { name, failure } of failed) say(`${name}: ${failure}`)
  if (failed.length > 0) process.exitCode = 1
}

await runTask(async (cleanUp) => {
  const { portal, targets } = await startFuzzedPortal(cleanUp)
  say(`seed ${seed}, ${values.only ?? `${targets.length} targets`}`)
  if (values.only) await runOnly(targets, values.only)
  else await runWhole(portal, targets)
  if (portal.hasEnded()) throw new Error(`the portal died:\n${portal.errors()}`)
})
