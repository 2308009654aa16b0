import { sql } from 'kysely'
import type { Db } from '#server/database/schema.ts'

/**
 * Deletes accounts that came to nothing: their address was never verified, no administrator has ever approved or
 * changed them (which raises the entitlement version), and in all the period nobody has signed in or kept a
 * session alive. Each leaves an audit row of the portal's own in the same statement.
 * @param at ms since the epoch
 * @param periodMs how long a sign-up may wait for its verification
 * @returns how many went
 */
export async function deleteUnverifiedSignUps(
  db: Db,
  at: number,
  periodMs: number,
  limit: number,
): Promise<number> {
  const cutoff = new Date(at - periodMs)
  const { rows } = await sql<{ count: number }>`
    with gone as (
      delete from profiles where id in (
        select p.id from profiles p
        where p.email_verified_at is null and not p.approved and p.entitlement_version = 1
          and p.created_at <= ${cutoff}
          and (p.last_sign_in_at is null or p.last_sign_in_at <= ${cutoff})
          and not exists (select 1 from user_roles r where r.user_id = p.user_id and r.role = 'admin')
          and not exists (select 1 from sessions s where s.user_id = p.user_id and s.refreshed_at > ${cutoff})
        limit ${sql.lit(limit)} for update of p skip locked)
      returning user_id, email),
    recorded as (
      insert into audit_entries (at, action, target_id, target_email, before)
      select ${new Date(at)}::timestamptz, 'user-deleted', user_id, email, '{"approved": false, "verified": false}'::jsonb
      from gone returning id)
    select count(*)::int as count from recorded`.execute(db)
  return rows[0]?.count ?? 0
}
