import { sql } from 'kysely'
import { type AuditAction, UNDOABLE_EDITS } from '#contract/audit-actions.ts'
import type { Catalogue } from '#contract/catalogue.ts'
import type { ChangeNotes } from '#contract/change-notes.ts'
import { UNDO_HOURS, UNDO_SECONDS } from '#contract/user-rules.ts'
import { lockCatalogue, readCatalogue } from '#server/catalogue/catalogue.ts'
import type { Db } from '#server/database/schema.ts'
import type { Context } from '#server/http/context.ts'
import { runIdempotent } from '#server/http/idempotency.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { recordAudit } from '#server/operations/audit.ts'
import { type State, splitIntoChunks, writeChanges } from './entitlements.ts'
import { queueAccessMails, withdrawMails } from './mails.ts'
import { readNotes } from './read-notes.ts'

/** Allows for network latency: a click in the last second still works. */
export const GRACE_SECONDS = 5
const HOUR_MS = 60 * 60_000
/**
 * Runs an administrator's work as runIdempotent does, and adds how many seconds it can be undone: the
 * end of that time is stored with the answer, which may be replayed later.
 */
export async function runUndoable<T extends object>(
  context: Context,
  work: (db: Db) => Promise<T>,
): Promise<T & { undoSeconds: number }> {
  const { clock } = context
  // Replies stored by the previous version lack it.
  const { undoUntil = 0, ...answer } = await runIdempotent(
    context,
    async (db): Promise<T & { undoUntil?: number }> => ({
      ...(await work(db)),
      undoUntil: clock() + UNDO_SECONDS * 1000,
    }),
  )
  return { ...(answer as unknown as T), undoSeconds: Math.max(0, Math.ceil((undoUntil - clock()) / 1000)) }
}

/**
 * Reverts the caller's change of one or many people, its unsent mails and its review, except for
 * people changed since.
 * @returns how many people were restored, and the emails of those changed since
 * @throws ProblemError not-found for an unknown, foreign, undone or expired edit, or conflict
 */
export async function undoBulkEdit(
  context: Context,
  undoId: string,
): Promise<{ restored: number; changed: string[]; notes?: ChangeNotes }> {
  const askedAt = context.clock()
  return runIdempotent(context, async (db) => {
    const txContext = { ...context, db, clock: () => askedAt }
    const catalogue = await lockCatalogue(db)
    const ids = await readPeople(db, undoId, true)
    // After locking: another undo of the same edit may have run meanwhile.
    const isLate = await assertUndoable(txContext, undoId)
    let restored = 0
    const changed: string[] = []
    const all: EditedGroup[] = []
    for (const chunk of splitIntoChunks(ids)) {
      const edited = await readEdited(db, undoId, chunk)
      all.push(...edited)
      const changes = edited.flatMap(({ isUnchanged, who, before, after }) =>
        isUnchanged ? [{ ids: who, before: after, after: before }] : [],
      )
      await writeChanges(txContext, { action: 'bulk-edit-undone', batchId: undoId, changes })
      const unapproved = changes.filter(({ after }) => after.approved === false).flatMap(({ ids }) => ids)
      await withdrawMails(db, 'account-approved', unapproved)
      await withdrawMails(
        db,
        'access-changed',
        changes.flatMap(({ ids }) => ids),
      )
      // They were told of the change: they are told what they have now.
      const told = changes.filter(({ after }) => isLate && !('full_name' in after))
      await queueAccessMails(
        db,
        told.flatMap(({ ids }) => ids),
      )
      for (const { isUnchanged, who } of edited) {
        if (isUnchanged) restored += who.length
        else changed.push(...who)
      }
    }
    if (restored === 0 && changed.length > 0) throw createAllChangedError(changed)
    await removeReview(txContext, undoId)
    const notes = await noteUndo(txContext, catalogue, all)
    return { restored, changed: changed.toSorted(), ...(notes.emptied.length > 0 && { notes }) }
  })
}

/** Says what is worth saying of undoBulkEdit, and throws as it does, without writing or locking. */
export async function previewUndo(context: Context, undoId: string): Promise<{ notes: ChangeNotes }> {
  const { db } = context
  await assertUndoable(context, undoId)
  const edited: EditedGroup[] = []
  for (const chunk of splitIntoChunks(await readPeople(db, undoId, false)))
    edited.push(...(await readEdited(db, undoId, chunk)))
  return { notes: await noteUndo(context, await readCatalogue(db), edited) }
}

/** Who waits for approval again has no use for lists. */
function noteUndo(context: Context, catalogue: Catalogue, edited: EditedGroup[]): Promise<ChangeNotes> {
  const restored = edited.filter(({ isUnchanged, before }) => isUnchanged && before.approved !== false)
  return readNotes(
    context,
    catalogue,
    restored.flatMap(({ who }) => who),
    restored.map(({ who, before, after }) => ({ names: who, before: after, after: before })),
  )
}

