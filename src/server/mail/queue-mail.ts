import type { Db } from '#server/database/schema.ts'
import type { MailKind } from './mail-kinds.ts'

/**
 * Puts a mail into the outbox; call it in the transaction of what the mail tells of. The row holds no
 * secret: what goes into the mail is composed when it is sent.
 */
export async function queueMail(db: Db, mail: { kind: MailKind; recipient: string }): Promise<void> {
  await db.insertInto('mail_outbox').values(mail).execute()
}
