import pg from 'pg'
import type { ServerFacts } from './server-pool.ts'
import { splitHosts } from './server-urls.ts'

/** Longer than a busy machine takes. */
const TIMEOUT_MS = 10_000

export interface InspectedServer extends Partial<ServerFacts> {
  /** Host and port. */
  location: string
  error?: unknown
  isReadOnly?: boolean
  isEncrypted?: boolean
  /** How far the server's clock is ahead of this machine's, in ms. */
  offsetMs?: number
}

/** Inspects every host of a URL on separate connections, each within 20 s; never throws. */
export function inspectServers(url: string): Promise<InspectedServer[]> {
  return Promise.all(splitHosts(url).map(inspectServer))
}

async function inspectServer(url: string): Promise<InspectedServer> {
  const location = new URL(url).host || 'localhost'
  let client: pg.Client | undefined
  try {
    client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
      application_name: 'patio-doctor',
    })
    client.on('error', () => {})
    await client.connect()
    const { processID, connection } = client as unknown as {
      processID: number | null
      connection: { stream: { encrypted?: boolean } }
    }
    const sentAt = Date.now()
    const { rows } = await client.query<ServerFacts & { isReadOnly: boolean; now: number }>({
      text: `select current_setting('server_version_num')::int as version,
        current_setting('server_encoding') as encoding,
        current_setting('transaction_read_only')::boolean as "isReadOnly",
        pg_backend_pid() <> $1 as "isPooled",
        (extract(epoch from clock_timestamp()) * 1000)::float8 as now`,
      values: [processID ?? 0],
    })
    const { now, ...facts } = rows[0] as (typeof rows)[number]
    const offsetMs = Math.round(now - (sentAt + Date.now()) / 2)
    return { location, ...facts, isEncrypted: connection.stream.encrypted === true, offsetMs }
  } catch (error) {
    return { location, error }
  } finally {
    client?.end().catch(() => {})
  }
}
