import type { BodyOf } from '#contract/route.ts'
import { CONTACT_MIN_FILL_MS, type supportRoutes } from '#contract/support.ts'
import type { HumanCheck } from '#server/accounts/human-check.ts'
import type { Db } from '#server/database/schema.ts'
import { toIpPrefix } from '#server/http/client-ip.ts'
import type { PublicContext } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import type { ConsumeRateLimit } from '#server/http/rate-limits.ts'
import { queueDigest } from '#server/users/mails.ts'

const TEN_MINUTES = 600
const DAY = 86_400
const LIMIT = { max: 3, windowSeconds: TEN_MINUTES, perIp: 'kept' } as const
const DAILY_LIMIT = { max: 20, windowSeconds: DAY, perIp: 'kept' } as const

export interface ContactForm {
  name: string
  email: string
  phone: string
  message: string
}

export interface SendMessageContext extends PublicContext {
  humanCheck: HumanCheck
  contactCaptcha: boolean
  consumeRateLimit: ConsumeRateLimit
}

/**
 * Stores a message of the contact form. One with a filled honeypot, which autofill may do too,
 * goes to the suspects.
 * @throws ProblemError rate-limited (also for a form filled too fast), human-check-required,
 *   human-check-failed
 */
export async function sendMessage(
  { db, request, humanCheck, contactCaptcha, consumeRateLimit }: SendMessageContext,
  { website, fill_ms: fillMs, captcha, ...form }: BodyOf<typeof supportRoutes.sendSupportMessage>,
): Promise<void> {
  if (fillMs !== undefined && fillMs < CONTACT_MIN_FILL_MS)
    throw new ProblemError('rate-limited', {
      retryAfterSeconds: Math.ceil((CONTACT_MIN_FILL_MS - fillMs) / 1000),
    })
  const caller = toIpPrefix(request.ip)
  if (contactCaptcha) await humanCheck.verify(captcha, { ip: request.ip })
  await consumeRateLimit(`contact ${caller}`, LIMIT)
  await consumeRateLimit(`contact-daily ${caller}`, DAILY_LIMIT)
  if (website) await db.insertInto('suspect_messages').values(form).execute()
  else await db.transaction().execute((transaction) => storeMessage(transaction, form))
}

/** Stores a message and queues the digest to administrators. Call it in a transaction. */
export async function storeMessage(db: Db, form: ContactForm): Promise<void> {
  await db.insertInto('support_messages').values(form).execute()
  await queueDigest({ db }, 'message-digest')
}
