import { sql } from 'kysely'
import { backoffDelay, coalesce, wait } from '#contract/timing.ts'
import type { Database } from '#server/database/database.ts'
import type { Db } from '#server/database/schema.ts'
import { type Log, logFirstFailure } from '#server/log.ts'
import { composeMail } from './compose-mail.ts'
import type { ComposeMail, MailContext, QueuedMail } from './mails.ts'
import type { Mail, Mailer } from './smtp-mailer.ts'

const POLL_MS = 1_000
/**
 * Pause after each mail. On the embedded database requests wait while a mail is composed, which takes
 * longer for an e-mail with an account: without the pause, response times would reveal it.
 */
const REST_MS = 30
/** Lifetime of a claim: longer than sending can take, so that it expires only after a crash. */
const CLAIM_SECONDS = 60
const BACKOFF = { firstMs: 10_000, maxMs: 600_000 }

interface OutboxContext extends MailContext {
  listen: Database['listen']
  mails: Partial<Record<string, ComposeMail>>
  mailer: Mailer
  log: Log
}

export type Outbox = ReturnType<typeof createOutbox>

/**
 * Creates the worker that sends the outbox; every replica runs one.
 * @param pollMs interval of looking for due mails without a notification
 */
export function createOutbox(context: OutboxContext, pollMs = POLL_MS) {
  let poll: NodeJS.Timeout | undefined
  let stopListening: (() => Promise<void>) | undefined
  const deliverMails = async (shouldContinue: () => boolean, restMs: number) => {
    while (shouldContinue() && (await deliverNextMail(context))) await wait(restMs)
  }
  // While the database is unavailable, every poll fails.
  const deliver = logFirstFailure(context.log, 'outbox stalled', () =>
    deliverMails(() => poll !== undefined, REST_MS),
  )
  const delivery = coalesce(deliver, 0)
  return {
    /** The database notifies every replica of each queued mail. */
    start() {
      poll ??= setInterval(delivery.wake, pollMs)
      stopListening ??= context.listen('mail_outbox', delivery.wake)
    },
    deliverDue: () => deliverMails(() => true, 0),
    /** Claims no further mail and waits for the current one. */
    async stop() {
      clearInterval(poll)
      poll = undefined
      await stopListening?.()
      await delivery.stop()
    },
  }
}

/**
 * Sends the mail that is due longest, at least once. It is claimed in a separate transaction, so that
 * none waits for a mail server; after a crash it is sent again with the same Message-ID.
 * @returns whether there was one
 */
async function deliverNextMail(context: OutboxContext): Promise<boolean> {
  const claimed = await claimMail(context)
  if (claimed?.mail) await sendMail(context, claimed.row, claimed.mail)
  return claimed !== undefined
}

/** @returns the row with its mail, which is undefined if it is obsolete */
async function claimMail(
  context: OutboxContext,
): Promise<{ row: QueuedMail; mail: Mail | undefined } | undefined> {
  const { db, mails, groupName, publicUrl } = context
  let row: QueuedMail | undefined
  try {
    return await db.transaction().execute(async (transaction) => {
      row = await claimRow(transaction, Object.keys(mails))
      if (!row) return undefined
      const content = await mails[row.kind]?.({ ...context, db: transaction }, row)
      if (!content) {
        await markSent(transaction, row.id)
        return { row, mail: undefined }
      }
      const messageId = `<${row.id}@${new URL(publicUrl).hostname}>`
      const mail = {
        ...composeMail({ groupName, publicUrl }, content),
        messageId,
        to: row.recipient,
        kind: row.kind,
      }
      return { row, mail }
    })
  } catch (error) {
    // The rollback undoes the claim; a row that fails must not block those after it.
    if (row) await postpone(db, row)
    throw error
  }
}

