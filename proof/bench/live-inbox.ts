// Measures how soon every open inbox receives a message, and the memory of each open stream.
// `node proof/bench/live-inbox.ts [--streams 1000] [--messages 100] [--burst 100]`
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { median, quantile, readNumbers, runBench } from '#proof/shared/figures.ts'
import { addSessions } from '#proof/shared/people.ts'
import { prepareDatabase, runSql } from '#proof/shared/postgres.ts'
import { FIRST_PORT, readResidentMemory, startPortal } from '#proof/shared/processes.ts'
import { assertAllOk, sendRequests } from '#proof/shared/requests.ts'
import { type CleanUp, say } from '#proof/shared/run-task.ts'
import { type OnEvents, openStream } from '#proof/shared/streams.ts'
import { readDemoSecret } from '#server/demo/demo-installation.ts'

const OPENED_AT_ONCE = 50
/**
 * Opens streams of changes until the run ends.
 * @param accessTokens one for each stream
 * @throws Error when one is refused or cannot be opened
 */
async function openStreams(
  portalUrl: string,
  accessTokens: readonly string[],
  onEvents: OnEvents,
  cleanUp: CleanUp,
): Promise<void> {
  for (let first = 0; first < accessTokens.length; first += OPENED_AT_ONCE) {
    const batch = accessTokens.slice(first, first + OPENED_AT_ONCE)
    await Promise.all(batch.map((token) => openStream(portalUrl, token, cleanUp, onEvents)))
  }
}

const { streams, messages, burst } = readNumbers({ streams: 1000, messages: 100, burst: 100 })
const STREAMS_EACH = 5
const PAUSE_MS = 100
/** Few, since the streams would reuse memory freed by many, which would hide their cost. */
const WARM_UP_REQUESTS = 200
const SETTLE_MS = 3_000
const MAX_DELIVERY_MS = 10_000

/** Counts the streams that an event of messages has reached since the start. */
function createStopwatch() {
  const delays: number[] = []
  let startedAt = 0
  let arrived = 0
  return {
    delays,
    isDone: () => arrived >= streams,
    start() {
      startedAt = performance.now()
      arrived = 0
    },
    onEvents(events: string, at: number) {
      if (!events.includes('"messages"')) return
      arrived++
      delays.push(at - startedAt)
    },
  }
}
type Stopwatch = ReturnType<typeof createStopwatch>

/** Inserts messages into the database, as another replica would; the commit time counts. */
const writeMessages = (client: pg.Client, count: number) =>
  client.query(
    `insert into support_messages (name, email, phone, message)
     select 'Pessoa de Carga', 'carga@exemplo.com.br', '1', 'Mensagem de carga' from generate_series(1, $1)`,
    [count],
  )

/** Writes messages, several at once, and waits each time until every stream has heard. */
async function measureDelivery(client: pg.Client, stopwatch: Stopwatch, times: number, count: number) {
  const first = stopwatch.delays.length
  for (let written = 0; written < times; written++) {
    stopwatch.start()
    await writeMessages(client, count)
    const deadline = performance.now() + MAX_DELIVERY_MS
    while (!stopwatch.isDone() && performance.now() < deadline) await wait(5)
    if (!stopwatch.isDone()) throw new Error('some streams heard nothing')
    await wait(PAUSE_MS)
  }
  const delays = stopwatch.delays.slice(first)
  if (delays.length !== times * streams)
    throw new Error(`${delays.length} deliveries instead of ${times * streams}`)
  return delays
}

/** Adds administrators with sessions, each with the maximum number of streams. */
async function addAdministrators(databaseUrl: string, secret: string): Promise<string[]> {
  const tokens = await addSessions(databaseUrl, secret, Math.ceil(streams / STREAMS_EACH), 'Vendas')
  await runSql(databaseUrl, (client) =>
    client.query(`insert into user_roles (user_id, role)
      select user_id, 'admin' from profiles where email like 'carga%'`),
  )
  return Array.from({ length: streams }, (_, index) => tokens[index % tokens.length] as string)
}

async function openDatabase(url: string, cleanUp: CleanUp): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  cleanUp(() => client.end())
  return client
}

/** Sends the first requests, whose memory must not be attributed to the streams. */
async function warmUp(portalUrl: string, token: string): Promise<void> {
  const each = { path: '/api/support-messages/unread-count', token }
  assertAllOk(await sendRequests(portalUrl, Array(WARM_UP_REQUESTS).fill(each), 16))
  await wait(SETTLE_MS)
}

await runBench(async (cleanUp) => {
  const env = await prepareDatabase('live', cleanUp)
  const portal = await startPortal(FIRST_PORT, { ...env, RATE_LIMITS: 'off' })
  cleanUp(() => portal.stop())
  const tokens = await addAdministrators(env.DATABASE_URL, readDemoSecret(env.DATA_DIR))
  const client = await openDatabase(env.DATABASE_URL, cleanUp)
  await warmUp(portal.url, tokens[0] as string)

  const before = readResidentMemory(portal.pid)
  const stopwatch = createStopwatch()
  await openStreams(portal.url, tokens, stopwatch.onEvents, cleanUp)
  await wait(SETTLE_MS)
  const opened = readResidentMemory(portal.pid)
  say(`${streams} streams are open`)
  const steady = await measureDelivery(client, stopwatch, messages, 1)
  const crowded = await measureDelivery(client, stopwatch, 5, burst)
  const after = readResidentMemory(portal.pid)

  const perStream = (megabytes: number) => ((megabytes - before) * 1000) / streams
  return [
    { what: `${messages} messages: median`, value: median(steady), unit: 'ms' },
    { what: `${messages} messages: p99`, value: quantile(steady, 0.99), unit: 'ms', atMost: 250 },
    { what: `${messages} messages: slowest`, value: quantile(steady, 1), unit: 'ms' },
    { what: `${burst} at once: p99`, value: quantile(crowded, 0.99), unit: 'ms', atMost: 250 },
    { what: 'memory per stream, idle', value: perStream(opened), unit: 'KB', digits: 1, atMost: 50 },
    { what: 'memory per stream, at the end', value: perStream(after), unit: 'KB', digits: 1, atMost: 50 },
  ]
})