/** An undone review counts as never done; the trail keeps both. */
async function removeReview(context: Context, undoId: string): Promise<void> {
  const review = await context.db
    .deleteFrom('access_reviews')
    .where('id', '=', undoId)
    .returning(['kind', 'code'])
    .executeTakeFirst()
  if (review) await recordAudit(context, { action: 'bulk-edit-undone', after: review, batchId: undoId })
}

function createAllChangedError([first, another]: string[]): ProblemError {
  const who = another
    ? 'Todos os usuários desta alteração foram alterados depois dela.'
    : `${first} foi alterado depois desta alteração.`
  return new ProblemError('conflict', { detail: `${who} Nada foi desfeito.` })
}

/** @returns the ids of the edit's people who still exist */
async function readPeople(db: Db, undoId: string, lock: boolean): Promise<string[]> {
  const changed = db.selectFrom('audit_entries').select('target_id').where('batch_id', '=', undoId)
  const rows = await db
    .selectFrom('profiles')
    .select('user_id')
    .where('user_id', 'in', changed)
    .orderBy('user_id')
    .$if(lock, (query) => query.forUpdate())
    .execute()
  return rows.map(({ user_id }) => user_id)
}

/** @returns whether mails no longer wait for it */
async function assertUndoable(context: Context, undoId: string): Promise<boolean> {
  const { db, clock } = context
  const entries = await db
    .selectFrom('audit_entries')
    .select((query) => ['action', 'actor_id', query.fn.max('at').as('at'), query.fn.max('id').as('id')])
    .where('batch_id', '=', undoId)
    .groupBy(['action', 'actor_id'])
    .execute()
  const isEdit = ({ action }: { action: string }) => UNDOABLE_EDITS.includes(action as AuditAction)
  const edit = entries.find(isEdit)
  const isDone = !entries.every(isEdit)
  assertOwnAndRecent(context, edit, isDone)
  await assertNotRenamed(db, edit.id)
  return clock() - edit.at.getTime() > (UNDO_SECONDS + GRACE_SECONDS) * 1000
}

/** @throws ProblemError not-found for an unknown, foreign, undone or expired change */
export function assertOwnAndRecent<C extends { actor_id: string | null; at: Date }>(
  { clock, actor }: Context,
  change: C | undefined,
  isDone: boolean,
): asserts change is C {
  const refuse = (detail: string) => new ProblemError('not-found', { detail })
  if (change?.actor_id !== actor.profile.user_id) throw refuse('Não há alteração sua para desfazer.')
  if (isDone) throw refuse('Esta alteração já foi desfeita.')
  if (clock() - change.at.getTime() > UNDO_HOURS * HOUR_MS)
    throw refuse(`O prazo de ${UNDO_HOURS} horas para desfazer esta alteração terminou.`)
}

/** A restored list could hold an area's old name. @throws ProblemError conflict */
export async function assertNotRenamed(db: Db, editId: number): Promise<void> {
  const renaming = await db
    .selectFrom('audit_entries')
    .select('id')
    .where('id', '>', editId)
    .where('action', '=', 'catalogue-item-changed')
    .where(sql<boolean>`after ->> 'label' is not null`)
    .executeTakeFirst()
  if (renaming)
    throw new ProblemError('conflict', {
      detail: 'Uma área foi renomeada depois desta alteração. Nada foi desfeito.',
    })
}

/** What an entry tells beside the new state. */
const NOT_STATE = sql`array['reason', 'templates', 'email_verified']`

/** People with the same change in an edit. */
interface EditedGroup {
  before: Partial<State>
  after: Partial<State>
  /** Whether the fields that the edit set still have those values. */
  isUnchanged: boolean
  /** Ids of unchanged people, emails of the others. */
  who: string[]
}

async function readEdited(db: Db, undoId: string, ids: string[]): Promise<EditedGroup[]> {
  const { rows } = await sql<EditedGroup>`
    select before, after - ${NOT_STATE} as after, is_unchanged as "isUnchanged",
      json_agg(case when is_unchanged then user_id::text else email end) as who
    from (
      select a.before, a.after, p.user_id, p.email, held.state || (a.after - ${NOT_STATE}) = held.state as is_unchanged
      from audit_entries a join profiles p on p.user_id = a.target_id, jsonb_build_object('types', p.types,
        'marcas', p.marcas, 'estados', p.estados, 'approved', p.approved, 'valid_until', p.valid_until,
        'full_name', p.full_name) as held(state)
      where a.batch_id = ${undoId} and a.action = any(${UNDOABLE_EDITS}::text[]) and a.target_id = any(${ids}::uuid[])
    ) as edited group by before, after, is_unchanged`.execute(db)
  return rows
}
