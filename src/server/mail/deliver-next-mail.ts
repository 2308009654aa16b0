import type { Db } from '#server/database/schema.ts'
import type { Log } from '#server/log.ts'
import { type MailKind, PREPARE_MAIL } from './mail-kinds.ts'
import type { Mailer } from './mailer.ts'
import { claimMail, markSent, postpone } from './outbox-queries.ts'
import type { ComposedMail, MailSettings, QueuedMail } from './prepare-mail.ts'

export interface OutboxDeps extends MailSettings {
  db: Db
  mailer: Mailer
  log: Log
}

interface TakenMail {
  row: QueuedMail
  /** Undefined when nobody is owed the mail. */
  composed: ComposedMail | undefined
}

/**
 * Sends the mail that has been due longest, at least once. It is taken in a transaction of its own, so
 * that none waits for a mail server; a crash after that sends it again under the same Message-ID.
 * @returns whether there was one
 */
export async function deliverNextMail(deps: OutboxDeps): Promise<boolean> {
  const taken = await takeMail(deps)
  if (taken?.composed) await sendMail(deps, taken.row, taken.composed)
  return taken !== undefined
}

async function takeMail(deps: OutboxDeps): Promise<TakenMail | undefined> {
  let row: QueuedMail | undefined
  try {
    return await deps.db.transaction().execute(async (transaction) => {
      row = await claimMail(transaction)
      if (!row) return undefined
      const composed = await PREPARE_MAIL[row.kind as MailKind](transaction, row, deps)
      if (!composed) await markSent(transaction, row.id)
      return { row, composed }
    })
  } catch (error) {
    // The claim is undone with the rest; a row that cannot be made must not hold up those behind it.
    if (row) await postpone(deps.db, row)
    throw error
  }
}

async function sendMail(deps: OutboxDeps, row: QueuedMail, composed: ComposedMail): Promise<void> {
  const { db, mailer, log, publicUrl } = deps
  const messageId = `<${row.id}@${new URL(publicUrl).hostname}>`
  try {
    await mailer.deliver({ ...composed, messageId, to: row.recipient, kind: row.kind })
  } catch (error) {
    const retryInSeconds = await postpone(db, row)
    log.warn({ mail: row.id, attempts: row.attempts, retryInSeconds, ...factsOf(error) }, 'mail not sent')
    return
  }
  await markSent(db, row.id)
}

/** Codes and the SMTP verb alone: messages of mail servers repeat the address. */
function factsOf(error: unknown) {
  const { code, responseCode, command } = error as Record<string, unknown>
  return { code, responseCode, command: /^[A-Z]+/.exec(String(command ?? ''))?.[0] }
}
