import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { AuditAction } from '#contract/audit-actions.ts'
import type { RetentionPeriods } from '#contract/privacy.ts'
import { SESSION_IDLE_MS } from '#server/accounts/sessions.ts'
import type { Db, Tables } from '#server/database/schema.ts'
import { eraseNames, pseudonymizeRecords } from '#server/users/erase-names.ts'
import type { Chain } from './trail-chain.ts'

const DAY_MS = 24 * 60 * 60_000
export interface RetentionRule {
  /** The deleted data, for the log: 'sessions'. */
  name: string
  /**
   * Deletes a batch of expired rows, skipping locked ones.
   * @param at ms since the epoch
   * @param limit the maximum of rows
   * @returns the number of deleted rows
   */
  deleteBatch(db: Db, at: number, limit: number): Promise<number>
}

/** Creates all rules; their periods follow the LGPD's minimum and article 15 of the Marco Civil. */
export function createRetentionRules(periods: RetentionPeriods): RetentionRule[] {
  const { unverifiedDays, mailDays, messagesMonths, accessMonths, attemptsDays, auditMonths, usageMonths } =
    periods
  const { requestsDays, invitationsDays, devicesDays, suspectDays, subscriptionsDays, noticesDays } = periods
  const isSent = sql<boolean>`sent_at is not null`
  const isSuperseded = sql<boolean>`exists (
    select from access_reviews newer where (newer.kind, newer.code) = (access_reviews.kind, access_reviews.code)
      and newer.reviewed_at > access_reviews.reviewed_at)`
  const isUnsent = sql<boolean>`sent_at is null`
  const isStopped = sql<boolean>`next_run_at is null`
  return [
    {
      name: 'unverified sign-ups',
      deleteBatch: (db, at, limit) => deleteUnverifiedSignUps(db, at, unverifiedDays * DAY_MS, limit),
    },
    toRule('access requests', 'access_requests', 'user_id', 'requested_at', keepDays(requestsDays)),
    { name: 'invitations', deleteBatch: deleteUnansweredInvitations(keepDays(invitationsDays)) },
    // Used links are deleted at once.
    toRule('e-mail links', 'email_links', 'token_hash', 'expires_at', keepMs(0)),
    toRule('human checks', 'used_human_checks', 'id', 'expires_at', keepMs(0)),
    toRule('sessions', 'sessions', 'id', 'refreshed_at', keepMs(SESSION_IDLE_MS)),
    toRule('sign-in devices', 'sign_in_devices', 'id', 'seen_at', keepDays(devicesDays)),
    toRule('idempotency keys', 'idempotency_keys', 'id', 'created_at', keepDays(1)),
    toRule('deleted views', 'report_views', 'id', 'deleted_at', keepDays(1)),
    toRule('removed reports', 'further_reports', 'id', 'deleted_at', keepDays(1)),
    toRule(
      'stopped subscriptions',
      'report_subscriptions',
      'id',
      'updated_at',
      keepDays(subscriptionsDays),
      isStopped,
    ),
    toRule('finished jobs', 'jobs', 'id', 'finished_at', keepDays(1)),
    toRule('rate limits', 'rate_limits', 'key', 'resets_at', keepMs(0)),
    toRule('sign-in attempts', 'sign_in_attempts', 'key', 'forget_at', keepMs(0)),
    toRule('sent mails', 'mail_outbox', 'id', 'created_at', keepDays(mailDays), isSent),
    toRule('undeliverable mails', 'mail_outbox', 'id', 'created_at', keepDays(mailDays), isUnsent),
    toRule('support messages', 'support_messages', 'id', 'created_at', keepMonths(messagesMonths)),
    toRule('suspect messages', 'suspect_messages', 'id', 'created_at', keepDays(suspectDays)),
    toRule('ended notices', 'notices', 'id', 'ends_at', keepDays(noticesDays)),
    toRule('deleted notices', 'notices', 'id', 'deleted_at', keepDays(1)),
    { name: 'access records', deleteBatch: deleteOldTrail('access', keepMonths(accessMonths)) },
    toRule('failed sign-ins', 'failed_sign_ins', 'id', 'last_at', keepDays(attemptsDays)),
    toRule('sums of the use', 'usage_sums', 'id', 'starts_on', keepMonths(usageMonths)),
    toRule('report timings', 'usage_timings', 'id', 'day', keepMonths(usageMonths)),
    // The newest review of each area or brand stays, as the date of its last review.
    toRule('access reviews', 'access_reviews', 'id', 'reviewed_at', keepMonths(auditMonths), isSuperseded),
    { name: 'audit entries', deleteBatch: deleteOldTrail('audit', keepMonths(auditMonths)) },
  ]
}

