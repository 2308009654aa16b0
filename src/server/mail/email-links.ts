import { randomBytes } from 'node:crypto'
import type { Db, Tables } from '#server/database/schema.ts'
import { hashOfLinkToken } from '#server/sign-in/verify-email-link.ts'
import type { QueuedMail } from './prepare-mail.ts'

const TOKEN_BYTES = 32

type Purpose = Tables['email_links']['purpose']

/**
 * Makes a link's token, base64url; the database keeps its hash alone.
 * @returns the token, which goes into the mail and nowhere else
 */
export async function mintEmailLink(
  db: Db,
  link: { userId: string; purpose: Purpose; expiresAt: Date },
): Promise<string> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  await db
    .insertInto('email_links')
    .values({
      token_hash: hashOfLinkToken(token),
      user_id: link.userId,
      purpose: link.purpose,
      expires_at: link.expiresAt,
    })
    .execute()
  return token
}

/**
 * Cancels the links that a person got before this mail was asked for. When a later request has overtaken
 * this one on another replica, its link stays.
 */
export async function cancelOlderLinks(
  db: Db,
  link: { userId: string; purpose: Purpose },
  mail: Pick<QueuedMail, 'id'>,
): Promise<void> {
  await db
    .deleteFrom('email_links')
    .where('user_id', '=', link.userId)
    .where('purpose', '=', link.purpose)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom(['mail_outbox as mail', 'mail_outbox as later'])
            .select('later.id')
            .where('mail.id', '=', mail.id)
            .whereRef('later.recipient', '=', 'mail.recipient')
            .whereRef('later.kind', '=', 'mail.kind')
            .whereRef('later.created_at', '>', 'mail.created_at')
            .where('later.attempts', '>', 0),
        ),
      ),
    )
    .execute()
}
