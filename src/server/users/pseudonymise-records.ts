import { sql } from 'kysely'
import type { Db } from '#server/database/schema.ts'
import type { DeletedPerson } from './deleted-person.ts'

/** An address or an id inside a text. */
const NAMES = /[^\s"'<>()[\],;:|]+@[^\s"'<>()[\],;:|]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/**
 * Takes people out of what outlives them: the audit trail and the access records name a pseudonym from now on,
 * the same in all rows of a person. Call it in a transaction. What stays, and why, is in
 * docs/decisions/2026-11-21-what-deletion-leaves.md.
 */
export async function pseudonymiseRecords(db: Db, people: readonly DeletedPerson[]): Promise<void> {
  const ids = people.map((person) => person.user_id)
  const pseudonyms = people.map((person) => person.pseudonym)
  const who = sql`unnest(${ids}::uuid[], ${pseudonyms}::uuid[]) as who(id, pseudonym)`
  await sql`update audit_entries set actor_id = who.pseudonym, actor_email = null, ip = null, user_agent = null
    from ${who} where actor_id = who.id`.execute(db)
  // Without an actor it was the person, signing up say, or somebody at the server's terminal.
  const isOwn = sql`actor_id is null and ip is distinct from 'terminal'`
  await sql`update audit_entries set target_id = who.pseudonym, target_email = null,
      ip = case when ${isOwn} then null else ip end,
      user_agent = case when ${isOwn} then null else user_agent end
    from ${who} where target_id = who.id`.execute(db)
  await sql`update access_records set user_id = who.pseudonym from ${who} where user_id = who.id`.execute(db)
  await replaceInChanges(db, people)
}

/** Addresses and ids that stand inside the before and after of any entry. */
async function replaceInChanges(db: Db, people: readonly DeletedPerson[]): Promise<void> {
  const pseudonyms = new Map(
    people.flatMap(({ user_id, email, pseudonym }) => [
      [user_id, pseudonym],
      [email, pseudonym],
    ]),
  )
  const replaced = (value: unknown) =>
    JSON.stringify(value, (_, part: unknown) =>
      typeof part === 'string'
        ? part.replace(NAMES, (name) => pseudonyms.get(name.toLowerCase()) ?? name)
        : part,
    )
  const entries = await db
    .selectFrom('audit_entries')
    .select(['id', 'before', 'after'])
    .where(sql<boolean>`names_somebody(before, after)`)
    .execute()
  for (const { id, before, after } of entries) {
    const changed = { before: replaced(before), after: replaced(after) }
    if (changed.before === JSON.stringify(before) && changed.after === JSON.stringify(after)) continue
    await db.updateTable('audit_entries').set(changed).where('id', '=', id).execute()
  }
}
