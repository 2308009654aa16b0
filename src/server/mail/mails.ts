import type { Context } from '#server/http/context.ts'
import type { MailContent } from './compose-mail.ts'

/** A row of the outbox, taken for sending. */
export interface QueuedMail {
  id: string
  kind: string
  recipient: string
  created_at: Date
  /** 1 when it is taken for the first time. */
  attempts: number
}

/** What mails are made with; db is the transaction that takes the row. */
export interface MailContext extends Pick<Context, 'db' | 'clock'> {
  /** Origin under which people open the portal: every link starts with it. */
  publicUrl: string
  groupName: string
}

/** The mails of a feature by their kind, each made when it is sent; undefined when it is not owed any more. */
export type Mails = Record<
  string,
  (context: MailContext, mail: QueuedMail) => Promise<MailContent | undefined>
>

/**
 * Puts a mail into the outbox; call it in the transaction of what the mail tells of. The row holds no secret: what
 * goes into the mail is composed when it is sent.
 * @param _mails of the feature that sends it, for the compiler to look the kind up in
 */
export async function queueMail<M extends Mails>(
  { db }: Pick<Context, 'db'>,
  _mails: M,
  kind: keyof M & string,
  recipient: string,
): Promise<void> {
  await db.insertInto('mail_outbox').values({ kind, recipient }).execute()
}
