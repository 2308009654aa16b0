import { createHash, randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { EntitlementAction } from '#contract/audit-actions.ts'
import type { Catalogue } from '#contract/catalogue.ts'
import type { NotedChange } from '#contract/change-notes.ts'
import { type Entitlements, LISTS, sortItems } from '#contract/entitlement-lists.ts'
import { adminMessages } from '#contract/user-rules.ts'
import type { BulkEdit, BulkEditResult } from '#contract/users.ts'
import {
  lockCatalogue,
  readCatalogue,
  rejectUnknownFilter,
  rejectUnknownItems,
} from '#server/catalogue/catalogue.ts'
import type { Db } from '#server/database/schema.ts'
import type { Context } from '#server/http/context.ts'
import { ProblemError, toFieldError } from '#server/http/problem-error.ts'
import {
  computeValidityChange,
  mergeEntitlements,
  pickListsToEdit,
  type SharedChange,
  type State,
  sortEntitlements,
  splitIntoChunks,
  writeChanges,
} from './entitlements.ts'
import { queueAccessMails } from './mails.ts'
import { readNotes } from './read-notes.ts'
import { runUndoable } from './undo-bulk-edit.ts'
import { matchesFilter } from './user-queries.ts'

/** The fields of a profile that a bulk edit may change. */
type EditableState = Omit<State, 'approved' | 'full_name'>

/** The effect of an edit on each person. */
interface EditPlan {
  action: EntitlementAction
  /** The columns that the change depends on. */
  columns: (keyof EditableState)[]
  /** Returns the change for these column values; undefined without one. */
  computeChange: (current: Partial<EditableState>) => Omit<SharedChange, 'ids'> | undefined
}

/**
 * Adds, removes or replaces entitlements of many people, or sets the end of their access, all or
 * nothing.
 * @returns how many gain, lose and stay, and the id for the undo (null when nobody changed)
 * @throws ProblemError invalid-input without items or for a past day, conflict for a changed selection
 */
export function bulkEdit(context: Context, edit: BulkEdit): Promise<BulkEditResult> {
  return runUndoable(context, async (db) =>
    applyEdit({ ...context, db }, await lockCatalogue(db), edit, randomUUID()),
  )
}

/** Counts the effect of bulkEdit, and throws as it does, without writing or locking. */
export async function previewBulkEdit(context: Context, edit: BulkEdit): Promise<BulkEditResult> {
  return { ...(await applyEdit(context, await readCatalogue(context.db), edit, null)), undoSeconds: 0 }
}

/** @param batchId the id of the batch; null for a dry run */
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
  const effects: Effects = new Map()
  let [includesSelf, ending] = [false, 0]
  const changedIds: string[] = []
  const noted: NotedChange[] = []
  for (const chunk of splitIntoChunks(ids)) {
    const changes: SharedChange[] = []
    for (const { ids: userIds, ...current } of await readIdentical(db, chunk, plan.columns)) {
      const change = plan.computeChange(current)
      if (!change) continue
      const isGain = !countEffects(catalogue, effects, change, userIds.length) && !isShortened(change)
      counts[isGain ? 'gaining' : 'losing'] += userIds.length
      if (change.after.valid_until !== undefined) ending += userIds.length
      includesSelf ||= !isGain && userIds.includes(actor.profile.user_id)
      changes.push({ ids: userIds, ...change })
      noted.push({ names: userIds, ...change })
      changedIds.push(...userIds)
    }
    // Each chunk has its own timestamp: the undo window counts from the last one.
    if (batchId) await writeChanges(context, { action: plan.action, batchId, changes })
  }
  const changed = changedIds.length
  if (batchId) await queueAccessMails(db, changedIds)
  return {
    selected: ids.length,
    ...counts,
    unchanged: ids.length - changed,
    effects: sortEffects(catalogue, [...effects.values()]),
    ending,
    includesSelf,
    notes: await readNotes(context, catalogue, ids, noted),
    fingerprint: computeFingerprint(ids),
    undoId: changed > 0 ? batchId : null,
  }
}

type Effects = Map<string, BulkEditResult['effects'][number]>

/** Counts who gains and loses each item. @returns whether the change takes any */
function countEffects(
  catalogue: Catalogue,
  effects: Effects,
  { before, after }: Omit<SharedChange, 'ids'>,
  people: number,
): boolean {
  let takesAny = false
  for (const list of LISTS) {
    // Older versions spelled some items differently.
    const had = sortItems(catalogue, list, before[list] ?? [])
    const has = sortItems(catalogue, list, after[list] ?? [])
    const count = (item: string, isGain: boolean) => {
      const key = `${list} ${item}`
      const effect = effects.get(key) ?? { list, item, gaining: 0, losing: 0 }
      effect[isGain ? 'gaining' : 'losing'] += people
      effects.set(key, effect)
    }
    for (const item of has) if (!had.includes(item)) count(item, true)
    const lost = had.filter((item) => !has.includes(item))
    for (const item of lost) count(item, false)
    takesAny ||= lost.length > 0
  }
  return takesAny
}

