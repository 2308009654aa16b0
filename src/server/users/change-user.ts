import { type Selectable, sql } from 'kysely'
import type { Catalogue } from '#contract/catalogue.ts'
import { inOrder, LISTS } from '#contract/held-lists.ts'
import type { ManagedProfile, ProfileChange } from '#contract/users.ts'
import { holdCatalogue, refuseUnknown } from '#server/catalogue/catalogue.ts'
import type { ProfilesTable } from '#server/database/schema.ts'
import { changeOnce } from '#server/http/change-once.ts'
import type { Context } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { queueMail } from '#server/mail/mails.ts'
import { type AuditEntry, recordAudit } from '#server/operations/audit.ts'
import { changeOfValidity, listsInOrder } from './entitlements.ts'
import { forgetInvitations } from './invitations.ts'
import { lockProfile, readProfile, unknownPerson } from './user-queries.ts'

type ProfileRow = Selectable<ProfilesTable>

interface ChangeRequest {
  userId: string
  change: ProfileChange
  /** The version that the administrator saw; undefined to write whatever it is now. */
  ifMatch: string | undefined
}

type Changeable = Partial<
  Pick<ProfileRow, 'types' | 'marcas' | 'estados' | 'approved' | 'valid_until' | 'full_name'>
>

interface Decision {
  action: AuditEntry['action']
  before: Changeable
  after: Changeable
}

/**
 * Sets a person's types, marcas and estados, approval, its end or name, or approves and entitles in one step. What changes nothing leaves no trace; an approval is
 * told to the person by mail.
 * @throws ProblemError not-found, invalid-input for what the catalogue does not offer, conflict when somebody else changed the person since ifMatch, or has approved
 *   with other entitlements whom this was to approve
 */
export async function changeUser(
  context: Context,
  { userId, change, ifMatch }: ChangeRequest,
): Promise<ManagedProfile> {
  const profile = await changeOnce(context, async (db) => {
    const catalogue = await holdCatalogue(db)
    const row = await lockProfile(db, userId)
    if (!row) throw unknownPerson()
    const { action, before, after } = withValidity(
      context,
      catalogue,
      row,
      change,
      decide(catalogue, row, change),
    )
    const isStale = ifMatch !== undefined && ifMatch !== String(row.entitlement_version)
    const isChanged = !isSame(catalogue, before, after)
    const isApprovedOtherwise = isChanged && action === 'approval-given' && row.approved
    if (isStale || isApprovedOtherwise)
      throw new ProblemError('conflict', {
        detail: 'Outra pessoa alterou este usuário nesse meio-tempo. Confira o que mudou antes de salvar.',
      })
    if (isChanged) {
      await db
        .updateTable('profiles')
        .set({
          ...after,
          ...(action === 'approval-removed' && { approval_removed_at: sql<Date>`now()` }),
          // The database counts changes of what people may see; this one too must not be overwritten unseen.
          ...(action === 'name-corrected' && { entitlement_version: row.entitlement_version + 1 }),
        })
        .where('user_id', '=', userId)
        .execute()
      // It has been answered: whoever wants in again asks again.
      if (action === 'approval-removed')
        await db.deleteFrom('access_requests').where('user_id', '=', userId).execute()
      // Whatever was decided now counts, not what an invitation from before would give.
      if (action === 'approval-given' || action === 'approval-removed')
        await forgetInvitations(db, [row.email])
      // Whoever signed up may not own the address: the trail tells that it was approved all the same.
      const isUnproved = action === 'approval-given' && !row.email_verified_at
      const told = isUnproved ? { ...after, email_verified: false } : after
      await recordAudit({ ...context, db }, { action, target: row, before, after: told })
      if (action === 'approval-given') await queueMail({ db }, 'account-approved', row.email)
    }
    return readProfile(db, userId)
  })
  return profile
}

function decide(catalogue: Catalogue, row: ProfileRow, change: ProfileChange): Decision {
  if ('types' in change || 'marcas' in change) refuseUnknown(catalogue, change, row)
  if ('approved' in change) {
    const { types, marcas, estados } = row
    const entitles = 'types' in change
    return {
      action: change.approved ? 'approval-given' : 'approval-removed',
      before: { approved: row.approved, ...(entitles && { types, marcas, estados }) },
      after: { approved: change.approved, ...(entitles && listsInOrder(catalogue, change)) },
    }
  }
  if ('full_name' in change)
    return {
      action: 'name-corrected',
      before: { full_name: row.full_name },
      after: { full_name: change.full_name },
    }
  if (!('types' in change || 'marcas' in change)) return { action: 'validity-set', before: {}, after: {} }
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

/** The end of the access goes along with what else is changed, where it changes. */
function withValidity(
  context: Pick<Context, 'clock'>,
  catalogue: Catalogue,
  row: ProfileRow,
  change: ProfileChange,
  { action, before, after }: Decision,
): Decision {
  const validity = changeOfValidity(context, row, {
    isNew: 'approved' in change && change.approved && !row.approved,
    wanted: 'valid_until' in change ? change.valid_until : undefined,
  })
  // The lists of the dialog that it is set in go along, changed or not.
  const isAlone = validity && action !== 'approval-given' && isSame(catalogue, before, after)
  return {
    action: isAlone ? 'validity-set' : action,
    before: { ...(!isAlone && before), ...validity?.before },
    after: { ...(!isAlone && after), ...validity?.after },
  }
}

/** Order and repetitions of old lists aside. */
function isSame(catalogue: Catalogue, before: Changeable, after: Changeable): boolean {
  const inOwnOrder = ({ approved, full_name, valid_until, ...lists }: Changeable) =>
    JSON.stringify([
      approved,
      full_name,
      valid_until,
      LISTS.map((name) => inOrder(catalogue, name, lists[name] ?? [])),
    ])
  return inOwnOrder(before) === inOwnOrder(after)
}
