import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { accessReviewRoutes } from '#contract/access-reviews.ts'
import type { Catalogue, CatalogueItem } from '#contract/catalogue.ts'
import { type Entitlements, listSpellings, toKey } from '#contract/entitlement-lists.ts'
import type { BodyOf, ParamsOf, ReplyOf } from '#contract/route.ts'
import { lockCatalogue, readCatalogue, readCatalogueUse } from '#server/catalogue/catalogue.ts'
import type { Db } from '#server/database/schema.ts'
import type { Context } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { recordAudit } from '#server/operations/audit.ts'
import { computeFingerprint } from './bulk-edit.ts'
import { mergeEntitlements, splitIntoChunks, writeChanges } from './entitlements.ts'
import { queueAccessMails } from './mails.ts'
import { runUndoable } from './undo-bulk-edit.ts'
import { toInstantSql } from './user-queries.ts'

type Wanted = ParamsOf<typeof accessReviewRoutes.readHolders>
const KINDS = ['types', 'marcas'] as const
/** Bounds the list of past reviews. */
const MAX_PAST = 50

/** Lists the reviewable items, never reviewed first, then least recently; and the newest reviews. */
export async function listAccessReviews(
  db: Db,
): Promise<ReplyOf<typeof accessReviewRoutes.listAccessReviews>> {
  const catalogue = await readCatalogue(db)
  const { items: uses } = await readCatalogueUse(db)
  const latest = await selectReviews(db)
    .distinctOn(['r.kind', 'r.code'])
    .orderBy('r.kind')
    .orderBy('r.code')
    .orderBy('r.reviewed_at', 'desc')
    .execute()
  const newest = await selectReviews(db).orderBy('r.reviewed_at', 'desc').limit(MAX_PAST).execute()
  const items = KINDS.flatMap((kind) =>
    catalogue[kind].flatMap((item) => {
      const { people = 0 } = uses.find((use) => use.kind === kind && use.code === item.code) ?? {}
      const last = latest.find((review) => review.kind === kind && review.code === item.code)
      // Archived items without holders need no review.
      if (item.archived && people === 0) return []
      return [{ kind, code: item.code, label: item.label, people, last: last ? toReviewReply(last) : null }]
    }),
  )
  const at = ({ last }: (typeof items)[number]) => last?.reviewed_at ?? ''
  return {
    items: items.toSorted((a, b) => at(a).localeCompare(at(b))),
    past: newest.map((review) => ({
      ...toReviewReply(review),
      label: catalogue[review.kind].find(({ code }) => code === review.code)?.label ?? review.code,
    })),
  }
}

function selectReviews(db: Db) {
  return db
    .selectFrom('access_reviews as r')
    .leftJoin('profiles as p', 'p.user_id', 'r.reviewer_id')
    .select(['r.id', 'r.kind', 'r.code', 'r.reviewed_at', 'p.email as reviewer_email', 'r.kept', 'r.removed'])
}
const toReviewReply = <Review extends { reviewed_at: Date }>(review: Review) => ({
  ...review,
  reviewed_at: review.reviewed_at.toISOString(),
})

/** @throws ProblemError not-found */
function getItem(catalogue: Catalogue, { kind, code }: Wanted): CatalogueItem {
  const item = catalogue[kind].find((each) => each.code === code)
  if (!item) throw new ProblemError('not-found', { detail: 'Esta área ou marca não existe.' })
  return item
}

/** Lists all values that may stand for the item in a profile. */
const listKeys = (kind: Wanted['kind'], item: CatalogueItem) =>
  kind === 'types' ? listSpellings(item.label) : [toKey(kind, item)]

const hasItem = (kind: Wanted['kind'], item: CatalogueItem): RawBuilder<boolean> =>
  sql`p.${sql.ref(kind)} && ${listKeys(kind, item)}::text[]`

/**
 * Returns the holders of an area or a brand, sorted by email. `since` comes from the audit trail,
 * searched for all names that the area ever had.
 * @throws ProblemError not-found
 */
