import { sql } from 'kysely'
import type { Entitlements } from '#contract/catalogue.ts'
import type { Db } from '#server/database/schema.ts'
import type { AuditEntry } from '#server/operations/record-audit.ts'

/** So many people a statement: a server breaks off statements that last longer than five seconds. */
export const CHUNK = 2_000

/** One person's lists, all three as they become, and what the audit entry says of it. */
export interface EntitlementChange {
  user_id: string
  email: string
  lists: Entitlements
  before: object
  after: object
}

/** Writes the lists of locked people and an audit entry for each; call it in a transaction. */
export async function writeChanges(
  db: Db,
  changes: readonly EntitlementChange[],
  entry: Required<Pick<AuditEntry, 'action' | 'actor' | 'request' | 'at'>> & { batchId: string },
): Promise<void> {
  if (changes.length === 0) return
  const lists = JSON.stringify(changes.map(({ user_id, lists }) => ({ user_id, ...lists })))
  await sql`update profiles p set types = c.types, marcas = c.marcas, estados = c.estados
    from jsonb_to_recordset(${lists}::jsonb) as c(user_id uuid, types text[], marcas text[], estados text[])
    where p.user_id = c.user_id`.execute(db)
  const told = JSON.stringify(
    changes.map(({ user_id, email, before, after }) => ({ user_id, email, before, after })),
  )
  const { action, actor, request, at, batchId } = entry
  await sql`insert into audit_entries
      (at, actor_id, actor_email, action, target_id, target_email, before, after, ip, user_agent, request_id, batch_id)
    select ${at}::timestamptz, ${actor.user_id}::uuid, ${actor.email}::text, ${action}::text, c.user_id, c.email,
      c.before, c.after, ${request.ip}::text, ${request.userAgent}::text, ${request.requestId}::text, ${batchId}::uuid
    from jsonb_to_recordset(${told}::jsonb) as c(user_id uuid, email text, before jsonb, after jsonb)`.execute(
    db,
  )
}

export function* inChunks<T>(items: readonly T[]): Generator<T[]> {
  for (let start = 0; start < items.length; start += CHUNK) yield items.slice(start, start + CHUNK)
}
