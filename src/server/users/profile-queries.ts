import { sql } from 'kysely'
import type { ManagedProfile, Profile } from '#contract/users.ts'
import type { Db } from '#server/database/schema.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { MANAGED_PROFILE_JSON } from './managed-profile-json.ts'
import { presentProfile } from './present-profile.ts'

/** One person's profile, or undefined when there is none (any more). */
export async function findProfile(db: Db, userId: string): Promise<Profile | undefined> {
  const row = await db.selectFrom('profiles').selectAll().where('user_id', '=', userId).executeTakeFirst()
  return row && presentProfile(row)
}

/**
 * One person as administrators see them.
 * @throws ProblemError not-found
 */
export async function readProfile(db: Db, userId: string): Promise<ManagedProfile> {
  const { rows } = await sql<{ profile: string }>`
    select ${MANAGED_PROFILE_JSON}::text as profile from profiles p where p.user_id = ${userId}`.execute(db)
  if (!rows[0]) throw unknownPerson()
  return JSON.parse(rows[0].profile) as ManagedProfile
}

export function unknownPerson(): ProblemError {
  return new ProblemError('not-found', { detail: 'Usuário não encontrado. Talvez já tenha sido excluído.' })
}
