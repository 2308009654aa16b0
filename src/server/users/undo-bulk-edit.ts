import { sql } from 'kysely'
import { type Entitlements, LISTS } from '#contract/held-lists.ts'
import { UNDO_SECONDS } from '#contract/user-rules.ts'
import { holdCatalogue } from '#server/catalogue/catalogue.ts'
import type { Db } from '#server/database/schema.ts'
import { changeOnce } from '#server/http/change-once.ts'
import type { Context } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { CHUNK, writeChanges } from './entitlements.ts'
import { withdrawApprovalMails } from './mails.ts'

/** The way of the answer and of the click: whoever presses in the last second is still heard. */
export const GRACE_SECONDS = 5
const EDITS = ['entitlements-added', 'entitlements-removed', 'validity-set', 'approval-given']

type State = Entitlements & { approved: boolean; valid_until: string | null }
type EditedPerson = State & {
  id: number
  user_id: string
  email: string
  before: Partial<State>
  after: Partial<State>
}

/**
 * Restores exactly what was before a bulk edit, or an approval of several, of one's own; a mail about the approval
 * that has not left yet does not. People deleted meanwhile are passed over.
 * @returns how many people got their lists back
 * @throws ProblemError not-found when it is not there, another's, done already or too late; conflict when
 *   somebody was changed, or an area renamed, after the edit
 */
export async function undoBulkEdit(context: Context, undoId: string): Promise<{ restored: number }> {
  const askedAt = context.clock()
  return changeOnce(context, async (db) => {
    const inside = { ...context, db, clock: () => askedAt }
    await holdCatalogue(db)
    await lockPeople(db, undoId)
    // Only now: another undo of the same edit may have held the rows.
    await assertUndoable(inside, undoId)
    let restored = 0
    for (let last = 0, isEnd = false; !isEnd; ) {
      const people = await readEdited(db, undoId, last)
      const changes = people.map(({ id: _, user_id, email, before, after, ...lists }) => {
        assertAsLeft(lists, after)
        return { user_id, email, lists: { ...lists, ...before }, before: after, after: before }
      })
      await writeChanges(inside, { action: 'bulk-edit-undone', batchId: undoId, changes })
      await withdrawApprovalMails(
        db,
        changes.filter(({ after }) => after.approved === false).map(({ email }) => email),
      )
      restored += changes.length
      last = people.at(-1)?.id ?? last
      isEnd = people.length < CHUNK
    }
    return { restored }
  })
}

async function lockPeople(db: Db, undoId: string): Promise<void> {
  await sql`with locked as (
      select p.user_id from profiles p
      where p.user_id in (select a.target_id from audit_entries a where a.batch_id = ${undoId})
      order by p.user_id for update
    ) select count(*) from locked`.execute(db)
}

async function assertUndoable({ db, clock, actor }: Context, undoId: string): Promise<void> {
  const entries = await db
    .selectFrom('audit_entries')
    .select((query) => ['action', 'actor_id', query.fn.max('at').as('at'), query.fn.max('id').as('id')])
    .where('batch_id', '=', undoId)
    .groupBy(['action', 'actor_id'])
    .execute()
  const edit = entries.find(({ action }) => EDITS.includes(action))
  const isDone = entries.some(({ action }) => !EDITS.includes(action))
  const detail =
    edit?.actor_id !== actor.profile.user_id
      ? 'Não há alteração sua para desfazer.'
      : isDone
        ? 'Esta alteração já foi desfeita.'
        : clock() - edit.at.getTime() > (UNDO_SECONDS + GRACE_SECONDS) * 1000
          ? `O prazo de ${UNDO_SECONDS} segundos para desfazer esta alteração terminou.`
          : undefined
  if (detail) throw new ProblemError('not-found', { detail })
  await assertNotRenamed(db, edit?.id ?? 0)
}

/** The names from before the edit may be no more. @throws ProblemError conflict */
async function assertNotRenamed(db: Db, editId: number): Promise<void> {
  const renaming = await db
    .selectFrom('audit_entries')
    .select('id')
    .where('id', '>', editId)
    .where('action', '=', 'catalogue-item-changed')
    .where(sql<boolean>`after ->> 'label' is not null`)
    .executeTakeFirst()
  if (renaming)
    throw new ProblemError('conflict', {
      detail: 'Uma área foi renomeada depois desta edição em massa. Nada foi desfeito.',
    })
}

async function readEdited(db: Db, undoId: string, afterId: number): Promise<EditedPerson[]> {
  const { rows } = await sql<EditedPerson>`
    select a.id, a.before, a.after, p.user_id, p.email, p.types, p.marcas, p.estados, p.approved, p.valid_until
    from audit_entries a join profiles p on p.user_id = a.target_id
    where a.batch_id = ${undoId} and a.action = any(${EDITS}::text[]) and a.id > ${afterId}
    order by a.id limit ${sql.lit(CHUNK)}`.execute(db)
  return rows
}

/** @throws ProblemError conflict when a list, the approval or its end is no longer what the edit made of it */
function assertAsLeft(now: State, after: Partial<State>): void {
  const isAsLeft =
    LISTS.every((name) => !after[name] || after[name].join() === now[name].join()) &&
    (after.approved ?? now.approved) === now.approved &&
    (after.valid_until === undefined || after.valid_until === now.valid_until)
  if (!isAsLeft)
    throw new ProblemError('conflict', {
      detail: 'Um dos usuários foi alterado depois desta edição em massa. Nada foi desfeito.',
    })
}
