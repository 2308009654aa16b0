import type { Db } from '#server/database/schema.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { hashPassword } from './password-hashing.ts'
import { isAmong, readRemembered, retireCurrent } from './remembered-passwords.ts'

export interface Replacement {
  userId: string
  password: string
  at: Date
}

export interface ReplacementRules {
  /** Throws for a password that may not be set; asked after the history, whose answer says more. */
  refuse(): Promise<void>
  /** What else changes with the password, in the same transaction. */
  alongside(transaction: Db): Promise<void>
}

/**
 * Sets a new password unless it is one of the last five. Hashing takes long, so it is done before the
 * transaction; under the lock on the person's row it only counts when the remembered hashes are still those
 * that were checked, and otherwise is done again.
 * @returns 'reused' for one of the last five
 * @throws ProblemError unauthenticated when the person is gone
 */
export async function replacePassword(
  db: Db,
  replacement: Replacement,
  rules: ReplacementRules,
): Promise<'replaced' | 'reused'> {
  let hash: string | undefined
  for (;;) {
    const checked = await readRemembered(db, replacement.userId)
    if (await isAmong(checked, replacement.password)) return 'reused'
    await rules.refuse()
    hash ??= await hashPassword(replacement.password)
    const encoded = hash
    const isReplaced = await db.transaction().execute(async (transaction) => {
      await lockPerson(transaction, replacement.userId)
      const remembered = await readRemembered(transaction, replacement.userId)
      if (remembered.join() !== checked.join()) return false
      await writePassword(transaction, { ...replacement, hash: encoded })
      await rules.alongside(transaction)
      return true
    })
    if (isReplaced) return 'replaced'
  }
}

async function lockPerson(db: Db, userId: string): Promise<void> {
  const person = await db
    .selectFrom('profiles')
    .select('user_id')
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirst()
  if (!person) throw new ProblemError('unauthenticated')
}

async function writePassword(db: Db, { userId, hash, at }: Replacement & { hash: string }): Promise<void> {
  await retireCurrent(db, userId)
  await db.insertInto('passwords').values({ user_id: userId, hash, changed_at: at }).execute()
  // Asked for to set a password: that is done.
  await db.deleteFrom('email_links').where('user_id', '=', userId).where('purpose', '=', 'recovery').execute()
}