type Cutoff = (at: number) => Date
const keepMs = (ms: number) => (at: number) => new Date(at - ms)
const keepDays = (count: number) => keepMs(count * DAY_MS)
const keepMonths = (count: number) => (at: number) => subtractMonths(at, count)

/** Creates a rule that deletes rows whose `column` is at or before the cutoff. */
function toRule(
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

/**
 * Uses the only function that the trail's guard allows to delete: once a chain is sealed, it removes a
 * prefix, and counts seals.
 */
function deleteOldTrail(chain: Chain, cutoff: Cutoff): RetentionRule['deleteBatch'] {
  return async (db, at, limit) => {
    const { rows } = await sql<{ count: number }>`
      select delete_old_trail(${chain}, ${cutoff(at)}::timestamptz, ${limit}::int) as count`.execute(db)
    return rows[0]?.count ?? 0
  }
}

/** Deletes invitations without an answer, audits each, and erases the addresses without an account. */
const deleteUnansweredInvitations =
  (cutoff: Cutoff): RetentionRule['deleteBatch'] =>
  (db, at, limit) =>
    db.transaction().execute(async (transaction) => {
      const { rows: gone } = await sql<{ email: string }>`
      delete from invitations where id in (
        select id from invitations where invited_at <= ${cutoff(at)} limit ${sql.lit(limit)} for update skip locked)
      returning email, types, marcas, estados`.execute(transaction)
      if (gone.length === 0) return 0
      const entry = { at: new Date(at), action: 'invitation-lost' satisfies AuditAction }
      const after = JSON.stringify({ reason: 'expired' })
      const entries = gone.map((before) => ({ ...entry, before: JSON.stringify(before), after }))
      await transaction.insertInto('audit_entries').values(entries).execute()
      const people = gone.map(({ email }) => ({ user_id: null, email, pseudonym: randomUUID() }))
      await eraseNames(transaction, people)
      return gone.length
    })

/**
 * Deletes abandoned sign-ups, erases their names and audits each: never verified, never approved or
 * changed (which raises the entitlement version), and unused for the whole period.
 * @param at ms since the epoch
 * @returns the number of deleted accounts
 */
function deleteUnverifiedSignUps(db: Db, at: number, periodMs: number, limit: number): Promise<number> {
  const cutoff = new Date(at - periodMs)
  return db.transaction().execute(async (transaction) => {
    const { rows: gone } = await sql<{ user_id: string; email: string }>`
      delete from profiles where id in (
        select p.id from profiles p
        where p.email_verified_at is null and not p.approved and p.entitlement_version = 1
          and p.created_at <= ${cutoff}
          and (p.last_sign_in_at is null or p.last_sign_in_at <= ${cutoff})
          and not exists (select 1 from user_roles r where r.user_id = p.user_id and r.role = 'admin')
          and not exists (select 1 from sessions s where s.user_id = p.user_id and s.refreshed_at > ${cutoff})
        limit ${sql.lit(limit)} for update of p skip locked)
      returning user_id, email`.execute(transaction)
    if (gone.length === 0) return 0
    const people = gone.map((person) => ({ ...person, pseudonym: randomUUID() }))
    await pseudonymizeRecords(transaction, people)
    const before = JSON.stringify({ approved: false, verified: false })
    const entry = { at: new Date(at), action: 'user-deleted' satisfies AuditAction, before }
    const entries = people.map(({ pseudonym }) => ({ ...entry, target_id: pseudonym }))
    await transaction.insertInto('audit_entries').values(entries).execute()
    return gone.length
  })
}

/**
 * Subtracts calendar months, in UTC; clamps to the last day of a shorter month.
 * @param instant ms since the epoch
 */
export function subtractMonths(instant: number, months: number): Date {
  const then = new Date(instant)
  const day = then.getUTCDate()
  then.setUTCDate(1)
  then.setUTCMonth(then.getUTCMonth() - months)
  const lastDay = new Date(Date.UTC(then.getUTCFullYear(), then.getUTCMonth() + 1, 0)).getUTCDate()
  then.setUTCDate(Math.min(day, lastDay))
  return then
}
