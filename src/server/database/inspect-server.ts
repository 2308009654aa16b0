import pg from 'pg'
import { assertUsable, type ServerFacts } from './server-pool.ts'
import { splitHosts } from './server-urls.ts'

/** Longer than a busy machine takes. */
const TIMEOUT_MS = 10_000

export interface InspectedServer extends Partial<ServerFacts> {
  /** Host and port. */
  location: string
  /** Why the portal cannot use it. */
  error?: unknown
  isEncrypted?: boolean
  /** How far the server's clock is ahead of this machine's, in ms. */
  offsetMs?: number
  /** What PostgreSQL would answer to the next migration; an error already while there are no tables. */
  missingRight?: unknown
  /** How many connections server, database and user allow. */
  connections?: number
}

interface Facts extends ServerFacts {
  isReadOnly: boolean
  now: number
  connections: number
  /** The schema of new tables; null if there is none that this user may use. */
  schema: string | null
  canCreate: boolean
  isEmpty: boolean
  /** Of the tables, unless this user has its rights. */
  otherOwner: string | null
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
    const { rows } = await client.query<Facts>({
      text: `select current_setting('server_version_num')::int as version,
        current_setting('server_encoding') as encoding,
        current_setting('transaction_read_only')::boolean as "isReadOnly",
        pg_backend_pid() <> $1 as "isPooled",
        current_schema() as schema,
        coalesce(has_schema_privilege(current_schema(), 'create'), false) as "canCreate",
        to_regclass('schema_migrations') is null as "isEmpty",
        (select relowner::regrole::text from pg_class
          where oid = to_regclass('schema_migrations') and not pg_has_role(relowner, 'usage')) as "otherOwner",
        least(current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
          (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
          (select nullif(datconnlimit, -1) from pg_database where datname = current_database())) as connections,
        (extract(epoch from clock_timestamp()) * 1000)::float8 as now`,
      values: [processID ?? 0],
    })
    const { now, ...facts } = rows[0] as Facts
    assertUsable(facts)
    const missingRight = findMissingRight(facts)
    if (missingRight && (facts.isEmpty || facts.otherOwner)) throw missingRight
    const offsetMs = Math.round(now - (sentAt + Date.now()) / 2)
    return { location, ...facts, missingRight, isEncrypted: connection.stream.encrypted === true, offsetMs }
  } catch (error) {
    return { location, error }
  } finally {
    client?.end().catch(() => {})
  }
}

function findMissingRight({ schema, canCreate, otherOwner }: Omit<Facts, 'now'>): Error | undefined {
  const create = (message: string, code: string) => Object.assign(new Error(message), { code })
  if (otherOwner) return create(`must be owner of table, owned by ${otherOwner}`, '42501')
  if (schema === null) return create('no schema has been selected to create in', '3F000')
  return canCreate ? undefined : create(`permission denied for schema ${schema}`, '42501')
}
