import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { CompiledQuery, sql } from 'kysely'
import {
  type AccessAction,
  type AuditAction,
  UNDOABLE_EDITS,
  UNDOABLE_THINGS,
} from '#contract/audit-actions.ts'
import { coalesce } from '#contract/timing.ts'
import { UNDO_HOURS } from '#contract/user-rules.ts'
import { prepare } from '#server/database/database.ts'
import type { Db } from '#server/database/schema.ts'
import { toIpPrefix } from '#server/http/client-ip.ts'
import type { Context, PublicContext } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import type { Log } from '#server/log.ts'

/** A deleted person has a pseudonym and no email. */
interface Person {
  user_id: string
  email: string | null
}

export interface AuditEntry {
  action: AuditAction
  /** The actor, if not the context's: the holder of a mailed link, for example. */
  actor?: Person
  /** The affected person. */
  target?: Person
  before?: object
  after?: object
  /** The id for the undo. */
  batchId?: string
}

/** The entry of a change of a thing, for its undo, whose own entry gets its batch. */
export interface ChangeToUndo {
  before: Readonly<Record<string, unknown>> | null
  after: Readonly<Record<string, unknown>> | null
  batchId: string
}

export const createChangedSinceError = () =>
  new ProblemError('conflict', { detail: 'Isto foi alterado de novo depois. Nada foi desfeito.' })

/** Whose own changes get the id of their undo, and when (ms since the epoch). */
export interface TrailReader {
  id: string
  now: number
}

/**
 * Selects the id that undoes an entry `e`; null where nothing can be undone. An undo has the batch of
 * what it undid; that of a thing is an entry of the same kind.
 */
export const selectUndoId = ({ id, now }: TrailReader) =>
  sql<
    string | null
  >`case when e.actor_id = ${id} and e.action = any(${[...UNDOABLE_EDITS, ...UNDOABLE_THINGS]}::text[])
    and e.at > ${new Date(now - UNDO_HOURS * 60 * 60_000)} and not exists (
      select from audit_entries u where u.batch_id = e.batch_id and (u.action = 'bulk-edit-undone'
        or e.action = any(${UNDOABLE_THINGS}::text[]) and u.id <> e.id))
    then e.batch_id end`

/** Writes audit entries, in the transaction of their change. Without an actor, it is the portal itself. */
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
      batch_id: entry.batchId ?? null,
    }
  })
  if (rows.length > 0) await db.insertInto('audit_entries').values(rows).execute()
}

const RECORD_ACCESS = prepare(`
  insert into access_records (at, user_id, action, report_id, viewed_as, ip, user_agent, request_id, method)
  select $1::timestamptz, p.user_id, $3::text, $4::text, $5::uuid, $6::text, $7::text, $8::text, $9::text
  from profiles p join profiles viewed on viewed.user_id = coalesce($5::uuid, $2::uuid)
  where p.user_id = $2::uuid for key share
  returning id`)

/**
 * Records a sign-in or its first step, a token for a report, or that it was shown; unless the user or
 * viewed person was deleted meanwhile: nothing would remove the id. @returns whether it was written
 */
export async function recordAccess(
  { db, clock, request }: PublicContext,
  access: {
    action: AccessAction
    userId: string
    reportId?: string
    viewedAs?: string
    method?: string
  },
): Promise<boolean> {
  const { ip, userAgent, requestId } = request
  const { action, userId, reportId = null, viewedAs = null, method = null } = access
  const values = [new Date(clock()), userId, action, reportId, viewedAs, ip, userAgent, requestId, method]
  const { rows } = await db.executeQuery(CompiledQuery.raw(RECORD_ACCESS, values))
  return rows.length > 0
}

/** The newest IPs kept per row; an IPv6 /64 counts as one, because one subscriber owns it. */
const MAX_IPS = 20

/**
 * Counts a refused sign-in by account and IP, without the password. Unknown addresses are stored as a
 * short hash. Call it outside the transaction that the refusal rolls back.
 * @param attempt.email in lower case
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

/** @param refusal.unknown replaces an address without an account */
async function upsertAttempts(
  db: Db,
  { email, outcome, ip, attempts, unknown }: Refusal & { attempts: number; unknown: string },
): Promise<void> {
  await sql`
    with person as (select user_id from profiles where email = ${email} for key share)
    insert into failed_sign_ins (hour, subject, user_id, outcome, attempts, ips, last_at)
    select date_trunc('hour', now()), coalesce((select user_id::text from person), ${unknown}::text),
      (select user_id from person), ${outcome}::text, ${attempts}::int, array[${toIpPrefix(ip)}::text], now()
    on conflict (hour, subject, outcome) do update set
      attempts = failed_sign_ins.attempts + excluded.attempts, last_at = excluded.last_at,
      ips = (excluded.ips || array_remove(failed_sign_ins.ips, excluded.ips[1]))[1:${sql.lit(MAX_IPS)}]`.execute(
    db,
  )
}

export type RefusalCounter = ReturnType<typeof createRefusalCounter>

const BATCH_MS = 1_000
const MAX_BATCH = 50

/**
 * Creates a counter of refusals that cost the sender nothing (checks and limits). Batches writes every
 * second, with at most fifty rows; unknown addresses share a row, so that nobody can flood the table.
 * @returns counts one refusal; the last batch before the process ends is lost
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
      log.warn({ err }, 'refused sign-ins not written down')
    }
  }, 0)

  return (refusal: Refusal): void => {
    const own = `${refusal.email} ${toIpPrefix(refusal.ip)} ${refusal.outcome}`
    const hasOwnRow = pending.has(own) || pending.size < MAX_BATCH
    const key = hasOwnRow ? own : refusal.outcome
    const { attempts } = pending.get(key) ?? { attempts: 0 }
    pending.set(key, { ...refusal, ...(!hasOwnRow && { email: '' }), attempts: attempts + 1 })
    writing.wake()
  }
}
