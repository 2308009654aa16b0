import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { clearFailures } from '#server/accounts/sign-in-attempts.ts'
import type { Db } from '#server/database/schema.ts'
import type { Context, PublicContext } from '#server/http/context.ts'
import { runIdempotent } from '#server/http/idempotency.ts'
import { recordAudit } from '#server/operations/audit.ts'
import { dropInvitations, withdrawInvitationsBy } from './invitations.ts'
import { queueAdministratorMail } from './mails.ts'
import { lockAdministrators } from './user-roles.ts'

interface DeletedPerson {
  user_id: string
  email: string
  /** A random id that replaces the person in the records that stay. */
  pseudonym: string
}

/**
 * Deletes people and their data. People who cannot be deleted are reported, the others are deleted.
 * @param userIds in any letter case; duplicates count once
 * @throws ProblemError unauthenticated or forbidden when the caller was deleted or demoted meanwhile
 */
export async function deleteUsers(
  context: Context,
  userIds: string[],
): Promise<{ success: string[]; errors: { userId: string; error: string }[] }> {
  const wanted = [...new Set(userIds.map((id) => id.toLowerCase()))]
  const actorId = context.actor.profile.user_id
  return runIdempotent(
    context,
    async (db) => {
      const administrators = await lockAdministrators(db)
      const people = await lockPeople(db, wanted)
      const known = new Set(people.map((person) => person.user_id))
      const { allowed, errors } = decideDeletion(wanted, { actorId, known, administrators })
      const leaving = people.filter((person) => allowed.includes(person.user_id))
      if (leaving.length > 0) await removePeople({ ...context, db }, leaving)
      if (leaving.some(({ user_id }) => administrators.includes(user_id)))
        await queueAdministratorMail({ db }, { kind: 'administrators-changed' })
      return { success: allowed, errors }
    },
    lockAdministrators,
  )
}

function lockPeople(db: Db, userIds: string[]) {
  return db
    .selectFrom('profiles')
    .select(['user_id', 'email'])
    .where('user_id', 'in', userIds)
    .orderBy('user_id')
    .forUpdate()
    .execute()
}

/** Deletes people; call it in a transaction. Without an actor, it is the portal itself. */
export async function removePeople(
  context: PublicContext & Partial<Pick<Context, 'actor'>>,
  leaving: readonly Omit<DeletedPerson, 'pseudonym'>[],
): Promise<void> {
  const people = leaving.map((person) => ({ ...person, pseudonym: randomUUID() }))
  await withdrawInvitationsBy(
    context,
    people.map(({ user_id }) => user_id),
  )
  await dropInvitations(context, people)
  await erasePeople(context.db, people)
  await pseudonymizeRecords(context.db, people)
  const entries = people.map(({ pseudonym }) => ({
    action: 'user-deleted' as const,
    target: { user_id: pseudonym, email: null },
  }))
  await recordAudit(context, ...entries)
}

/** Reasons against a deletion, as shown to the administrator. */
export const DELETION_REFUSALS = {
  self: 'Você não pode excluir a própria conta.',
  lastAdministrator: 'Não é possível excluir o último administrador.',
  unknown: 'Usuário não encontrado.',
} as const

interface DeletionFacts {
  actorId: string
  /** The wanted people who exist. */
  known: ReadonlySet<string>
  /** The ids of all administrators. */
  administrators: readonly string[]
}

/** Decides for each person, in the given order, whether to delete them; one administrator always stays. */
export function decideDeletion(wanted: readonly string[], { actorId, known, administrators }: DeletionFacts) {
  const staying = new Set(administrators)
  const allowed: string[] = []
  const errors: { userId: string; error: string }[] = []
  for (const userId of wanted) {
    const isLast = staying.has(userId) && staying.size === 1
    const refusal =
      userId === actorId ? 'self' : !known.has(userId) ? 'unknown' : isLast ? 'lastAdministrator' : undefined
    if (refusal) {
      errors.push({ userId, error: DELETION_REFUSALS[refusal] })
      continue
    }
    staying.delete(userId)
    allowed.push(userId)
  }
  return { allowed, errors }
}

/**
 * Deletes profiles with passwords, roles, requests, sessions, links and suspect messages (by cascade
 * or trigger), and their mails, support messages and rate limit counters. Call it in a transaction.
 */
async function erasePeople(db: Db, people: readonly DeletedPerson[]): Promise<void> {
  const ids = people.map((person) => person.user_id)
  const emails = people.map((person) => person.email)
  const sessions = await db.selectFrom('sessions').select('id').where('user_id', 'in', ids).execute()
  const named = [...ids, ...emails, ...sessions.map(({ id }) => id)]
  // The keys of rate limits are '<limit> <subject>'.
  await db.deleteFrom('rate_limits').where(sql<string>`split_part(key, ' ', 2)`, 'in', named).execute()
  await clearFailures(db, ...emails)
  await db.deleteFrom('mail_outbox').where('recipient', 'in', emails).execute()
  // The contact form stores emails as typed.
  await db.deleteFrom('support_messages').where(sql<string>`lower(email)`, 'in', emails).execute()
  await db.deleteFrom('profiles').where('user_id', 'in', ids).execute()
}

/**
 * Replaces people in the audit trail and the access records with one pseudonym each. Call it in a
 * transaction. Why these records stay: docs/decisions/2026-11-21-what-deletion-leaves.md.
 */
async function pseudonymizeRecords(db: Db, people: readonly DeletedPerson[]): Promise<void> {
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
  await pseudonymizeChanges(db, people)
}

/** Replaces the emails and ids of deleted people inside `before` and `after` of audit entries. */
export async function pseudonymizeChanges(db: Db, people: readonly DeletedPerson[]): Promise<void> {
  const pseudonyms = new Map(
    people.flatMap(({ user_id, email, pseudonym }) => [
      [user_id, pseudonym],
      [email, pseudonym],
    ]),
  )
  // Whole values only: "avila@" is also in "d'avila@".
  const replaceIdentifiers = (change: unknown) =>
    JSON.stringify(change, (_, value: unknown) =>
      typeof value === 'string' ? (pseudonyms.get(value.toLowerCase()) ?? value) : value,
    )
  const entries = await db
    .selectFrom('audit_entries')
    .select(['id', 'before', 'after'])
    .where(sql<boolean>`names_somebody(before, after)`)
    // These hold report ids, and the trigger that guards the trail refuses to change them.
    .where(sql<boolean>`action !~ '^(report-setting|catalogue)-'`)
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
