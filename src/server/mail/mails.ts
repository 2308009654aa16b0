import type { Context } from '#server/http/context.ts'
import type { MailContent } from './compose-mail.ts'

/** Every kind of mail; the feature that sends it composes it. */
export type MailKind =
  | 'account-approved'
  | 'account-exists'
  | 'administrators-changed'
  | 'builtin-failures'
  | 'invitation'
  | 'message-digest'
  | 'new-device'
  | 'password-changed'
  | 'recovery'
  | 'report-settings-changed'
  | 'verification'
  | 'waiting-digest'

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

/** Composes a mail when it is sent; undefined when it is not owed any more. */
export type ComposeMail = (context: MailContext, mail: QueuedMail) => Promise<MailContent | undefined>

export type Mails = Record<MailKind, ComposeMail>

/**
 * Puts a mail into the outbox; call it in the transaction of what the mail tells of. The row holds no secret: what
 * goes into the mail is composed when it is sent.
 */
export async function queueMail(
  { db }: Pick<Context, 'db'>,
  kind: MailKind,
  recipient: string,
): Promise<void> {
  await db.insertInto('mail_outbox').values({ kind, recipient }).execute()
}
