import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '#server/database/schema.ts'
import type { Context, PublicContext } from '#server/http/context.ts'
import { runIdempotent } from '#server/http/idempotency.ts'
import { recordAudit } from '#server/operations/audit.ts'
import { type DeletedPerson, deleteRateLimits, pseudonymizeRecords } from './erase-names.ts'
import { dropInvitations, withdrawInvitationsBy } from './invitations.ts'
import { queueAdministratorMail } from './mails.ts'
import { lockAdministrators } from './user-roles.ts'

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
  const states = await readLastStates(
    context.db,
    people.map(({ user_id }) => user_id),
  )
  await withdrawInvitationsBy(
    context,
    people.map(({ user_id }) => user_id),
  )
  await dropInvitations(context, people)
  await erasePeople(context.db, people)
  await pseudonymizeRecords(context.db, people)
  const entries = people.map(({ user_id, pseudonym }) => {
    const before = states.get(user_id)
    const target = { user_id: pseudonym, email: null }
    return { action: 'user-deleted' as const, target, ...(before && { before }) }
  })
  await recordAudit(context, ...entries)
}

/** Reads what people could see until their deletion, which 'Quem vê o quê' tells of past days. */
async function readLastStates(db: Db, ids: string[]) {
  const rows = await db
    .selectFrom('profiles')
    .select(['user_id', 'approved', 'types', 'marcas', 'estados', 'valid_until', 'created_at'])
    .where('user_id', 'in', ids)
    .execute()
  return new Map(rows.map(({ user_id, ...state }) => [user_id, state]))
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
 * or trigger), and their support messages and rate limit counters. Call it in a transaction.
 */
async function erasePeople(db: Db, people: readonly DeletedPerson[]): Promise<void> {
  const ids = people.map((person) => person.user_id)
  const emails = people.map((person) => person.email)
  const sessions = await db.selectFrom('sessions').select('id').where('user_id', 'in', ids).execute()
  await deleteRateLimits(db, [...ids, ...sessions.map(({ id }) => id)])
  // The contact form stores emails as typed.
  await db.deleteFrom('support_messages').where(sql<string>`lower(email)`, 'in', emails).execute()
  await db.deleteFrom('microsoft_sign_ins').where('email', 'in', emails).execute()
  await db.deleteFrom('profiles').where('user_id', 'in', ids).execute()
}
