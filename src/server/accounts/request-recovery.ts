import type { Db } from '#server/database/schema.ts'
import type { TakeFromLimit } from '#server/http/limits.ts'
import type { RequestInfo } from '#server/http/request-info.ts'
import { queueMail } from '#server/mail/queue-mail.ts'
import { takeFromMailLimits } from '#server/sign-in/take-from-mail-limits.ts'

/**
 * Queues a reset mail, whoever the address belongs to: whether one goes out is decided when it is sent, so
 * known and unknown addresses cost and answer the same.
 * @throws ProblemError rate-limited
 */
export async function requestRecovery(
  db: Db,
  takeFromLimit: TakeFromLimit,
  emailAsTyped: string,
  request: RequestInfo,
): Promise<void> {
  const email = emailAsTyped.toLowerCase()
  await takeFromMailLimits(takeFromLimit, 'recover', email, request)
  await queueMail(db, { kind: 'recovery', recipient: email })
}
