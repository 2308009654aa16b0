import { sql } from 'kysely'
import type { Database } from '#server/database/database.ts'

/**
 * Copies all rows into another schema.
 * @returns a function that restores the rows; the schema must not have changed
 */
export async function snapshotRows({ db }: Database): Promise<() => Promise<void>> {
  const { rows: tables } = await sql<{ name: string; columns: string; identity: string | null }>`
    select table_name as name, string_agg(quote_ident(column_name), ', ') as columns,
      max(column_name) filter (where is_identity = 'YES') as identity
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and is_generated = 'NEVER'
    group by table_name`.execute(db)
  const run = (statement: string, transaction = db) => sql.raw(statement).execute(transaction)
  await run('create schema snapshot')
  const filled: typeof tables = []
  for (const table of tables) {
    const { rows } = await sql`select from ${sql.table(table.name)} limit 1`.execute(db)
    if (rows.length === 0) continue
    await run(`create table snapshot.${table.name} as table public.${table.name}`)
    filled.push(table)
  }
  const truncate = `truncate ${tables.map(({ name }) => name).join(', ')} restart identity`
  const restoreStatements = filled.flatMap(({ name, columns, identity }) => [
    `insert into ${name} (${columns}) overriding system value select ${columns} from snapshot.${name}`,
    ...(identity
      ? [`select setval(pg_get_serial_sequence('${name}', '${identity}'), max(${identity})) from ${name}`]
      : []),
  ])
  return () =>
    db.transaction().execute(async (transaction) => {
      // Disables triggers and foreign keys; needs a superuser.
      await run('set local session_replication_role = replica', transaction)
      await run(truncate, transaction)
      for (const statement of restoreStatements) await run(statement, transaction)
    })
}