export async function readHolders(
  db: Db,
  wanted: Wanted,
): Promise<ReplyOf<typeof accessReviewRoutes.readHolders>> {
  const { kind, code } = wanted
  const item = getItem(await readCatalogue(db), wanted)
  const list = sql.lit(kind)
  const { rows: people } = await sql<ReplyOf<typeof accessReviewRoutes.readHolders>['people'][number]>`
    with names as (
      select array_agg(name) as all_names from (
        select unnest(${listKeys(kind, item)}::text[]) as name
        union select before ->> 'label' from audit_entries
        where action = 'catalogue-item-changed' and before ->> 'kind' = ${kind} and before ->> 'code' = ${code}
      ) as known where name is not null
    ), holders as (
      select p.user_id, p.email, p.full_name, p.approved, p.valid_until, p.last_sign_in_at, p.types, p.marcas, p.estados
      from profiles p where ${hasItem(kind, item)}
    ), given as (
      select a.target_id, max(a.at) as at from audit_entries a, names
      where a.target_id in (select user_id from holders) and a.action <> 'access-requested'
        and jsonb_exists_any(a.after -> ${list}, all_names)
        and not coalesce(jsonb_exists_any(a.before -> ${list}, all_names), false)
      group by a.target_id
    )
    select h.user_id, h.email, h.full_name, h.approved, h.valid_until, h.types, h.marcas, h.estados,
      exists (select from user_roles r where r.user_id = h.user_id and r.role = 'admin') as admin,
      ${sql.raw(toInstantSql('h.last_sign_in_at'))} as last_sign_in_at, ${sql.raw(toInstantSql('g.at'))} as since
    from holders h left join given g on g.target_id = h.user_id
    order by h.email collate "und-x-icu"`.execute(db)
  const ids = people.map(({ user_id }) => user_id).toSorted()
  const [last] = await selectReviews(db)
    .where('r.kind', '=', kind)
    .where('r.code', '=', code)
    .orderBy('r.reviewed_at', 'desc')
    .limit(1)
    .execute()
  const reviewed_at = last?.reviewed_at.toISOString() ?? null
  return { kind, code, label: item.label, reviewed_at, people, fingerprint: computeFingerprint(ids) }
}

/** Lists the people of a past review by email; empty for reviews before 0.3 and unknown ids. */
export async function readAccessReview(
  db: Db,
  { id }: ParamsOf<typeof accessReviewRoutes.readAccessReview>,
): Promise<ReplyOf<typeof accessReviewRoutes.readAccessReview>> {
  const { rows: people } = await sql<{ email: string; full_name: string | null; removed: boolean }>`
    select p.email, p.full_name, r.removed
    from access_review_people r join profiles p using (user_id)
    where r.review_id = ${id} order by p.email collate "und-x-icu"`.execute(db)
  return { people }
}

/**
 * Removes an area or a brand from the given people and records the review, all or nothing; undone
 * like a bulk edit.
 * @throws ProblemError not-found, conflict when the holders differ from `fingerprint`
 */
export function saveAccessReview(
  context: Context,
  { fingerprint, remove, ...wanted }: Wanted & BodyOf<typeof accessReviewRoutes.saveAccessReview>,
): Promise<ReplyOf<typeof accessReviewRoutes.saveAccessReview>> {
  const { kind, code } = wanted
  return runUndoable(context, async (db) => {
    const txContext = { ...context, db }
    const catalogue = await lockCatalogue(db)
    const item = getItem(catalogue, wanted)
    const people = await db
      .selectFrom('profiles as p')
      .select(['p.user_id', 'p.types', 'p.marcas'])
      .where(hasItem(kind, item))
      .orderBy('p.user_id')
      .forUpdate()
      .execute()
    const named = new Set(remove.map((id) => id.toLowerCase()))
    const losing = people.filter(({ user_id }) => named.has(user_id))
    const isUnchanged = computeFingerprint(people.map(({ user_id }) => user_id)) === fingerprint
    if (!isUnchanged || losing.length !== named.size)
      throw new ProblemError('conflict', {
        detail:
          'As pessoas com este acesso mudaram nesse meio-tempo. Nada foi alterado: confira a lista de novo.',
      })
    const id = randomUUID()
    const taken: Partial<Entitlements> = { [kind]: [toKey(kind, item)] }
    for (const chunk of splitIntoChunks(losing)) {
      const changes = chunk.flatMap(({ user_id, [kind]: held }) => {
        const after = mergeEntitlements(catalogue, { [kind]: held }, 'remove', taken)
        return after ? [{ ids: [user_id], before: { [kind]: held }, after }] : []
      })
      await writeChanges(txContext, { action: 'access-review-removed', batchId: id, changes })
    }
    await queueAccessMails(
      db,
      losing.map(({ user_id }) => user_id),
    )
    const result = { kept: people.length - losing.length, removed: losing.length }
    await db
      .insertInto('access_reviews')
      .values({
        id,
        kind,
        code,
        reviewed_at: new Date(context.clock()),
        reviewer_id: context.actor.profile.user_id,
        ...result,
      })
      .execute()
    for (const chunk of splitIntoChunks(people))
      await db
        .insertInto('access_review_people')
        .values(chunk.map(({ user_id }) => ({ review_id: id, user_id, removed: named.has(user_id) })))
        .execute()
    await recordAudit(txContext, {
      action: 'access-reviewed',
      after: { kind, code, label: item.label, ...result },
      batchId: id,
    })
    return { ...result, undoId: id }
  })
}
