import type { Db } from '#server/database/schema.ts'
import type { RequestInfo } from '#server/http/context.ts'
import { queueMail } from '#server/mail/mails.ts'
import { recordAudit } from '#server/operations/record-audit.ts'
import { accountMails } from './mails.ts'

/** The first warning, and from then on one with each further lock of the account. */
const FIRST = 3
const EVERY = 15

/**
 * Mails the built-in administrator, whose sign-in skips the human check, that somebody tries passwords.
 * @param failures counted so far, over all addresses
 */
export async function warnBuiltinAdmin(
  db: Db,
  email: string,
  failures: number,
  request: RequestInfo,
  at: Date,
): Promise<void> {
  if (failures !== FIRST && (failures === 0 || failures % EVERY !== 0)) return
  await db.transaction().execute(async (transaction) => {
    await queueMail({ db: transaction }, accountMails, 'builtin-failures', email)
    await recordAudit(transaction, { action: 'builtin-admin-failures', after: { failures }, request, at })
  })
}
