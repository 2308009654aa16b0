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
 * Rest after each mail. On the embedded database requests wait while a mail is prepared, which takes longer for
 * an e-mail that has an account: without the rest the next answers would tell.
 */
const REST_MS = 30
/** How long a taken row is left alone: longer than sending can last, so that only a crash lets it run out. */
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
 * The worker that empties the outbox; every replica runs one.
 * @param pollMs how often it looks for mails that are due again, or that no notification told of
 */
export function createOutbox(context: OutboxContext, pollMs = POLL_MS) {
  let poll: NodeJS.Timeout | undefined
  let stopListening: (() => Promise<void>) | undefined
  const deliverWhile = async (mayGoOn: () => boolean, restMs: number) => {
    while (mayGoOn() && (await deliverNextMail(context))) await wait(restMs)
  }
  // While the database is away, every poll fails.
  const deliver = logFirstFailure(context.log, 'outbox stalled', () =>
    deliverWhile(() => poll !== undefined, REST_MS),
  )
  const delivery = coalesce(deliver, 0)
  return {
    /** The database notifies of each mail that is queued, on whatever replica. */
    start() {
      poll ??= setInterval(delivery.wake, pollMs)
      stopListening ??= context.listen('mail_outbox', delivery.wake)
    },
    deliverDue: () => deliverWhile(() => true, 0),
    /** Takes no further mail and waits for the one that is being sent. */
    async stop() {
      clearInterval(poll)
      poll = undefined
      await stopListening?.()
      await delivery.stop()
    },
  }
}

/**
 * Sends the mail that has been due longest, at least once. It is taken in a transaction of its own, so
 * that none waits for a mail server; a crash after that sends it again under the same Message-ID.
 * @returns whether there was one
 */
async function deliverNextMail(context: OutboxContext): Promise<boolean> {
  const taken = await takeMail(context)
  if (taken?.mail) await sendMail(context, taken.row, taken.mail)
  return taken !== undefined
}

/** @returns the row with its mail, which is undefined when it is not owed any more */
async function takeMail(
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
      const mail = { ...composeMail(groupName, content), messageId, to: row.recipient, kind: row.kind }
      return { row, mail }
    })
  } catch (error) {
    // The claim is undone with the rest; a row that cannot be made must not hold up those behind it.
    if (row) await postpone(db, row)
    throw error
  }
}

async function sendMail({ db, mailer, log }: OutboxContext, row: QueuedMail, mail: Mail): Promise<void> {
  try {
    await mailer.deliver(mail)
  } catch (error) {
    const retryInSeconds = isRefusedForGood(error) ? await giveUp(db, row) : await postpone(db, row)
    log.warn({ mail: row.id, attempts: row.attempts, retryInSeconds, ...factsOf(error) }, 'mail not sent')
    return
  }
  await markSent(db, row.id)
}

/**
 * Whether the server refused this recipient or this mail for good (RFC 5321, 4.2.1: 5yz). Not its policy (RFC 3463,
 * X.7.Z: relaying denied, say), nor our sender or credentials: an operator can mend those.
 */
export function isRefusedForGood(error: unknown): boolean {
  const { responseCode, command, response } = error as Record<string, unknown>
  const isAboutMail = /^(RCPT|DATA)/.test(String(command ?? ''))
  return isAboutMail && Number(responseCode) >= 500 && !/^5\d\d[ -]5\.7\./.test(String(response ?? ''))
}

/** Host, codes and the SMTP verb: messages of mail servers repeat the address, those of the network do not. */
function factsOf(error: unknown) {
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

/** Times are the database's own: replicas' clocks differ. */
const now = sql<Date>`now()`
/** When a mail is due that was refused for good. */
export const NEVER = sql<Date>`'infinity'::timestamptz`
const inSeconds = (seconds: number) => sql<Date>`now() + ${seconds}::int * interval '1 second'`

/** Takes the row that has been due longest, passing over those that another replica is taking. */
function claimRow(db: Db, kinds: string[]): Promise<QueuedMail | undefined> {
  return db
    .updateTable('mail_outbox')
    .set((row) => ({ attempts: row('attempts', '+', 1), due_at: inSeconds(CLAIM_SECONDS) }))
    .where('id', '=', ({ selectFrom }) =>
      selectFrom('mail_outbox')
        .select('id')
        .where('sent_at', 'is', null)
        .where('due_at', '<=', now)
        // While a new version is rolled out, its kinds are left to it.
        .where('kind', 'in', kinds)
        .orderBy('due_at')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['id', 'kind', 'recipient', 'created_at', 'attempts'])
    .executeTakeFirst()
}

async function markSent(db: Db, id: string): Promise<void> {
  await db.updateTable('mail_outbox').set({ sent_at: now }).where('id', '=', id).execute()
}

/** A row that is never due again; it goes with the undeliverable ones. @returns no time to the next try */
async function giveUp(db: Db, { id }: QueuedMail): Promise<null> {
  await db.updateTable('mail_outbox').set({ due_at: NEVER }).where('id', '=', id).execute()
  return null
}

/** Puts a row off after a failure: 10 s, doubling to 10 min. */
async function postpone(db: Db, { id, attempts }: QueuedMail): Promise<number> {
  const seconds = backoffDelay(attempts, BACKOFF) / 1000
  const due = { due_at: inSeconds(seconds) }
  await db.updateTable('mail_outbox').set(due).where('id', '=', id).execute()
  return seconds
}
