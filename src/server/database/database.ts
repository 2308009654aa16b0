import type { CompiledQuery, QueryResult } from 'kysely'
import type { Db } from './schema.ts'

const preparedNames = new Map<string, string>()

/**
 * Registers a statement to be parsed and planned once per connection. For a few hot ones whose best
 * plan does not depend on the values.
 * @returns the text, for Kysely or runPrepared
 */
export function prepare(text: string): string {
  if (!preparedNames.has(text)) preparedNames.set(text, `patio-${preparedNames.size + 1}`)
  return text
}

/** Runs a statement of Kysely as one of `prepare`. */
export function executePrepared<Row>(db: Db, statement: CompiledQuery<Row>): Promise<QueryResult<Row>> {
  prepare(statement.sql)
  return db.executeQuery(statement)
}

export const getPreparedName = (text: string): string | undefined => preparedNames.get(text)

export interface Database {
  kind: 'embedded' | 'server'
  db: Db
  /** Runs a statement of `prepare` outside transactions, without Kysely's overhead; values fill $1, $2, … */
  runPrepared<Row>(text: string, values: unknown[]): Promise<Row[]>
  /** Whether a pooler may switch connections: session settings and names must not outlive a transaction. */
  isPooled?: boolean
  /** Connections by state, and waiting requests; undefined without a pool. */
  readPoolStats?: () => { busy: number; idle: number; waiting: number }
  /** Opens another connection to a server without time-outs, for migrations. */
  openWithoutTimeouts?(): Promise<Database>
  /**
   * Subscribes to a notification channel; call the returned function before close(). Receives nothing
   * when connected only through a pooler.
   * @param onNotification called for each one, and after each (re)connection, as some may be lost
   */
  listen(channel: string, onNotification: () => void): () => Promise<void>
  /** Sets the URLs of new connections; open ones stay. Only the credentials may differ. */
  replaceUrls?(url: string, directUrl: string | undefined): void
  close(): Promise<void>
}

/** Thrown if a database cannot be opened; the message is one readable Portuguese line. */
export class DatabaseOpenError extends Error {}

/**
 * Connection exceptions, shutdown, cancellation by time-out, too many connections or disk full, lock
 * time-out, read-only server.
 */
const TRANSIENT_SQL_STATES = /^(08|57P0|53|57014|55P03|25006)/
const SOCKET_ERRORS = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|ENOENT)$/
/** Messages of driver errors without a code. */
const DRIVER_MESSAGES =
  /timeout exceeded when trying to connect|Connection terminated|Query read timeout|Client has encountered a connection error|connection is closed|driver has already been destroyed/

/** Checks whether an error means that the database is unavailable, rather than a wrong query. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = String((error as { code?: unknown }).code ?? '')
  if (TRANSIENT_SQL_STATES.test(code) || SOCKET_ERRORS.test(code) || DRIVER_MESSAGES.test(error.message))
    return true
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable)
  return isDatabaseUnavailable(error.cause)
}
