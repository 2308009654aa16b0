import { createHash, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Catalogue } from '#contract/catalogue.ts'
import { type Entitlements, LISTS, mapLists, sortItems, toKey } from '#contract/entitlement-lists.ts'
import type { GroupEffect, GroupMapping } from '#contract/group-mappings.ts'
import { MAX_IDS } from '#contract/user-rules.ts'
import { lockCatalogue, readCatalogue } from '#server/catalogue/catalogue.ts'
import type { Db } from '#server/database/schema.ts'
import type { Context, PublicContext } from '#server/http/context.ts'
import { runIdempotent } from '#server/http/idempotency.ts'
import { ProblemError, toFieldError } from '#server/http/problem-error.ts'
import { recordAudit } from '#server/operations/audit.ts'
import { sortEntitlements, splitIntoChunks, writeChanges } from './entitlements.ts'
import { queueAccessMails } from './mails.ts'
import { runUndoable } from './undo-bulk-edit.ts'

const MAPPINGS_CHANGED =
  'Outra pessoa mudou os grupos nesse meio-tempo. Confira a lista antes de salvar de novo.'

const computeVersion = (items: readonly GroupMapping[]) =>
  createHash('sha256').update(JSON.stringify(items)).digest('base64url')

export async function listGroupMappings(db: Db) {
  const items = await readMappings(db)
  const { rows } = await sql<{ known: number; unknown: number; unseen: string[] }>`
    select count(groups_at)::int as known, (count(*) - count(groups_at))::int as unknown, array(
      select group_id::text from group_mappings m
      where not exists (select from identities i where m.group_id = any(i.groups))
      order by group_id) as unseen
    from identities`.execute(db)
  return { items, version: computeVersion(items), ...(rows[0] ?? { known: 0, unknown: 0, unseen: [] }) }
}

const readMappings = (db: Db): Promise<GroupMapping[]> =>
  db
    .selectFrom('group_mappings')
    .selectAll()
    .orderBy(sql`name collate "und-x-icu"`)
    .orderBy('group_id')
    .execute()

/**
 * @throws ProblemError invalid-input for a group given twice or a template that is gone, conflict
 *   with a stale ifMatch
 */
export function setGroupMappings(
  context: Context,
  { items: wanted, ifMatch }: { items: readonly GroupMapping[]; ifMatch: string | undefined },
) {
  return runIdempotent(context, async (db) => {
    await sql`lock table group_mappings in share row exclusive mode`.execute(db)
    const before = await readMappings(db)
    if (ifMatch !== undefined && ifMatch !== computeVersion(before))
      throw new ProblemError('conflict', { detail: MAPPINGS_CHANGED })
    const rows = wanted.map((item) => ({ ...item, group_id: item.group_id.toLowerCase() }))
    const templates = await db.selectFrom('access_templates').select('id').execute()
    const known = new Set(templates.map(({ id }) => id))
    for (const [index, { group_id, template_id }] of rows.entries()) {
      if (rows.findIndex((row) => row.group_id === group_id) !== index)
        throw toFieldError(`items.${index}.group_id`, 'Este grupo está duas vezes na lista')
      if (!known.has(template_id))
        throw toFieldError(`items.${index}.template_id`, 'Este modelo não existe mais')
    }
    await db.deleteFrom('group_mappings').execute()
    if (rows.length > 0) await db.insertInto('group_mappings').values(rows).execute()
    const items = await readMappings(db)
    await recordAudit(
      { ...context, db },
      { action: 'group-mappings-set', before: { items: before }, after: { items } },
    )
    return { items }
  })
}

interface GroupHolder extends Entitlements {
  user_id: string
  email: string
  full_name: string | null
  groups_at: Date
  /** The lists of all templates that the mapped groups give. */
  given: Entitlements[]
}

/**
 * Reads people whose groups are known and of whom one at least is mapped, approved or not yet decided.
 * All others keep what they have.
 * @param lock whether to lock their rows until the transaction ends
 */
