import { sql } from 'kysely'
import type { Db } from '#server/database/schema.ts'
import { seededPeople } from '#server/demo/seeded-people.ts'

/** The demo seeds the first of these people itself. */
const SEEDED_ALREADY = 300
const CHUNK = 2_000
const COLUMNS = `email text, full_name text, approved boolean, email_verified_at timestamptz, created_at timestamptz,
  last_sign_in_at timestamptz, types text[], marcas text[], estados text[]`

/**
 * Adds people as the demo seeds them, to a migrated database, and lets it look at them as it does by itself
 * after a while. A second call would add the same.
 */
export async function addPeople(db: Db, count: number, domain = 'grupopatio.com.br'): Promise<void> {
  const people = seededPeople(SEEDED_ALREADY + count, domain, new Date()).slice(SEEDED_ALREADY)
  for (let start = 0; start < people.length; start += CHUNK) {
    const chunk = JSON.stringify(people.slice(start, start + CHUNK))
    await sql`insert into profiles (${sql.raw(COLUMNS.replace(/ \w+(\[\])?(,|$)/g, '$2'))})
      select * from jsonb_to_recordset(${chunk}::jsonb) as p(${sql.raw(COLUMNS)})`.execute(db)
  }
  await sql`vacuum analyze profiles`.execute(db)
}
