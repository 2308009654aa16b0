import { randomUUID } from 'node:crypto'
import type { Catalogue } from '#contract/catalogue.ts'
import { noteChanges } from '#contract/change-notes.ts'
import { type Entitlements, LISTS } from '#contract/entitlement-lists.ts'
import type { FieldProblem, ProblemCode } from '#contract/problem.ts'
import { UNDO_SECONDS } from '#contract/user-rules.ts'
import type { Approval, ApprovalResult } from '#contract/users.ts'
import { lockCatalogue, readCatalogue } from '#server/catalogue/catalogue.ts'
import type { Context } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { decideApproval } from './change-user.ts'
import { writeChanges } from './entitlements.ts'
import { dropInvitations } from './invitations.ts'
import { queueApprovalMails } from './mails.ts'
import { GRACE_SECONDS, runUndoable } from './undo-bulk-edit.ts'

/**
 * Approves several people with entitlements, all or nothing. Mails leave once the undo has expired.
 * @throws ProblemError invalid-input for duplicates, unverified emails and unknown items; conflict for
 *   people deleted, approved or changed meanwhile; the fields name each item
 */
export function approveUsers(context: Context, items: readonly Approval[]): Promise<ApprovalResult> {
  const batchId = randomUUID()
  return runUndoable(context, async (db) => {
    const changes = await decideApprovals({ ...context, db }, await lockCatalogue(db), items, true)
    await writeChanges({ ...context, db }, { action: 'approval-given', batchId, changes })
    // These decisions replace what earlier invitations would grant.
    const people = changes.map(({ ids: [user_id], email }) => ({ user_id: user_id as string, email }))
    await dropInvitations({ ...context, db }, people)
    const emails = changes.map(({ email }) => email)
    await queueApprovalMails(db, emails, UNDO_SECONDS + GRACE_SECONDS)
    return summarizeApproval(changes, batchId)
  })
}

/** Counts the effect of approveUsers, and throws as it does, without writing or locking. */
export async function previewApproval(context: Context, items: readonly Approval[]): Promise<ApprovalResult> {
  const changes = await decideApprovals(context, await readCatalogue(context.db), items, false)
  return { ...summarizeApproval(changes, null), undoSeconds: 0 }
}

function summarizeApproval(
  changes: readonly { after: Partial<Entitlements>; name: string }[],
  undoId: string | null,
) {
  const withoutReports = changes.filter(({ after }) => LISTS.some((name) => after[name]?.length === 0)).length
  const notes = noteChanges(changes.map(({ after, name }) => ({ after, names: [name] })))
  return { approved: changes.length, withoutReports, notes, undoId }
}

/** @param lock whether to lock the people until the transaction ends */
async function decideApprovals(
  context: Context,
  catalogue: Catalogue,
  items: readonly Approval[],
  lock: boolean,
) {
  const ids = items.map(({ userId }) => userId.toLowerCase())
  const people = await context.db
    .selectFrom('profiles')
    .select(['user_id', 'email', 'full_name', 'approved', 'email_verified_at', 'entitlement_version'])
    .select(['types', 'marcas', 'estados', 'valid_until'])
    .where('user_id', 'in', ids)
    .orderBy('user_id')
    .$if(lock, (query) => query.forUpdate())
    .execute()
  const personById = new Map(people.map((person) => [person.user_id, person]))
  const listFields = (message: string, applies: (id: string, item: Approval, index: number) => boolean) =>
    ids.flatMap((id, index) =>
      applies(id, items[index] as Approval, index) ? [{ path: `items.${index}`, message }] : [],
    )

  rejectFields('invalid-input', [
    ...listFields('Este usuário está duas vezes na lista.', (id, _, index) => ids.indexOf(id) !== index),
    ...listFields(
      'O e-mail deste usuário não foi verificado: aprove-o sozinho, pelo botão da linha.',
      (id) => personById.get(id)?.email_verified_at === null,
    ),
  ])
  rejectFields('conflict', [
    ...listFields('Este usuário já não existe.', (id) => !personById.has(id)),
    ...listFields('Este usuário já foi aprovado.', (id) => personById.get(id)?.approved === true),
    ...listFields('Este usuário foi alterado nesse meio-tempo.', (id, { version }) => {
      const person = personById.get(id)
      return (
        person?.approved === false && (version ?? person.entitlement_version) !== person.entitlement_version
      )
    }),
  ])
  return items.flatMap((item, index) => {
    const row = personById.get(ids[index] as string)
    if (!row) return []
    const change = decideApproval(context, { row, catalogue, wanted: item, prefix: `items.${index}.` })
    return [{ ids: [row.user_id], email: row.email, name: row.full_name ?? row.email, ...change }]
  })
}

function rejectFields(code: ProblemCode, fields: FieldProblem[]): void {
  const [first, another] = fields
  if (!first) return
  const detail = another ? `${fields.length} usuários impedem a aprovação.` : first.message
  throw new ProblemError(code, { detail: `${detail} Ninguém foi aprovado.`, fields })
}
