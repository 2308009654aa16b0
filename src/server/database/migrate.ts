import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Database, DatabaseOpenError } from './database.ts'
import type { Db } from './schema.ts'

const FOLDER = new URL('../../../migrations/', import.meta.url)
/** Any number, as long as every replica asks for the same lock. */
const MIGRATION_LOCK = 740_210_411
const POLL_MS = 100
const MAX_WAIT_MS = 120_000
const LOCK_NOT_AVAILABLE = '55P03'
const LOCK_TRIES = 60
const LOCK_PAUSE_MS = 750

/**
 * Brings an open database to the newest schema, on a connection that may take its time.
 * @returns the names applied now
 */
export async function migrateDatabase({ db, openPatient }: Database): Promise<string[]> {
  const names = await listMigrations()
  if ((await pendingOf(db, names)).length === 0) return []
  const patient = await openPatient?.()
  try {
    return await migrate(patient?.db ?? db)
  } finally {
    await patient?.close()
  }
}

/** Names of this version's migrations, in their order. */
export async function listMigrations(folder = FOLDER): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
}

/**
 * Applies plain SQL files in the order of their names, each once and in a transaction of its own. Replicas that
 * start together wait for one another.
 * @param folder with a slash at its end
 * @param only the names to apply at most, all unless given
 * @returns the names applied now
 */
export async function migrate(db: Db, folder = FOLDER, only?: readonly string[]): Promise<string[]> {
  const names = await listMigrations(folder)
  return db.connection().execute(async (connection) => {
    await waitForLock(connection)
    try {
      await sql`create table if not exists schema_migrations (
        name text primary key, applied_at timestamptz not null default now())`.execute(connection)
      const pending = (await pendingOf(connection, names)).filter((name) => only?.includes(name) ?? true)
      for (const name of pending) await apply(connection, name, folder)
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
    if (waited >= MAX_WAIT_MS)
      throw new DatabaseOpenError('Outra réplica está migrando o banco de dados há mais de dois minutos.')
    await wait(POLL_MS)
  }
}

/** @throws DatabaseOpenError when a newer version has been at it: what this one would break is not known here */
async function pendingOf(db: Db, names: string[]): Promise<string[]> {
  const { rows } = await sql<{
    name: string | null
  }>`select to_regclass('schema_migrations')::text as name`.execute(db)
  if (!rows[0]?.name) return names
  const applied = await db.selectFrom('schema_migrations').select('name').execute()
  const known = new Set(applied.map((row) => row.name))
  const newer = [...known].filter((name) => !names.includes(name)).sort()
  if (newer.length > 0)
    throw new DatabaseOpenError(
      `O banco de dados é de uma versão mais nova do portal (${newer.at(-1)}). Inicie essa versão, ou uma depois dela.`,
    )
  return names.filter((name) => !known.has(name))
}

/** A wait for a lock holds up all later statements on the table: so it is a short wait, again and again. */
async function apply(db: Db, name: string, folder: URL): Promise<void> {
  const statements = splitStatements(await readFile(new URL(name, folder), 'utf8'))
  for (let tries = 1; ; tries++) {
    try {
      return await applyOnce(db, name, statements)
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE || tries === LOCK_TRIES) throw error
      await wait(LOCK_PAUSE_MS)
    }
  }
}

function applyOnce(db: Db, name: string, statements: string[]): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    await sql`set local lock_timeout = '250ms'`.execute(transaction)
    await sql`set local statement_timeout = '10min'`.execute(transaction)
    for (const statement of statements) await sql.raw(statement).execute(transaction)
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
