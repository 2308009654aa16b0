import { sql } from 'kysely'
import type { Route } from '#contract/route.ts'
import { withTimeout } from '#contract/timing.ts'
import type { Database } from '#server/database/database.ts'
import type { Db } from '#server/database/schema.ts'
import { NEVER } from '#server/mail/outbox.ts'
import type { CountCall } from '#server/power-bi/power-bi.ts'
import type { TokenSource } from '#server/reports/issue-embed-token.ts'

const LATENCY_BUCKETS_SECONDS = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const DATABASE_WITHIN_MS = 2_000

/** The metrics of this process. Labels are routes, services and outcomes, never personal data. */
export interface Metrics {
  /** @param route undefined for pages, files and unknown paths */
  countRequest(route: Route | undefined, status: number, ms: number): void
  countUpstreamCall: CountCall
  countEmbedToken(source: TokenSource): void
  /** Counts an open event stream. @returns a function to call once at its end */
  openStream(): () => void
  /** Returns all metrics in the Prometheus text format; Node's are collected from the first call on. */
  write(): Promise<string>
}

export function createMetrics(database: Pick<Database, 'db' | 'readPoolStats'>): Metrics {
  let loading: ReturnType<typeof createInstruments> | undefined
  const loadInstruments = () => {
    loading ??= createInstruments(database)
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
async function createInstruments({ db, readPoolStats }: Pick<Database, 'db' | 'readPoolStats'>) {
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
  const addDatabaseGauge = (name: string, help: string, query: () => Promise<number | undefined>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        // Omitted while the database is down, when the other metrics matter most.
        const value = await withTimeout(query(), DATABASE_WITHIN_MS, () => undefined).catch(() => undefined)
        if (value === undefined) this.remove()
        else this.set(value)
      },
    })
  addDatabaseGauge('patio_mail_outbox_unsent', 'Mails that no server has taken yet.', () =>
    countUnsentMails(db),
  )
  addDatabaseGauge(
    'patio_mail_outbox_oldest_seconds',
    'How late the oldest mail is that should have left.',
    () => readOldestMailAge(db),
  )
  addDatabaseGauge(
    'patio_last_backup_timestamp_seconds',
    'When npm run backup last wrote a whole back-up; absent until it has.',
    async () => {
      const { readLastBackUp } = await import('./back-up.ts')
      const at = await readLastBackUp(db)
      return at && at.getTime() / 1000
    },
  )
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
    openStreams: new Gauge({
      name: 'patio_event_streams_open',
      help: 'Event streams that are open.',
      registers,
    }),
  }
}

/** Selects unsent mails except permanently refused ones. */
const selectUnsentMails = (db: Db) =>
  db.selectFrom('mail_outbox').where('sent_at', 'is', null).where('due_at', '<', NEVER)

export async function countUnsentMails(db: Db): Promise<number> {
  const query = selectUnsentMails(db).select(({ fn }) => fn.countAll<number>().as('count'))
  return (await query.executeTakeFirstOrThrow()).count
}

/** Returns how many seconds the oldest mail is late; mails held for later are not. */
export async function readOldestMailAge(db: Db): Promise<number> {
  const oldest = selectUnsentMails(db)
    // A restore holds mails for millennia; a retry comes within minutes.
    .where('due_at', '<', sql<Date>`now() + interval '1 day'`)
    // As JSON, because the doctor also reads databases from before the column.
    .select(
      sql<number>`greatest(0, coalesce(extract(epoch from now() - min(coalesce(
        (to_jsonb(mail_outbox) ->> 'first_due_at')::timestamptz,
        case when attempts = 0 then due_at else created_at end))), 0))::float8`.as('seconds'),
    )
  return (await oldest.executeTakeFirstOrThrow()).seconds
}
