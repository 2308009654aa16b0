import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { EntitlementAction } from '#contract/audit-actions.ts'
import type { Catalogue } from '#contract/catalogue.ts'
import { type Entitlements, LISTS, type ListName, mapLists, sortItems } from '#contract/entitlement-lists.ts'
import { adminMessages, hasPassed } from '#contract/user-rules.ts'
import type { BulkEdit } from '#contract/users.ts'
import type { Db } from '#server/database/schema.ts'
import type { Context, PublicContext } from '#server/http/context.ts'
import { toFieldError } from '#server/http/problem-error.ts'
import { closeGivenRequests } from './user-queries.ts'

/** Returns the lists that an edit names, without duplicates and without empty lists. */
export function pickListsToEdit(edit: Pick<BulkEdit, ListName>): Partial<Entitlements> {
  return Object.fromEntries(
    LISTS.flatMap((name) => {
      const items = edit[name] ?? []
      return items.length > 0 ? [[name, [...new Set(items)]]] : []
    }),
  )
}

/** Sorts all three lists by the catalogue and removes duplicates. */
export function sortEntitlements(catalogue: Catalogue, lists: Readonly<Entitlements>): Entitlements {
  return mapLists((list) => sortItems(catalogue, list, lists[list]))
}

/**
 * Computes the union or difference of each named list, in the catalogue's order, unknown items last.
 * @returns the resulting lists, or undefined when none changes
 */
export function mergeEntitlements(
  catalogue: Catalogue,
  current: Partial<Entitlements>,
  action: 'add' | 'remove',
  items: Partial<Entitlements>,
): Partial<Entitlements> | undefined {
  const merged: Partial<Entitlements> = {}
  let isChanged = false
  for (const name of LISTS) {
    const named = items[name]
    if (!named) continue
    const sorted = sortItems(catalogue, name, current[name] ?? [])
    const result =
      action === 'add'
        ? sortItems(catalogue, name, [...sorted, ...named])
        : sorted.filter((item) => !named.includes(item))
    const isSame = result.length === sorted.length
    merged[name] = isSame ? (current[name] ?? []) : result
    isChanged ||= !isSame
  }
  return isChanged ? merged : undefined
}

/**
 * Computes the change of the last day of access. Undefined keeps it, or means no end if `isNew`.
 * @returns undefined without a change
 * @throws ProblemError invalid-input for a past day, with its field below `prefix`
 */
export function computeValidityChange(
  { clock }: Pick<Context, 'clock'>,
  current: { valid_until: string | null },
  { isNew, wanted, prefix = '' }: { isNew: boolean; wanted: string | null | undefined; prefix?: string },
): { before: { valid_until: string | null }; after: { valid_until: string | null } } | undefined {
  if (wanted && hasPassed(wanted, clock()))
    throw toFieldError(`${prefix}valid_until`, adminMessages.dayPassed)
  const valid_until = wanted === undefined ? (isNew ? null : current.valid_until) : wanted
  if (valid_until === current.valid_until) return undefined
  return { before: { valid_until: current.valid_until }, after: { valid_until } }
}

/** People per statement; PostgreSQL cancels statements that last longer than five seconds. */
const CHUNK_SIZE = 2_000

/** The fields of a profile that edits change, as in audit entries. */
export type State = Entitlements & { approved: boolean; valid_until: string | null; full_name: string | null }

/** The change to write and to audit; `email_verified`, `reason` and `templates` are only audited. */
export interface StateChange {
  before: Partial<State>
  after: Partial<State> & { email_verified?: false; reason?: string; templates?: string[] }
}
/** One change for several people. */
export interface SharedChange extends StateChange {
  ids: string[]
}

/**
 * Updates locked people, audits each, and closes requests that this fulfils; call it in a transaction.
 * Without an actor, it is the portal itself.
 * @param wanted.batchId the id for the undo; null for a change that cannot be undone
 */
export async function writeChanges(
  { db, clock, request, actor }: PublicContext & Partial<Pick<Context, 'actor'>>,
  {
    action,
    batchId,
    changes,
  }: {
    action: EntitlementAction | 'name-corrected'
    batchId: string | null
    changes: readonly SharedChange[]
  },
): Promise<void> {
  if (changes.length === 0) return
  const { user_id = null, email = null } = actor?.profile ?? {}
  const named = action === 'bulk-edit-undone' ? changes : await nameTemplates(db, changes)
  await sql`
    with wanted as (
      select one.user_id, c.before, c.after, becomes.*
      from jsonb_to_recordset(${JSON.stringify(named)}::jsonb) as c(ids uuid[], before jsonb, after jsonb),
        jsonb_to_record(c.after)
          as becomes(types text[], marcas text[], estados text[], approved boolean, valid_until date, full_name text),
        unnest(c.ids) as one(user_id)
    ), changed as (
      update profiles p set types = coalesce(w.types, p.types), marcas = coalesce(w.marcas, p.marcas),
        estados = coalesce(w.estados, p.estados), approved = coalesce(w.approved, p.approved),
        valid_until = case when jsonb_exists(w.after, 'valid_until') then w.valid_until else p.valid_until end,
        full_name = case when jsonb_exists(w.after, 'full_name') then w.full_name else p.full_name end,
        -- The trigger raises the version only for entitlements; concurrent renames must conflict too.
        entitlement_version = p.entitlement_version + jsonb_exists(w.after, 'full_name')::integer,
        approval_removed_at = case when ${action}::text in ('approval-removed', 'access-revoked')
          and not coalesce(w.approved, true) then now() else p.approval_removed_at end
      from wanted w where p.user_id = w.user_id
      returning p.user_id, p.email, w.before, w.after
    )
    insert into audit_entries
      (at, actor_id, actor_email, action, target_id, target_email, before, after, ip, user_agent, request_id, batch_id)
    select ${new Date(clock())}::timestamptz, ${user_id}::uuid, ${email}::text, ${action}::text, user_id, email,
      before, after, ${request.ip}::text, ${request.userAgent}::text, ${request.requestId}::text, ${batchId}::uuid
    from changed order by user_id`.execute(db)
  await closeGivenRequests(
    db,
    changes.flatMap(({ ids }) => ids),
    batchId ?? randomUUID(),
  )
}

/**
 * Adds the names of the templates whose lists the changes give, for the trail: nobody has to say
 * where a list comes from, and one that was changed by hand is of no template.
 */
export async function nameTemplates<
  T extends { before?: Partial<Entitlements>; after: Partial<Entitlements> },
>(db: Db, changes: readonly T[]): Promise<T[]> {
  const templates = await db.selectFrom('access_templates').selectAll().orderBy('name').execute()
  const isWithin = (some: Partial<Entitlements>, others: readonly Partial<Entitlements>[]) =>
    LISTS.every((name) =>
      (some[name] ?? []).every((item) => others.some((lists) => lists[name]?.includes(item))),
    )
  return changes.map((change) => {
    const { before = {}, after } = change
    const given = templates.filter((each) => isWithin(each, [after]) && !isWithin(each, [before]))
    if (given.length === 0 || !isWithin(after, [before, ...given])) return change
    // A template that is part of another one says nothing more.
    const whole = given.filter(
      (each) => !given.some((other) => isWithin(each, [other]) && !isWithin(other, [each])),
    )
    return { ...change, after: { ...after, templates: whole.map(({ name }) => name) } }
  })
}

export function* splitIntoChunks<T>(items: readonly T[]): Generator<T[]> {
  for (let start = 0; start < items.length; start += CHUNK_SIZE) yield items.slice(start, start + CHUNK_SIZE)
}
