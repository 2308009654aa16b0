import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#server/database/schema.ts'

const MINUTES_BETWEEN = 10

/**
 * Has every administrator mailed, in at most one digest of a kind every ten minutes over all replicas; call it in
 * the transaction of what the digest tells of. A digest that is queued already is locked until then, so that it
 * cannot leave without that. Each kind has a unique index of its own, which keeps a second one from waiting.
 * @param isOwed SQL condition without which nothing is queued
 */
export async function queueDigest(
  db: Db,
  kind: 'waiting-digest' | 'message-digest',
  isOwed: RawBuilder<boolean> = sql`true`,
): Promise<void> {
  const literal = sql.lit(kind)
  await sql`
    insert into mail_outbox (kind, recipient, due_at)
    select ${literal}, p.email, greatest(now(), ${sql.lit(MINUTES_BETWEEN)} * interval '1 minute' + (
      select max(coalesce(m.sent_at, m.due_at)) from mail_outbox m
      where m.kind = ${literal} and m.recipient = p.email))
    from profiles p join user_roles r on r.user_id = p.user_id
    where r.role = 'admin' and ${isOwed}
    order by p.email
    on conflict (recipient) where kind = ${literal} and attempts = 0 and sent_at is null
    do update set due_at = mail_outbox.due_at`.execute(db)
}
