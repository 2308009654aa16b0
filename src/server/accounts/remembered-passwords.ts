import { REMEMBERED_PASSWORDS } from '#contract/passwords.ts'
import type { Db } from '#server/database/schema.ts'
import { isPasswordRight } from './password-hashing.ts'

/** Hashes of the passwords that may not come back: the current one and those before it, newest first. */
export async function readRemembered(db: Db, userId: string): Promise<string[]> {
  const current = await db.selectFrom('passwords').select('hash').where('user_id', '=', userId).execute()
  const earlier = await db
    .selectFrom('password_history')
    .select('hash')
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .limit(REMEMBERED_PASSWORDS)
    .execute()
  return [...current, ...earlier].map(({ hash }) => hash).slice(0, REMEMBERED_PASSWORDS)
}

/** Whether a password fits any of the hashes; each costs a whole hash. */
export async function isAmong(hashes: string[], password: string): Promise<boolean> {
  for (const hash of hashes) if (await isPasswordRight(hash, password)) return true
  return false
}

/** Moves the current password, if there is one, to those before it, and forgets the oldest. */
export async function retireCurrent(db: Db, userId: string): Promise<void> {
  const [current] = await db
    .deleteFrom('passwords')
    .where('user_id', '=', userId)
    .returning(['user_id', 'hash', 'changed_at'])
    .execute()
  if (!current) return
  await db.insertInto('password_history').values(current).execute()
  await db
    .deleteFrom('password_history')
    .where('user_id', '=', userId)
    .where('id', 'not in', ({ selectFrom }) =>
      selectFrom('password_history')
        .select('id')
        .where('user_id', '=', userId)
        .orderBy('id', 'desc')
        .limit(REMEMBERED_PASSWORDS),
    )
    .execute()
}
