import type { Db } from '#server/database/schema.ts'
import { queueDigest } from '#server/users/mails.ts'
import type { ContactForm } from './clean-contact-form.ts'
import { supportMails } from './mails.ts'

/** Files a message and has the administrators mailed of it. */
export function storeMessage(db: Db, form: ContactForm): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    await transaction.insertInto('support_messages').values(form).execute()
    await queueDigest({ db: transaction }, supportMails, 'message-digest')
  })
}
