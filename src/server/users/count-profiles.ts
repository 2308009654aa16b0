import { sql } from 'kysely'
import type { ProfileFilter } from '#contract/users.ts'
import type { Db } from '#server/database/schema.ts'
import { matches } from './match-profiles.ts'

/** How many people match, and how many wait for approval whatever the filter. */
export async function countProfiles(
  db: Db,
  filter: ProfileFilter,
): Promise<{ total: number; pending: number }> {
  const { rows } = await sql<{ total: number; pending: number }>`select
    (select count(*) from profiles p where ${matches(filter)}) as total,
    (select count(*) from profiles p where not p.approved) as pending`.execute(db)
  return rows[0] ?? { total: 0, pending: 0 }
}
