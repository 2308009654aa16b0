import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#server/database/schema.ts'
import { runAdminTransaction } from '#server/http/admin-transaction.ts'
import type { Context, PublicContext } from '#server/http/context.ts'
import type { RateLimits } from '#server/http/rate-limits.ts'
import { recordAudit } from '#server/operations/audit.ts'
import { lockProfile, readProfile } from './user-queries.ts'

const OWN_EXPORTS = { max: 10, windowSeconds: 600 }

/** Exports the caller's own data, which reads every table. @throws ProblemError rate-limited */
export async function exportOwnData(context: Context & Pick<RateLimits, 'consumeRateLimit'>) {
  const { user_id } = context.actor.profile
  await context.consumeRateLimit(`own-export ${user_id}`, OWN_EXPORTS)
  return exportUser(context, user_id)
}

/** Exports the data of the caller or, for administrators, of anybody. @throws ProblemError not-found */
export async function exportUser(context: Context, userId: string): Promise<Record<string, unknown>> {
  const isOwn = userId === context.actor.profile.user_id
  return runExport(context, isOwn, (db) => readUserData({ ...context, db }, userId, isOwn))
}

/**
 * Reads all data about a person (LGPD art. 18) except credentials: no hashes, keys or link tokens.
 * Actions on others come without their targets, actions by others without IP and user agent.
 * It is an entry itself: call it in a transaction. @throws ProblemError not-found
 */
export async function readUserData(
  context: PublicContext & Partial<Pick<Context, 'actor'>>,
  userId: string,
  isOwn = false,
): Promise<Record<string, unknown>> {
  const { db } = context
  // Entries written during a deletion would keep the address.
  await lockProfile(db, userId)
  const { version: _, request: __, ...profile } = await readProfile(db, userId)
  // Nobody has proved to own an unverified address, so what only it leads to is not the caller's.
  const address = isOwn && profile.email_verified_at === null ? null : profile.email
  const query = async (statement: RawBuilder<unknown>) => (await statement.execute(db)).rows
  const exported = {
    exported_at: new Date(context.clock()),
    profile,
    access_requests: await query(sql`
      select workplace, types, marcas, estados, note, requested_at, refused_at, refusal
      from access_requests where user_id = ${userId}`),
    invitations: await query(sql`
      select full_name, types, marcas, estados, valid_until, invited_at from invitations where email = ${address}::text`),
    sessions: await query(sql`
      select id, kind, aal, created_at, refreshed_at, authenticated_at, ip, user_agent
      from sessions where user_id = ${userId} order by created_at`),
    factors: await query(sql`
      select factor_type, friendly_name, created_at, verified_at, last_used_at from factors
      where user_id = ${userId} order by created_at`),
    recovery_codes: await query(sql`
      select created_at, used_at from recovery_codes where user_id = ${userId} order by used_at`),
    microsoft_account: await query(sql`
      select tenant_id, object_id, email, linked_at, last_used_at, groups, groups_at, missing_claims
      from identities where user_id = ${userId}`),
    second_factor_required: await query(sql`
      select required_since from factor_settings where user_id = ${userId} and required_since is not null`),
    known_browsers: await query(sql`
      select created_at, seen_at from sign_in_devices where user_id = ${userId} order by created_at`),
    // The history, then the current one.
    passwords: await query(sql`
      select changed_at from password_history where user_id = ${userId} union all
      select changed_at from passwords where user_id = ${userId} order by changed_at`),
    waiting_links: await query(sql`
      select purpose, expires_at from email_links
      where user_id = ${userId} and purpose <> 'signup-used' order by expires_at`),
    access_records: await query(sql`
      select at, action, method, report_id, ip, user_agent from access_records where user_id = ${userId} order by id`),
    use_in_open_periods: await query(sql`
      select period, starts_on, report_id, openings from usage_open where user_id = ${userId} order by id`),
    usage_mail: await query(sql`select created_at from usage_mails where user_id = ${userId}`),
    // By administrators ('Ver como').
    reports_viewed_as_the_person: await query(sql`
      select at, report_id from access_records where viewed_as = ${userId} order by id`),
    failed_sign_ins: await query(sql`
      select hour, outcome, attempts from failed_sign_ins where user_id = ${userId} order by hour, outcome`),
    changes_to_the_person: await query(sql`
      select at, action, before, after from audit_entries
      where target_id = ${userId}
        or (action like 'invitation-%' and ${address}::text in (before ->> 'email', after ->> 'email'))
      order by id`),
    acts_of_the_person: await query(sql`
      select at, action, ip, user_agent from audit_entries where actor_id = ${userId} order by id`),
    report_views: await query(sql`
      select type, report_id, name, state, is_default, shared, updated_at, deleted_at from report_views
      where user_id = ${userId} order by updated_at`),
    report_subscriptions: await query(sql`
      select type, report_id, view_id, format, every, weekday, day, hour, next_run_at, last_sent_at, failure
      from report_subscriptions where user_id = ${userId} order by created_at`),
    views_opened: await query(sql`
      select view_id, opened_at from opened_report_views where user_id = ${userId} order by opened_at`),
    notices_closed: await query(sql`
      select n.text, c.closed_at from closed_notices c join notices n on n.id = c.notice_id
      where c.user_id = ${userId} order by c.closed_at`),
    access_reviews: await query(sql`
      select kind, code, reviewed_at, kept, removed from access_reviews
      where reviewer_id = ${userId} order by reviewed_at`),
    // By administrators, of the person's access.
    reviews_of_the_person: await query(sql`
      select r.kind, r.code, r.reviewed_at, p.removed
      from access_review_people p join access_reviews r on r.id = p.review_id
      where p.user_id = ${userId} order by r.reviewed_at`),
    messages_handled: await query(sql`
      select id, handled_at, answered from support_messages where handled_by = ${userId} order by handled_at`),
    report_exports: await query(sql`
      select input, status, created_at from jobs where user_id = ${userId} order by created_at`),
    mails: await query(sql`
      select kind, created_at, sent_at from mail_outbox where recipient = ${address}::text order by created_at`),
    support_messages: await query(sql`
      select name, email, phone, message, is_read, created_at from support_messages
      where lower(email) = ${address}::text order by created_at`),
    suspect_messages: await query(sql`
      select name, email, phone, message, created_at from suspect_messages
      where lower(email) = ${address}::text order by created_at`),
  }
  const entry = {
    action: 'data-exported',
    target: profile,
    ...(isOwn && { after: { own: true } }),
  } as const
  await recordAudit(context, entry)
  return exported
}

/** Everybody may export their own data. */
function runExport<T>(context: Context, isOwn: boolean, read: (db: Db) => Promise<T>): Promise<T> {
  return isOwn ? context.db.transaction().execute(read) : runAdminTransaction(context, read)
}
