import pg from 'pg'
import { VERSION } from '#server/version.ts'
import { getPreparedName, isDatabaseUnavailable } from './database.ts'
import { splitHosts } from './server-urls.ts'

const READ_ONLY = '25006'
/** Connections are replaced after this time, so that DNS changes and demoted servers are noticed. */
const MAX_LIFETIME_SECONDS = 300

export interface ServerFacts {
  /** 150004 */
  version: number
  /** Of the database: 'UTF8' */
  encoding: string
  /** Whether a pooler such as PgBouncer may assign each transaction to another connection. */
  isPooled: boolean
}

/**
 * Reads facts about the server of a new connection, and sets time-out and jit unless it is
 * pooled: the settings would affect other clients. Poolers return invented process ids. Compiling
 * a statement takes longer than any of the portal's runs: counting people took 30 ms, and takes 8.
 * @param timeoutMs of statements, 0 for none
 * @param checkMs of this check
 * @throws an error that counts as unavailable if the server is read-only (a standby), and others
 */
export async function checkServer(
  client: pg.ClientBase,
  timeoutMs: number,
  checkMs = 1_200,
): Promise<ServerFacts> {
  const { processID } = client as unknown as { processID: number | null }
  const { rows } = await client.query<ServerFacts & { isReadOnly: boolean }>({
    text: `select current_setting('server_version_num')::int as version,
      current_setting('server_encoding') as encoding,
      current_setting('transaction_read_only')::boolean as "isReadOnly",
      case when pg_backend_pid() = $1
        then set_config('statement_timeout', $2, false) || set_config('jit', 'off', false) end is null as "isPooled"`,
    values: [processID ?? 0, String(timeoutMs)],
    query_timeout: checkMs,
  } as pg.QueryConfig)
  const { isReadOnly, ...facts } = rows[0] as (typeof rows)[number]
  assertUsable({ ...facts, isReadOnly })
  return facts
}

const OLDEST_VERSION = 150_000

/** @throws an error with a code by which the doctor explains it */
export function assertUsable(
  facts: Pick<ServerFacts, 'version' | 'encoding'> & { isReadOnly: boolean },
): void {
  const { version, encoding, isReadOnly } = facts
  const fail = (message: string, code: string) => {
    throw Object.assign(new Error(message), { code })
  }
  if (version < OLDEST_VERSION)
    fail(`o PostgreSQL ${Math.floor(version / 10_000)} é antigo demais`, 'OLD_SERVER')
  if (encoding !== 'UTF8') fail(`a codificação é ${encoding}, não UTF8`, 'WRONG_ENCODING')
  if (isReadOnly) fail('o servidor só aceita leitura', READ_ONLY)
}

interface ServerPoolOptions {
  /** As in DATABASE_URL; several hosts are tried in turn. */
  url: string
  onConnectionError: (error: Error) => void
  connectionTimeoutMillis: number
  statementTimeoutMillis: number
  /** For a server that does not respond at all. */
  queryTimeoutMillis: number
  max: number
}

type CheckedConnection = Pick<pg.PoolClient, 'query' | 'release'>