const sortEffects = (catalogue: Catalogue, effects: BulkEditResult['effects']) =>
  LISTS.flatMap((list) => {
    const ofList = effects.filter((effect) => effect.list === list)
    const order = sortItems(
      catalogue,
      list,
      ofList.map(({ item }) => item),
    )
    return ofList.toSorted((one, other) => order.indexOf(one.item) - order.indexOf(other.item))
  })

/** Whether the access ends sooner; no end is the latest. */
const isShortened = ({ before, after }: Omit<SharedChange, 'ids'>) =>
  after.valid_until != null && (before.valid_until == null || before.valid_until > after.valid_until)

/** Archived items can be removed but not added. */
function planEdit(context: Context, catalogue: Catalogue, edit: BulkEdit): EditPlan {
  const { action, valid_until } = edit
  const items = pickListsToEdit(edit)
  const lists = action === 'replace' ? LISTS : LISTS.filter((name) => items[name])
  const isEnd = valid_until !== undefined
  if (action === 'validity' && (!isEnd || lists.length > 0))
    throw toFieldError('valid_until', adminMessages.bulkNothing)
  if (action === 'replace' ? LISTS.some((name) => !edit[name]) : !isEnd && lists.length === 0)
    throw toFieldError('types', adminMessages.bulkNothing)
  // Throws for a past day.
  if (isEnd) computeValidityChange(context, { valid_until: null }, { isNew: false, wanted: valid_until })
  rejectUnknownItems(catalogue, items, action === 'remove' ? undefined : {})
  const computeLists = (current: Partial<Entitlements>): Partial<Entitlements> | undefined =>
    action === 'replace'
      ? replaceLists(catalogue, current, items)
      : action === 'validity'
        ? undefined
        : mergeEntitlements(catalogue, current, action, items)
  return {
    action: ACTIONS[lists.length > 0 ? action : 'validity'],
    columns: [...lists, ...(isEnd ? (['valid_until'] as const) : [])],
    computeChange({ valid_until: end = null, ...current }) {
      const after = computeLists(current)
      const endChange =
        isEnd && end !== valid_until ? { before: { valid_until: end }, after: { valid_until } } : undefined
      if (!after && !endChange) return undefined
      const before = after && Object.fromEntries(lists.map((name) => [name, current[name]]))
      return { before: { ...before, ...endChange?.before }, after: { ...after, ...endChange?.after } }
    },
  }
}

const ACTIONS: Record<BulkEdit['action'], EntitlementAction> = {
  add: 'entitlements-added',
  remove: 'entitlements-removed',
  replace: 'access-set',
  validity: 'validity-set',
}

/** @returns the wanted lists in the catalogue's order; undefined when all are held already */
function replaceLists(
  catalogue: Catalogue,
  current: Partial<Entitlements>,
  items: Partial<Entitlements>,
): Entitlements | undefined {
  const wanted = sortEntitlements(catalogue, { types: [], marcas: [], estados: [], ...items })
  const held = (list: keyof Entitlements) => sortItems(catalogue, list, current[list] ?? [])
  return LISTS.every((list) => held(list).join('\n') === wanted[list].join('\n')) ? undefined : wanted
}

/** Groups people by equal values in these columns. */
function readIdentical(db: Db, ids: string[], columns: (keyof EditableState)[]) {
  return db
    .selectFrom('profiles')
    .select(columns)
    .select(sql<string[]>`json_agg(user_id)`.as('ids'))
    .where(isOneOf(ids))
    .groupBy(columns)
    .execute()
}

/** Passes one array instead of thousands of parameters. */
const isOneOf = (ids: string[]) => sql<boolean>`user_id = any(${ids}::uuid[])`

/**
 * Returns the ids of the selected people, in the order in which all callers lock rows.
 * @param lock whether to lock the rows until the transaction ends
 * @throws ProblemError conflict for deleted people (in its fields), or when the matches have changed
 */
async function selectPeople(db: Db, edit: BulkEdit, lock: boolean): Promise<string[]> {
  return 'userIds' in edit ? selectNamed(db, edit.userIds, lock) : selectMatching(db, edit.allMatching, lock)
}

/** Hashes the ids of people, which must come in the order of selectPeople. */
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
  await rejectUnknownFilter(db, filter)
  const found = await readIds(db, matchesFilter(filter), lock)
  if (found.length !== count)
    throw createListChangedError(
      `havia ${formatCount(count)} na lista, agora há ${formatCount(found.length)}`,
    )
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
  const found = db.selectFrom('profiles as p').select('p.user_id').where(condition).orderBy('p.user_id')
  const rows = await found.$if(lock, (each) => each.forUpdate()).execute()
  return rows.map(({ user_id }) => user_id)
}
