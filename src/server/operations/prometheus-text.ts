import { collectDefaultMetrics, type Metric, Registry } from 'prom-client'
import type { Database } from '#server/database/database.ts'
import { LATENCY_BOUNDS_MS, type Latencies } from './latencies.ts'
import type { Metrics } from './metrics.ts'
import { type OutboxFigures, readOutboxFigures } from './read-outbox-figures.ts'

interface Value {
  labels: Record<string, string | number>
  value: number
  /** Only the parts of a histogram have names of their own. */
  metricName?: string
}

interface Published {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  read: () => Value[]
}

/**
 * Makes the function that writes every figure of the process in the text format of Prometheus: those of Node
 * (memory, processor time, event-loop delay, garbage collection), measured from now on, and the portal's own.
 */
export function createPrometheusText(metrics: Metrics, database: Database): () => Promise<string> {
  const registry = new Registry()
  let outbox: OutboxFigures | undefined
  collectDefaultMetrics({ register: registry })
  for (const published of ownFigures(metrics)) publish(registry, published)
  for (const published of databaseFigures(database, () => outbox)) publish(registry, published)
  return async () => {
    outbox = await readOutboxFigures(database.db)
    return registry.metrics()
  }
}

/** The library's own counters would have to be kept beside ours; it writes whatever has a name and a get(). */
function publish(registry: Registry, { name, help, type, read }: Published): void {
  const metric = { name, help, type, get: async () => ({ name, help, type, values: read() }) }
  registry.registerMetric(metric as unknown as Metric)
}

function ownFigures(metrics: Metrics): Published[] {
  const requests = () =>
    metrics.requests.read().map(({ method, route, ...rest }) => ({ labels: { method, route }, ...rest }))
  const upstream = () =>
    metrics.upstream.read().map(({ service, ...rest }) => ({ labels: { service }, ...rest }))
  return [
    {
      name: 'patio_http_requests_total',
      help: 'Requests by route and status; 499 when the caller went away before the reply.',
      type: 'counter',
      read: () => requests().flatMap(({ labels, byStatus }) => countsBy('status', byStatus, labels)),
    },
    histogram(
      'patio_http_request_duration_seconds',
      'From the request line to the last byte of the reply.',
      requests,
    ),
    {
      name: 'patio_upstream_calls_total',
      help: 'Calls to the directory and to the Power BI REST API by outcome.',
      type: 'counter',
      read: () => upstream().flatMap(({ labels, byOutcome }) => countsBy('outcome', byOutcome, labels)),
    },
    histogram(
      'patio_upstream_call_duration_seconds',
      'From the call to the head of its reply, or to its failure.',
      upstream,
    ),
    {
      name: 'patio_embed_tokens_total',
      help: 'Embed tokens by where they came from: the cache, a flight under way, or the service.',
      type: 'counter',
      read: () => countsBy('source', metrics.readEmbedTokens()),
    },
    {
      name: 'patio_event_streams_open',
      help: 'Event streams that are open.',
      type: 'gauge',
      read: () => [{ labels: {}, value: metrics.countOpenStreams() }],
    },
  ]
}

/** Those of the outbox are left out while the database is away. */
function databaseFigures({ readPool }: Database, outbox: () => OutboxFigures | undefined): Published[] {
  const gauge = (name: string, help: string, read: (figures: OutboxFigures) => number): Published => ({
    name,
    help,
    type: 'gauge',
    read: () => [outbox()].flatMap((figures) => (figures ? [{ labels: {}, value: read(figures) }] : [])),
  })
  return [
    gauge('patio_mail_outbox_unsent', 'Mails that no server has taken yet.', ({ unsent }) => unsent),
    gauge(
      'patio_mail_outbox_oldest_seconds',
      'Age of the oldest mail that should have left.',
      ({ oldestSeconds }) => oldestSeconds,
    ),
    {
      name: 'patio_database_connections',
      help: 'Connections of the pool that are busy or idle, and requests that wait for one.',
      type: 'gauge',
      read: () => Object.entries(readPool?.() ?? {}).map(([state, value]) => ({ labels: { state }, value })),
    },
  ]
}

function countsBy(
  label: string,
  counts: Iterable<[string | number, number]>,
  labels: Value['labels'] = {},
): Value[] {
  return [...counts].map(([key, value]) => ({ labels: { ...labels, [label]: key }, value }))
}

function histogram(
  name: string,
  help: string,
  read: () => { labels: Record<string, string>; latencies: Latencies | undefined }[],
): Published {
  const values = (labels: Record<string, string>, { buckets, sumMs }: Latencies): Value[] => [
    ...buckets.map((value, index) => {
      const bound = LATENCY_BOUNDS_MS[index]
      const le = bound === undefined ? '+Inf' : bound / 1000
      return { labels: { ...labels, le }, value, metricName: `${name}_bucket` }
    }),
    { labels, value: sumMs / 1000, metricName: `${name}_sum` },
    { labels, value: buckets.at(-1) ?? 0, metricName: `${name}_count` },
  ]
  const readAll = () =>
    read().flatMap(({ labels, latencies }) => (latencies ? values(labels, latencies) : []))
  return { name, help, type: 'histogram', read: readAll }
}
