// Measures how soon people hear what concerns them, and what open streams cost two replicas.
// `node proof/bench/live-streams.ts [--streams 10000] [--changes 100]`
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { type Figure, median, quantile, readNumbers, runBench } from '#proof/shared/figures.ts'
import { addSessions } from '#proof/shared/people.ts'
import { prepareDatabase } from '#proof/shared/postgres.ts'
import {
  FIRST_PORT,
  readCpuTime,
  readResidentMemory,
  type StartedPortal,
  startPortal,
} from '#proof/shared/processes.ts'
import { type CleanUp, say } from '#proof/shared/run-task.ts'
import { openStream } from '#proof/shared/streams.ts'
import { readDemoSecret } from '#server/demo/demo-installation.ts'

const { streams, changes } = readNumbers({ streams: 10_000, changes: 100 })
const OPENED_AT_ONCE = 100
const SETTLE_MS = 5_000
const IDLE_SECONDS = 10
const MAX_DELIVERY_MS = 20_000
/** As the portal tells clients of a replica that stops. */
const RECONNECT_SPREAD_MS = 15_000

/** Counts the streams that have heard of a topic since the last start. */
function createStopwatch() {
  let [topic, startedAt, delays] = ['', 0, [] as number[]]
  return {
    onEvents(events: string, at: number) {
      if (events.includes(`"${topic}"`)) delays.push(at - startedAt)
    },
    /** Makes a change, and waits until that many streams have heard of it. */
    async measure(wanted: { topic: string; count: number }, change: () => Promise<unknown>) {
      topic = wanted.topic
      startedAt = performance.now()
      delays = []
      await change()
      while (delays.length < wanted.count && performance.now() < startedAt + MAX_DELIVERY_MS) await wait(5)
      if (delays.length !== wanted.count) throw new Error(`${delays.length} heard instead of ${wanted.count}`)
      return delays
    },
  }
}
type Stopwatch = ReturnType<typeof createStopwatch>

async function openStreams(
  portals: readonly StartedPortal[],
  tokens: readonly string[],
  stopwatch: Stopwatch,
  cleanUp: CleanUp,
): Promise<void> {
  const open = (token: string, index: number) =>
    openStream((portals[index % portals.length] as StartedPortal).url, token, cleanUp, stopwatch.onEvents)
  for (let first = 0; first < tokens.length; first += OPENED_AT_ONCE)
    await Promise.all(tokens.slice(first, first + OPENED_AT_ONCE).map(open))
}

/** Opens streams again, each at a random time. @returns ms until the first event of each */
async function reconnect(portal: StartedPortal, tokens: readonly string[], cleanUp: CleanUp) {
  return Promise.all(
    tokens.map(async (token) => {
      await wait(Math.random() * RECONNECT_SPREAD_MS)
      const startedAt = performance.now()
      await openStream(portal.url, token, cleanUp, () => {})
      return performance.now() - startedAt
    }),
  )
}

const sumMemory = (portals: readonly StartedPortal[]) =>
  portals.reduce((sum, { pid }) => sum + readResidentMemory(pid), 0)
/** In ms. */
const sumCpu = (portals: readonly StartedPortal[]) =>
  portals.reduce((sum, { pid }) => sum + (readCpuTime(pid) ?? 0) / 1000, 0)

await runBench(async (cleanUp) => {
  const env = await prepareDatabase('live', cleanUp)
  const portals: StartedPortal[] = []
  for (const port of [FIRST_PORT, FIRST_PORT + 1]) {
    const portal = await startPortal(port, { ...env, RATE_LIMITS: 'off' })
    cleanUp(() => portal.stop())
    portals.push(portal)
  }
  const tokens = await addSessions(env.DATABASE_URL, readDemoSecret(env.DATA_DIR), streams, 'Vendas')
  const client = new pg.Client({ connectionString: env.DATABASE_URL })
  await client.connect()
  cleanUp(() => client.end())
  await wait(SETTLE_MS)
  const before = sumMemory(portals)
  const stopwatch = createStopwatch()
  await openStreams(portals, tokens, stopwatch, cleanUp)
  await wait(SETTLE_MS)
  const memoryKb = ((sumMemory(portals) - before) * 1000) / streams
  say(`${streams} streams are open`)
  const idleFrom = sumCpu(portals)
  await wait(IDLE_SECONDS * 1000)
  const idleMs = (sumCpu(portals) - idleFrom) / IDLE_SECONDS

  const rename = (first: number, last: number) =>
    client.query(`update profiles set full_name = full_name || '.' where email = any($1)`, [
      Array.from({ length: last - first }, (_, index) => `carga${first + index + 1}@grupopatio.com.br`),
    ])
  const single: number[] = []
  const singleFrom = sumCpu(portals)
  for (let index = 0; index < changes; index++)
    single.push(...(await stopwatch.measure({ topic: 'me', count: 1 }, () => rename(index, index + 1))))
  const singleMs = (sumCpu(portals) - singleFrom) / changes
  const togetherFrom = sumCpu(portals)
  const together = await stopwatch.measure({ topic: 'me', count: changes }, () => rename(0, changes))
  const togetherMs = sumCpu(portals) - togetherFrom
  const all = await stopwatch.measure({ topic: 'settings', count: streams }, () =>
    client.query(`update global_powerbi_settings set updated_at = now() where type = 'vendas'`),
  )
  const [stopped, left] = portals as [StartedPortal, StartedPortal]
  await stopped.stop()
  const cpuFrom = sumCpu([left])
  const returned = await reconnect(
    left,
    tokens.filter((_, index) => index % 2 === 0),
    cleanUp,
  )
  const returnMs = (sumCpu([left]) - cpuFrom) / (RECONNECT_SPREAD_MS / 1000)
  const figures: Figure[] = [
    { what: 'memory per stream', value: memoryKb, unit: 'KB', digits: 1, atMost: 50 },
    { what: 'processor, idle, both replicas', value: idleMs, unit: 'ms a second', digits: 1 },
    { what: 'one person changes: median', value: median(single), unit: 'ms' },
    { what: 'one person changes: p99', value: quantile(single, 0.99), unit: 'ms', atMost: 2_000 },
    { what: 'processor for each, both replicas', value: singleMs, unit: 'ms', digits: 1 },
    {
      what: `${changes} people change at once: last`,
      value: quantile(together, 1),
      unit: 'ms',
      atMost: 2_000,
    },
    { what: 'processor for all of them', value: togetherMs, unit: 'ms' },
    { what: 'a report setting, heard by all: last', value: quantile(all, 1), unit: 'ms', atMost: 2_000 },
    { what: 'half reconnects over 15 s: p99', value: quantile(returned, 0.99), unit: 'ms', atMost: 2_000 },
    { what: 'processor meanwhile, one replica', value: returnMs, unit: 'ms a second' },
  ]
  return figures
})