async function sendMail({ db, mailer, log }: OutboxContext, row: QueuedMail, mail: Mail): Promise<void> {
  try {
    await mailer.deliver(mail)
  } catch (error) {
    const retryInSeconds = isPermanentFailure(error) ? await abandon(db, row) : await postpone(db, row)
    log.warn({ mail: row.id, attempts: row.attempts, retryInSeconds, ...toLogFields(error) }, 'mail not sent')
    return
  }
  await markSent(db, row.id)
}

/**
 * Checks for a permanent failure of this recipient or mail (RFC 5321, 4.2.1: 5yz). Excludes the
 * server's policy (RFC 3463, X.7.Z), our sender and credentials, which an operator can fix.
 */
export function isPermanentFailure(error: unknown): boolean {
  const { responseCode, command, response } = error as Record<string, unknown>
  const isAboutMail = /^(RCPT|DATA)/.test(String(command ?? ''))
  return isAboutMail && Number(responseCode) >= 500 && !/^5\d\d[ -]5\.7\./.test(String(response ?? ''))
}

/**
 * Returns host, codes and the SMTP verb: messages of mail servers contain the address, those of the
 * network do not.
 */
function toLogFields(error: unknown) {
  const { code, responseCode, command, host, message } = error as Record<string, unknown>
  const isOfNetwork = /^(ESOCKET|ECONNECTION|ETIMEDOUT|EDNS|ETLS)$/.test(String(code))
  return {
    host,
    ...(isOfNetwork && responseCode === undefined && { cause: message }),
    code,
    responseCode,
    command: /^[A-Z]+/.exec(String(command ?? ''))?.[0],
  }
}

/** Times come from the database, because replicas' clocks differ. */
const now = sql<Date>`now()`
/** Due time of permanently failed mails. */
export const NEVER = sql<Date>`'infinity'::timestamptz`
const firstDue = sql<Date>`coalesce(first_due_at, due_at)`
const addSeconds = (seconds: number) => sql<Date>`now() + ${seconds}::int * interval '1 second'`

/** Claims the row that is due longest, skipping those claimed by other replicas. */
function claimRow(db: Db, kinds: string[]): Promise<QueuedMail | undefined> {
  return db
    .updateTable('mail_outbox')
    .set((row) => ({
      attempts: row('attempts', '+', 1),
      due_at: addSeconds(CLAIM_SECONDS),
      first_due_at: firstDue,
    }))
    .where('id', '=', ({ selectFrom }) =>
      selectFrom('mail_outbox')
        .select('id')
        .where('sent_at', 'is', null)
        .where('due_at', '<=', now)
        // During a rollout, mails of new kinds are left to the new version.
        .where('kind', 'in', kinds)
        .orderBy('due_at')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['id', 'kind', 'recipient', 'created_at', 'attempts', 'after_entry', 'about'])
    .executeTakeFirst()
}

/**
 * Makes postponed mails due. Not those of the next minute, which may be claimed just now, those that
 * the server refused for good, or those that a restore holds. @returns how many
 */
export async function retryMails(db: Db): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('mail_outbox')
    .set({ due_at: now })
    .where('sent_at', 'is', null)
    .where('attempts', '>', 0)
    .where('due_at', '>', addSeconds(CLAIM_SECONDS))
    .where('due_at', '<=', addSeconds(BACKOFF.maxMs / 1000))
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

async function markSent(db: Db, id: string): Promise<void> {
  await db.updateTable('mail_outbox').set({ sent_at: now }).where('id', '=', id).execute()
}

/** Marks a row as undeliverable. @returns null, as there is no retry */
async function abandon(db: Db, { id }: QueuedMail): Promise<null> {
  await db.updateTable('mail_outbox').set({ due_at: NEVER }).where('id', '=', id).execute()
  return null
}

/** Delays a row after a failure: 10 s, doubling to 10 min. */
async function postpone(db: Db, { id, attempts }: QueuedMail): Promise<number> {
  const seconds = backoffDelay(attempts, BACKOFF) / 1000
  const due = { due_at: addSeconds(seconds), first_due_at: firstDue }
  await db.updateTable('mail_outbox').set(due).where('id', '=', id).execute()
  return seconds
}
