import type { BodyOf } from '#contract/route.ts'
import { CONTACT_MIN_FILL_MS, contactMessages, type supportRoutes } from '#contract/support.ts'
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
 *   human-check-failed, invalid-input
 */
export async function sendMessage(
  { db, request, humanCheck, contactCaptcha, consumeRateLimit }: SendMessageContext,
  { website, fill_ms: fillMs, captcha, ...typed }: BodyOf<typeof supportRoutes.sendSupportMessage>,
): Promise<void> {
  const form = cleanContactForm(typed)
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

const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu
const CONTROLS_BUT_LINES = /(?![\n\t])\p{Cc}/gu
/** A visible character. */
const VISIBLE = /[^\p{C}\p{Z}\p{M}]/u

/** Replaces line breaks and other control characters by spaces. */
export function cleanLine(text: string): string {
  return text.replace(CONTROLS, ' ').trim()
}

/** Normalizes line breaks, keeps tabs and removes other control characters. */
function cleanText(text: string): string {
  return text
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(CONTROLS_BUT_LINES, '')
    .trim()
}

/** Cleans the validated form. @throws ProblemError invalid-input for fields without visible characters */
function cleanContactForm({ name, email, phone, message }: ContactForm): ContactForm {
  const cleaned = { name: cleanLine(name), email, phone: cleanLine(phone), message: cleanText(message) }
  const fields = (['name', 'phone', 'message'] as const)
    .filter((path) => !VISIBLE.test(cleaned[path]))
    .map((path) => ({ path, message: contactMessages[`${path}Required`] }))
  if (fields[0]) throw new ProblemError('invalid-input', { detail: fields[0].message, fields })
  return cleaned
}