async function readHolders(
  db: Db,
  { userId, lock }: { userId?: string; lock: boolean },
): Promise<GroupHolder[]> {
  const { rows } = await sql<GroupHolder>`
    select p.user_id, p.email, p.full_name, p.types, p.marcas, p.estados, i.groups_at, (
      select json_agg(json_build_object('types', t.types, 'marcas', t.marcas, 'estados', t.estados))
      from group_mappings m join access_templates t on t.id = m.template_id
      where m.group_id = any(i.groups)
    ) as given
    from identities i join profiles p on p.user_id = i.user_id
    where exists (select from group_mappings m where m.group_id = any(i.groups))
      and (p.approved or p.approval_removed_at is null)
      ${userId === undefined ? sql`` : sql`and p.user_id = ${userId}`}
    order by p.user_id ${lock ? sql`for update of p` : sql``}`.execute(db)
  return rows
}

/** Unites the templates; of archived items only those that the person holds stay. */
function unite(catalogue: Catalogue, holder: GroupHolder): Entitlements {
  const offered = mapLists((list) =>
    catalogue[list].filter(({ archived }) => !archived).map((item) => toKey(list, item)),
  )
  const lists = mapLists((list) =>
    holder.given
      .flatMap((template) => template[list])
      .filter((item) => offered[list].includes(item) || holder[list].includes(item)),
  )
  return sortEntitlements(catalogue, lists)
}

function computeEffects(catalogue: Catalogue, holders: readonly GroupHolder[]) {
  return holders.flatMap((holder) => {
    const after = unite(catalogue, holder)
    const before = mapLists((list) => sortItems(catalogue, list, holder[list]))
    const without = (one: Entitlements, other: Entitlements) =>
      mapLists((list) => one[list].filter((item) => !other[list].includes(item)))
    const [gains, loses] = [without(after, before), without(before, after)]
    if (LISTS.every((list) => gains[list].length + loses[list].length === 0)) return []
    const { user_id, email, full_name, groups_at, types, marcas, estados } = holder
    const effect: GroupEffect = {
      user_id,
      email,
      full_name,
      groups_at: groups_at.toISOString(),
      gains,
      loses,
    }
    return [{ effect, change: { ids: [user_id], before: { types, marcas, estados }, after } }]
  })
}

const computeFingerprint = (effects: ReturnType<typeof computeEffects>) =>
  createHash('sha256')
    .update(JSON.stringify(effects.map(({ change }) => change)))
    .digest('base64url')

/** Says who would gain and lose what, without writing or locking. */
export async function previewGroupAccess({ db }: Context) {
  const effects = computeEffects(await readCatalogue(db), await readHolders(db, { lock: false }))
  return { items: effects.map(({ effect }) => effect), fingerprint: computeFingerprint(effects) }
}

/** @throws ProblemError conflict where the effects are no longer those of the preview */
export function applyGroupAccess(context: Context, fingerprint: string) {
  return runUndoable(context, async (db) => {
    const txContext = { ...context, db }
    const catalogue = await lockCatalogue(db)
    const effects = computeEffects(catalogue, await readHolders(db, { lock: true }))
    if (computeFingerprint(effects) !== fingerprint)
      throw new ProblemError('conflict', {
        detail:
          'Grupos, modelos ou acessos mudaram nesse meio-tempo. Confira a prévia de novo. Nada foi alterado.',
      })
    const batchId = randomUUID()
    for (const chunk of splitIntoChunks(effects.map(({ change }) => change)))
      await writeChanges(txContext, { action: 'access-set', batchId, changes: chunk })
    const ids = effects.map(({ effect }) => effect.user_id)
    if (ids.length <= MAX_IDS) await queueAccessMails(db, ids)
    return { changed: ids.length, undoId: ids.length > 0 ? batchId : null }
  })
}

/**
 * Marks what the groups give on the account of a person who waits for the first approval and has
 * nothing yet; the administrator sees it marked and decides. Call it with catalogue and person locked.
 */
export async function suggestGroupAccess(context: PublicContext, userId: string): Promise<void> {
  const { db } = context
  const [holder] = await readHolders(db, { userId, lock: false })
  const person = await db
    .selectFrom('profiles')
    .select('approved')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (!holder || person?.approved !== false || LISTS.some((list) => holder[list].length > 0)) return
  const effects = computeEffects(await readCatalogue(db), [holder])
  const changes = effects.map(({ change }) => change)
  await writeChanges(context, { action: 'access-set', batchId: null, changes })
}