/** Creates a pool with connections to a writable server. */
export function createServerPool(options: ServerPoolOptions) {
  const { connectionTimeoutMillis, statementTimeoutMillis, queryTimeoutMillis, max } = options
  let urls = splitHosts(options.url)
  /** Connections checked since a server was last read-only; others are not used again. */
  let checked = new WeakMap<object, CheckedConnection>()
  let current = 0
  let latestFacts: ServerFacts | undefined

  const pool = new pg.Pool({
    connectionString: urls[0] as string,
    keepAlive: true,
    application_name: `patio ${VERSION}`,
    connectionTimeoutMillis,
    maxLifetimeSeconds: MAX_LIFETIME_SECONDS,
    max,
    onConnect: async (client) => {
      // The pool handles errors of idle connections only; without a handler, others end the process.
      client.on('error', () => {})
      latestFacts = await checkServer(client, statementTimeoutMillis, connectionTimeoutMillis)
      checked.set(client, wrapConnection(client as pg.PoolClient, latestFacts.isPooled))
    },
  })
  pool.on('error', options.onConnectionError)

  /** Tries the other hosts if one is unreachable or read-only. */
  async function connectToAny(): Promise<pg.PoolClient> {
    const startedAt = performance.now()
    for (let tries = 1; ; tries++) {
      const tried = current
      try {
        return await pool.connect()
      } catch (error) {
        if (isPoolBusy(error) || !isDatabaseUnavailable(error)) throw error
        if (tried === current) current = (current + 1) % urls.length
        pool.options.connectionString = urls[current]
        const isLate = performance.now() - startedAt > connectionTimeoutMillis
        Object.assign(error as Error, { host: new URL(urls[tried] as string).host })
        if (tries === urls.length || isLate) throw error
      }
    }
  }

  function wrapConnection(client: pg.PoolClient, isPooled: boolean): CheckedConnection {
    let isBroken = false
    const query = async (text: string, values: unknown[] = []) => {
      // Behind a pooler the connection has prepared names of other clients.
      const name = isPooled ? undefined : getPreparedName(text)
      try {
        return await runQuery(client, { ...(name && { name }), text, values }, queryTimeoutMillis)
      } catch (error) {
        // From here on, instead of from the socket.
        Error.captureStackTrace(error as Error)
        if ((error as { code?: string }).code === READ_ONLY) checked = new WeakMap()
        // After an error that is not from the server, the connection's state is unknown.
        isBroken ||= !(error instanceof pg.DatabaseError)
        throw error
      }
    }
    return {
      query: (isPooled ? limitTransactions(query, statementTimeoutMillis) : query) as never,
      release: (isDiscarded) => client.release(Boolean(isDiscarded) || isBroken),
    }
  }

  return {
    async connect(): Promise<CheckedConnection> {
      for (;;) {
        const client = await connectToAny()
        const connection = checked.get(client)
        if (connection) return connection
        client.release(true)
      }
    },
    /** Facts of the latest connection. */
    facts: () => latestFacts,
    count: () => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    /** For new connections, with the same number of hosts. */
    replaceUrl(url: string) {
      urls = splitHosts(url)
      pool.options.connectionString = urls[current]
    },
    end: () => pool.end(),
  }
}

/**
 * Runs a statement. With promises or a time-out of its own, the driver assigns closures to a property,
 * which V8 allocates in the old generation: all rows would stay there until its collection.
 * @param timeoutMs 0 for none
 */
function runQuery(client: pg.ClientBase, config: pg.QueryConfig, timeoutMs: number): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    const expire = () => reject(new Error('Query read timeout'))
    const timer = timeoutMs > 0 ? setTimeout(expire, timeoutMs) : undefined
    client.query(config, (error, result) => {
      clearTimeout(timer)
      if (error) reject(error)
      else resolve(result)
    })
  })
}

function isPoolBusy(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect'
}

type Query = (...statement: [never]) => Promise<pg.QueryResult>

/** Sets the time-out in every transaction: behind a pooler a setting must not outlive one. */
function limitTransactions(query: Query, timeoutMs: number): Query {
  const run = query as (statement: unknown, values?: unknown[]) => Promise<pg.QueryResult>
  const begin = (text: string) => run(`${text}; set local statement_timeout = ${timeoutMs}`)
  let isInTransaction = false
  const runTimed = async (statement: unknown, values?: unknown[]) => {
    const text = typeof statement === 'string' ? statement : ''
    if (/^(begin|start transaction)\b/.test(text)) {
      const begun = await begin(text)
      isInTransaction = true
      return begun
    }
    const isEnd = /^(commit|rollback)$/.test(text)
    if (isEnd) isInTransaction = false
    if (isEnd || isInTransaction) return run(statement, values)
    await begin('begin')
    try {
      const result = await run(statement, values)
      await run('commit')
      return result
    } catch (error) {
      // A connection that cannot roll back is not used again.
      await run('rollback').catch(() => {})
      throw error
    }
  }
  return runTimed as Query
}
