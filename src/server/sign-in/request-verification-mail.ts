import type { Db } from '#server/database/schema.ts'
import type { TakeFromLimit } from '#server/http/limits.ts'
import { addressGroup, type RequestInfo } from '#server/http/request-info.ts'
import { queueMail } from '#server/mail/queue-mail.ts'

const PER_ADDRESS = { max: 60, windowSeconds: 3600 }
const PER_MINUTE = { max: 1, windowSeconds: 60 }
const PER_HOUR = { max: 5, windowSeconds: 3600 }

/**
 * Queues a verification mail, whoever the address belongs to: whether one goes out is decided when it is
 * sent, so known and unknown addresses cost and answer the same.
 * @throws ProblemError rate-limited
 */
export async function requestVerificationMail(
  db: Db,
  takeFromLimit: TakeFromLimit,
  emailAsTyped: string,
  request: RequestInfo,
): Promise<void> {
  const email = emailAsTyped.toLowerCase()
  await takeFromLimit(`resend ${addressGroup(request.ip)}`, PER_ADDRESS)
  await takeFromLimit(`resend-minute ${email}`, PER_MINUTE)
  await takeFromLimit(`resend-hour ${email}`, PER_HOUR)
  await queueMail(db, { kind: 'verification', recipient: email })
}
