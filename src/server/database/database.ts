import type { Db } from './schema.ts'

/** A statement that the database parses and plans once per connection. */
export interface PreparedStatement {
  name: string
  text: string
}

/** An open database of either kind. */
export interface Database {
  kind: 'embedded' | 'server'
  db: Db
  /** Runs one of the few hot statements outside any transaction; values fill $1, $2, … */
  runPrepared<Row>(statement: PreparedStatement, values: unknown[]): Promise<Row[]>
  /** Connections by state and who waits for one; undefined without a pool. */
  readPool?: () => { busy: number; idle: number; waiting: number }
  /** For migrations, which may take longer than a request: one more connection to a server, without time-outs. */
  openPatient?(): Promise<Database>
  /**
   * Hears notifications of a channel until the returned function is called, which must be before close().
   * @param onWake called for each, and whenever listening has begun: what came before may have been missed
   */
  listen(channel: string, onWake: () => void): () => Promise<void>
  close(): Promise<void>
}

/** Thrown when a database cannot be opened; the message is one readable Portuguese line. */
export class DatabaseOpenError extends Error {}
