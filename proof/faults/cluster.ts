import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { defineFault, type FaultRun, startFaultPortal, type Verdict, verify } from '#proof/shared/fault.ts'
import { startHaproxy } from '#proof/shared/haproxy.ts'
import { readMessages, sendAtRate, waitUntil, writeMessage } from '#proof/shared/load.ts'
import { findMissing, type PatroniCluster, type PatroniNode, startPatroni } from '#proof/shared/patroni.ts'
import { ADMIN, signInAsAdmin } from '#proof/shared/people.ts'
import { createDatabase, runSql } from '#proof/shared/postgres.ts'
import type { StartedPortal } from '#proof/shared/processes.ts'
import { type Answer, send } from '#proof/shared/requests.ts'
import { type CleanUp, makeTempFolder, say } from '#proof/shared/run-task.ts'
import { findPgBouncer } from '#scripts/find-programs.mjs'
import { startPgBouncer } from '#server/testing/pgbouncer.ts'

/**
 * Limits of interruptions: planned ones as people notice them,
 * otherwise what the portal adds to the cluster's own.
 */
const PLANNED_MS = 5_000
const ADDED_MS = 3_000
/** Longer than the time after which Patroni replaces a silent node. */
const FROZEN_MS = 30_000
const BACK_MS = 60_000
const CALM_MS = 3_000
/** How soon after an interruption an open page shows the present. */
const PRESENT_MS = 5_000
/** As pages reconnect. */
const RECONNECT_MS = 1_000
/** A reply slower than this counts as noticed. */
const SLOW_MS = 1_000
/** Interruptions closer than this count as one. */
const NEAR_MS = 1_000
const SESSIONS = 4
const PROBE_MS = 200

interface Setting {
  cluster: PatroniCluster
  databaseUrl: string
  url: string
  replicas: { portal: StartedPortal; start: () => Promise<StartedPortal> }[]
}

interface Trial {
  name: string
  isPlanned: boolean
  act(setting: Setting): Promise<void>
}

const getLeader = async ({ cluster }: Setting) => (await cluster.readRoles()).leader as PatroniNode

const TRIALS: readonly Trial[] = [
  {
    name: 'switch-over on purpose',
    isPlanned: true,
    act: ({ cluster }) => cluster.switchOver(),
  },
  {
    name: 'rolling upgrade of the portal',
    isPlanned: true,
    async act({ replicas }) {
      for (const replica of replicas) {
        await replica.portal.stop()
        replica.portal = await replica.start()
        // HAProxy detects it within a second.
        await wait(2_000)
      }
    },
  },
  {
    name: 'rolling upgrade of the database',
    isPlanned: true,
    async act(setting) {
      const first = await getLeader(setting)
      const restart = async (node: PatroniNode) => {
        await node.stop()
        node.start()
        await wait(2_000)
        await setting.cluster.waitUntilComplete()
      }
      for (const node of setting.cluster.nodes) if (node !== first) await restart(node)
      await setting.cluster.switchOver()
      await setting.cluster.waitUntilComplete()
      await restart(first)
    },
  },
  {
    name: 'synchronous standby killed',
    isPlanned: false,
    async act({ cluster }) {
      const { standby } = await cluster.readRoles()
      await standby?.kill()
      await wait(FROZEN_MS / 3)
      standby?.start()
    },
  },
  {
    name: 'primary killed',
    isPlanned: false,
    async act(setting) {
      const leader = await getLeader(setting)
      await leader.kill()
      await waitForFailover(setting, leader)
      leader.start()
    },
  },
  {
    name: 'primary frozen',
    isPlanned: false,
    async act(setting) {
      const leader = await getLeader(setting)
      leader.freeze()
      await wait(FROZEN_MS)
      leader.thaw()
    },
  },
]

async function waitForFailover({ cluster }: Setting, former: PatroniNode): Promise<void> {
  const isThere = async () => {
    const { leader } = await cluster.readRoles()
    return leader !== undefined && leader !== former
  }
  await waitUntil(isThere, BACK_MS)
}

const clusterFault = (name: string, isPooled: boolean) =>
  defineFault({
    name,
    async cannotRun() {
      if (isPooled && !findPgBouncer()) return 'there is no PgBouncer here'
      return findMissing()
    },
    async run(run) {
      const setting = await prepare(run, isPooled)
      const verdicts: Verdict[] = []
      for (const trial of TRIALS) verdicts.push(...(await runTrial(setting, trial)))
      return verdicts
    },
  })

