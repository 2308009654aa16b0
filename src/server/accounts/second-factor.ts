import { sql } from 'kysely'
import type { Factor } from '#contract/factors.ts'
import { executePrepared } from '#server/database/database.ts'
import type { Db } from '#server/database/schema.ts'

const DAY_MS = 24 * 60 * 60_000

/** Of whom a second factor is required, and how long after their first sign-in it may be missing. */
export interface SecondFactorPolicy {
  requiredOf: 'nobody' | 'admins' | 'everyone'
  graceDays: number
}

interface PolicyContext {
  db: Db
  /** Undefined for nobody. */
  secondFactor?: SecondFactorPolicy
}

/** Lists a person's factors in GoTrue's shape, oldest first; the set of recovery codes is one. */
export async function listFactors(db: Db, userId: string): Promise<Factor[]> {
  const statement = sql<Factor & { made: Date; used: Date | null }>`
    select id, friendly_name, factor_type, created_at as made, coalesce(last_used_at, verified_at) as used,
      case when verified_at is null then 'unverified' else 'verified' end as status
    from factors where user_id = ${userId}
    union all
    select set_id, '', 'recovery_code', created_at, max(used_at), 'verified'
    from recovery_codes where user_id = ${userId} group by set_id, created_at
    order by made, id`.compile(db)
  const { rows } = await executePrepared(db, statement)
  return rows.map(({ made, used, ...factor }) => ({
    ...factor,
    created_at: made.toISOString(),
    updated_at: (used ?? made).toISOString(),
  }))
}

/** Whether a person's sign-in takes two steps. */
export function hasVerified(factors: readonly Factor[]): boolean {
  return factors.some(({ factor_type, status }) => factor_type !== 'recovery_code' && status === 'verified')
}

/** Whether a session of one step opens nothing else yet; the first one starts the period of grace. */
export async function isFactorOwed(
  context: PolicyContext & { clock: () => number },
  userId: string,
): Promise<boolean> {
  const { db, clock } = context
  const own = db.selectFrom('factors').select('id').where('user_id', '=', userId)
  const verified = await executePrepared(db, own.where('verified_at', 'is not', null).compile())
  if (verified.rows.length > 0) return true
  if (!(await isFactorRequired(context, userId))) return false
  await sql`insert into factor_settings (user_id, required_since) values (${userId}, ${new Date(clock())})
    on conflict (user_id) do update set required_since = excluded.required_since
    where factor_settings.required_since is null`.execute(db)
  const due = await readFactorDue(context, userId)
  if (!due || due.getTime() > clock()) return false
  // Nobody could set one up meanwhile.
  return !(await isPreviousVersionActive(db, clock()))
}

/** Returns until when a required factor may be missing; undefined if none is required. */
export async function readFactorDue(context: PolicyContext, userId: string): Promise<Date | undefined> {
  if (!(await isFactorRequired(context, userId))) return undefined
  const row = await context.db
    .selectFrom('factor_settings')
    .select('required_since')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  const graceMs = (context.secondFactor?.graceDays ?? 0) * DAY_MS
  return row?.required_since ? new Date(row.required_since.getTime() + graceMs) : undefined
}

async function isFactorRequired({ db, secondFactor }: PolicyContext, userId: string): Promise<boolean> {
  if (!secondFactor || secondFactor.requiredOf === 'nobody') return false
  if (secondFactor.requiredOf === 'everyone') return true
  const role = await db
    .selectFrom('user_roles')
    .select('role')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return role?.role === 'admin'
}

/** Deletes factors and recovery codes. @returns whether there were factors */
export async function deleteFactors(db: Db, userId: string): Promise<boolean> {
  await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  const { numDeletedRows } = await db.deleteFrom('factors').where('user_id', '=', userId).executeTakeFirst()
  return numDeletedRows > 0n
}

/**
 * Checks for sessions that 0.2 opened or refreshed in the last hour: it would open accounts without
 * asking for their second factor, so that nobody may enrol one.
 */
export async function isPreviousVersionActive(db: Db, now: number): Promise<boolean> {
  const { rows } = await sql<{ active: boolean }>`select exists (select from sessions
    where refreshed_at > ${new Date(now - 60 * 60_000)}
      and (aal is null or renewed_at is distinct from refreshed_at)) as active`.execute(db)
  return rows[0]?.active ?? false
}
