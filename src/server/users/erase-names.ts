import { sql } from 'kysely'
import { clearAllFailures } from '#server/accounts/sign-in-attempts.ts'
import type { Db } from '#server/database/schema.ts'

export interface DeletedPerson {
  user_id: string
  email: string
  /** A random id that replaces the person in the records that stay. */
  pseudonym: string
}

/**
 * Replaces deleted people in the audit trail and the access records with one pseudonym each, and
 * erases their addresses. Call it in a transaction.
 * Why these records stay: docs/decisions/2026-11-21-what-deletion-leaves.md.
 */
export async function pseudonymizeRecords(db: Db, people: readonly DeletedPerson[]): Promise<void> {
  const ids = people.map((person) => person.user_id)
  const pseudonyms = people.map((person) => person.pseudonym)
  const who = sql`unnest(${ids}::uuid[], ${pseudonyms}::uuid[]) as who(id, pseudonym)`
  await sql`update audit_entries set actor_id = who.pseudonym, actor_email = null, ip = null, user_agent = null
    from ${who} where actor_id = who.id`.execute(db)
  await sql`update audit_entries set before = before - 'full_name', after = after - 'full_name'
    where action = 'name-corrected' and target_id = any(${ids}::uuid[])`.execute(db)
  // An entry without an actor is the person's own (a sign-up) or from the server's terminal.
  const isOwn = sql`actor_id is null and ip is distinct from 'terminal'`
  await sql`update audit_entries set target_id = who.pseudonym, target_email = null,
      ip = case when ${isOwn} then null else ip end,
      user_agent = case when ${isOwn} then null else user_agent end
    from ${who} where target_id = who.id`.execute(db)
  await sql`update access_records set user_id = who.pseudonym from ${who} where user_id = who.id`.execute(db)
  await sql`update access_records set viewed_as = who.pseudonym from ${who} where viewed_as = who.id`.execute(
    db,
  )
  await sql`update usage_open set user_id = who.pseudonym from ${who} where user_id = who.id`.execute(db)
  await eraseNames(db, people)
}

/**
 * Erases ids, and addresses that neither an account nor an invitation has: from `before` and `after`
 * of audit entries, mails, sign-in failures and rate limits. Call it in a transaction.
 * @param people null ids of invited people without an account
 */
export async function eraseNames(
  db: Db,
  people: readonly (Pick<DeletedPerson, 'email' | 'pseudonym'> & { user_id: string | null })[],
): Promise<void> {
  const { rows } = await sql<{ email: string }>`
    select email from unnest(${people.map(({ email }) => email)}::text[]) as erased(email)
    where not exists (select from profiles p where p.email = erased.email)
      and not exists (select from invitations i where i.email = erased.email)`.execute(db)
  const emails = rows.map(({ email }) => email)
  const erasable = new Set(emails)
  const pseudonyms = new Map<string, string>()
  for (const { user_id, email, pseudonym } of people) {
    if (user_id !== null) pseudonyms.set(user_id, pseudonym)
    if (erasable.has(email)) pseudonyms.set(email, pseudonym)
  }
  if (pseudonyms.size === 0) return
  await pseudonymizeChanges(db, pseudonyms)
  if (emails.length === 0) return
  await deleteRateLimits(db, emails)
  await clearAllFailures(db, ...emails)
  await db.deleteFrom('mail_outbox').where('recipient', 'in', emails).execute()
}

/** Deletes the rate limit counters of subjects: e-mails, people or sessions. */
export async function deleteRateLimits(db: Db, subjects: readonly string[]): Promise<void> {
  // The keys are '<limit> <subject>'.
  await db.deleteFrom('rate_limits').where(sql<string>`split_part(key, ' ', 2)`, 'in', subjects).execute()
}

/** @param pseudonyms by the id, or the e-mail in lower case, that each replaces */
async function pseudonymizeChanges(db: Db, pseudonyms: ReadonlyMap<string, string>): Promise<void> {
  // Whole values only: "avila@" is also in "d'avila@".
  const replaceIdentifiers = (change: unknown) =>
    JSON.stringify(change, (_, value: unknown) =>
      typeof value === 'string' ? (pseudonyms.get(value.toLowerCase()) ?? value) : value,
    )
  const entries = await db
    .selectFrom('audit_entries')
    .select(['id', 'before', 'after'])
    .where(sql<boolean>`names_somebody(before, after)`)
    // These hold report ids; the trigger that guards the trail refuses to change the first two kinds.
    .where(
      sql<boolean>`action !~ '^(report-setting|catalogue|report-mail)-|^(report-exported|export-downloaded|report-mailed)$'`,
    )
    .where(
      sql<boolean>`exists (select from unnest(${[...pseudonyms.keys()]}::text[]) as name
        where strpos(lower(concat(before::text, after::text)), name) > 0)`,
    )
    .execute()
  for (const { id, before, after } of entries) {
    const changed = { before: replaceIdentifiers(before), after: replaceIdentifiers(after) }
    if (changed.before === JSON.stringify(before) && changed.after === JSON.stringify(after)) continue
    // The trail's guard tells JSON null from no value.
    const values = {
      ...(before !== null && { before: changed.before }),
      ...(after !== null && { after: changed.after }),
    }
    await db.updateTable('audit_entries').set(values).where('id', '=', id).execute()
  }
}
