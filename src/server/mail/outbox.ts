import { type RawBuilder, sql } from 'kysely'
import { quoteForeignWords } from '#contract/foreign-words.ts'
import { backoffDelay, coalesce, wait, withTimeout } from '#contract/timing.ts'
import type { Database } from '#server/database/database.ts'
import type { Db } from '#server/database/schema.ts'
import { type Log, logFirstFailure } from '#server/log.ts'
import { composeMail, type MailContent } from './compose-mail.ts'
import { AWAITED_HOURS, type ComposeMail, type MailContext, type QueuedMail } from './mails.ts'
import type { Mail, Mailer } from './smtp-mailer.ts'
import { classifyFailure, type SmtpOutcome } from './smtp-outcomes.ts'

const POLL_MS = 1_000
/**
 * Pause after each mail. On the embedded database requests wait while a mail is composed, which takes
 * longer for an e-mail with an account: without the pause, response times would reveal it.
 */
const REST_MS = 30
/** Lifetime of a claim, which is renewed meanwhile: it expires only after a crash or a stop. */
const CLAIM_SECONDS = 60
const RENEW_MS = 15_000
/** Mails at once. Exchange Online allows three; the last place is for mails that somebody waits for. */
const PLACES = 4
/** Shorter than the shutdown time-out. */
const STOP_MS = 20_000
const HOUR_MS = 3_600_000
const BACKOFF = { firstMs: 10_000, maxMs: HOUR_MS }
/** After a missing answer: the mail may have arrived, and each attempt may be a copy. */
const UNANSWERED_BACKOFF = { firstMs: 600_000, maxMs: HOUR_MS }
const MAX_HOURS = 48

interface OutboxContext extends MailContext {
  listen: Database['listen']
  mails: Partial<Record<string, ComposeMail>>
  mailer: Mailer
  log: Log
}

export type Outbox = ReturnType<typeof createOutbox>

/**
 * Creates the worker that sends the outbox; every replica runs one.
 * @param options.pollMs interval of looking for due mails without a notification
 * @param options.renewMs interval of renewing claims
 * @param options.stopMs how long stop waits for mails under way
 */
export function createOutbox(
  context: OutboxContext,
  { pollMs = POLL_MS, renewMs = RENEW_MS, stopMs = STOP_MS } = {},
) {
  const { db, log } = context
  let poll: NodeJS.Timeout | undefined
  let renewal: NodeJS.Timeout | undefined
  let stopListening: (() => Promise<void>) | undefined
  const sending = new Map<Promise<void>, QueuedMail>()
  const startDue = async (shouldContinue: () => boolean, restMs: number) => {
    while (shouldContinue() && sending.size < PLACES) {
      const claimed = await claimMail(context, sending.size === PLACES - 1)
      if (!claimed) return
      if (claimed.mail) {
        const sent = sendMail(context, claimed.row, claimed.mail)
          // The claim expires, and the mail is sent again.
          .catch((err) => log.error({ err, mail: claimed.row.id }, 'mail not written down'))
          .finally(() => {
            sending.delete(sent)
            delivery.wake()
          })
        sending.set(sent, claimed.row)
      }
      await wait(restMs)
    }
  }
  // While the database is unavailable, every poll fails.
  const deliver = logFirstFailure(log, 'outbox stalled', () => startDue(() => poll !== undefined, REST_MS))
  const delivery = coalesce(deliver, 0)
  return {
    /** The database notifies every replica of each queued mail. */
    start() {
      poll ??= setInterval(delivery.wake, pollMs)
      // A missed renewal is made up for by the next one.
      renewal ??= setInterval(() => void renewClaims(db, [...sending.values()]).catch(() => {}), renewMs)
      stopListening ??= context.listen('mail_outbox', delivery.wake)
    },
    async deliverDue() {
      await startDue(() => true, 0)
      while (sending.size > 0) {
        await Promise.race(sending.keys())
        await startDue(() => true, 0)
      }
    },
    /** Claims no further mail, and leaves those that a server does not answer to their claim's end. */
    async stop() {
      clearInterval(poll)
      poll = undefined
      await stopListening?.()
      await delivery.stop()
      await withTimeout(Promise.all(sending.keys()), stopMs, () => undefined)
      clearInterval(renewal)
    },
  }
}

/**
 * Claims the mail to send next, in a transaction of its own, so that none waits for a mail server.
 * @returns the row with its mail, which is undefined if it is obsolete
 */
