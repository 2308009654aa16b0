import { type RawBuilder, sql } from 'kysely'
import type { Route } from '#contract/route.ts'
import { withTimeout } from '#contract/timing.ts'
import { createCache } from '#server/cache.ts'
import type { Database } from '#server/database/database.ts'
import type { Db } from '#server/database/schema.ts'
import { NEVER } from '#server/mail/outbox.ts'
import type { CountCall } from '#server/power-bi/power-bi.ts'
import type { TokenSource } from '#server/reports/issue-embed-token.ts'
import { IS_WAITING } from '#server/users/user-queries.ts'
import { SEND_DELAY } from './send-trail.ts'
import { CHAIN_NAMES, CHAINS, type Chain } from './trail-chain.ts'

const LATENCY_BUCKETS_SECONDS = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const DATABASE_WITHIN_MS = 2_000
/** How long figures of the database are reused. */
export const CACHE_MS = 5_000

/** The metrics of this process. Labels are routes, services and outcomes, never personal data. */
export interface Metrics {
  /** @param route undefined for pages, files and unknown paths */
  countRequest(route: Route | undefined, status: number, ms: number): void
  countUpstreamCall: CountCall
  countEmbedToken(source: TokenSource): void
  /** @param outcome 'ok', the code of the refusal, or 'failed' */
  countSignIn(outcome: string): void
  /** Counts an open event stream. @returns a function to call once at its end */
  openStream(): () => void
  /** Returns all metrics in the Prometheus text format; Node's are collected from the first call on. */
  write(): Promise<string>
}

type MetricsDatabase = Pick<Database, 'db' | 'readPoolStats'>

interface MetricsOptions {
  version: string
  /** ms since the epoch */
  clock: () => number
  /** Undefined for a client secret. */
  readCertificateEnd?: () => Promise<Date | undefined>
}

export function createMetrics(database: MetricsDatabase, options: MetricsOptions): Metrics {
  let loading: ReturnType<typeof createInstruments> | undefined
  const loadInstruments = () => {
    loading ??= createInstruments(database, options)
    return loading
  }
  let measureNode = async () => {
    const { collectDefaultMetrics } = await import('prom-client')
    collectDefaultMetrics({ register: (await loadInstruments()).registry })
  }
  return {
    async countRequest(route, status, ms) {
      const { requests, requestSeconds } = await loadInstruments()
      const labels = { method: route?.method ?? 'any', route: route?.path ?? 'none' }
      requests.inc({ ...labels, status })
      // The duration of an event stream is no latency.
      if (!route?.events) requestSeconds.observe(labels, ms / 1000)
    },
    async countUpstreamCall(service, outcome, ms) {
      const { upstreamCalls, upstreamSeconds } = await loadInstruments()
      upstreamCalls.inc({ service, outcome })
      upstreamSeconds.observe({ service }, ms / 1000)
    },
    countEmbedToken: async (source) => (await loadInstruments()).embedTokens.inc({ source }),
    countSignIn: async (outcome) => (await loadInstruments()).signIns.inc({ outcome }),
    openStream() {
      const addToGauge = async (change: 1 | -1) => (await loadInstruments()).openStreams.inc(change)
      void addToGauge(1)
      return () => void addToGauge(-1)
    },
    async write() {
      await measureNode()
      measureNode = async () => {}
      return (await loadInstruments()).registry.metrics()
    },
  }
}

