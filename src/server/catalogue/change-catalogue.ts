import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import {
  type Catalogue,
  type CatalogueItem,
  catalogueMessages,
  type catalogueRoutes,
  MAX_ITEMS,
  toSlug,
} from '#contract/catalogue.ts'
import { LISTS, type ListName, listSpellings, sortItems, toKey } from '#contract/entitlement-lists.ts'
import type { BodyOf, ParamsOf, ReplyOf } from '#contract/route.ts'
import type { Db } from '#server/database/schema.ts'
import type { Context } from '#server/http/context.ts'
import { runIdempotent } from '#server/http/idempotency.ts'
import { ProblemError, toFieldError } from '#server/http/problem-error.ts'
import {
  type AuditEntry,
  type ChangeToUndo,
  createChangedSinceError,
  recordAudit,
} from '#server/operations/audit.ts'
import { splitIntoChunks, writeChanges } from '#server/users/entitlements.ts'
import { queueAccessMails } from '#server/users/mails.ts'
import { runUndoable } from '#server/users/undo-bulk-edit.ts'
import { holdsAll, readCatalogue } from './catalogue.ts'

/** All columns with area labels, and the key of their rows. */
export const COLUMNS_WITH_TYPES = [
  { table: 'profiles', column: 'types', key: 'user_id' },
  { table: 'access_requests', column: 'types', key: 'user_id' },
  { table: 'access_templates', column: 'types', key: 'id' },
  { table: 'invitations', column: 'types', key: 'id' },
  { table: 'notices', column: 'types', key: 'id' },
] as const

type ChangeRoute = typeof catalogueRoutes.changeCatalogueItem
/** Version that the administrator saw; undefined skips the check. */
type IfMatch = string | undefined
/** Changes the catalogue. Returns the audit entry; undefined if nothing changed. */
type Change = (db: Db, catalogue: Catalogue) => Promise<AuditEntry | undefined>

/** Executes a change under a lock and increments the version. @returns the catalogue afterwards */
function changeCatalogue(
  context: Context,
  ifMatch: IfMatch,
  change: Change,
): Promise<Catalogue & { undoId: string | null }> {
  return runIdempotent(context, async (db) => {
    const batchId = randomUUID()
    let isChanged = false
    const catalogue = await writeCatalogue({ ...context, db }, ifMatch, async (...args) => {
      const entry = await change(...args)
      isChanged = entry !== undefined
      return entry && { ...entry, batchId }
    })
    return { ...catalogue, undoId: isChanged ? batchId : null }
  })
}

/**
 * Undoes a new name, place in the archive or order.
 * @throws ProblemError conflict if it was changed since, invalid-input if the name is taken now
 */
export async function undoCatalogueChange(
  context: Context,
  { before, after, batchId }: ChangeToUndo,
): Promise<void> {
  await writeCatalogue(context, undefined, async (db, catalogue) => {
    const { kind, code, ...changed } = (before ?? {}) as unknown as ParamsOf<ChangeRoute> &
      BodyOf<ChangeRoute>
    const item = kind && catalogue[kind].find((each) => each.code === code)
    const isUnchanged = item
      ? Object.keys(changed).every((name) => item[name as keyof CatalogueItem] === after?.[name])
      : !kind && LISTS.every((list) => !after?.[list] || isSameOrder(catalogue[list], after[list]))
    if (!isUnchanged) throw createChangedSinceError()
    const entry = item
      ? await changeItem(db, catalogue, { kind, item, change: changed })
      : await orderItems(db, catalogue, changed as BodyOf<typeof catalogueRoutes.orderCatalogue>)
    return entry && { ...entry, batchId }
  })
}

const isSameOrder = (items: readonly CatalogueItem[], codes: unknown) =>
  items.map(({ code }) => code).join() === String(codes)

async function writeCatalogue(context: Context, ifMatch: IfMatch, change: Change): Promise<Catalogue> {
  const { db } = context
  await sql`select value from portal_facts where name = 'catalogue-version' for update`.execute(db)
  const catalogue = await readCatalogue(db)
  if (ifMatch !== undefined && ifMatch !== String(catalogue.version))
    throw new ProblemError('conflict', { detail: catalogueMessages.changedMeanwhile })
  const entry = await change(db, catalogue)
  if (!entry) return catalogue
  await sql`update portal_facts set value = (value::integer + 1)::text where name = 'catalogue-version'`.execute(
    db,
  )
  await recordAudit(context, entry)
  // An unspecific change notification, because it may affect too many people: clients refetch all.
  await sql`insert into changes (kind) values ('person')`.execute(db)
  await sql`select pg_notify('changes', '')`.execute(db)
  return readCatalogue(db)
}

/**
 * Adds an area, a brand or a state at the end of its list, and gives it to who holds the whole list.
 * @throws ProblemError invalid-input, also if the code or label exists
 */