async function claimMail(
  context: OutboxContext,
  onlyAwaited: boolean,
): Promise<{ row: QueuedMail; mail: Mail | undefined } | undefined> {
  const { db, mails, groupName, publicUrl } = context
  let row: QueuedMail | undefined
  try {
    return await db.transaction().execute(async (transaction) => {
      row = await claimRow(transaction, Object.keys(mails), onlyAwaited)
      if (!row) return undefined
      const content = await mails[row.kind]?.({ ...context, db: transaction }, row)
      if (!content) {
        await markSent(transaction, row.id)
        return { row, mail: undefined }
      }
      const messageId = `<${row.id}@${new URL(publicUrl).hostname}>`
      const mail = {
        ...composeMail({ groupName, publicUrl }, tellTimes(content, row.times)),
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

/** Adds how often it happened, where one mail tells of several. */
function tellTimes(content: MailContent, times: number): MailContent {
  if (times === 1) return content
  const total = `Desde então isto aconteceu ${times} vezes, e esta mensagem vale para todas.`
  return { ...content, paragraphs: [...content.paragraphs, total] }
}

/** Sends a mail at least once; after a crash it is sent again with the same Message-ID. */
async function sendMail({ db, mailer, log }: OutboxContext, row: QueuedMail, mail: Mail): Promise<void> {
  let answer: string | undefined
  try {
    answer = (await mailer.deliver(mail)) ?? undefined
  } catch (error) {
    const outcome = classifyFailure(error)
    const retryInSeconds = await postpone(db, row, outcome)
    const { blame, words } = outcome
    log.warn(
      { mail: row.id, attempts: row.attempts, retryInSeconds, blame, answer: words, ...toLogFields(error) },
      'mail not sent',
    )
    return
  }
  await markSent(db, row.id, answer === undefined ? undefined : quoteForeignWords(answer))
}

/** Returns host, codes and the SMTP verb. */
function toLogFields(error: unknown) {
  const { code, responseCode, command, host } = error as Record<string, unknown>
  return { host, code, responseCode, command: /^[A-Z]+/.exec(String(command ?? ''))?.[0] }
}

/** Times come from the database, because replicas' clocks differ. */
const now = sql<Date>`now()`
/** Due time of mails that were given up. */
export const NEVER = sql<Date>`'infinity'::timestamptz`
const firstDue = sql<Date>`coalesce(first_due_at, due_at)`
const addSeconds = (seconds: number) => sql<Date>`now() + ${seconds}::int * interval '1 second'`

/** Claims the row that is due longest, awaited ones first, skipping those claimed by other replicas. */
function claimRow(db: Db, kinds: string[], onlyAwaited: boolean): Promise<QueuedMail | undefined> {
  const isAwaited = sql<boolean>`kind = any(${Object.keys(AWAITED_HOURS)}::text[])`
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
        .$if(onlyAwaited, (waiting) => waiting.where(isAwaited))
        .orderBy(isAwaited, 'desc')
        .orderBy('due_at')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['id', 'kind', 'recipient', 'created_at', 'attempts', 'after_entry', 'about', 'times'])
    .executeTakeFirst()
}

/** Renews claims; not of rows that another replica has sent or postponed since. */
async function renewClaims(db: Db, rows: readonly QueuedMail[]): Promise<void> {
  const ids = rows.map(({ id }) => id)
  await sql`update mail_outbox set due_at = ${addSeconds(CLAIM_SECONDS)}
    where id = any(${ids}::uuid[]) and sent_at is null and due_at < ${addSeconds(CLAIM_SECONDS)}`.execute(db)
}

/**
 * Makes postponed mails due, and those that were given up, which get their time anew. Not those of the
 * next minute, which may be claimed just now, or those that a restore holds. @returns how many
 */
export async function retryMails(db: Db): Promise<number> {
  const isGivenUp = sql<boolean>`due_at = ${NEVER}`
  const isPostponed = sql<boolean>`attempts > 0 and due_at > ${addSeconds(CLAIM_SECONDS)}
    and due_at <= ${addSeconds(HOUR_MS / 1000)}`
  const { numUpdatedRows } = await db
    .updateTable('mail_outbox')
    .set({ due_at: now, first_due_at: sql<Date>`case when ${isGivenUp} then now() else first_due_at end` })
    .where('sent_at', 'is', null)
    .where((row) => row.or([isGivenUp, isPostponed]))
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

async function markSent(db: Db, id: string, answer?: string): Promise<void> {
  const answered = answer !== undefined && { answer, answered_at: now, blame: null }
  await db
    .updateTable('mail_outbox')
    .set({ sent_at: now, ...answered })
    .where('id', '=', id)
    .execute()
}

/**
 * Delays a row after a failure: 10 s, doubling to an hour, for two days or as its link is good.
 * @returns seconds until the next attempt, null if there is none
 */
async function postpone(db: Db, row: QueuedMail, outcome?: SmtpOutcome): Promise<number | null> {
  const { id, kind, attempts } = row
  const backoff = outcome?.mayHaveArrived ? UNANSWERED_BACKOFF : BACKOFF
  const due = addSeconds(backoffDelay(attempts, backoff) / 1000)
  const hours = (AWAITED_HOURS as Record<string, number>)[kind] ?? MAX_HOURS
  const end = sql<Date>`${firstDue} + ${hours}::int * interval '1 hour'`
  // The last attempt is at the end.
  const next: RawBuilder<Date> = outcome?.isFinal
    ? NEVER
    : sql<Date>`case when ${end} <= now() then ${NEVER} else least(${due}, ${end}) end`
  const answered = outcome && { answer: outcome.words, answered_at: now, blame: outcome.blame }
  const updated = await db
    .updateTable('mail_outbox')
    .set({ due_at: next, first_due_at: firstDue, ...answered })
    .where('id', '=', id)
    .where('sent_at', 'is', null)
    // Another replica may have claimed it since.
    .where('attempts', '<=', attempts)
    .returning(sql<number | null>`extract(epoch from nullif(due_at, ${NEVER}) - now())::float8`.as('seconds'))
    .executeTakeFirst()
  const seconds = updated?.seconds ?? null
  return seconds === null ? null : Math.round(seconds)
}
