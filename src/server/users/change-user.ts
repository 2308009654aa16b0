import type { Selectable } from 'kysely'
import { type Catalogue, inOrder, LISTS } from '#contract/catalogue.ts'
import type { ManagedProfile, ProfileChange } from '#contract/users.ts'
import { holdCatalogue, refuseUnknown } from '#server/catalogue/catalogue.ts'
import type { ProfilesTable } from '#server/database/schema.ts'
import type { Context } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { queueMail } from '#server/mail/mails.ts'
import { type AuditEntry, recordAudit } from '#server/operations/audit.ts'
import { userMails } from './mails.ts'
import { lockProfile, readProfile, unknownPerson } from './user-queries.ts'

export interface UserContext extends Context {
  /** Has the mail that was queued sent now. */
  nudgeOutbox: () => void
}

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
 * @throws ProblemError not-found, invalid-input for what the catalogue does not offer, conflict when somebody else changed the person since ifMatch
 */
export async function changeUser(
  context: UserContext,
  { userId, change, ifMatch }: ChangeRequest,
): Promise<ManagedProfile> {
  const profile = await context.db.transaction().execute(async (db) => {
    const catalogue = await holdCatalogue(db)
    const row = await lockProfile(db, userId)
    if (!row) throw unknownPerson()
    if (ifMatch !== undefined && ifMatch !== String(row.entitlement_version))
      throw new ProblemError('conflict', {
        detail: 'Outra pessoa alterou este usuário nesse meio-tempo. Confira o que mudou antes de salvar.',
      })
    const { action, before, after } = decide(catalogue, row, change)
    if (!isSame(catalogue, before, after)) {
      await db.updateTable('profiles').set(after).where('user_id', '=', userId).execute()
      await recordAudit({ ...context, db }, { action, target: row, before, after })
      if (action === 'approval-given') await queueMail({ db }, userMails, 'account-approved', row.email)
    }
    return readProfile(db, userId)
  })
  if ('approved' in change) context.nudgeOutbox()
  return profile
}

function decide(catalogue: Catalogue, row: ProfileRow, change: ProfileChange): Decision {
  if ('approved' in change)
    return {
      action: change.approved ? 'approval-given' : 'approval-removed',
      before: { approved: row.approved },
      after: { approved: change.approved },
    }
  refuseUnknown(catalogue, change, row)
  if ('types' in change)
    return {
      action: 'types-set',
      before: { types: row.types },
      after: { types: inOrder(catalogue, 'types', change.types) },
    }
  return {
    action: 'scope-set',
    before: { marcas: row.marcas, estados: row.estados },
    after: {
      marcas: inOrder(catalogue, 'marcas', change.marcas),
      estados: inOrder(catalogue, 'estados', change.estados),
    },
  }
}

/** Order and repetitions of old lists aside. */
function isSame(catalogue: Catalogue, before: Changeable, after: Changeable): boolean {
  const inOwnOrder = ({ approved, ...lists }: Changeable) =>
    JSON.stringify([approved, LISTS.map((name) => inOrder(catalogue, name, lists[name] ?? []))])
  return inOwnOrder(before) === inOwnOrder(after)
}
