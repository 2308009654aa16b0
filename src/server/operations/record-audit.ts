import type { AuditAction } from '#contract/users.ts'
import type { Db } from '#server/database/schema.ts'
import type { RequestInfo } from '#server/http/context.ts'

/** Somebody who has been deleted is a pseudonym without an address. */
interface Person {
  user_id: string
  email: string | null
}

export interface AuditEntry {
  action: AuditAction
  /** Who did it; undefined for the portal itself. */
  actor?: Person
  /** Whom it was done to. */
  target?: Person
  before?: object
  after?: object
  request: RequestInfo
  at: Date
}

/** Writes one audit row for each entry; call it in the transaction of the change that they tell of. */
export async function recordAudit(db: Db, ...entries: AuditEntry[]): Promise<void> {
  const rows = entries.map((entry) => ({
    at: entry.at,
    actor_id: entry.actor?.user_id ?? null,
    actor_email: entry.actor?.email ?? null,
    action: entry.action,
    target_id: entry.target?.user_id ?? null,
    target_email: entry.target?.email ?? null,
    before: entry.before ? JSON.stringify(entry.before) : null,
    after: entry.after ? JSON.stringify(entry.after) : null,
    ip: entry.request.ip,
    user_agent: entry.request.userAgent,
    request_id: entry.request.requestId,
  }))
  if (rows.length > 0) await db.insertInto('audit_entries').values(rows).execute()
}
