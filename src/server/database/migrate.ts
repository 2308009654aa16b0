import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { DatabaseOpenError } from './database.ts'
import type { Db } from './schema.ts'

const FOLDER = new URL('../../../migrations/', import.meta.url)
/** Any number, as long as every replica asks for the same lock. */
const MIGRATION_LOCK = 740_210_411
const POLL_MS = 100
const LONGEST_WAIT_MS = 120_000

/**
 * Brings the database to the newest schema: plain SQL files in the order of their names, each once and in
 * a transaction of its own. Replicas that start together wait for one another.
 * @returns the names applied now
 */
export async function migrate(db: Db): Promise<string[]> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.sql')).sort()
  if ((await pendingOf(db, names)).length === 0) return []
  return db.connection().execute(async (connection) => {
    await waitForLock(connection)
    try {
      await sql`create table if not exists schema_migrations (
        name text primary key, applied_at timestamptz not null default now())`.execute(connection)
      const pending = await pendingOf(connection, names)
      for (const name of pending) await apply(connection, name)
      return pending
    } finally {
      await sql`select pg_advisory_unlock(${sql.lit(MIGRATION_LOCK)})`.execute(connection)
    }
  })
}

/** Asks again and again instead of waiting inside one statement, which the server would cut off after seconds. */
async function waitForLock(db: Db): Promise<void> {
  for (let waited = 0; ; waited += POLL_MS) {
    const { rows } = await sql<{ got: boolean }>`
      select pg_try_advisory_lock(${sql.lit(MIGRATION_LOCK)}) as got`.execute(db)
    if (rows[0]?.got) return
    if (waited >= LONGEST_WAIT_MS)
      throw new DatabaseOpenError('Outra réplica está migrando o banco de dados há mais de dois minutos.')
    await wait(POLL_MS)
  }
}

async function pendingOf(db: Db, names: string[]): Promise<string[]> {
  const { rows } = await sql<{
    name: string | null
  }>`select to_regclass('schema_migrations')::text as name`.execute(db)
  if (!rows[0]?.name) return names
  const applied = await db.selectFrom('schema_migrations').select('name').execute()
  const known = new Set(applied.map((row) => row.name))
  return names.filter((name) => !known.has(name))
}

async function apply(db: Db, name: string): Promise<void> {
  const text = await readFile(new URL(name, FOLDER), 'utf8')
  await db.transaction().execute(async (transaction) => {
    // A migration that cannot get its lock fails instead of queueing everybody behind it.
    await sql`set local lock_timeout = '3s'`.execute(transaction)
    await sql`set local statement_timeout = '60s'`.execute(transaction)
    for (const statement of splitStatements(text)) await sql.raw(statement).execute(transaction)
    await transaction.insertInto('schema_migrations').values({ name }).execute()
  })
}

/** Splits at semicolons at the end of a line, outside $$ bodies: PGlite takes one statement a query. */
export function splitStatements(text: string): string[] {
  const statements: string[] = []
  let current = ''
  for (const line of text.split('\n')) {
    current += `${line}\n`
    const isInBody = (current.match(/\$\$/g)?.length ?? 0) % 2 === 1
    if (!isInBody && /;\s*$/.test(line.replace(/--.*$/, ''))) {
      statements.push(current.trim())
      current = ''
    }
  }
  if (current.replace(/--.*$/gm, '').trim() !== '') statements.push(current.trim())
  return statements
}
