import type { Db } from '#server/database/schema.ts'
import type { RequestInfo } from '#server/http/context.ts'
import type { TakeFromLimit } from '#server/http/limits.ts'
import { queueMail } from '#server/mail/mails.ts'
import { accountMails } from './mails.ts'
import { takeFromMailLimits } from './take-from-mail-limits.ts'

/** The call that asks for each mail; its limits go by that name. */
const ACTIONS = { verification: 'resend', recovery: 'recover' } as const

/**
 * Queues a verification or reset mail, whoever the address belongs to: whether one goes out is decided when it
 * is sent, so known and unknown addresses cost and answer the same.
 * @throws ProblemError rate-limited
 */
export async function requestLinkMail(
  { db, takeFromLimit }: { db: Db; takeFromLimit: TakeFromLimit },
  kind: keyof typeof ACTIONS,
  emailAsTyped: string,
  request: RequestInfo,
): Promise<void> {
  const email = emailAsTyped.toLowerCase()
  await takeFromMailLimits(takeFromLimit, ACTIONS[kind], email, request)
  await queueMail({ db }, accountMails, kind, email)
}
