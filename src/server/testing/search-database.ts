import { sql } from 'kysely'
import type { Db } from '#server/database/schema.ts'

/** Every row of every table, by table, each row as the text of a JSON object, in order. */
export async function readEveryTable(db: Db): Promise<Record<string, string[]>> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`.execute(db)
  const content: Record<string, string[]> = {}
  for (const { name } of tables) {
    const { rows } = await sql<{ row: string }>`
      select to_jsonb(t)::text as row from ${sql.table(name)} t order by 1`.execute(db)
    content[name] = rows.map(({ row }) => row)
  }
  return content
}

/** Every row of every table that holds one of the texts, as 'table: row', in any letter case. */
export async function searchDatabase(db: Db, ...texts: string[]): Promise<string[]> {
  const wanted = texts.map((text) => text.toLowerCase())
  return Object.entries(await readEveryTable(db)).flatMap(([name, rows]) =>
    rows
      .filter((row) => wanted.some((text) => row.toLowerCase().includes(text)))
      .map((row) => `${name}: ${row}`),
  )
}
