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
  close(): Promise<void>
}

/** Thrown when a database cannot be opened; the message is one readable Portuguese line. */
export class DatabaseOpenError extends Error {}
