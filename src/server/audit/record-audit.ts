import type { Profile } from '#contract/profiles.ts'
import type { Db } from '#server/database/schema.ts'
import type { RequestInfo } from '#server/http/request-info.ts'

type Person = Pick<Profile, 'user_id' | 'email'>

type AuditAction =
  | 'session-reuse'
  | 'account-created'
  | 'sign-up-repeated'
  | 'account-disowned'
  | 'email-verified'
  | 'password-changed'
  | 'password-reset'
  | 'password-disowned'
  | 'reset-link-printed'
  | 'role-changed'
  | 'builtin-admin-failures'

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

/** Writes one audit row; call it in the transaction of the change that it tells of. */
export async function recordAudit(db: Db, entry: AuditEntry): Promise<void> {
  await db
    .insertInto('audit_entries')
    .values({
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
    })
    .execute()
}
