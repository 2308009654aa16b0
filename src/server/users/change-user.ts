import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { EntitlementAction } from '#contract/audit-actions.ts'
import type { Catalogue } from '#contract/catalogue.ts'
import { type Entitlements, LISTS, sortItems } from '#contract/entitlement-lists.ts'
import type { ReplyOf } from '#contract/route.ts'
import { UNDO_SECONDS } from '#contract/user-rules.ts'
import type { userRoutes } from '#contract/users.ts'
import { lockCatalogue, rejectUnknownItems } from '#server/catalogue/catalogue.ts'
import type { ProfilesTable } from '#server/database/schema.ts'
import type { Context } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { computeValidityChange, type StateChange, sortEntitlements, writeChanges } from './entitlements.ts'
import { dropInvitations } from './invitations.ts'
import { queueAccessMails, queueApprovalMails } from './mails.ts'
import { GRACE_SECONDS, runUndoable } from './undo-bulk-edit.ts'
import { createNotFound, lockProfile, readProfile } from './user-queries.ts'

/** The person to change, and the version that the administrator saw; undefined skips its check. */
interface Target {
  userId: string
  ifMatch: string | undefined
}

/** The locked profile and catalogue, with the context of the transaction and the id for the undo. */
interface LockedUser {
  txContext: Context
  row: Selectable<ProfilesTable>
  catalogue: Catalogue
  batchId: string
}

/** The person after the change, and how to undo it: undoId is null without a change. */
type ChangedUser = ReplyOf<typeof userRoutes.changeProfile>

/** The last day of access: undefined keeps it, null (and undefined for a new approval) means no end. */
interface Validity {
  valid_until?: string | null | undefined
}

/**
 * Approves a person, optionally with lists, and queues the mail, which waits for the undo.
 * @throws ProblemError as changePerson does, invalid-input for unknown items or a past day,
 *   conflict for a person approved with other lists
 */
export function approveUser(
  context: Context,
  { lists: wanted, ...target }: Target & { lists: (Entitlements & Validity) | undefined },
): Promise<ChangedUser> {
  return changePerson(context, target, ({ txContext, row, catalogue, batchId }) => {
    const { before, after } = decideApproval(txContext, { row, catalogue, wanted })
    if (row.approved) {
      if (after.valid_until === undefined && isSame(catalogue, before, after)) return undefined
      throw createConflictError()
    }
    return async () => {
      // An unverified address may belong to another person: the trail records that it was approved.
      const audited = row.email_verified_at ? after : { ...after, email_verified: false as const }
      const changes = [{ ids: [row.user_id], before, after: audited }]
      await writeChanges(txContext, { action: 'approval-given', batchId, changes })
      // This decision replaces what an earlier invitation would grant.
      await dropInvitations(txContext, [row])
      await queueApprovalMails(txContext.db, [row.email], UNDO_SECONDS + GRACE_SECONDS)
    }
  })
}

/** Computes the change of an approval. @param wanted.prefix the path of its fields, 'items.2.' */
export function decideApproval(
  context: Pick<Context, 'clock'>,
  {
    row,
    catalogue,
    wanted,
    prefix = '',
  }: {
    row: Entitlements & { approved: boolean; valid_until: string | null }
    catalogue: Catalogue
    wanted: (Entitlements & Validity) | undefined
    prefix?: string
  },
): StateChange {
  if (wanted) rejectUnknownItems(catalogue, wanted, row, prefix)
  const validity = computeValidityChange(context, row, {
    isNew: !row.approved,
    wanted: wanted?.valid_until,
    prefix,
  })
  const { approved, types, marcas, estados } = row
  return {
    before: { approved, ...(wanted && { types, marcas, estados }), ...validity?.before },
    after: { approved: true, ...(wanted && sortEntitlements(catalogue, wanted)), ...validity?.after },
  }
}

/** Withdraws an approval, without a mail. @throws ProblemError as changePerson does */
export function withdrawApproval(context: Context, target: Target): Promise<ChangedUser> {
  return changePerson(context, target, ({ txContext, row, batchId }) => {
    if (!row.approved) return undefined
    return () => removeApproval(txContext, row, batchId)
  })
}

