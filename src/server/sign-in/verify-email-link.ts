import { createHash } from 'node:crypto'
import type { Session } from '#contract/sign-in.ts'
import type { Db } from '#server/database/schema.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { findProfile } from '#server/profiles/profile-queries.ts'
import { openSession, type SessionTools } from './open-session.ts'

/** What of a mailed token is stored and looked up. */
export function hashOfLinkToken(token: string): Uint8Array {
  return createHash('sha256').update(token).digest()
}

/**
 * Uses up the link of a verification mail and signs its owner in. The first verification ends every
 * earlier session: whoever opened one had not proved to own the address.
 * @throws ProblemError invalid-input for a link that is unknown, used or expired
 */
export async function verifyEmailLink(db: Db, sessions: SessionTools, token: string): Promise<Session> {
  const now = new Date(sessions.clock())
  return db.transaction().execute(async (transaction) => {
    const link = await transaction
      .deleteFrom('email_links')
      .where('token_hash', '=', hashOfLinkToken(token))
      .where('purpose', '=', 'signup')
      .where('expires_at', '>', now)
      .returning('user_id')
      .executeTakeFirst()
    if (!link)
      throw new ProblemError('invalid-input', {
        detail: 'Este link já foi usado ou expirou. Entre e peça um novo e-mail de verificação.',
      })
    // A mail that went out twice carries two good links: the first one used ends both.
    await transaction
      .deleteFrom('email_links')
      .where('user_id', '=', link.user_id)
      .where('purpose', '=', 'signup')
      .execute()
    const verified = await transaction
      .updateTable('profiles')
      .set({ email_verified_at: now })
      .where('user_id', '=', link.user_id)
      .where('email_verified_at', 'is', null)
      .executeTakeFirst()
    if (verified.numUpdatedRows > 0n)
      await transaction.deleteFrom('sessions').where('user_id', '=', link.user_id).execute()
    const profile = await findProfile(transaction, link.user_id)
    if (!profile) throw new ProblemError('invalid-input')
    return openSession(transaction, sessions, profile, 'full')
  })
}
