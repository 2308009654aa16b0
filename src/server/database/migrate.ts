import { readdir, readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { retry } from '#contract/timing.ts'
import { PROFILE_FIELDS } from '#contract/users.ts'
import { type Database, DatabaseOpenError } from './database.ts'
import type { Db } from './schema.ts'

const FOLDER = new URL('../../../migrations/', import.meta.url)
/** Arbitrary, but the same on every replica. */
const MIGRATION_LOCK = 740_210_411
const LOCK_NOT_AVAILABLE = '55P03'
/** A waiting migration would hide it: it waits in short tries. */
const FIND_BLOCKING =
  'select a.pid, l.relation::regclass, a.query from pg_locks l join pg_stat_activity a using (pid) where l.relation is not null and a.pid <> pg_backend_pid() order by a.xact_start'
/** Two minutes in total. */
const LOCK_TRIES = 120
const LOCK_PAUSE_MS = 750

/**
 * Migrates an open database to the newest schema, on a connection without time-outs.
 * @returns the names applied now
 */
export async function migrateDatabase({ db, openWithoutTimeouts }: Database): Promise<string[]> {
  const names = await listMigrations()
  const isPending = (await listPending(db, names)).length > 0
  const unlimited = isPending ? await openWithoutTimeouts?.() : undefined
  try {
    const applied = isPending ? await migrate(unlimited?.db ?? db) : []
    await assertProfileColumns(db)
    return applied
  } finally {
    await unlimited?.close()
  }
}

/** @throws Error listing the profile fields without a column */
export async function assertProfileColumns(db: Db): Promise<void> {
  const { rows } = await sql<{ name: string }>`select attname as name from pg_attribute
    where attrelid = 'profiles'::regclass and attnum > 0 and not attisdropped`.execute(db)
  const columns = new Set(rows.map(({ name }) => name))
  const missing = PROFILE_FIELDS.filter((name) => !columns.has(name))
  if (missing.length > 0)
    throw new Error(
      `profiles lacks the column '${missing.join("', '")}', which profileSchema in src/contract/users.ts names: add a migration`,
    )
}

export async function listMigrations(folder = FOLDER): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
}

/**
 * Applies SQL files in the order of their names, each once in its own transaction. An advisory lock
 * serializes replicas; it ends with the transaction, so that a pooler keeps none.
 * @param folder with a trailing slash
 * @param only limits the names to apply
 * @param tries of taking locks
 * @returns the names applied now
 */
export async function migrate(
  db: Db,
  folder = FOLDER,
  only?: readonly string[],
  tries = LOCK_TRIES,
): Promise<string[]> {
  const names = await listMigrations(folder)
  const applied: string[] = []
  for (;;) {
    const name = await applyNext(db, tries, names, folder, only)
    if (!name) return applied
    applied.push(name)
  }
}

/**
 * Returns the names that have not been applied.
 * @throws DatabaseOpenError if a newer version migrated it, because this one might break its schema
 */
export async function listPending(db: Db, names: string[]): Promise<string[]> {
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

/** Lists tables of the migrations that this user does not see in the database. */
export async function listMissingTables(db: Db, folder = FOLDER): Promise<string[]> {
  const names = new Set<string>()
  for (const file of await listMigrations(folder)) {
    const text = await readFile(new URL(file, folder), 'utf8')
    for (const [, created] of text.matchAll(/^create table (\w+)/gm)) names.add(created as string)
    for (const [, from, to] of text.matchAll(/^alter table (\w+) rename to (\w+)/gm)) {
      names.delete(from as string)
      names.add(to as string)
    }
    for (const [, dropped] of text.matchAll(/^drop table (\w+)/gm)) names.delete(dropped as string)
  }
  const { rows } = await sql<{ name: string }>`select name from unnest(${[...names]}::text[]) as name
    where to_regclass(name) is null order by name`.execute(db)
  return rows.map(({ name }) => name)
}

/** Waiting for a table's lock blocks all later statements on it, so each attempt is short. */
async function applyNext(
  db: Db,
  tries: number,
  ...wanted: [names: string[], folder: URL, only?: readonly string[]]
): Promise<string | undefined> {
  let hasLock = false
  const isLockTaken = (error: unknown) => (error as { code?: string }).code === LOCK_NOT_AVAILABLE
  const apply = () =>
    db.transaction().execute(async (transaction) => {
      hasLock = false
      await sql`set local lock_timeout = '250ms'`.execute(transaction)
      await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(transaction)
      hasLock = true
      return applyLocked(transaction, ...wanted)
    })
  return retry(apply, (error, failures) =>
    isLockTaken(error) && failures < tries ? LOCK_PAUSE_MS : undefined,
  ).catch((error) => {
    if (!isLockTaken(error)) throw error
    throw new DatabaseOpenError(
      hasLock
        ? `Outra sessão segura uma tabela do banco de dados há mais de dois minutos. Encerre-a e inicie de novo; para achá-la: ${FIND_BLOCKING}`
        : 'Outra réplica está migrando o banco de dados há mais de dois minutos.',
    )
  })
}

async function applyLocked(
  db: Db,
  names: string[],
  folder: URL,
  only?: readonly string[],
): Promise<string | undefined> {
  await sql`set local statement_timeout = '10min'`.execute(db)
  await sql`create table if not exists schema_migrations (
    name text primary key, applied_at timestamptz not null default now())`.execute(db)
  const name = (await listPending(db, names)).find((each) => only?.includes(each) ?? true)
  if (!name) return undefined
  const statements = splitStatements(await readFile(new URL(name, folder), 'utf8'))
  for (const statement of statements) await sql.raw(statement).execute(db)
  await db.insertInto('schema_migrations').values({ name }).execute()
  return name
}

/** Splits at semicolons at the end of a line, outside $$ bodies: PGlite runs one statement per query. */
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
