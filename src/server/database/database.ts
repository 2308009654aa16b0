import type { Db } from './schema.ts'

const preparedNames = new Map<string, string>()

/**
 * Has a server parse and plan a statement once per connection. For the few hot ones whose best plan is the same whatever
 * the values.
 * @returns the text, which Kysely or runPrepared runs
 */
export function prepare(text: string): string {
  if (!preparedNames.has(text)) preparedNames.set(text, `patio-${preparedNames.size + 1}`)
  return text
}

export const preparedNameOf = (text: string): string | undefined => preparedNames.get(text)

export interface Database {
  kind: 'embedded' | 'server'
  db: Db
  /** Runs a statement from `prepare` outside any transaction, without Kysely's share; values fill $1, $2, … */
  runPrepared<Row>(text: string, values: unknown[]): Promise<Row[]>
  /** Whether each transaction may run on another connection of the server's: settings and names must not outlive it. */
  isPooled?: boolean
  /** Connections by state and who waits for one; undefined without a pool. */
  readPool?: () => { busy: number; idle: number; waiting: number }
  /** For migrations, which may take longer than a request: one more connection to a server, without time-outs. */
  openPatient?(): Promise<Database>
  /**
   * Hears notifications of a channel until the returned function is called, which must be before close().
   * Through a pooler alone nothing is heard.
   * @param onWake called for each, and whenever listening has begun: what came before may have been missed
   */
  listen(channel: string, onWake: () => void): () => Promise<void>
  /** New connections are made to these; those that are open stay. Only who signs in may differ. */
  replaceUrls?(url: string, directUrl: string | undefined): void
  close(): Promise<void>
}

/** Thrown when a database cannot be opened; the message is one readable Portuguese line. */
export class DatabaseOpenError extends Error {}

/** Connection exceptions, shutdown, too many connections, cancelled by a time-out, disk full, lock not had in time, a server that only reads. */
const PASSING_SQL_STATES = /^(08|57P0|53|57014|55P03|25006)/
const SOCKET_ERRORS = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|ENOENT)$/
/** What the driver says without a code. */
const DRIVER_MESSAGES =
  /timeout exceeded when trying to connect|Connection terminated|Query read timeout|Client has encountered a connection error|connection is closed|driver has already been destroyed/

/** Whether a failure is the database's absence (it may pass) and not a fault of the query. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = String((error as { code?: unknown }).code ?? '')
  if (PASSING_SQL_STATES.test(code) || SOCKET_ERRORS.test(code) || DRIVER_MESSAGES.test(error.message))
    return true
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable)
  return isDatabaseUnavailable(error.cause)
}