/** Loads the library on first use: it takes a tenth of the startup time. */
async function createInstruments(
  { db, readPoolStats }: MetricsDatabase,
  { version, clock, readCertificateEnd }: MetricsOptions,
) {
  const { Counter, Gauge, Histogram, Registry } = await import('prom-client')
  const registry = new Registry()
  const registers = [registry]
  const createCounter = (name: string, labelNames: string[], help: string) =>
    new Counter({ name, help, labelNames, registers })
  const createHistogram = (name: string, labelNames: string[], help: string) =>
    new Histogram({ name, help, labelNames, buckets: LATENCY_BUCKETS_SECONDS, registers })
  new Gauge({
    name: 'patio_database_connections',
    help: 'Connections of the pool that are busy or idle, and requests that wait for one.',
    labelNames: ['state'],
    registers,
    collect() {
      for (const [state, count] of Object.entries(readPoolStats?.() ?? {})) this.set({ state }, count)
    },
  })
  const createGauge = (name: string, help: string, read: () => Promise<number | undefined>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        // Omitted while the database is down, when the other metrics matter most.
        const value = await read().catch(() => undefined)
        if (value === undefined) this.remove()
        else this.set(value)
      },
    })
  // Concurrent gauges share one statement; a failure is tried again at the next scrape.
  const figures = createCache<Record<string, number | null>>(clock, {
    max: 1,
    ttl: CACHE_MS,
    fetchMethod: () => withTimeout(readDatabaseFigures(db), DATABASE_WITHIN_MS, () => undefined),
  })
  for (const [name, [help]] of Object.entries(DATABASE_GAUGES))
    createGauge(name, help, async () => (await figures.fetch('all'))?.[name] ?? undefined)
  createGauge(
    'patio_power_bi_certificate_expires_timestamp_seconds',
    "When the service principal's certificate ends, or its secret as POWERBI_SECRET_ENDS says; else absent.",
    async () => {
      const end = await readCertificateEnd?.()
      return end && end.getTime() / 1000
    },
  )
  new Gauge({
    name: 'patio_build_info',
    help: 'The version of this process; always 1.',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1)
  return {
    registry,
    requests: createCounter(
      'patio_http_requests_total',
      ['method', 'route', 'status'],
      'Requests by route and status; 499 when the caller went away before the reply.',
    ),
    requestSeconds: createHistogram(
      'patio_http_request_duration_seconds',
      ['method', 'route'],
      'From the request line to the last byte of the reply.',
    ),
    upstreamCalls: createCounter(
      'patio_upstream_calls_total',
      ['service', 'outcome'],
      'Calls to the directory and to the Power BI REST API by outcome.',
    ),
    upstreamSeconds: createHistogram(
      'patio_upstream_call_duration_seconds',
      ['service'],
      'From the call to the head of its reply, or to its failure.',
    ),
    embedTokens: createCounter(
      'patio_embed_tokens_total',
      ['source'],
      'Embed tokens by where they came from: the cache, a flight under way, or the service.',
    ),
    signIns: createCounter(
      'patio_sign_ins_total',
      ['outcome'],
      'Sign-ins with a password: ok, the code of the refusal, or failed.',
    ),
    openStreams: new Gauge({
      name: 'patio_event_streams_open',
      help: 'Event streams that are open.',
      registers,
    }),
  }
}

const IS_UNSENT = sql`sent_at is null and due_at < ${NEVER}`
const UNSENT_MAILS = sql`(select count(*) from mail_outbox where ${IS_UNSENT})`
/**
 * How late the oldest mail is; those held for later are not. A restore holds mails for millennia, a
 * retry comes within minutes. As JSON, because the doctor also reads databases from before the column.
 */
const MAIL_DELAY = sql`(select greatest(0, coalesce(extract(epoch from now() - min(coalesce(
    (to_jsonb(mail_outbox) ->> 'first_due_at')::timestamptz,
    case when attempts = 0 then due_at else created_at end))), 0))
  from mail_outbox where ${IS_UNSENT} and due_at < now() + interval '1 day')`
/** Mails that were given up in the last seven days; those of 0.2 without what the server said. */
export const IS_GIVEN_UP = sql`sent_at is null and due_at = ${NEVER}
  and coalesce(answered_at, created_at) > now() - interval '7 days'`
const selectFact = (name: string) =>
  sql`(select extract(epoch from value::timestamptz) from portal_facts where name = ${sql.lit(name)})`

const selectHead = (chain: Chain, value: RawBuilder<unknown>) =>
  sql`(select ${value} from trail_chains where chain = ${sql.lit(chain)} and position > 0)`
/** As a number that a double holds. */
const HASH_START = sql`('x' || encode(substr(hash, 1, 6), 'hex'))::bit(48)::bigint`
/** Of the rows after the last sealed one; those before it are found by verify-trail. */
const UNSEALED_SECONDS = sql`(select max(coalesce(extract(epoch from now() - at), 0)) from (${sql.join(
  CHAIN_NAMES.map(
    (chain) => sql`select (select at from ${sql.table(CHAINS[chain].table)} where id > (
      select max(entry_id) from trail_seals where chain = ${sql.lit(chain)}) order by id limit 1) as at
      where exists (select from trail_seals where chain = ${sql.lit(chain)})`,
  ),
  sql` union all `,
)}) oldest)`

