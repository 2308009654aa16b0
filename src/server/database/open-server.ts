import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { type Database, DatabaseOpenError } from './database.ts'
import type { Tables } from './schema.ts'

const COUNT_TYPE = 20 // int8: counts stay far below 2^53, and PGlite gives numbers too
pg.types.setTypeParser(COUNT_TYPE, Number)

/** Waiting for a connection and for the answer: together under the 5 s for which people wait for a page. */
const SERVING = { connectionTimeoutMillis: 1_200, statement_timeout: 3_400, query_timeout: 3_600, max: 10 }
const PATIENT = { connectionTimeoutMillis: 10_000, max: 1 }

/**
 * Opens a PostgreSQL server (15 or later).
 * @param url postgres://… as in DATABASE_URL
 * @param onConnectionError hears of idle connections that broke; the pool replaces them by itself
 * @throws DatabaseOpenError when nothing answers or the server is too old
 */
export async function openServer(
  url: string,
  onConnectionError: (error: Error) => void,
  limits: pg.PoolConfig = SERVING,
): Promise<Database> {
  const pool = new pg.Pool({ connectionString: url, keepAlive: true, application_name: 'patio', ...limits })
  pool.on('error', onConnectionError)
  // The pool hears idle connections alone; one that breaks in somebody's hands would end the process. Its query fails.
  pool.on('connect', (client) => client.on('error', () => {}))
  try {
    const { rows } = await pool.query<{ version: string }>(
      "select current_setting('server_version_num') as version",
    )
    if (Number(rows[0]?.version) < 150_000) throw new Error('é preciso PostgreSQL 15 ou mais novo')
  } catch (error) {
    await pool.end()
    throw new DatabaseOpenError(`Banco de dados inacessível em ${placeOf(url)}: ${reasonOf(error)}`)
  }
  return {
    kind: 'server',
    db: new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }),
    async runPrepared<Row>(statement: { name: string; text: string }, values: unknown[]) {
      const result = await pool.query({ name: statement.name, text: statement.text, values })
      return result.rows as Row[]
    },
    readPool: () => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    openPatient: () => openServer(url, onConnectionError, PATIENT),
    listen: (channel, onWake) => listenOnServer({ url, channel, onWake, onError: onConnectionError }),
    close: () => pool.end(),
  }
}

/** Host, port and database of the URL, never its password. */
function placeOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host || 'localhost'}${pathname}`
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return error.errors[0].message
  return error instanceof Error ? error.message : String(error)
}

const TIMEOUT_MS = 5_000
const FIRST_RETRY_MS = 100
const MAX_RETRY_MS = 5_000
/** How often a connection is tried that may have died without a word. */
const PING_MS = 30_000

export interface ListenOptions {
  url: string
  /** An SQL identifier. */
  channel: string
  onWake: () => void
  /** Hears once of each outage. */
  onError: (error: Error) => void
}

/**
 * Listens on a connection of its own, outside the pool, and comes back whenever it is lost.
 * @returns ends it
 */
export function listenOnServer(options: ListenOptions): () => Promise<void> {
  let current: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let failures = 0
  const begin = () => {
    const client = openClient(options)
    current = client
    const lose = (error: Error) => {
      if (client !== current) return
      current = undefined
      clearTimeout(timer)
      client.end().catch(() => {})
      if (failures === 0) options.onError(error)
      timer = setTimeout(begin, Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** failures++))
    }
    client.on('error', lose)
    client.on('end', () => lose(new Error('connection ended')))
    startListening(client, options.channel).then(() => {
      if (client !== current) return
      failures = 0
      timer = setInterval(() => client.query('select 1').catch(lose), PING_MS)
      options.onWake()
    }, lose)
  }
  begin()
  return async () => {
    clearTimeout(timer)
    const client = current
    current = undefined
    await client?.end().catch(() => {})
  }
}

function openClient({ url, onWake }: ListenOptions): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    keepAlive: true,
    application_name: 'patio-listen',
  })
  client.on('notification', onWake)
  return client
}

async function startListening(client: pg.Client, channel: string): Promise<void> {
  await client.connect()
  await client.query(`listen ${channel}`)
}
