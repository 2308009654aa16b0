import { sql } from 'kysely'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Route } from '#contract/route.ts'
import type { Database } from '#server/database/database.ts'
import type { Db } from '#server/database/schema.ts'
import type { CountCall } from '#server/power-bi/power-bi.ts'
import type { TokenSource } from '#server/reports/embed-token.ts'

const LATENCY_BUCKETS_SECONDS = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const OUTBOX_WITHIN_MS = 2_000

/** What this process counts of its own work: names of routes, services and outcomes, never anything of a person. */
export interface Metrics {
  /** @param route undefined for pages, files, and what no route answers */
  countRequest(route: Route | undefined, status: number, ms: number): void
  countUpstreamCall: CountCall
  countEmbedToken(source: TokenSource): void
  /** Counts an event stream as open. @returns a function to call once, when it has ended */
  openStream(): () => void
  /** Everything in the text format of Prometheus; Node's own figures are measured from the first call on. */
  write(): Promise<string>
}

/** Makes the metrics of one portal, in a registry of their own. */
export function createMetrics({ db, readPool }: Pick<Database, 'db' | 'readPool'>): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Counter({
    name: 'patio_http_requests_total',
    help: 'Requests by route and status; 499 when the caller went away before the reply.',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const requestSeconds = new Histogram({
    name: 'patio_http_request_duration_seconds',
    help: 'From the request line to the last byte of the reply.',
    labelNames: ['method', 'route'],
    buckets: LATENCY_BUCKETS_SECONDS,
    registers,
  })
  const upstreamCalls = new Counter({
    name: 'patio_upstream_calls_total',
    help: 'Calls to the directory and to the Power BI REST API by outcome.',
    labelNames: ['service', 'outcome'],
    registers,
  })
  const upstreamSeconds = new Histogram({
    name: 'patio_upstream_call_duration_seconds',
    help: 'From the call to the head of its reply, or to its failure.',
    labelNames: ['service'],
    buckets: LATENCY_BUCKETS_SECONDS,
    registers,
  })
  const embedTokens = new Counter({
    name: 'patio_embed_tokens_total',
    help: 'Embed tokens by where they came from: the cache, a flight under way, or the service.',
    labelNames: ['source'],
    registers,
  })
  const openStreams = new Gauge({
    name: 'patio_event_streams_open',
    help: 'Event streams that are open.',
    registers,
  })
  new Gauge({
    name: 'patio_database_connections',
    help: 'Connections of the pool that are busy or idle, and requests that wait for one.',
    labelNames: ['state'],
    registers,
    collect() {
      for (const [state, count] of Object.entries(readPool?.() ?? {})) this.set({ state }, count)
    },
  })
  publishOutbox(registry, db)
  let measureNode = () => collectDefaultMetrics({ register: registry })
  return {
    countRequest(route, status, ms) {
      const labels = { method: route?.method ?? 'any', route: route?.path ?? 'none' }
      requests.inc({ ...labels, status })
      // How long an event stream lasted says nothing.
      if (!route?.events) requestSeconds.observe(labels, ms / 1000)
    },
    countUpstreamCall(service, outcome, ms) {
      upstreamCalls.inc({ service, outcome })
      upstreamSeconds.observe({ service }, ms / 1000)
    },
    countEmbedToken: (source) => embedTokens.inc({ source }),
    openStream() {
      openStreams.inc()
      return () => openStreams.dec()
    },
    write() {
      measureNode()
      measureNode = () => {}
      return registry.metrics()
    },
  }
}

/** Both figures are left out while the database is away: the others are wanted then most of all. */
function publishOutbox(registry: Registry, db: Db): void {
  const gauge = (name: string, help: string, query: () => Promise<number>) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const value = await withinTime(query())
        if (value === undefined) this.remove()
        else this.set(value)
      },
    })
  const unsent = db.selectFrom('mail_outbox').where('sent_at', 'is', null)
  gauge('patio_mail_outbox_unsent', 'Mails that no server has taken yet.', async () => {
    const { count } = await unsent
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return count
  })
  gauge('patio_mail_outbox_oldest_seconds', 'Age of the oldest mail that should have left.', async () => {
    // A digest that is put off on purpose is not late.
    const { seconds } = await unsent
      .where(({ or, eb }) => or([eb('attempts', '>', 0), eb('due_at', '<=', sql<Date>`now()`)]))
      .select(sql<number>`coalesce(extract(epoch from now() - min(created_at)), 0)::float8`.as('seconds'))
      .executeTakeFirstOrThrow()
    return seconds
  })
}

async function withinTime<T>(work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, OUTBOX_WITHIN_MS, undefined)
  })
  return Promise.race([work.catch(() => undefined), late]).finally(() => clearTimeout(timer))
}
