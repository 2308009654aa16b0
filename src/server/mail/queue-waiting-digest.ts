import { sql } from 'kysely'
import type { Db } from '#server/database/schema.ts'

const MINUTES_BETWEEN = 10

/**
 * Has every administrator mailed that somebody waits for approval, in at most one digest every ten minutes over
 * all replicas; call it in the transaction that makes them wait. A digest that is queued already is locked
 * until then, so that it cannot leave without them.
 * @param waitingId who waits; nothing is queued for null or for somebody who is approved
 */
export async function queueWaitingDigest(db: Db, waitingId: string | null): Promise<void> {
  await sql`
    insert into mail_outbox (kind, recipient, due_at)
    select 'waiting-digest', p.email, greatest(now(), ${sql.lit(MINUTES_BETWEEN)} * interval '1 minute' + (
      select max(coalesce(m.sent_at, m.due_at)) from mail_outbox m
      where m.kind = 'waiting-digest' and m.recipient = p.email))
    from profiles p join user_roles r on r.user_id = p.user_id
    where r.role = 'admin'
      and exists (select 1 from profiles w where w.user_id = ${waitingId}::uuid and not w.approved)
    order by p.email
    on conflict (recipient) where kind = 'waiting-digest' and attempts = 0 and sent_at is null
    do update set due_at = mail_outbox.due_at`.execute(db)
}
