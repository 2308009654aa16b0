import { sql } from 'kysely'
import { SESSION_IDLE_MS } from '#server/accounts/check-session.ts'
import type { Db, Tables } from '#server/database/schema.ts'
import { deleteUnverifiedSignUps } from './delete-unverified-sign-ups.ts'
import { monthsBefore } from './months-before.ts'

const DAY_MS = 24 * 60 * 60_000

/** How long what is kept for a while is kept (RETENTION_… of the environment). */
export interface RetentionPeriods {
  unverifiedDays: number
  mailDays: number
  messagesMonths: number
  accessMonths: number
  auditMonths: number
}

/** Something that does not stay for ever. */
export interface RetentionRule {
  /** What it deletes, for the log: 'sessions'. */
  name: string
  /**
   * Deletes some of what is old at an instant, passing over rows that somebody holds.
   * @param at ms since the epoch
   * @param limit the most rows to delete at once
   * @returns how many went
   */
  deleteBatch(db: Db, at: number, limit: number): Promise<number>
}

/** Every rule; the periods are those of the LGPD's minimum and of article 15 of the Marco Civil. */
export function retentionRules(periods: RetentionPeriods): RetentionRule[] {
  const { unverifiedDays, mailDays, messagesMonths, accessMonths, auditMonths } = periods
  const isSent = sql<boolean>`sent_at is not null`
  const isUnsent = sql<boolean>`sent_at is null`
  return [
    {
      name: 'unverified sign-ups',
      deleteBatch: (db, at, limit) => deleteUnverifiedSignUps(db, at, unverifiedDays * DAY_MS, limit),
    },
    // Used links are deleted when they are used.
    rule('e-mail links', 'email_links', 'token_hash', 'expires_at', before(0)),
    rule('human checks', 'used_human_checks', 'id', 'expires_at', before(0)),
    rule('sessions', 'sessions', 'id', 'refreshed_at', before(SESSION_IDLE_MS)),
    rule('rate limits', 'rate_limits', 'key', 'resets_at', before(0)),
    rule('sign-in attempts', 'sign_in_attempts', 'key', 'forget_at', before(0)),
    rule('sent mails', 'mail_outbox', 'id', 'created_at', before(mailDays * DAY_MS), isSent),
    // What no server has taken for so long helps nobody any more.
    rule('undeliverable mails', 'mail_outbox', 'id', 'created_at', before(mailDays * DAY_MS), isUnsent),
    rule('support messages', 'support_messages', 'id', 'created_at', months(messagesMonths)),
    rule('access records', 'access_records', 'id', 'at', months(accessMonths)),
    rule('audit entries', 'audit_entries', 'id', 'at', months(auditMonths)),
  ]
}

type Cutoff = (at: number) => Date
const before =
  (ms: number): Cutoff =>
  (at) =>
    new Date(at - ms)
const months =
  (count: number): Cutoff =>
  (at) =>
    monthsBefore(at, count)

/** Deletes the rows of a table whose `column` lies at or before the cut-off. */
function rule(
  name: string,
  table: keyof Tables,
  key: string,
  column: string,
  cutoff: Cutoff,
  condition = sql<boolean>`true`,
): RetentionRule {
  return {
    name,
    async deleteBatch(db, at, limit) {
      const { numAffectedRows } = await sql`
        delete from ${sql.table(table)} where ${sql.ref(key)} in (
          select ${sql.ref(key)} from ${sql.table(table)}
          where ${sql.ref(column)} <= ${cutoff(at)} and ${condition}
          limit ${sql.lit(limit)} for update skip locked)`.execute(db)
      return Number(numAffectedRows ?? 0)
    },
  }
}
