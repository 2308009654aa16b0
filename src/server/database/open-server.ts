import { randomInt } from 'node:crypto'
import { Kysely, PostgresDialect, type PostgresPool, sql } from 'kysely'
import pg from 'pg'
import { backoffDelay } from '#contract/timing.ts'
import { VERSION } from '#server/version.ts'
import { type Database, DatabaseOpenError } from './database.ts'
import type { Tables } from './schema.ts'
import { checkServer, createServerPool } from './server-pool.ts'
import { formatLocation, splitHosts } from './server-urls.ts'

const COUNT_TYPE = 20 // int8: counts stay far below 2^53, and PGlite returns numbers too
pg.types.setTypeParser(COUNT_TYPE, Number)
// As text, so that no time zone shifts the day.
pg.types.setTypeParser(pg.types.builtins.DATE, String)
const TEXT_ARRAY_TYPE = 1009 as number
const parseTextArray = pg.types.getTypeParser(TEXT_ARRAY_TYPE)
// The driver parses character by character, three lists per person; most need only a split.
pg.types.setTypeParser(TEXT_ARRAY_TYPE, (text) =>
  text === '{}' || text.includes('"') || text.includes('NULL')
    ? parseTextArray(text)
    : text.slice(1, -1).split(','),
)

/** Time-outs of connecting and of queries: together less than the 5 s that people wait for a page. */
const SERVING_LIMITS = {
  connectionTimeoutMillis: 1_200,
  statementTimeoutMillis: 3_400,
  queryTimeoutMillis: 3_600,
  max: 10,
}
/** For the doctor: a busy machine is no fault. */
const PATIENT_LIMITS = {
  connectionTimeoutMillis: 10_000,
  statementTimeoutMillis: 10_000,
  queryTimeoutMillis: 10_000,
  max: 3,
}
const UNTIMED = { connectionTimeoutMillis: 10_000, statementTimeoutMillis: 0, queryTimeoutMillis: 0, max: 1 }

export interface ServerOptions {
  /** postgres://… as in DATABASE_URL */
  url: string
  /** The same database without a pooler, as in DATABASE_DIRECT_URL: for LISTEN and migrations. */
  directUrl?: string | undefined
  /** Called for idle connections that broke; the pool replaces them. */
  onConnectionError: (error: Error) => void
  isPatient?: boolean
}

/**
 * Opens a PostgreSQL server (15 or later).
 * @throws DatabaseOpenError if no writable server answers, it is too old, the database is not UTF8,
 *   or the URLs lead to different databases
 */
export async function openServer(
  options: ServerOptions,
  limits = options.isPatient ? PATIENT_LIMITS : SERVING_LIMITS,
): Promise<Database> {
  const { onConnectionError } = options
  let { url, directUrl } = options
  const listening: ListenOptions[] = []
  const pool = createServerPool({ url, onConnectionError, ...limits })
  const database: Database = {
    kind: 'server',
    db: new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pool as unknown as PostgresPool }) }),
    async runPrepared<Row>(text: string, values: unknown[]) {
      const client = await pool.connect()
      try {
        return (await client.query(text, values)).rows as Row[]
      } finally {
        client.release()
      }
    },
    readPoolStats: pool.count,
    openWithoutTimeouts: () => openServer({ url: directUrl ?? url, onConnectionError }, UNTIMED),
    listen(channel, onNotification) {
      // A pooler forwards no notifications, and the connection would listen forever.
      if (pool.facts()?.isPooled && !directUrl) return async () => {}
      const listener = { url: directUrl ?? url, channel, onNotification, onError: onConnectionError }
      listening.push(listener)
      return listenOnServer(listener)
    },
    replaceUrls(nextUrl, nextDirectUrl) {
      url = nextUrl
      directUrl = nextDirectUrl
      pool.replaceUrl(url)
      for (const listener of listening) listener.url = directUrl ?? url
    },
    close: () => pool.end(),
  }
  try {
    const client = await pool.connect()
    client.release()
    if (directUrl) await assertSameDatabase(database)
  } catch (error) {
    await pool.end()
    if (error instanceof DatabaseOpenError) throw error
    throw new DatabaseOpenError(
      `Banco de dados inacessível em ${formatLocation(url)}: ${getMessage(error)}`,
      {
        cause: error,
      },
    )
  }
  return { ...database, isPooled: pool.facts()?.isPooled ?? false }
}

/** A lock taken through one URL must be visible through the other: only then it is the same database. */
async function assertSameDatabase({ db, openWithoutTimeouts }: Database): Promise<void> {
  const lock = sql<{ got: boolean }>`select pg_try_advisory_xact_lock(${randomInt(2 ** 47)}::bigint) as got`
  const direct = (await openWithoutTimeouts?.()) as Database
  try {
    if (direct.isPooled)
      throw new DatabaseOpenError(
        'DATABASE_DIRECT_URL também passa por um pooler: informe o próprio servidor.',
      )
    const seen = await db.transaction().execute(async (transaction) => {
      await lock.execute(transaction)
      return lock.execute(direct.db)
    })
    if (seen.rows[0]?.got)
      throw new DatabaseOpenError('DATABASE_URL e DATABASE_DIRECT_URL levam a bancos de dados diferentes.')
  } finally {
    await direct.close()
  }
}

function getMessage(error: unknown): string {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return error.errors[0].message
  return error instanceof Error ? error.message : String(error)
}

const TIMEOUT_MS = 5_000
const BACKOFF = { firstMs: 100, maxMs: 5_000 }
/** Interval of pings that detect silently broken connections. */
const PING_MS = 30_000

export interface ListenOptions {
  /** Read at each connection. */
  url: string
  /** An SQL identifier. */
  channel: string
  onNotification: () => void
  /** Called once per outage. */
  onError: (error: Error) => void
}

/**
 * Listens on a separate connection, outside the pool, and reconnects when it is lost.
 * @returns stops it
 */
export function listenOnServer(options: ListenOptions): () => Promise<void> {
  let current: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let failures = 0
  const begin = () => {
    const urls = splitHosts(options.url)
    const client = openClient({ ...options, url: urls[failures % urls.length] as string })
    current = client
    const reconnect = (error: Error) => {
      if (client !== current) return
      current = undefined
      clearTimeout(timer)
      client.end().catch(() => {})
      if (failures === 0) options.onError(error)
      timer = setTimeout(begin, backoffDelay(++failures, BACKOFF))
    }
    client.on('error', reconnect)
    client.on('end', () => reconnect(new Error('connection ended')))
    startListening(client, options.channel).then(() => {
      if (client !== current) return
      failures = 0
      timer = setInterval(() => checkServer(client, 0).catch(reconnect), PING_MS)
      options.onNotification()
    }, reconnect)
  }
  begin()
  return async () => {
    clearTimeout(timer)
    const client = current
    current = undefined
    await client?.end().catch(() => {})
  }
}

function openClient({ url, onNotification }: ListenOptions): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    keepAlive: true,
    application_name: `patio-listen ${VERSION}`,
  })
  client.on('notification', onNotification)
  return client
}

async function startListening(client: pg.Client, channel: string): Promise<void> {
  await client.connect()
  await checkServer(client, 0)
  await client.query(`listen ${channel}`)
}