export function addCatalogueItem(
  context: Context,
  wanted: { kind: ListName } & BodyOf<typeof catalogueRoutes.addCatalogueItem>,
): Promise<ReplyOf<typeof catalogueRoutes.addCatalogueItem>> {
  const { kind, label, giveToHolders = false } = wanted
  const batchId = randomUUID()
  return runUndoable(context, async (db) => {
    let given = 0
    const catalogue = await writeCatalogue({ ...context, db }, undefined, async (db, catalogue) => {
      const items = catalogue[kind]
      if (items.length >= MAX_ITEMS) throw toFieldError('label', catalogueMessages.tooMany)
      const code = kind === 'types' ? createUniqueSlug(items, label) : wanted.code
      if (code === undefined) throw toFieldError('code', catalogueMessages.codeInvalid)
      if (items.some((item) => item.code === code)) throw toFieldError('code', catalogueMessages.codeTaken)
      rejectTakenLabel(items, label)
      const position = Math.max(0, ...items.map((item) => item.position)) + 1
      await db.insertInto('catalogue_items').values({ kind, code, label, position }).execute()
      const item = toKey(kind, { code, label })
      given = giveToHolders ? await giveItem({ ...context, db }, { catalogue, kind, item, batchId }) : 0
      return { action: 'catalogue-item-added', after: { kind, code, label } }
    })
    return { ...catalogue, given, undoId: given > 0 ? batchId : null }
  })
}

/** Gives a new item to the holders of the whole list before it. @returns how many they are */
async function giveItem(
  context: Context,
  wanted: { catalogue: Catalogue; kind: ListName; item: string; batchId: string },
): Promise<number> {
  const { db } = context
  const { kind, item, batchId } = wanted
  const { rows } = await sql<{ held: string[]; ids: string[] }>`
    with holders as (
      select user_id, ${sql.ref(kind)} as held from profiles
      where ${holdsAll(wanted.catalogue, kind)} order by user_id for update
    )
    select held, json_agg(user_id) as ids from holders group by held`.execute(db)
  const catalogue = await readCatalogue(db)
  for (const { held, ids } of rows)
    for (const chunk of splitIntoChunks(ids)) {
      const after = sortItems(catalogue, kind, [...held, item])
      const changes = [{ ids: chunk, before: { [kind]: held }, after: { [kind]: after } }]
      await writeChanges(context, { action: 'entitlements-added', batchId, changes })
    }
  const changed = rows.flatMap(({ ids }) => ids)
  await queueAccessMails(db, changed)
  return changed.length
}

/**
 * Removes an item that was never used.
 * @throws ProblemError not-found, conflict for one in use, or with a stale ifMatch
 */
export function removeCatalogueItem(
  context: Context,
  { kind, code, ifMatch }: ParamsOf<ChangeRoute> & { ifMatch: IfMatch },
): Promise<Catalogue> {
  return changeCatalogue(context, ifMatch, async (db, catalogue) => {
    const item = catalogue[kind].find((each) => each.code === code)
    if (!item) throw new ProblemError('not-found', { detail: 'Este item não existe.' })
    if (await wasEverUsed(db, kind, item))
      throw new ProblemError('conflict', { detail: catalogueMessages.codeUsed })
    await db.deleteFrom('catalogue_items').where('kind', '=', kind).where('code', '=', code).execute()
    return { action: 'catalogue-item-removed', before: { kind, code, label: item.label } }
  })
}

/** Checks everything that names an item; the trail tells who held it before. */
async function wasEverUsed(db: Db, kind: ListName, { code, label }: CatalogueItem): Promise<boolean> {
  const { rows: names } = await sql<{ label: string }>`select distinct before ->> 'label' as label
    from audit_entries where action = 'catalogue-item-changed' and before ->> 'label' is not null
      and before ->> 'kind' = ${kind} and before ->> 'code' = ${code}`.execute(db)
  const labels = [label, ...names.map((row) => row.label)].flatMap(listSpellings)
  const values = sql`${kind === 'types' ? labels : [code]}::text[]`
  const holders = COLUMNS_WITH_TYPES.filter(({ table }) => kind === 'types' || table !== 'notices').map(
    ({ table }) => sql`exists (select from ${sql.table(table)} where ${sql.ref(kind)} && ${values})`,
  )
  const areas = ['global_powerbi_settings', 'further_reports'].map(
    (table) => sql`(${kind} = 'types' and exists (select from ${sql.table(table)} where type = ${code}))`,
  )
  // Whatever happened before it was added is about another item.
  const isSince = sql`id > coalesce((select max(id) from audit_entries where action = 'catalogue-item-added'
    and after ->> 'kind' = ${kind} and after ->> 'code' = ${code}), 0)`
  const { rows } = await sql<{ isUsed: boolean }>`select ${sql.join([...holders, ...areas], sql` or `)}
    or exists (select from access_reviews where kind = ${kind} and code = ${code})
    or exists (select from audit_entries where ${isSince} and action <> 'catalogue-ordered'
      and (jsonb_exists_any(before -> ${kind}, ${values}) or jsonb_exists_any(after -> ${kind}, ${values}))
    ) as "isUsed"`.execute(db)
  return rows[0]?.isUsed !== false
}

