import { createHash, randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Catalogue } from '#contract/catalogue.ts'
import { LISTS } from '#contract/held-lists.ts'
import { adminMessages } from '#contract/user-rules.ts'
import type { AuditAction, BulkEdit, BulkEditResult } from '#contract/users.ts'
import {
  holdCatalogue,
  readCatalogue,
  refuseUnknown,
  refuseUnknownFilter,
} from '#server/catalogue/catalogue.ts'
import type { Db } from '#server/database/schema.ts'
import { changeOnce } from '#server/http/change-once.ts'
import type { Context } from '#server/http/context.ts'
import { invalidField, ProblemError } from '#server/http/problem-error.ts'
import {
  computeValidityChange,
  splitIntoChunks,
  mergeEntitlements,
  pickListsToEdit,
  type SharedChange,
  type State,
  writeChanges,
} from './entitlements.ts'
import { getUndoDeadline, addUndoSeconds } from './undo-bulk-edit.ts'
import { matchesFilter } from './user-queries.ts'

/** What a bulk edit may change of somebody. */
type EditableState = Omit<State, 'approved'>

/** What an edit makes of people. */
interface EditPlan {
  action: AuditAction
  /** What of a person decides what becomes of them. */
  columns: (keyof EditableState)[]
  /** How somebody changes who holds this in those columns; undefined where nothing does. */
  computeChange: (current: Partial<EditableState>) => Omit<SharedChange, 'ids'> | undefined
  isGain: (change: { before: Partial<EditableState> }) => boolean
}

/**
 * Adds entitlements to many people, removes them, or sets the end of their access, all or nothing. Who would not change
 * is not written.
 * @returns how many gain, lose and stay, and the id under which it can be undone (null when none changed)
 * @throws ProblemError invalid-input without any item and for a day that has passed, conflict when others are meant than
 *   the administrator saw
 */
export async function bulkEdit(context: Context, edit: BulkEdit): Promise<BulkEditResult> {
  const answer = await changeOnce(context, async (db) => {
    const effect = await applyEdit({ ...context, db }, await holdCatalogue(db), edit, randomUUID())
    return { ...effect, undoUntil: getUndoDeadline(context) }
  })
  return addUndoSeconds(context, answer)
}

/** Counts what bulkEdit would do, and throws as it does; nothing is written or locked. */
export async function previewBulkEdit(context: Context, edit: BulkEdit): Promise<BulkEditResult> {
  return { ...(await applyEdit(context, await readCatalogue(context.db), edit, null)), undoSeconds: 0 }
}

/** @param batchId what it is written under; null only counts */
async function applyEdit(
  context: Context,
  catalogue: Catalogue,
  edit: BulkEdit,
  batchId: string | null,
): Promise<Omit<BulkEditResult, 'undoSeconds'>> {
  const { db, actor } = context
  const plan = planEdit(context, catalogue, edit)
  const ids = await selectPeople(db, edit, batchId !== null)
  const counts = { gaining: 0, losing: 0 }
  let includesSelf = false
  for (const chunk of splitIntoChunks(ids)) {
    const changes: SharedChange[] = []
    for (const { ids: userIds, ...current } of await readIdentical(db, chunk, plan.columns)) {
      const change = plan.computeChange(current)
      if (!change) continue
      const isGain = plan.isGain(change)
      counts[isGain ? 'gaining' : 'losing'] += userIds.length
      includesSelf ||= !isGain && userIds.includes(actor.profile.user_id)
      changes.push({ ids: userIds, ...change })
    }
    // Each chunk at its own time: what can be undone counts from the last of them.
    if (batchId) await writeChanges(context, { action: plan.action, batchId, changes })
  }
  const changed = counts.gaining + counts.losing
  return {
    selected: ids.length,
    ...counts,
    unchanged: ids.length - changed,
    includesSelf,
    fingerprint: computeFingerprint(ids),
    undoId: changed > 0 ? batchId : null,
  }
}

