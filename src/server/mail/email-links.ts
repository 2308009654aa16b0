import { createLinkToken, hashOfLinkToken } from '#server/accounts/link-token.ts'
import type { Db, LinkPurpose } from '#server/database/schema.ts'
import type { QueuedMail } from './prepare-mail.ts'

const HOUR_MS = 60 * 60_000
const LIFE_MS: Record<LinkPurpose, number> = {
  signup: 24 * HOUR_MS,
  recovery: HOUR_MS,
  // People notice late that something was done in their name.
  'disown-account': 7 * 24 * HOUR_MS,
  'disown-change': 7 * 24 * HOUR_MS,
}

const PAGES: Record<LinkPurpose, (token: string) => string> = {
  signup: (token) => `/auth/callback#token_hash=${token}&type=signup`,
  recovery: (token) => `/reset-password#token_hash=${token}&type=recovery`,
  'disown-account': (token) => `/nao-fui-eu#token_hash=${token}`,
  'disown-change': (token) => `/nao-fui-eu#token_hash=${token}`,
}

/**
 * Makes a link of its own for one person; the database keeps its token's hash alone. The token stands in the
 * fragment, so that it reaches no server log, and a mail scanner that opens the link uses nothing up.
 * @returns the link, which goes into the mail and nowhere else
 */
export async function mintEmailLink(
  db: Db,
  settings: { publicUrl: string; clock: () => number },
  { userId, purpose }: { userId: string; purpose: LinkPurpose },
): Promise<string> {
  const token = createLinkToken()
  await db
    .insertInto('email_links')
    .values({
      token_hash: hashOfLinkToken(token),
      user_id: userId,
      purpose,
      expires_at: new Date(settings.clock() + LIFE_MS[purpose]),
    })
    .execute()
  return settings.publicUrl + PAGES[purpose](token)
}

/**
 * Cancels the links that a person got before this mail was asked for. When a later request has overtaken
 * this one on another replica, its link stays.
 */
export async function cancelOlderLinks(
  db: Db,
  link: { userId: string; purpose: LinkPurpose },
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
