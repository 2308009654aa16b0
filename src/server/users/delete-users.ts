import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { forgetAttempts } from '#server/accounts/sign-in-attempts.ts'
import type { Db } from '#server/database/schema.ts'
import { changeOnce } from '#server/http/change-once.ts'
import type { Context } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { recordAudit } from '#server/operations/audit.ts'
import { deleteInvitations } from './invitations.ts'
import { queueAdministratorMail } from './mails.ts'
import { findProfile } from './user-queries.ts'
import { lockAdministrators } from './user-roles.ts'

interface DeletedPerson {
  user_id: string
  email: string
  /** A fresh random id that stands in for the person in what outlives them. */
  pseudonym: string
}

/**
 * Deletes people and everything about them. Whoever may not be deleted is reported and does not keep the others
 * from it; a failure of the database undoes all.
 * @param userIds in any letter case; what is named twice counts once
 * @throws ProblemError unauthenticated, forbidden when the caller has been deleted or demoted meanwhile
 */
export async function deleteUsers(
  context: Context,
  userIds: string[],
): Promise<{ success: string[]; errors: { userId: string; error: string }[] }> {
  const wanted = [...new Set(userIds.map((id) => id.toLowerCase()))]
  const actorId = context.actor.profile.user_id
  return changeOnce(context, async (db) => {
    const administrators = await lockAdministrators(db)
    // Read again under the lock: of two who delete each other the second one is gone by now.
    if (!administrators.includes(actorId))
      throw new ProblemError((await findProfile(db, actorId)) ? 'forbidden' : 'unauthenticated')
    const people = await lockPeople(db, wanted)
    const known = new Set(people.map((person) => person.user_id))
    const { allowed, errors } = decideDeletion(wanted, { actorId, known, administrators })
    const leaving = people.filter((person) => allowed.includes(person.user_id))
    if (leaving.length > 0) await removePeople({ ...context, db }, leaving)
    if (leaving.some(({ user_id }) => administrators.includes(user_id)))
      await queueAdministratorMail({ db }, { kind: 'administrators-changed' })
    return { success: allowed, errors }
  })
}

async function lockPeople(db: Db, userIds: string[]): Promise<DeletedPerson[]> {
  const rows = await db
    .selectFrom('profiles')
    .select(['user_id', 'email'])
    .where('user_id', 'in', userIds)
    .orderBy('user_id')
    .forUpdate()
    .execute()
  return rows.map((row) => ({ ...row, pseudonym: randomUUID() }))
}

async function removePeople(context: Context, people: readonly DeletedPerson[]): Promise<void> {
  await erasePeople(context.db, people)
  await pseudonymizeRecords(context.db, people)
  const entries = people.map(({ pseudonym }) => ({
    action: 'user-deleted' as const,
    target: { user_id: pseudonym, email: null },
  }))
  await recordAudit(context, ...entries)
}

/** What can keep somebody from being deleted, in the words that the administrator reads. */
export const DELETION_REFUSALS = {
  self: 'Você não pode excluir a própria conta.',
  lastAdministrator: 'Não é possível excluir o último administrador.',
  unknown: 'Usuário não encontrado.',
} as const

interface DeletionFacts {
  actorId: string
  /** Those of the wanted people who exist. */
  known: ReadonlySet<string>
  /** All administrators there are. */
  administrators: readonly string[]
}

/** Decides for each wanted person, in the order given, who may go; one administrator always stays. */
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
 * Deletes everything that is people's own: profiles with passwords, roles, requests, sessions and links (cascade),
 * invitations of and mails to them, support messages from their e-mails, and counters that name them. Call it in a transaction.
 */
async function erasePeople(db: Db, people: readonly DeletedPerson[]): Promise<void> {
  const ids = people.map((person) => person.user_id)
  const emails = people.map((person) => person.email)
  const sessions = await db.selectFrom('sessions').select('id').where('user_id', 'in', ids).execute()
  const named = [...ids, ...emails, ...sessions.map(({ id }) => id)]
  // Limits are counted under 'what whom'.
  await db.deleteFrom('rate_limits').where(sql<string>`split_part(key, ' ', 2)`, 'in', named).execute()
  await forgetAttempts(db, ...emails)
  await deleteInvitations(db, emails)
  await db.deleteFrom('mail_outbox').where('recipient', 'in', emails).execute()
  // The contact form keeps an e-mail as it is typed.
  await db.deleteFrom('support_messages').where(sql<string>`lower(email)`, 'in', emails).execute()
  await db.deleteFrom('profiles').where('user_id', 'in', ids).execute()
}

/** An e-mail or an id inside a text. */
const IDENTIFIER = /[^\s"'<>()[\],;:|]+@[^\s"'<>()[\],;:|]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/**
 * Takes people out of what outlives them: the audit trail and the access records name a pseudonym from now on,
 * the same in all rows of a person. Call it in a transaction. What stays, and why, is in
 * docs/decisions/2026-11-21-what-deletion-leaves.md.
 */
async function pseudonymizeRecords(db: Db, people: readonly DeletedPerson[]): Promise<void> {
  const ids = people.map((person) => person.user_id)
  const pseudonyms = people.map((person) => person.pseudonym)
  const who = sql`unnest(${ids}::uuid[], ${pseudonyms}::uuid[]) as who(id, pseudonym)`
  await sql`update audit_entries set actor_id = who.pseudonym, actor_email = null, ip = null, user_agent = null
    from ${who} where actor_id = who.id`.execute(db)
  await sql`update audit_entries set before = before - 'full_name', after = after - 'full_name'
    where action = 'name-corrected' and target_id = any(${ids}::uuid[])`.execute(db)
  // Without an actor it was the person, signing up say, or somebody at the server's terminal.
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

/** Names a pseudonym wherever entries of the trail tell of a change to these people, who are gone. */
export async function pseudonymizeChanges(db: Db, people: readonly DeletedPerson[]): Promise<void> {
  const pseudonyms = new Map(
    people.flatMap(({ user_id, email, pseudonym }) => [
      [user_id, pseudonym],
      [email, pseudonym],
    ]),
  )
  const replaceIdentifiers = (value: unknown) =>
    JSON.stringify(value, (_, part: unknown) =>
      typeof part === 'string'
        ? part.replace(IDENTIFIER, (name) => pseudonyms.get(name.toLowerCase()) ?? name)
        : part,
    )
  const entries = await db
    .selectFrom('audit_entries')
    .select(['id', 'before', 'after'])
    .where(sql<boolean>`names_somebody(before, after)`)
    // What these were set to are ids of reports; the trail's guard lets none of them go.
    .where(sql<boolean>`action !~ '^(report-setting|catalogue)-'`)
    .execute()
  for (const { id, before, after } of entries) {
    const changed = { before: replaceIdentifiers(before), after: replaceIdentifiers(after) }
    if (changed.before === JSON.stringify(before) && changed.after === JSON.stringify(after)) continue
    await db.updateTable('audit_entries').set(changed).where('id', '=', id).execute()
  }
}