/** What is archived may be taken from many, but not given. */
function planEdit(context: Context, catalogue: Catalogue, edit: BulkEdit): EditPlan {
  const { action, valid_until } = edit
  const items = pickListsToEdit(edit)
  const columns = LISTS.filter((name) => items[name])
  if (action === 'validity') {
    if (valid_until === undefined || columns.length > 0)
      throw invalidField('valid_until', adminMessages.bulkNothing)
    // Refuses a day that has passed.
    computeValidityChange(context, { valid_until: null }, { isNew: false, wanted: valid_until })
    return {
      action: 'validity-set',
      columns: ['valid_until'],
      computeChange: ({ valid_until: current = null }) =>
        current === valid_until ? undefined : { before: { valid_until: current }, after: { valid_until } },
      isGain: ({ before }) => !valid_until || (!!before.valid_until && before.valid_until < valid_until),
    }
  }
  if (columns.length === 0 || valid_until !== undefined)
    throw invalidField('types', adminMessages.bulkNothing)
  refuseUnknown(catalogue, items, action === 'add' ? {} : undefined)
  return {
    action: action === 'add' ? 'entitlements-added' : 'entitlements-removed',
    columns,
    computeChange(current) {
      const after = mergeEntitlements(catalogue, current, action, items)
      return after && { before: Object.fromEntries(columns.map((name) => [name, current[name]])), after }
    },
    isGain: () => action === 'add',
  }
}

/** Those of the people who hold the same in these columns, together. */
function readIdentical(db: Db, ids: string[], columns: (keyof EditableState)[]) {
  return db
    .selectFrom('profiles')
    .select(columns)
    .select(sql<string[]>`json_agg(user_id)`.as('ids'))
    .where(isOneOf(ids))
    .groupBy(columns)
    .execute()
}

/** One value instead of thousands of parameters. */
const isOneOf = (ids: string[]) => sql<boolean>`user_id = any(${ids}::uuid[])`

/**
 * The ids of the people whom a bulk edit means, in the one order in which rows are locked.
 * @param lock whether to hold the rows until the transaction ends
 * @throws ProblemError conflict when somebody is gone (its fields say who), or others match than the administrator saw
 */
async function selectPeople(db: Db, edit: BulkEdit, lock: boolean): Promise<string[]> {
  return 'userIds' in edit ? selectNamed(db, edit.userIds, lock) : selectMatching(db, edit.allMatching, lock)
}

/** Stands for exactly these people, whose ids are given in the order of selectPeople. */
export function computeFingerprint(ids: readonly string[]): string {
  return createHash('sha256').update(ids.join()).digest('base64url')
}

async function selectNamed(db: Db, userIds: readonly string[], lock: boolean): Promise<string[]> {
  const wanted = userIds.map((id) => id.toLowerCase())
  const found = await readIds(db, sql<boolean>`p.user_id = any(${[...new Set(wanted)]}::uuid[])`, lock)
  const known = new Set(found)
  const gone = new Set(wanted.filter((id) => !known.has(id)))
  if (gone.size === 0) return found
  throw new ProblemError('conflict', {
    detail: `${formatCount(gone.size)} dos usuários selecionados já não ${gone.size === 1 ? 'existe' : 'existem'}. Nada foi alterado.`,
    fields: wanted.flatMap((id, index) =>
      gone.has(id) ? [{ path: `userIds.${index}`, message: 'Este usuário já não existe.' }] : [],
    ),
  })
}

async function selectMatching(
  db: Db,
  { filter, except, count, fingerprint }: Extract<BulkEdit, { allMatching: unknown }>['allMatching'],
  lock: boolean,
): Promise<string[]> {
  await refuseUnknownFilter(db, filter)
  const found = await readIds(db, matchesFilter(filter), lock)
  if (found.length !== count)
    throw createListChangedError(`eram ${formatCount(count)} usuário(s), agora são ${formatCount(found.length)}`)
  const excepted = new Set(except.map((id) => id.toLowerCase()))
  const selected = found.filter((id) => !excepted.has(id))
  if (fingerprint !== undefined && fingerprint !== computeFingerprint(selected))
    throw createListChangedError('o número é o mesmo, mas as pessoas não')
  return selected
}

function createListChangedError(how: string): ProblemError {
  return new ProblemError('conflict', {
    detail: `A lista mudou nesse meio-tempo: ${how}. Nada foi alterado.`,
  })
}

const formatCount = (count: number) => count.toLocaleString('pt-BR')

async function readIds(db: Db, condition: RawBuilder<boolean>, lock: boolean): Promise<string[]> {
  const { rows } = await sql<{ ids: string }>`
    with found as (
      select p.user_id from profiles p where ${condition} order by p.user_id ${lock ? sql`for update` : sql``}
    )
    select coalesce(json_agg(user_id), '[]')::text as ids from found`.execute(db)
  return JSON.parse(rows[0]?.ids ?? '[]') as string[]
}
