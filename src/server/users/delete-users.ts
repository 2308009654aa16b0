import { randomUUID } from 'node:crypto'
import type { Db } from '#server/database/schema.ts'
import type { Actor, RequestInfo } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { recordAudit } from '#server/operations/record-audit.ts'
import { decideDeletion } from './decide-deletion.ts'
import type { DeletedPerson } from './deleted-person.ts'
import { erasePeople } from './erase-people.ts'
import { lockAdministrators } from './lock-administrators.ts'
import { pseudonymiseRecords } from './pseudonymise-records.ts'

/**
 * Deletes people and everything about them. Whoever may not be deleted is reported and does not keep the others
 * from it; a failure of the database deletes nobody.
 * @param userIds in any letter case; what is named twice counts once
 * @throws ProblemError unauthenticated, forbidden when the caller has been deleted or demoted meanwhile
 */
export async function deleteUsers(
  { db, clock }: { db: Db; clock: () => number },
  actor: Actor,
  userIds: string[],
  request: RequestInfo,
): Promise<{ success: string[]; errors: { userId: string; error: string }[] }> {
  const wanted = [...new Set(userIds.map((id) => id.toLowerCase()))]
  const actorId = actor.profile.user_id
  return db.transaction().execute(async (transaction) => {
    const administrators = await lockAdministrators(transaction)
    // Read again under the lock: of two who delete each other the second one is nobody by now.
    if (!administrators.includes(actorId))
      throw new ProblemError((await isThere(transaction, actorId)) ? 'forbidden' : 'unauthenticated')
    const people = await lockPeople(transaction, wanted)
    const known = new Set(people.map((person) => person.user_id))
    const { allowed, errors } = decideDeletion(wanted, { actorId, known, administrators })
    const leaving = people.filter((person) => allowed.includes(person.user_id))
    if (leaving.length > 0) await remove(transaction, leaving, { actor, request, at: new Date(clock()) })
    return { success: allowed, errors }
  })
}

async function isThere(db: Db, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('profiles')
    .select('user_id')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row !== undefined
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

async function remove(
  db: Db,
  people: DeletedPerson[],
  { actor, request, at }: { actor: Actor; request: RequestInfo; at: Date },
): Promise<void> {
  await erasePeople(db, people)
  await pseudonymiseRecords(db, people)
  const entries = people.map(({ pseudonym }) => ({
    action: 'user-deleted' as const,
    actor: actor.profile,
    target: { user_id: pseudonym, email: null },
    request,
    at,
  }))
  await recordAudit(db, ...entries)
}
