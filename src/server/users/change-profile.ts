import type { Selectable } from 'kysely'
import { inOrder, LISTS } from '#contract/catalogue.ts'
import type { ManagedProfile, ProfileChange } from '#contract/users.ts'
import type { Db, ProfilesTable } from '#server/database/schema.ts'
import type { Actor, RequestInfo } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { queueMail } from '#server/mail/mails.ts'
import { type AuditEntry, recordAudit } from '#server/operations/record-audit.ts'
import { userMails } from './mails.ts'
import { readProfile, unknownPerson } from './user-queries.ts'

type ProfileRow = Selectable<ProfilesTable>

interface ChangeRequest {
  userId: string
  change: ProfileChange
  /** The version that the administrator saw; undefined to write whatever it is now. */
  ifMatch: string | undefined
}

type Changeable = Partial<Pick<ProfileRow, 'types' | 'marcas' | 'estados' | 'approved'>>

interface Decision {
  action: AuditEntry['action']
  before: Changeable
  after: Changeable
}

/**
 * Sets a person's types, marcas and estados, or approval. What changes nothing leaves no trace; an approval is
 * told to the person by mail.
 * @throws ProblemError not-found, conflict when somebody else changed the person since ifMatch
 */
export async function changeProfile(
  { db, clock, nudgeOutbox }: { db: Db; clock: () => number; nudgeOutbox: () => void },
  actor: Actor,
  { userId, change, ifMatch }: ChangeRequest,
  request: RequestInfo,
): Promise<ManagedProfile> {
  const profile = await db.transaction().execute(async (transaction) => {
    const row = await lockProfile(transaction, userId)
    if (ifMatch !== undefined && ifMatch !== String(row.entitlement_version))
      throw new ProblemError('conflict', {
        detail: 'Outra pessoa alterou este usuário nesse meio-tempo. Confira o que mudou antes de salvar.',
      })
    const { action, before, after } = decide(row, change)
    if (!isSame(before, after)) {
      await transaction.updateTable('profiles').set(after).where('user_id', '=', userId).execute()
      await recordAudit(transaction, {
        action,
        actor: actor.profile,
        target: row,
        before,
        after,
        request,
        at: new Date(clock()),
      })
      if (action === 'approval-given')
        await queueMail({ db: transaction }, userMails, 'account-approved', row.email)
    }
    return readProfile(transaction, userId)
  })
  if ('approved' in change) nudgeOutbox()
  return profile
}

async function lockProfile(db: Db, userId: string): Promise<ProfileRow> {
  const row = await db
    .selectFrom('profiles')
    .selectAll()
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw unknownPerson()
  return row
}

function decide(row: ProfileRow, change: ProfileChange): Decision {
  if ('approved' in change)
    return {
      action: change.approved ? 'approval-given' : 'approval-removed',
      before: { approved: row.approved },
      after: { approved: change.approved },
    }
  if ('types' in change)
    return {
      action: 'types-set',
      before: { types: row.types },
      after: { types: inOrder('types', change.types) },
    }
  return {
    action: 'scope-set',
    before: { marcas: row.marcas, estados: row.estados },
    after: { marcas: inOrder('marcas', change.marcas), estados: inOrder('estados', change.estados) },
  }
}

/** Whether nobody could tell the difference: order and repetitions of old lists aside. */
function isSame(before: Changeable, after: Changeable): boolean {
  const inOwnOrder = ({ approved, ...lists }: Changeable) =>
    JSON.stringify([approved, LISTS.map((name) => inOrder(name, lists[name] ?? []))])
  return inOwnOrder(before) === inOwnOrder(after)
}
