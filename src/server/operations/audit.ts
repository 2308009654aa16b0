import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { CompiledQuery, sql } from 'kysely'
import { coalesce } from '#contract/timing.ts'
import type { AuditAction } from '#contract/users.ts'
import { prepare } from '#server/database/database.ts'
import type { Db } from '#server/database/schema.ts'
import { ipGroup } from '#server/http/caller-ip.ts'
import type { Context, PublicContext } from '#server/http/context.ts'
import type { Log } from '#server/log.ts'

/** Somebody who has been deleted is a pseudonym without an e-mail. */
interface Person {
  user_id: string
  email: string | null
}

export interface AuditEntry {
  action: AuditAction
  /** Who did it, where that is not the context's actor: whoever holds a mailed link, say. */
  actor?: Person
  /** Whom it was done to. */
  target?: Person
  before?: object
  after?: object
}

/**
 * Writes one audit row for each entry; call it in the transaction of the change that they tell of. Without an actor in
 * the context or the entry, the portal itself did it.
 */
export async function recordAudit(
  { db, clock, request, actor }: PublicContext & Partial<Pick<Context, 'actor'>>,
  ...entries: AuditEntry[]
): Promise<void> {
  const rows = entries.map((entry) => {
    const person = entry.actor ?? actor?.profile
    return {
      at: new Date(clock()),
      actor_id: person?.user_id ?? null,
      actor_email: person?.email ?? null,
      action: entry.action,
      target_id: entry.target?.user_id ?? null,
      target_email: entry.target?.email ?? null,
      before: entry.before ? JSON.stringify(entry.before) : null,
      after: entry.after ? JSON.stringify(entry.after) : null,
      ip: request.ip,
      user_agent: request.userAgent,
      request_id: request.requestId,
    }
  })
  if (rows.length > 0) await db.insertInto('audit_entries').values(rows).execute()
}

const RECORD_ACCESS = prepare(`
  insert into access_records (at, user_id, action, report_id, viewed_as, ip, user_agent, request_id)
  select $1::timestamptz, user_id, $3::text, $4::text, $5::uuid, $6::text, $7::text, $8::text
  from profiles where user_id = $2::uuid for key share`)

/**
 * Records that somebody signed in or was given a report: what "who saw what" is answered from. Of somebody who is
 * deleted at that moment nothing is written, because nothing would take the id out again.
 */
export async function recordAccess(
  { db, clock, request }: PublicContext,
  access: { action: 'sign-in' | 'report'; userId: string; reportId?: string; viewedAs?: string },
): Promise<void> {
  const { ip, userAgent, requestId } = request
  const { action, userId, reportId = null, viewedAs = null } = access
  const values = [new Date(clock()), userId, action, reportId, viewedAs, ip, userAgent, requestId]
  await db.executeQuery(CompiledQuery.raw(RECORD_ACCESS, values))
}

/** Of each hour and account, the newest first; of IPv6 the /64, or one subscriber would fill them. */
const MAX_IPS = 20

/**
 * Counts a sign-in that was refused: whom it was aimed at and from where, never what was typed. An address without an
 * account is kept as a short hash. Call it outside the transaction that the refusal undoes.
 * @param attempt.email in lower case
 * @param attempt.outcome the code of the refusal
 */
export async function countFailedAttempt(
  { db, request }: PublicContext,
  { email, outcome }: { email: string; outcome: string },
): Promise<void> {
  const unknown = `unknown ${createHash('sha256').update(email).digest('hex').slice(0, 4)}`
  await upsertAttempts(db, { email, outcome, ip: request.ip, attempts: 1, unknown })
}

interface Refusal {
  /** In lower case. */
  email: string
  outcome: string
  ip: string
}

/** @param refusal.unknown what stands for an address without an account */
async function upsertAttempts(
  db: Db,
  { email, outcome, ip, attempts, unknown }: Refusal & { attempts: number; unknown: string },
): Promise<void> {
  await sql`
    with person as (select user_id from profiles where email = ${email} for key share)
    insert into failed_sign_ins (hour, subject, user_id, outcome, attempts, ips, last_at)
    select date_trunc('hour', now()), coalesce((select user_id::text from person), ${unknown}::text),
      (select user_id from person), ${outcome}::text, ${attempts}::int, array[${ipGroup(ip)}::text], now()
    on conflict (hour, subject, outcome) do update set
      attempts = failed_sign_ins.attempts + excluded.attempts, last_at = excluded.last_at,
      ips = (excluded.ips || array_remove(failed_sign_ins.ips, excluded.ips[1]))[1:${sql.lit(MAX_IPS)}]`.execute(
    db,
  )
}

const BATCH_MS = 1_000
const MAX_BATCH = 50

/**
 * Makes what counts refusals that cost their sender nothing, as of the human check, in the same rows. They are written
 * down a second later, so that a flood of them is no load: each account and place once, those past fifty together.
 * Addresses without an account share a row, or anybody could fill the table.
 * @returns what is told of one; the last second before the process ends is lost
 */
export function createRefusalCounter({ db, log }: { db: Db; log: Log }) {
  const pending = new Map<string, Refusal & { attempts: number }>()
  const writing = coalesce(async () => {
    await setTimeout(BATCH_MS, undefined, { ref: false })
    const refusals = [...pending.values()]
    pending.clear()
    try {
      for (const refusal of refusals) await upsertAttempts(db, { ...refusal, unknown: 'unknown' })
    } catch (err) {
      log.warn({ err }, 'refusals of the human check not written down')
    }
  }, 0)

  return (refusal: Refusal): void => {
    const own = `${refusal.email} ${ipGroup(refusal.ip)} ${refusal.outcome}`
    const hasOwnRow = pending.has(own) || pending.size < MAX_BATCH
    const key = hasOwnRow ? own : refusal.outcome
    const { attempts } = pending.get(key) ?? { attempts: 0 }
    pending.set(key, { ...refusal, ...(!hasOwnRow && { email: '' }), attempts: attempts + 1 })
    writing.wake()
  }
}