/** As long as given-up mails, by the same measure. */
export const IS_RECENT_BREAK = sql<boolean>`action = 'trail-broken' and at > now() - interval '7 days'`

/** Help and value of each gauge that the database knows; null leaves it out. */
const DATABASE_GAUGES: Record<string, [help: string, value: RawBuilder<unknown>]> = {
  patio_mail_outbox_unsent: ['Mails that no server has taken yet.', UNSENT_MAILS],
  patio_mail_outbox_oldest_seconds: ['How late the oldest mail is that should have left.', MAIL_DELAY],
  patio_mail_outbox_given_up: [
    'Mails that were given up in the last seven days.',
    sql`(select count(*) from mail_outbox where ${IS_GIVEN_UP})`,
  ],
  patio_mail_outbox_bad_recipient: [
    'Of the mails that were given up, those that were refused for their recipient.',
    sql`(select count(*) from mail_outbox where ${IS_GIVEN_UP} and blame = 'recipient')`,
  ],
  patio_people_waiting: [
    'People who wait for approval.',
    sql`(select count(*) from profiles p where ${IS_WAITING})`,
  ],
  patio_support_messages_unread: [
    'Support messages that nobody has read.',
    sql`(select count(*) from support_messages where not is_read)`,
  ],
  patio_last_backup_timestamp_seconds: [
    'When npm run backup last wrote a whole back-up; absent until it has.',
    selectFact('last-back-up'),
  ],
  patio_last_retention_timestamp_seconds: [
    'When old data were last deleted completely; absent until they were.',
    selectFact('last-retention'),
  ],
  patio_audit_chain_position: ['Seals of the audit trail so far.', selectHead('audit', sql`position`)],
  patio_audit_chain_hash: [
    "First 48 bits of the audit trail's newest hash.",
    selectHead('audit', HASH_START),
  ],
  patio_access_chain_position: ['Seals of the access records so far.', selectHead('access', sql`position`)],
  patio_access_chain_hash: [
    "First 48 bits of the access records' newest hash.",
    selectHead('access', HASH_START),
  ],
  patio_trail_unsealed_seconds: [
    'How long the oldest row of the trail has waited for its seal; absent before the first seal.',
    UNSEALED_SECONDS,
  ],
  patio_trail_broken: [
    'How often a sender found in the last seven days that the end of the trail was cut off or changed.',
    sql`(select count(*) from audit_entries where ${IS_RECENT_BREAK})`,
  ],
  patio_trail_send_delay_seconds: [
    'How long the oldest sealed row has waited for stdout or the webhook; absent without one.',
    SEND_DELAY,
  ],
  patio_database_size_bytes: ['Size of the database.', sql`pg_database_size(current_database())`],
}

/** Reads all gauges of the database in one statement. */
async function readDatabaseFigures(db: Db): Promise<Record<string, number | null> | undefined> {
  const columns = Object.entries(DATABASE_GAUGES).map(
    ([name, [, value]]) => sql`${value}::float8 as ${sql.ref(name)}`,
  )
  const { rows } = await sql<Record<string, number | null>>`select ${sql.join(columns)}`.execute(db)
  return rows[0]
}

/** @returns the number of unsent mails, and how many seconds the oldest is late */
export async function readMailBacklog(db: Db): Promise<{ count: number; seconds: number }> {
  const { rows } = await sql<{ count: number; seconds: number }>`
    select ${UNSENT_MAILS}::float8 as count, ${MAIL_DELAY}::float8 as seconds`.execute(db)
  return rows[0] as { count: number; seconds: number }
}

/** @returns how many seconds the trail's oldest row waits for its seal; null before the first one */
export async function readUnsealedSeconds(db: Db): Promise<number | null> {
  const { rows } = await sql<{ seconds: number | null }>`
    select ${UNSEALED_SECONDS}::float8 as seconds`.execute(db)
  return rows[0]?.seconds ?? null
}