/** Two portals and a PostgreSQL cluster under Patroni, both behind HAProxy. */
export const cluster = clusterFault('Patroni cluster', false)
/** The same with a connection pooler between the portals and HAProxy. */
export const pooledCluster = clusterFault('Patroni cluster behind PgBouncer', true)

async function prepare(run: FaultRun, isPooled: boolean): Promise<Setting> {
  const { cleanUp } = run
  const [publicPort, primaryPort, firstReplica] = [run.port, run.port + 1, run.port + 2]
  say('  starting etcd and three nodes')
  const patroni = await startPatroni(run.port + 10, cleanUp)
  const portals = [firstReplica, firstReplica + 1]
  const nodes = patroni.nodes
  const url = await startHaproxy(
    { port: publicPort, portals, primary: { port: primaryPort, nodes } },
    cleanUp,
  )
  const server = `postgresql://postgres@127.0.0.1:${primaryPort}/postgres`
  await waitUntil(() => isWritable(server), BACK_MS)
  const databaseUrl = await createDatabase(server, 'cluster', () => {})
  await runSql(databaseUrl, (client) => client.query('create table beats (at timestamptz)'))
  const env = { ...(await openDatabase(databaseUrl, isPooled, cleanUp)), DATA_DIR: makeTempFolder(cleanUp) }
  const replicas = []
  for (const port of portals) {
    const start = () => startFaultPortal(run, port, { ...env, SHUTDOWN_GRACE_SECONDS: '3' })
    replicas.push({ start, portal: await start() })
  }
  await waitUntil(async () => (await send(url, { path: '/api/health/ready' })).status === 200, BACK_MS)
  return { cluster: patroni, databaseUrl, url, replicas }
}

async function openDatabase(
  databaseUrl: string,
  isPooled: boolean,
  cleanUp: CleanUp,
): Promise<Record<string, string>> {
  if (!isPooled) return { DATABASE_URL: databaseUrl }
  // By default it waits 15 s after a primary refused it.
  const bouncer = await startPgBouncer(databaseUrl, ['server_login_retry = 1'])
  cleanUp(bouncer.stop)
  return { DATABASE_URL: bouncer.url, DATABASE_DIRECT_URL: databaseUrl }
}

async function runTrial(setting: Setting, { name, isPlanned, act }: Trial): Promise<Verdict[]> {
  say(`  ${name}`)
  const { url, cluster: patroni, replicas } = setting
  await patroni.waitUntilComplete()
  const token = await signInAsAdmin(url)
  const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => keepSessionAlive(url)))
  const marks: string[] = []
  const reads = sendAtRate(100, () => send(url, { path: '/api/profiles/me', token }))
  const writes = sendAtRate(100, () => writeMessage(url, marks))
  const probe = probeCluster(setting)
  const page = followChanges(url, token)
  await wait(CALM_MS)
  const startedAt = performance.now()
  await act(setting)
  await patroni.waitUntilComplete()
  const backMs = await waitUntil(
    async () => (await send(url, { path: '/api/health/ready' })).status === 200,
    BACK_MS,
  )
  const backAt = performance.now()
  // Messages are written all the while, so each further event brings the page up to date.
  await waitUntil(async () => page.heardAt() > backAt, BACK_MS)
  const presentMs = Math.round(page.heardAt() - backAt)
  page.stop()
  await wait(CALM_MS)
  const after = performance.now() - CALM_MS / 2
  const beats = await probe.stop()
  const answers = [...(await reads.stop()), ...(await writes.stop())]
  const signedOut = (await Promise.all(sessions.map((session) => session.stop()))).filter(Boolean).length
  const isGood = ({ status }: Answer) => status === 200 || status === 201
  const late = answers.filter(({ sentAt }) => sentAt > after)
  const noticedMs = findLongest(answers.map((answer) => toInterruption(answer, isGood(answer))))
  const clusterMs = findLongestGap(beats, startedAt)
  const limit = isPlanned ? PLANNED_MS : clusterMs + ADDED_MS
  const kept = new Set(await readMessages(url, await signInAsAdmin(url)))
  const lost = marks.filter((mark) => !kept.has(mark)).length
  const own = (text: string) => `${name}: ${text}`
  const failed = answers.filter((answer) => !isGood(answer)).length
  return [
    verify(own(`of ${marks.length} acknowledged writes lost`), lost, 0),
    verify(own(`of ${SESSIONS} sessions ended`), signedOut, 0),
    {
      promise: own(`an open page shows the present within ${PRESENT_MS} ms`),
      held: presentMs >= 0 && presentMs <= PRESENT_MS,
      seen: `${presentMs} ms after the portal was back`,
    },
    {
      promise: own('back by itself, every process alive'),
      held:
        Number.isFinite(backMs) &&
        late.length > 0 &&
        late.every(isGood) &&
        replicas.every(({ portal }) => !portal.hasEnded()),
      seen: `${failed} of ${answers.length} refused meanwhile, ${late.filter(isGood).length} of the last ${late.length} good`,
    },
    {
      promise: own(
        isPlanned
          ? `noticed for at most ${PLANNED_MS} ms`
          : `noticed for at most ${ADDED_MS} ms more than the cluster needs`,
      ),
      held: noticedMs <= limit,
      seen: `${Math.round(noticedMs)} ms; the cluster took no write for ${Math.round(clusterMs)} ms`,
    },
  ]
}

