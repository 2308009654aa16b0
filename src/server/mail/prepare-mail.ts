import type { Db } from '#server/database/schema.ts'
import type { Mail } from './mailer.ts'

/** A row of the outbox, taken for sending. */
export interface QueuedMail {
  id: string
  kind: string
  recipient: string
  /** When it was asked for. */
  created_at: Date
  /** 1 when it is taken for the first time. */
  attempts: number
}

/** What mails are made with. */
export interface MailSettings {
  /** Origin under which people open the portal: every link starts with it. */
  publicUrl: string
  groupName: string
  /** ms since the epoch */
  clock: () => number
}

/** What a mail says and links to. */
export type ComposedMail = Pick<Mail, 'subject' | 'text' | 'html' | 'link'>

/**
 * Makes a kind of mail when it is about to be sent, in the transaction that takes the row.
 * @returns undefined when nobody is owed that mail
 */
export type PrepareMail = (
  transaction: Db,
  mail: QueuedMail,
  settings: MailSettings,
) => Promise<ComposedMail | undefined>
