import { composeVerificationMail } from './compose-verification-mail.ts'
import { cancelOlderLinks, mintEmailLink } from './email-links.ts'
import type { PrepareMail } from './prepare-mail.ts'

const SIGN_UP_LINK_MS = 24 * 60 * 60_000

/** Owed to people whose address nobody has proved yet; each mail carries a link of its own. */
export const prepareVerificationMail: PrepareMail = async (transaction, mail, settings) => {
  const person = await transaction
    .selectFrom('profiles')
    .select('user_id')
    .where('email', '=', mail.recipient)
    .where('email_verified_at', 'is', null)
    .executeTakeFirst()
  if (!person) return undefined
  const link = { userId: person.user_id, purpose: 'signup' } as const
  // Only what was newly asked for cancels: an earlier try of this very mail may have arrived.
  if (mail.attempts === 1) await cancelOlderLinks(transaction, link, mail)
  const expiresAt = new Date(settings.clock() + SIGN_UP_LINK_MS)
  const token = await mintEmailLink(transaction, { ...link, expiresAt })
  return composeVerificationMail({ ...settings, token })
}