type Span = readonly [from: number, to: number]

/** Returns the time span in which a reply counts as an interruption. */
function toInterruption({ sentAt, ms }: Answer, isGood: boolean): Span | undefined {
  if (!isGood) return [sentAt, sentAt + ms]
  return ms > SLOW_MS ? [sentAt + SLOW_MS, sentAt + ms] : undefined
}

/** Returns the longest interruption in ms, after merging close ones. */
function findLongest(spans: readonly (Span | undefined)[]): number {
  const sorted = spans.filter((span) => span !== undefined).sort(([a], [b]) => a - b)
  let best = 0
  let current: [number, number] | undefined
  for (const [from, to] of sorted) {
    if (current && from <= current[1] + NEAR_MS) current[1] = Math.max(current[1], to)
    else current = [from, to]
    best = Math.max(best, current[1] - current[0])
  }
  return best
}

/** Measures between two good probes; the earlier one may date from just before the fault. */
function findLongestGap(beats: readonly number[], from: number): number {
  const since = beats.filter((at) => at > from - PROBE_MS * 2)
  return Math.max(0, ...since.slice(1).map((at, index) => at - (since[index] as number)))
}

/**
 * Commits through HAProxy, pooler and portal's database URL to the current primary.
 * @returns the instants of successful commits
 */
function probeCluster({ cluster: patroni, databaseUrl }: Setting) {
  const beats: number[] = []
  let isOver = false
  const beat = async ({ port }: PatroniNode) => {
    const url = new URL(databaseUrl)
    url.port = String(port)
    while (!isOver) {
      if (await isWritable(url.href, 'insert into beats values (now())')) beats.push(performance.now())
      await wait(PROBE_MS)
    }
  }
  const running = patroni.nodes.map(beat)
  return {
    async stop() {
      isOver = true
      await Promise.all(running)
      return beats.sort((a, b) => a - b)
    },
  }
}

async function isWritable(
  url: string,
  statement = 'create temporary table if not exists t ()',
): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 1_000,
    query_timeout: 2_000,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(statement)
    return true
  } catch {
    return false
  } finally {
    // A frozen server would not answer the disconnect.
    void client.end().catch(() => {})
  }
}

/** Follows the changes as an open page does: reconnects when its stream ends or is refused. */
function followChanges(url: string, token: string) {
  const ending = new AbortController()
  let heardAt = 0
  const follow = async () => {
    while (!ending.signal.aborted) {
      try {
        const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
        const { body } = await fetch(`${url}/api/changes`, { headers, signal: ending.signal })
        for await (const chunk of body ?? [])
          if (Buffer.from(chunk).includes('"messages"')) heardAt = performance.now()
      } catch {
        // Ended, refused or unreachable.
      }
      await wait(RECONNECT_MS)
    }
  }
  void follow()
  return { heardAt: () => heardAt, stop: () => ending.abort() }
}

/** Refreshes a session repeatedly, as pages do: retries a failure and ends on a refusal. */
async function keepSessionAlive(url: string) {
  const first = await send(url, { method: 'POST', path: '/api/auth/token?grant_type=password', body: ADMIN })
  if (first.status !== 200) throw new Error(`the administrator could not sign in: ${first.body}`)
  let session = JSON.parse(first.body) as { access_token: string; refresh_token: string }
  let isOver = false
  let isSignedOut = false
  const keep = async () => {
    while (!isOver) {
      await wait(1_500)
      const { refresh_token } = session
      const path = '/api/auth/token?grant_type=refresh_token'
      const renewed = await send(url, { method: 'POST', path, body: { refresh_token } })
      if (renewed.status === 200) session = JSON.parse(renewed.body) as typeof session
      const read = await send(url, { path: '/api/profiles/me', token: session.access_token })
      isSignedOut ||= [400, 401, 403].includes(renewed.status) || read.status === 401
    }
  }
  const kept = keep()
  return {
    async stop() {
      isOver = true
      await kept
      return isSignedOut
    },
  }
}
