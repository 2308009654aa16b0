import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { type Entitlements, LISTS } from '#contract/catalogue.ts'
import type { BulkEdit, BulkEditResult } from '#contract/users.ts'
import { adminMessages } from '#contract/users.ts'
import type { Db } from '#server/database/schema.ts'
import type { Actor, RequestInfo } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { type EntitlementChange, inChunks, writeChanges } from './change-queries.ts'
import { mergeEntitlements, namedLists } from './merge-entitlements.ts'
import { fingerprintOf, selectPeople } from './select-people.ts'

type Person = { user_id: string; email: string } & Entitlements

/**
 * Adds entitlements to many people or removes them, all or nothing. Who would not change is not written.
 * @returns how many gain, lose and stay, and the id under which it can be undone (null when nobody changed)
 * @throws ProblemError invalid-input without any item, conflict when others are meant than the administrator saw
 */
export async function bulkEdit(
  { db, clock }: { db: Db; clock: () => number },
  actor: Actor,
  edit: BulkEdit,
  request: RequestInfo,
): Promise<BulkEditResult> {
  const items = itemsOf(edit)
  const entry = {
    action: edit.action === 'add' ? ('entitlements-added' as const) : ('entitlements-removed' as const),
    actor: actor.profile,
    request,
    batchId: randomUUID(),
  }
  return db.transaction().execute(async (transaction) => {
    const ids = await selectPeople(transaction, edit, true)
    let changed = 0
    for (const chunk of inChunks(ids)) {
      const changes = (await readPeople(transaction, chunk)).flatMap((person) =>
        changeOf(person, edit.action, items),
      )
      // An edit of everybody lasts; the time to undo it counts from the last of them.
      await writeChanges(transaction, changes, { ...entry, at: new Date(clock()) })
      changed += changes.length
    }
    return resultOf(edit, ids, changed, changed > 0 ? entry.batchId : null)
  })
}

/**
 * Counts what bulkEdit would do; nothing is written and nobody is locked.
 * @throws ProblemError as bulkEdit does
 */
export async function previewBulkEdit(db: Db, edit: BulkEdit): Promise<BulkEditResult> {
  const items = itemsOf(edit)
  const ids = await selectPeople(db, edit, false)
  let changed = 0
  for (const chunk of inChunks(ids))
    for (const { people, ...lists } of await countByLists(db, chunk, items))
      if (mergeEntitlements(lists, edit.action, items)) changed += people
  return resultOf(edit, ids, changed, null)
}

function itemsOf(edit: BulkEdit): Partial<Entitlements> {
  const items = namedLists(edit)
  const message = adminMessages.bulkNothing
  if (Object.keys(items).length === 0)
    throw new ProblemError('invalid-input', { detail: message, fields: [{ path: 'types', message }] })
  return items
}

function resultOf(edit: BulkEdit, ids: string[], changed: number, undoId: string | null): BulkEditResult {
  const [gaining, losing] = edit.action === 'add' ? [changed, 0] : [0, changed]
  const unchanged = ids.length - changed
  return { selected: ids.length, gaining, losing, unchanged, fingerprint: fingerprintOf(ids), undoId }
}

function changeOf(
  { user_id, email, ...lists }: Person,
  action: BulkEdit['action'],
  items: Partial<Entitlements>,
): EntitlementChange[] {
  const after = mergeEntitlements(lists, action, items)
  if (!after) return []
  const before = Object.fromEntries(
    Object.keys(after).map((name) => [name, lists[name as keyof Entitlements]]),
  )
  return [{ user_id, email, lists: { ...lists, ...after }, before, after }]
}

function readPeople(db: Db, ids: string[]): Promise<Person[]> {
  return db
    .selectFrom('profiles')
    .select(['user_id', 'email', 'types', 'marcas', 'estados'])
    .where(isOneOf(ids))
    .execute()
}

/** People with equal lists are told apart by nothing that matters here. */
function countByLists(db: Db, ids: string[], items: Partial<Entitlements>) {
  const named = LISTS.filter((name) => items[name])
  return db
    .selectFrom('profiles')
    .select((query) => [...named, query.fn.countAll<number>().as('people')])
    .where(isOneOf(ids))
    .groupBy(named)
    .execute()
}

/** One value instead of thousands of parameters. */
const isOneOf = (ids: string[]) => sql<boolean>`user_id = any(${ids}::uuid[])`
