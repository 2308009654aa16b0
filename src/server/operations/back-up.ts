import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { sql } from 'kysely'
import * as z from 'zod'
import type { Database } from '#server/database/database.ts'
import { listMigrations, migrate } from '#server/database/migrate.ts'
import type { Db } from '#server/database/schema.ts'
import type { PublicContext } from '#server/http/context.ts'
import { HELD_UNTIL } from '#server/mail/mails.ts'
import { recordAudit } from './audit.ts'
import { recordFact } from './portal-facts.ts'

// A backup is gzipped JSON lines: the head, '{"table":NAME}' before the rows of each table, and the
// end with the row counts. It is portable between both kinds of database.

const FORMAT = 'patio-backup-1'
const CHUNK_ROWS = 500
/** Not restored: everyone signs in again, and used links stay used. */
const TRANSIENT_TABLES = [
  'sessions',
  'email_links',
  'rate_limits',
  'sign_in_attempts',
  'used_human_checks',
  'idempotency_keys',
  'job_claims',
  'open_streams',
  'replicas',
]

const headSchema = z.object({
  format: z.literal(FORMAT),
  at: z.iso.datetime({ offset: true }),
  migrations: z.array(z.string()).min(1),
})
const trailEntrySchema = z.object({ id: z.number(), at: z.string(), action: z.string() })
const rowCountsSchema = z.record(z.string(), z.number())

/** An error that the operator can fix; the message is one line of Portuguese. */
export class BackUpError extends Error {}

/** When a backup was started (ISO), and its row counts by table. */
export interface BackUpSummary {
  at: string
  rowCounts: Record<string, number>
}

/** Writes a snapshot of the database and ends the stream. Only the embedded database blocks meanwhile. */
export async function writeBackUp(db: Db, out: Writable): Promise<void> {
  const write = async (line: string) => {
    if (out.destroyed) throw out.errored ?? new Error('nobody takes the back-up any more')
    if (!out.write(`${line}\n`)) await waitForDrain(out)
  }
  await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      const { rows } = await sql<{ at: Date }>`select now() as at`.execute(trx)
      const migrations = await trx.selectFrom('schema_migrations').select('name').orderBy('name').execute()
      const head = { format: FORMAT, at: rows[0]?.at, migrations: migrations.map(({ name }) => name) }
      await write(JSON.stringify(head))
      const rowCounts: Record<string, number> = {}
      for (const table of await listTables(trx)) {
        if (TRANSIENT_TABLES.includes(table)) continue
        await write(JSON.stringify({ table }))
        rowCounts[table] = await writeRows(trx, table, write)
      }
      await write(JSON.stringify({ end: rowCounts }))
    })
  out.end()
  await finished(out, { readable: false })
}

/** Resolves on 'drain' or 'close'. */
export function waitForDrain(out: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      out.off('drain', done).off('close', done)
      resolve()
    }
    out.once('drain', done).once('close', done)
  })
}

/** Records that a backup was written, verified and stored now. */
export const recordBackUp = (db: Db) => recordFact(db, 'last-back-up')

async function writeRows(db: Db, table: string, write: (line: string) => Promise<void>): Promise<number> {
  const columns = sql.join((await listColumns(db, table)).map((name) => sql.ref(name)))
  // The alias must not equal a column name, or it would refer to the column.
  await sql`declare back_up no scroll cursor for
    select row_to_json(backed_up_row)::text as row from (select ${columns} from ${sql.table(table)}) as backed_up_row`.execute(
    db,
  )
  let count = 0
  for (;;) {
    const { rows } = await sql<{ row: string }>`fetch ${sql.lit(CHUNK_ROWS)} from back_up`.execute(db)
    for (const { row } of rows) await write(row)
    count += rows.length
    if (rows.length < CHUNK_ROWS) break
  }
  await sql`close back_up`.execute(db)
  return count
}

/** Lists the portal's tables in topological order: referenced tables first. */
async function listTables(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string; needs: string[] }>`
    select c.relname as name, coalesce(array_agg(f.relname::text) filter (where f.oid <> c.oid), '{}') as needs
    from pg_class c
    left join pg_constraint k on k.conrelid = c.oid and k.contype = 'f'
    left join pg_class f on f.oid = k.confrelid
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname <> 'schema_migrations'
    group by c.oid, c.relname order by c.relname`.execute(db)
  const ordered: string[] = []
  while (ordered.length < rows.length) {
    const next = rows.filter(
      ({ name, needs }) => !ordered.includes(name) && needs.every((need) => ordered.includes(need)),
    )
    if (next.length === 0) throw new Error('tables refer to one another in a circle')
    ordered.push(...next.map(({ name }) => name))
  }
  return ordered
}

