import { createHash, randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Catalogue } from '#contract/catalogue.ts'
import { type Entitlements, LISTS } from '#contract/held-lists.ts'
import { adminMessages } from '#contract/user-rules.ts'
import type { BulkEdit, BulkEditResult } from '#contract/users.ts'
import {
  holdCatalogue,
  readCatalogue,
  refuseUnknown,
  refuseUnknownFilter,
} from '#server/catalogue/catalogue.ts'
import type { Db } from '#server/database/schema.ts'
import { changeOnce } from '#server/http/change-once.ts'
import type { Context } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import {
  type EntitlementChange,
  inChunks,
  mergeEntitlements,
  namedLists,
  writeChanges,
} from './entitlements.ts'
import { matches } from './user-queries.ts'

type Person = { user_id: string; email: string } & Entitlements

/**
 * Adds entitlements to many people or removes them, all or nothing. Who would not change is not written.
 * @returns how many gain, lose and stay, and the id under which it can be undone (null when none changed)
 * @throws ProblemError invalid-input without any item, conflict when others are meant than the administrator saw
 */
export async function bulkEdit(context: Context, edit: BulkEdit): Promise<BulkEditResult> {
  const action = edit.action === 'add' ? 'entitlements-added' : 'entitlements-removed'
  const batchId = randomUUID()
  return changeOnce(context, async (db) => {
    const catalogue = await holdCatalogue(db)
    const items = itemsOf(edit, catalogue)
    const ids = await selectPeople(db, edit, true)
    let changed = 0
    for (const chunk of inChunks(ids)) {
      const people = await readPeople(db, chunk)
      const changes = people.flatMap((person) => changeOf(catalogue, person, edit.action, items))
      // Each chunk at its own time: what can be undone counts from the last of them.
      await writeChanges({ ...context, db }, { action, batchId, changes })
      changed += changes.length
    }
    return resultOf(edit, ids, changed, changed > 0 ? batchId : null)
  })
}

/** Counts what bulkEdit would do, and throws as it does; nothing is written or locked. */
export async function previewBulkEdit({ db }: Context, edit: BulkEdit): Promise<BulkEditResult> {
  const catalogue = await readCatalogue(db)
  const items = itemsOf(edit, catalogue)
  const ids = await selectPeople(db, edit, false)
  let changed = 0
  for (const chunk of inChunks(ids))
    for (const { people, ...lists } of await countByLists(db, chunk, items))
      if (mergeEntitlements(catalogue, lists, edit.action, items)) changed += people
  return resultOf(edit, ids, changed, null)
}

/** What is archived may be taken from many, but not given. */
function itemsOf(edit: BulkEdit, catalogue: Catalogue): Partial<Entitlements> {
  const items = namedLists(edit)
  const message = adminMessages.bulkNothing
  if (Object.keys(items).length === 0)
    throw new ProblemError('invalid-input', { detail: message, fields: [{ path: 'types', message }] })
  refuseUnknown(catalogue, items, edit.action === 'add' ? {} : undefined)
  return items
}

function resultOf(edit: BulkEdit, ids: string[], changed: number, undoId: string | null): BulkEditResult {
  const [gaining, losing] = edit.action === 'add' ? [changed, 0] : [0, changed]
  const unchanged = ids.length - changed
  return { selected: ids.length, gaining, losing, unchanged, fingerprint: fingerprintOf(ids), undoId }
}

function changeOf(
  catalogue: Catalogue,
  { user_id, email, ...lists }: Person,
  action: BulkEdit['action'],
  items: Partial<Entitlements>,
): EntitlementChange[] {
  const after = mergeEntitlements(catalogue, lists, action, items)
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

/**
 * The ids of the people whom a bulk edit means, in the one order in which rows are locked.
 * @param lock whether to hold the rows until the transaction ends
 * @throws ProblemError conflict when somebody is gone (its fields say who), or others match than the administrator saw
 */
async function selectPeople(db: Db, edit: BulkEdit, lock: boolean): Promise<string[]> {
  return 'userIds' in edit ? selectNamed(db, edit.userIds, lock) : selectMatching(db, edit.allMatching, lock)
}

/** Stands for exactly these people, whose ids are given in the order of selectPeople. */
export function fingerprintOf(ids: readonly string[]): string {
  return createHash('sha256').update(ids.join()).digest('base64url')
}

async function selectNamed(db: Db, userIds: readonly string[], lock: boolean): Promise<string[]> {
  const wanted = userIds.map((id) => id.toLowerCase())
  const found = await readIds(db, sql<boolean>`p.user_id = any(${[...new Set(wanted)]}::uuid[])`, lock)
  const there = new Set(found)
  const gone = new Set(wanted.filter((id) => !there.has(id)))
  if (gone.size === 0) return found
  throw new ProblemError('conflict', {
    detail: `${inWords(gone.size)} dos usuários selecionados já não ${gone.size === 1 ? 'existe' : 'existem'}. Nada foi alterado.`,
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
  const found = await readIds(db, matches(filter), lock)
  if (found.length !== count)
    throw listChanged(`eram ${inWords(count)} usuário(s), agora são ${inWords(found.length)}`)
  const excepted = new Set(except.map((id) => id.toLowerCase()))
  const meant = found.filter((id) => !excepted.has(id))
  if (fingerprint !== undefined && fingerprint !== fingerprintOf(meant))
    throw listChanged('o número é o mesmo, mas as pessoas não')
  return meant
}

function listChanged(how: string): ProblemError {
  return new ProblemError('conflict', {
    detail: `A lista mudou nesse meio-tempo: ${how}. Nada foi alterado.`,
  })
}

const inWords = (count: number) => count.toLocaleString('pt-BR')

async function readIds(db: Db, condition: RawBuilder<boolean>, lock: boolean): Promise<string[]> {
  const { rows } = await sql<{ ids: string }>`
    with found as (
      select p.user_id from profiles p where ${condition} order by p.user_id ${lock ? sql`for update` : sql``}
    )
    select coalesce(json_agg(user_id), '[]')::text as ids from found`.execute(db)
  return JSON.parse(rows[0]?.ids ?? '[]') as string[]
}
