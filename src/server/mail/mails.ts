import { sql } from 'kysely'
import type { MAIL_NAMES } from '#contract/mail-names.ts'
import type { Context } from '#server/http/context.ts'
import type { MailContent } from './compose-mail.ts'

export type MailKind = keyof typeof MAIL_NAMES

/**
 * Mails that somebody waits for, with the hours for which their link is good. They leave before
 * others, and are not tried for longer.
 */
export const AWAITED_HOURS = {
  'account-exists': 24,
  'factor-link': 1,
  'microsoft-link': 1,
  recovery: 1,
  verification: 24,
} as const satisfies Partial<Record<MailKind, number>>

/** A row of the outbox, claimed for sending. */
export interface QueuedMail {
  id: string
  kind: string
  recipient: string
  created_at: Date
  /** 1 at the first attempt. */
  attempts: number
  /** The newest audit entry when it was queued, for mails to all administrators. */
  after_entry: number | null
  /** The id of what it is about, where the recipient does not tell. */
  about: string | null
  /** How often it happened, where one mail tells of several. */
  times: number
}

/** Due date of unsent mail and of mailed reports after a restore. */
export const HELD_UNTIL = sql<Date>`'9000-01-01'::timestamptz`

/** Context for composing mails; `db` is the transaction that claims the row. */
export interface MailContext extends Pick<Context, 'db' | 'clock'> {
  /** Origin of the portal, with which every link starts. */
  publicUrl: string
  groupName: string
  /** Signs the token that unsubscribes from what has the id. */
  signUnsubscribe: (id: string) => string
}

/** Composes a mail when it is sent; undefined if it is obsolete. */
export type ComposeMail = (context: MailContext, mail: QueuedMail) => Promise<MailContent | undefined>

export type Mails = Record<MailKind, ComposeMail>

/** Security notices: beyond MAX_NOTICES a day of a kind, one an hour tells how often it happened. */
const GATHERED: ReadonlySet<MailKind> = new Set([
  'builtin-failures',
  'factor-added',
  'factor-failures',
  'factor-removed',
  'new-device',
  'password-changed',
  'recovery-code-used',
  'recovery-codes-replaced',
  'session-reuse',
])
const MAX_NOTICES = 5

/**
 * Queues a mail; call it in the transaction of its cause. The row has no secrets, because the mail is
 * composed when it is sent.
 * @param about the id of what it is about
 */
export async function queueMail(
  { db }: Pick<Context, 'db'>,
  kind: MailKind,
  recipient: string,
  about: string | null = null,
): Promise<void> {
  if (!GATHERED.has(kind)) {
    await db.insertInto('mail_outbox').values({ kind, recipient, about }).execute()
    return
  }
  await sql`
    with own as (
      select id, attempts, sent_at, due_at from mail_outbox
      where recipient = ${recipient} and kind = ${kind} and created_at > now() - interval '1 day'
    ), gathered as (
      update mail_outbox set times = times + 1 where id = (
        select id from own where attempts = 0 and sent_at is null
          and due_at > now() and due_at <= now() + interval '1 hour' limit 1
      ) returning id
    )
    insert into mail_outbox (kind, recipient, about, due_at)
    select ${kind}, ${recipient}, ${about}::uuid, case when (select count(*) from own) < ${MAX_NOTICES}
      then now() else date_trunc('hour', now()) + interval '1 hour' end
    where not exists (select from gathered)`.execute(db)
}