/** Whether the database has any of the portal's tables. */
export const hasTables = async (db: Db) => (await listTables(db)).length > 0

/** Lists the columns except generated ones. */
async function listColumns(db: Db, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select attname as name from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = ''
    order by attnum`.execute(db)
  return rows.map(({ name }) => name)
}

/** Reads a whole backup and checks its row counts. @throws BackUpError for an invalid or truncated file */
export async function inspectBackUp(file: string): Promise<BackUpSummary & { migrations: string[] }> {
  const rowCounts: Record<string, number> = {}
  const { head, end } = await readLines(file, (table) => {
    rowCounts[table] ??= 0
    return async (rows) => {
      rowCounts[table] = (rowCounts[table] ?? 0) + rows.length
    }
  })
  if (JSON.stringify(rowCounts) !== JSON.stringify(end))
    throw new BackUpError(`A cópia ${file} está incompleta. Use outra.`)
  return { at: head.at, migrations: head.migrations, rowCounts: end }
}

type InsertRows = (rows: string[]) => Promise<void>

async function readLines(file: string, openTable: (table: string) => InsertRows) {
  let head: z.output<typeof headSchema> | undefined
  let end: Record<string, number> | undefined
  let insertRows: InsertRows | undefined
  let rows: string[] = []
  const flush = async () => {
    if (rows.length > 0) await insertRows?.(rows)
    rows = []
  }
  try {
    for await (const line of unzipLines(file)) {
      if (!head) head = headSchema.parse(JSON.parse(line))
      else if (line.startsWith('{"table":')) {
        await flush()
        insertRows = openTable(JSON.parse(line).table)
      } else if (line.startsWith('{"end":')) end = rowCountsSchema.parse(JSON.parse(line).end)
      else if (rows.push(line) === CHUNK_ROWS) await flush()
    }
    await flush()
  } catch (error) {
    if (!isUnreadable(error)) throw error
    end = undefined
  }
  if (!head)
    throw new BackUpError(
      `${file} não pode ser lido ou não é uma cópia de segurança do portal. Confira o caminho.`,
    )
  if (!end) throw new BackUpError(`A cópia ${file} está incompleta. Use outra.`)
  return { head, end }
}

async function* unzipLines(file: string): AsyncGenerator<string> {
  const source = createReadStream(file)
  const text = source.pipe(createGunzip()).setEncoding('utf8')
  source.on('error', (error) => text.destroy(error))
  let rest = ''
  for await (const chunk of text) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}

/** Whether the error is due to the file: missing, not gzip, not JSON or not our format. */
function isUnreadable(error: unknown): boolean {
  const { code = '', syscall } = error as NodeJS.ErrnoException
  return (
    error instanceof SyntaxError ||
    error instanceof z.ZodError ||
    /^Z_/.test(code) ||
    syscall === 'open' ||
    syscall === 'read'
  )
}

/**
 * Restores a backup into an empty database and migrates it. Sessions end; unsent mail and mailed
 * reports are held.
 * @throws BackUpError for a truncated file, one of a newer version, or a database that is not empty
 */
export async function restoreBackUp(database: Database, file: string): Promise<BackUpSummary> {
  const { at, migrations, rowCounts } = await inspectBackUp(file)
  const known = await listMigrations()
  const newer = migrations.find((name) => !known.includes(name))
  if (newer)
    throw new BackUpError(`A cópia é de uma versão mais nova do portal (${newer}). Restaure com essa versão.`)
  if (await hasTables(database.db))
    throw new BackUpError(
      'O banco de destino não está vazio. Aponte DATABASE_URL ou DATA_DIR para um banco novo.',
    )
  await migrate(database.db, undefined, migrations)
  await database.db.transaction().execute((db) => loadRows(db, file))
  await migrate(database.db)
  return { at, rowCounts }
}

/** Records to which seals a restore has gone back: later ones come again with other hashes. */
export async function recordRestore(context: PublicContext, { at }: BackUpSummary): Promise<void> {
  const heads = await context.db.selectFrom('trail_chains').select(['chain', 'position']).execute()
  const after = Object.fromEntries(heads.map(({ chain, position }) => [chain, position]))
  await recordAudit(context, { action: 'database-restored', after: { ...after, copied_at: at } })
}

/**
 * Loads a trail into an empty database: lines of JSON, as `select row_to_json(a) from audit_entries a`
 * prints them. @throws BackUpError for anything else
 */
export async function loadTrail(db: Db, file: string): Promise<void> {
  await migrate(db)
  const insert = createInserter(db, 'audit_entries')
  let rows: string[] = []
  try {
    for await (const line of (await open(file)).readLines()) {
      if (line.trim() === '') continue
      trailEntrySchema.parse(JSON.parse(line))
      if (rows.push(line) < CHUNK_ROWS) continue
      await insert(rows)
      rows = []
    }
    if (rows.length > 0) await insert(rows)
  } catch (error) {
    if (!isUnreadable(error)) throw error
    throw new BackUpError(
      `${file} não pode ser lido, ou não é uma cópia nem um histórico do portal. Confira o caminho.`,
    )
  }
}

/** Inserts rows of JSON text. */
function createInserter(db: Db, table: string): InsertRows {
  const columns = listColumns(db, table)
  return async (rows) => {
    const names = sql.join((await columns).map((name) => sql.ref(name)))
    await sql`insert into ${sql.table(table)} (${names}) overriding system value
      select ${names} from json_populate_recordset(null::${sql.table(table)}, ${`[${rows.join(',')}]`}::json)`.execute(
      db,
    )
  }
}

async function loadRows(db: Db, file: string): Promise<void> {
  const tables = await listTables(db)
  // The backup already holds the rows that triggers and migrations would insert.
  for (const table of tables) await sql`alter table ${sql.table(table)} disable trigger user`.execute(db)
  await sql`truncate ${sql.join(tables.map((table) => sql.table(table)))}`.execute(db)
  await readLines(file, (table) => createInserter(db, table))
  for (const table of tables) await sql`alter table ${sql.table(table)} enable trigger user`.execute(db)
  await advanceSequences(db)
  // The lost database has sent most of it, and people have stopped some of it since.
  await db
    .updateTable('mail_outbox')
    .set({ due_at: HELD_UNTIL })
    .where('sent_at', 'is', null)
    .where('due_at', '<', HELD_UNTIL)
    .execute()
  if (!tables.includes('report_subscriptions')) return
  await db
    .updateTable('report_subscriptions')
    .set({ next_run_at: HELD_UNTIL })
    .where('next_run_at', 'is not', null)
    .execute()
  await db
    .deleteFrom('jobs')
    .where('kind', '=', 'report-mail')
    .where('status', 'in', ['queued', 'running'])
    .execute()
}

/** Sets identity sequences to continue after the highest value. */
async function advanceSequences(db: Db): Promise<void> {
  const { rows } = await sql<{ table: string; column: string }>`
    select c.relname as table, a.attname as column from pg_attribute a join pg_class c on c.oid = a.attrelid
    where a.attidentity <> '' and c.relnamespace = current_schema()::regnamespace`.execute(db)
  for (const { table, column } of rows)
    await sql`select setval(pg_get_serial_sequence(${table}, ${column}),
      coalesce(max(${sql.ref(column)}), 0) + 1, false) from ${sql.table(table)}`.execute(db)
}

/** Verifies a backup by restoring it into a temporary in-memory database. @throws BackUpError */
export async function verifyBackUp(file: string): Promise<BackUpSummary> {
  // Loaded on demand: portals on PostgreSQL do not need the engine.
  const { openPglite } = await import('#server/database/open-embedded.ts')
  const database = await openPglite({})
  try {
    return await restoreBackUp(database, file)
  } finally {
    await database.close()
  }
}

/** Releases the mail and the mailed reports held by a restore. @returns the number of mails */
export async function sendHeldMail(db: Db): Promise<number> {
  await db
    .updateTable('report_subscriptions')
    // Beyond the next period, so that the portal sets the next run anew.
    .set({ next_run_at: sql<Date>`now() + interval '1 year'` })
    .where('next_run_at', '=', HELD_UNTIL)
    .execute()
  const { numUpdatedRows } = await db
    .updateTable('mail_outbox')
    .set({ due_at: sql<Date>`now()`, first_due_at: null })
    .where('sent_at', 'is', null)
    .where('due_at', '=', HELD_UNTIL)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