/** Removes the approval of a locked person; call it in a transaction. */
export async function removeApproval(
  context: Parameters<typeof writeChanges>[0],
  { user_id, email }: { user_id: string; email: string },
  batchId: string | null = null,
): Promise<void> {
  const changes = [{ ids: [user_id], before: { approved: true }, after: { approved: false } }]
  await writeChanges(context, { action: 'approval-removed', batchId, changes })
  // Any request has been answered: access needs a new one.
  await context.db.deleteFrom('access_requests').where('user_id', '=', user_id).execute()
  await dropInvitations(context, [{ user_id, email }])
}

/**
 * Sets the given lists of a person, and optionally the last day of access.
 * @throws ProblemError as changePerson does, invalid-input for unknown items or a past day
 */
export function setLists(
  context: Context,
  { lists: { valid_until, ...lists }, ...target }: Target & { lists: Partial<Entitlements> & Validity },
): Promise<ChangedUser> {
  return changePerson(context, target, ({ txContext, row, catalogue, batchId }) => {
    rejectUnknownItems(catalogue, lists, row)
    const names = LISTS.filter((name) => lists[name])
    const before = Object.fromEntries(names.map((name) => [name, row[name]]))
    const after = Object.fromEntries(
      names.map((name) => [name, sortItems(catalogue, name, lists[name] ?? [])]),
    )
    const validity = computeValidityChange(txContext, row, { isNew: false, wanted: valid_until })
    // The dialog sends its lists with the day, changed or not.
    const isNew = !isSame(catalogue, before, after)
    if (!isNew && !validity) return undefined
    return async () => {
      const change = {
        ids: [row.user_id],
        before: { ...(isNew && before), ...validity?.before },
        after: { ...(isNew && after), ...validity?.after },
      }
      const action = isNew ? getListAction(lists) : 'validity-set'
      await writeChanges(txContext, { action, batchId, changes: [change] })
      await queueAccessMails(txContext.db, [row.user_id])
    }
  })
}

const getListAction = ({ types, marcas }: Partial<Entitlements>): EntitlementAction =>
  types && marcas ? 'access-set' : types ? 'types-set' : 'scope-set'

/** Sets the last day of access, null for no end. @throws ProblemError as setLists does */
export function setValidUntil(
  context: Context,
  { valid_until, ...target }: Target & { valid_until: string | null },
): Promise<ChangedUser> {
  return setLists(context, { ...target, lists: { valid_until } })
}

/** Corrects a person's name. @throws ProblemError as changePerson does */
export function renameUser(
  context: Context,
  { full_name, ...target }: Target & { full_name: string },
): Promise<ChangedUser> {
  return changePerson(context, target, ({ txContext, row, batchId }) => {
    if (row.full_name === full_name) return undefined
    const changes = [{ ids: [row.user_id], before: { full_name: row.full_name }, after: { full_name } }]
    return () => writeChanges(txContext, { action: 'name-corrected', batchId, changes })
  })
}

/**
 * Locks a person, decides and writes in one transaction. Without an effect there is no audit entry.
 * @param decide returns the function that writes change and audit entry, undefined without a change
 * @throws ProblemError not-found, conflict with a stale ifMatch, and what `decide` throws
 */
function changePerson(
  context: Context,
  { userId, ifMatch }: Target,
  decide: (locked: LockedUser) => (() => Promise<void>) | undefined,
): Promise<ChangedUser> {
  const batchId = randomUUID()
  return runUndoable(context, async (db) => {
    const catalogue = await lockCatalogue(db)
    const row = await lockProfile(db, userId)
    if (!row) throw createNotFound()
    const write = decide({ txContext: { ...context, db }, row, catalogue, batchId })
    if (ifMatch !== undefined && ifMatch !== String(row.entitlement_version)) throw createConflictError()
    await write?.()
    return { ...(await readProfile(db, userId)), undoId: write ? batchId : null }
  })
}

export function createConflictError(): ProblemError {
  return new ProblemError('conflict', {
    detail: 'Outra pessoa alterou este usuário nesse meio-tempo. Confira o que mudou antes de salvar.',
  })
}

/** Compares lists without regard to order and duplicates. */
function isSame(catalogue: Catalogue, before: Partial<Entitlements>, after: Partial<Entitlements>): boolean {
  const serializeSorted = (lists: Partial<Entitlements>) =>
    JSON.stringify(LISTS.map((name) => sortItems(catalogue, name, lists[name] ?? [])))
  return serializeSorted(before) === serializeSorted(after)
}