/**
 * Renames an item, including in all lists that contain it, or archives or restores it.
 * @throws ProblemError not-found, invalid-input, conflict with a stale ifMatch
 */
export function changeCatalogueItem(
  context: Context,
  { kind, code, ifMatch, change }: ParamsOf<ChangeRoute> & { ifMatch: IfMatch; change: BodyOf<ChangeRoute> },
): Promise<ReplyOf<ChangeRoute>> {
  return changeCatalogue(context, ifMatch, async (db, catalogue) => {
    const item = catalogue[kind].find((each) => each.code === code)
    if (!item) throw new ProblemError('not-found', { detail: 'Este item não existe.' })
    return changeItem(db, catalogue, { kind, item, change })
  })
}

async function changeItem(
  db: Db,
  catalogue: Catalogue,
  { kind, item, change }: { kind: ListName; item: CatalogueItem; change: BodyOf<ChangeRoute> },
): Promise<AuditEntry | undefined> {
  const { code } = item
  const { label = item.label, archived = item.archived } = change
  if (label === item.label && archived === item.archived) return undefined
  rejectTakenLabel(
    catalogue[kind].filter((each) => each !== item),
    label,
  )
  await db
    .updateTable('catalogue_items')
    .set({ label, archived })
    .where('kind', '=', kind)
    .where('code', '=', code)
    .execute()
  const isRenamed = label !== item.label
  const people = isRenamed && kind === 'types' ? await renameInLists(db, item.label, label) : undefined
  const describeState = (state: Pick<CatalogueItem, 'label' | 'archived'>) => ({
    kind,
    code,
    ...(isRenamed && { label: state.label }),
    ...(archived !== item.archived && { archived: state.archived }),
  })
  return {
    action: 'catalogue-item-changed',
    before: describeState(item),
    after: { ...describeState({ label, archived }), ...(people !== undefined && { people }) },
  }
}

/**
 * Sets the order of the given lists.
 * @throws ProblemError invalid-input unless each has every code once, conflict with a stale ifMatch
 */
export function orderCatalogue(
  context: Context,
  { ifMatch, order }: { ifMatch: IfMatch; order: BodyOf<typeof catalogueRoutes.orderCatalogue> },
): Promise<ReplyOf<typeof catalogueRoutes.orderCatalogue>> {
  return changeCatalogue(context, ifMatch, (db, catalogue) => orderItems(db, catalogue, order))
}

async function orderItems(
  db: Db,
  catalogue: Catalogue,
  order: BodyOf<typeof catalogueRoutes.orderCatalogue>,
): Promise<AuditEntry | undefined> {
  const before: Partial<Record<ListName, string[]>> = {}
  const after: typeof before = {}
  for (const kind of LISTS) {
    const codes = order[kind]
    if (!codes) continue
    const current = catalogue[kind].map((item) => item.code)
    if (codes.toSorted().join() !== current.toSorted().join())
      throw toFieldError(kind, catalogueMessages.orderInvalid)
    if (codes.join() === current.join()) continue
    before[kind] = current
    after[kind] = codes
    await sql`update catalogue_items i set position = o.position
      from unnest(${codes}::text[]) with ordinality as o(code, position)
      where i.kind = ${kind} and i.code = o.code`.execute(db)
  }
  return Object.keys(after).length > 0 ? { action: 'catalogue-ordered', before, after } : undefined
}

/** @returns the number of updated rows about people */
async function renameInLists(db: Db, from: string, to: string): Promise<number> {
  let count = 0
  for (const { table, column, key } of COLUMNS_WITH_TYPES) {
    const [of, types] = [sql.table(table), sql.ref(column)]
    const holds = sql`${types} && ${listSpellings(from)}::text[]`
    // Same lock order as everywhere.
    await sql`select ${sql.ref(key)} from ${of} where ${holds} order by ${sql.ref(key)} for update`.execute(
      db,
    )
    const { numAffectedRows = 0n } = await sql`update ${of} set ${types} = (
        select array_agg(value order by place) from (
          select case when value = any(${listSpellings(from)}::text[]) then ${to}::text else value end as value, min(place) as place
          from unnest(${types}) with ordinality as held(value, place) group by 1
        ) as renamed
      ) where ${holds}`.execute(db)
    if (key === 'user_id') count += Number(numAffectedRows)
  }
  return count
}

/** Returns the label's slug, with a number if another area has or had it. */
function createUniqueSlug(items: readonly CatalogueItem[], label: string): string {
  const base = toSlug(label) || 'area'
  for (let number = 1; ; number++) {
    const slug = number === 1 ? base : `${base.slice(0, 36)}-${number}`
    if (!items.some(({ code }) => code === slug)) return slug
  }
}

function rejectTakenLabel(others: readonly CatalogueItem[], label: string): void {
  const folded = label.toLocaleLowerCase('pt-BR')
  if (others.some((item) => item.label.toLocaleLowerCase('pt-BR') === folded))
    throw toFieldError('label', catalogueMessages.labelTaken)
}
