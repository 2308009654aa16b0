import type { Profile } from '#contract/profiles.ts'
import type { Db } from '#server/database/schema.ts'
import { presentProfile } from './present-profile.ts'

/** One person's profile, or undefined when there is none (any more). */
export async function findProfile(db: Db, userId: string): Promise<Profile | undefined> {
  const row = await db.selectFrom('profiles').selectAll().where('user_id', '=', userId).executeTakeFirst()
  return row && presentProfile(row)
}
