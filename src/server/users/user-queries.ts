import { type Expression, type RawBuilder, type Selectable, sql } from 'kysely'
import type { HistoryEntry } from '#contract/audit-actions.ts'
import { LISTS, type ListName, listSpellings, OLD_SPELLING } from '#contract/entitlement-lists.ts'
import { ENDING_DAYS, IDLE_DAYS, INVITATION_DAYS, RECENT_DAYS } from '#contract/user-rules.ts'
import {
  type AccessRequest,
  isProfileInstant,
  type ManagedProfile,
  managedProfileSchema,
  PROFILE_FIELDS,
  type Profile,
  type ProfileFilter,
} from '#contract/users.ts'
import { holdsAllOf } from '#server/catalogue/catalogue.ts'
import type { Db, ProfilesTable } from '#server/database/schema.ts'
import { compilePicker } from '#server/http/compile-picker.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { selectUndoId, type TrailReader } from '#server/operations/audit.ts'

/** Formats as Date.toISOString does: the same text from both databases, and faster to read than a Date. */
export const toInstantSql = (column: string) =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** SQL of the instant at which access of `profiles p` expires, in ms since the epoch, null for never. */
export const ACCESS_ENDS_AT = `(extract(epoch from (p.valid_until + 1)::timestamp at time zone 'America/Sao_Paulo') * 1000)::float8`

/** Returns the approval at an instant; an expired one does not count. */
export function getApprovalAt(now: number, isApproved: boolean, accessEndsAt: number | null) {
  const isOver = accessEndsAt !== null && accessEndsAt <= now
  return { approved: isApproved && !isOver, accessEnded: isApproved && isOver, accessEndsAt }
}

/**
 * Returns SQL: whether `profiles p` may read the area of `catalogue_items c`.
 * @param now SQL, in ms since the epoch
 */
export const toAreaAccessSql = (now: string) =>
  `(p.approved and coalesce(${ACCESS_ENDS_AT} > ${now}, true)
    and c.label = any(array_replace(p.types, '${OLD_SPELLING.spelling}', '${OLD_SPELLING.label}')))`

/** SQL of the columns of a Profile, from `profiles p`. */
export const PROFILE_COLUMNS = PROFILE_FIELDS.map((name) =>
  isProfileInstant(name) ? `${toInstantSql(`p.${name}`)} as ${name}` : `p.${name}`,
).join(', ')

type RefusedRequest = AccessRequest & Record<'refused_at' | 'refusal', string>

/** The column of `catalogue_items i` that a list holds. */
const getItemColumn = (list: ListName) => (list === 'types' ? 'i.label' : 'i.code')

const selectMissingList = (list: ListName) =>
  `coalesce(array_agg(${getItemColumn(list)} order by i.position, i.code) filter (where i.kind = '${list}'), '{}') as ${list}`

const isMissingItem = (list: ListName) =>
  `i.kind = '${list}' and ${getItemColumn(list)} = any(a.${list})
    and ${getItemColumn(list)} <> all(array_replace(p.${list}, '${OLD_SPELLING.spelling}', '${OLD_SPELLING.label}'))`

/** SQL of the items of a request `a` that `profiles p` lacks and that are not archived. */
const MISSING = `lateral (
  select count(*) as items, ${LISTS.map(selectMissingList).join(', ')} from catalogue_items i
  where not i.archived and (${LISTS.map(isMissingItem).join(' or ')})) as missing`
const IS_MISSING = 'missing.items > 0'

/**
 * SQL of the request for more of an approved person `profiles p`: what is still missing. None once all
 * was given, and none while the access has ended.
 */
const selectRequestForMore = (isRefused: boolean) => `
  select a.workplace, missing.types, missing.marcas, missing.estados, a.note, a.requested_at, a.refused_at, a.refusal
  from access_requests a, ${MISSING}
  where a.user_id = p.user_id and a.for_more and a.granted_by is null
    and a.refused_at is ${isRefused ? 'not null' : 'null'}
    and p.approved and (p.valid_until is null or ${ACCESS_ENDS_AT} > extract(epoch from now()) * 1000)
    and ${IS_MISSING}`

/**
 * Closes the requests for more of which nothing is missing any more: losing an item again does not
 * reopen them. The undo of the edit that closed one does. Call it with the people locked.
 */
export async function closeGivenRequests(db: Db, userIds: readonly string[], editId: string): Promise<void> {
  await sql`update access_requests r set granted_by = case when o.is_missing then null else ${editId}::uuid end
    from (
      select a.user_id, ${sql.raw(IS_MISSING)} as is_missing
      from access_requests a join profiles p using (user_id), ${sql.raw(MISSING)}
      where a.user_id = any(${userIds}::uuid[]) and a.for_more
        and (a.granted_by is null or a.granted_by = ${editId}::uuid)
    ) as o where r.user_id = o.user_id`.execute(db)
}

/** Condition on `profiles p`: is approved and has an open request for more. */
export const IS_REQUESTING =
  sql.raw<boolean>(`(p.user_id in (select user_id from access_requests where for_more)
  and exists (${selectRequestForMore(false)}))`)

const INVITATION_EXPIRY = `i.invited_at + make_interval(days => ${INVITATION_DAYS})`

/** SQL of when the open invitation over the unverified account of `profiles p` expires. */
const INVITED_UNTIL = `(select ${toInstantSql(`(${INVITATION_EXPIRY})`)} from invitations i
  where not p.approved and p.email_verified_at is null and i.email = p.email and i.withdrawn_at is null
    and ${INVITATION_EXPIRY} > now()
    and (i.valid_until is null or i.valid_until >= (now() at time zone 'America/Sao_Paulo')::date))`

/** As one text, which Kysely need not compile anew for each request. */
const MANAGED_COLUMNS = sql.raw(`${PROFILE_COLUMNS}, p.entitlement_version as version,
  coalesce(r.role, 'user') as role, ${INVITED_UNTIL} as invited_until, null as request, a.workplace,
  a.types as asked_types, a.marcas as asked_marcas, a.estados as asked_estados, a.note,
  ${toInstantSql('a.requested_at')} as requested_at`)
const MANAGED_JOINS = sql.raw(`left join user_roles r on r.user_id = p.user_id
  left join lateral (
    select a.workplace, a.types, a.marcas, a.estados, a.note, a.requested_at, a.refused_at, a.refusal
    from access_requests a where a.user_id = p.user_id and not p.approved
    union all ${selectRequestForMore(false)}) as a on true`)

interface ManagedRow extends ManagedProfile {
  workplace: string | null
  asked_types: string[]
  asked_marcas: string[]
  asked_estados: string[]
  note: string | null
  /** Null where there is no request. */
  requested_at: string | null
}

/**
 * Selects people with the fields for administrators; presentManaged converts each row.
 * @param people rows of profiles, aliased p
 * @param more further columns
 */
export const selectManaged = <More = unknown>(people: Expression<unknown>, more = sql``, order = sql``) =>
  sql<ManagedRow & More>`select ${MANAGED_COLUMNS}${more} from ${people} as p ${MANAGED_JOINS} ${order}`

/** Fills in the request of a row; the response schema drops its other columns. */
export function presentManaged(row: ManagedRow): ManagedProfile {
  const { workplace, asked_types: types, asked_marcas: marcas, asked_estados: estados } = row
  const { note, requested_at } = row
  if (requested_at !== null) row.request = { workplace, types, marcas, estados, note, requested_at }
  return row
}

const pickManaged = compilePicker(managedProfileSchema)

export function presentProfile(row: Pick<Selectable<ProfilesTable>, keyof Profile>): Profile {
  const fields = PROFILE_FIELDS.map((name) => [name, row[name]])
  return JSON.parse(JSON.stringify(Object.fromEntries(fields))) as Profile
}

export async function findProfile(db: Db, userId: string): Promise<Profile | undefined> {
  const row = await db
    .selectFrom('profiles')
    .select(PROFILE_FIELDS)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row && presentProfile(row)
}

/** Locks a person's row until the transaction ends; undefined when it does not exist. */
export function lockProfile(db: Db, userId: string): Promise<Selectable<ProfilesTable> | undefined> {
  return db.selectFrom('profiles').selectAll().where('user_id', '=', userId).forUpdate().executeTakeFirst()
}

/** @param email in lower case */
export function findByEmail(db: Db, email: string): Promise<Selectable<ProfilesTable> | undefined> {
  return db.selectFrom('profiles').selectAll().where('email', '=', email).executeTakeFirst()
}

/** Reads a person with the fields for administrators. @throws ProblemError not-found */
export async function readProfile(db: Db, userId: string): Promise<ManagedProfile> {
  const person = db.selectFrom('profiles').selectAll().where('user_id', '=', userId)
  const { rows } = await selectManaged(person).execute(db)
  if (!rows[0]) throw createNotFound()
  return pickManaged(presentManaged(rows[0])) as ManagedProfile
}

/** Reads the refused request for more of a person, unless they have all of it by now. */
export async function readRefusedRequest(db: Db, userId: string): Promise<RefusedRequest | null> {
  const { rows } = await sql<RefusedRequest>`
    select r.*, ${sql.raw(toInstantSql('r.requested_at'))} as requested_at,
      ${sql.raw(toInstantSql('r.refused_at'))} as refused_at
    from profiles p, lateral (${sql.raw(selectRequestForMore(true))}) as r where p.user_id = ${userId}`.execute(
    db,
  )
  return rows[0] ?? null
}

export function createNotFound(): ProblemError {
  return new ProblemError('not-found', { detail: 'Usuário não encontrado. Talvez já tenha sido excluído.' })
}

/** Condition on `profiles p`: waits for approval; not whom an invitation or a withdrawal concerns. */
export const IS_WAITING = sql<boolean>`(not p.approved and p.approval_removed_at is null and ${sql.raw(INVITED_UNTIL)} is null)`

/** Selects the items of a list in `access_templates` that are not archived. */
const selectActiveValues = (list: ListName) => sql`array(
  select value from unnest(${sql.ref(list)}) as value
  where value not in (select ${sql.ref(list === 'types' ? 'label' : 'code')} from catalogue_items where kind = ${list} and archived)
)`

/** The lists of `profiles p`, which may hold an area's old spelling. */
const HELD: Record<ListName, RawBuilder<string[]>> = {
  types: sql`array_replace(p.types, ${sql.lit(OLD_SPELLING.spelling)}, ${sql.lit(OLD_SPELLING.label)})`,
  marcas: sql`p.marcas`,
  estados: sql`p.estados`,
}

/**
 * Condition on `profiles p`: has exactly the entitlements of a template. Items archived since may
 * be present (the template was applied before) or missing (after).
 */
function hasExactly(template: string): RawBuilder<boolean> {
  return sql`exists (
    select from (
      select types, marcas, estados, ${selectActiveValues('types')} as given_types, ${selectActiveValues('marcas')} as given_marcas,
        ${selectActiveValues('estados')} as given_estados
      from access_templates where id = ${template} offset 0
    ) as t where ${HELD.types} <@ t.types and ${HELD.types} @> t.given_types
      and p.marcas <@ t.marcas and p.marcas @> t.given_marcas
      and p.estados <@ t.estados and p.estados @> t.given_estados
  )`
}

/** Apostrophes and dashes as phones and other programs write them, and as keyboards do. */
const [WRITTEN, TYPED] = ['\u2018\u2019\u02bc\u0060\u2010\u2011\u2012\u2013', "''''----"]
const toTyped = (text: string) =>
  [...text].map((character) => TYPED[WRITTEN.indexOf(character)] ?? character).join('')

/** Checks whether a text of fold_text holds a word, in any accents, apostrophes and dashes. */
export function holdsWord(folded: RawBuilder<unknown>, word: string): RawBuilder<boolean> {
  const typed = sql`fold_text(${toTyped(word)}::text)`
  // For the index on search_text, a `like` in which each apostrophe or dash is any character.
  const pattern = sql`translate(regexp_replace(${typed}, '([\\\\%_])', '\\\\\\1', 'g'), '''-', '__')`
  return sql`(${folded} like '%' || ${pattern} || '%'
    and strpos(translate(${folded}, ${WRITTEN}::text, ${TYPED}::text), ${typed}) > 0)`
}

/** The condition of each filter on `profiles p`. */
const CONDITIONS: {
  [Name in keyof ProfileFilter]-?: (wanted: NonNullable<ProfileFilter[Name]>) => RawBuilder<boolean>
} = {
  q: (q) =>
    joinConditions(
      q
        .split(/\s+/)
        .filter(Boolean)
        .map((word) => holdsWord(sql`p.search_text`, word)),
    ),
  approved: (wanted) => sql`p.approved = ${wanted}`,
  verified: (wanted) => sql`(p.email_verified_at is not null) = ${wanted}`,
  waiting: (wanted) => sql`${IS_WAITING} = ${wanted}`,
  requesting: (wanted) => sql`${IS_REQUESTING} = ${wanted}`,
  type: (type) => sql`p.types && ${listSpellings(type)}::text[]`,
  marca: (marca) => sql`${marca} = any(p.marcas)`,
  estado: (estado) => sql`${estado} = any(p.estados)`,
  template: hasExactly,
  lastAccess: (wanted) => LAST_ACCESS[wanted],
  reports: (wanted) => REPORTS[wanted],
  allOf(wanted) {
    const [list, exceptCode] = wanted.split(':')
    return holdsAllOf(list as ListName, exceptCode)
  },
  validity: (wanted) => VALIDITY[wanted],
  admin: (wanted) =>
    sql`exists (select from user_roles r where r.user_id = p.user_id and r.role = 'admin') = ${wanted}`,
  secondFactor: (wanted) => sql`${HAS_SECOND_FACTOR} = ${wanted}`,
}

/** Condition on `profiles p`: has a second step that was tried once. */
export const HAS_SECOND_FACTOR = sql<boolean>`exists (select from factors f
  where f.user_id = p.user_id and f.verified_at is not null)`

const LAST_ACCESS: Record<NonNullable<ProfileFilter['lastAccess']>, RawBuilder<boolean>> = {
  recent: sql`p.last_sign_in_at > now() - make_interval(days => ${sql.lit(RECENT_DAYS)})`,
  never: sql`p.last_sign_in_at is null`,
  idle: sql`coalesce(p.last_sign_in_at, p.created_at) <= now() - make_interval(days => ${sql.lit(IDLE_DAYS)})`,
}

/** SQL of the items that `profiles p` holds of a list; an area only counts with its report. */
const selectHeld = (list: ListName) => sql`select from catalogue_items i
  where i.kind = ${sql.lit(list)} and ${sql.raw(getItemColumn(list))} = any(${HELD[list]})
    ${list === 'types' ? sql`and i.code in (select type from global_powerbi_settings)` : sql``}`

const REPORTS: Record<NonNullable<ProfileFilter['reports']>, RawBuilder<boolean>> = {
  none: sql`(p.approved and not (${sql.join(
    LISTS.map((list) => sql`exists (${selectHeld(list)})`),
    sql` and `,
  )}))`,
  all: joinConditions(LISTS.map((list) => holdsAllOf(list))),
}

const TODAY = sql`(now() at time zone 'America/Sao_Paulo')::date`
const VALIDITY: Record<NonNullable<ProfileFilter['validity']>, RawBuilder<boolean>> = {
  ending: sql`(p.approved and p.valid_until between ${TODAY} and ${TODAY} + ${sql.lit(ENDING_DAYS)}::int)`,
  ended: sql`(p.approved and p.valid_until < ${TODAY})`,
}

/**
 * Combines all conditions of a filter on `profiles p`.
 * @throws for an unknown filter name: ignoring it would match everyone
 */
export function matchesFilter(filter: ProfileFilter): RawBuilder<boolean> {
  const named = Object.entries(filter).filter(([, wanted]) => wanted !== undefined)
  return joinConditions(
    named.map(([name, wanted]) => {
      if (!Object.hasOwn(CONDITIONS, name)) throw new Error(`no condition for the filter ${name}`)
      return CONDITIONS[name as keyof ProfileFilter](wanted as never)
    }),
  )
}

function joinConditions(conditions: RawBuilder<boolean>[]): RawBuilder<boolean> {
  return conditions.length > 0 ? sql`${sql.join(conditions, sql` and `)}` : sql`true`
}

const HISTORY_PAGE = 50

/**
 * Returns a page of the changes to a person, newest first.
 * @param wanted.cursor the last id of the previous page
 * @throws ProblemError not-found
 */
export async function readHistory(
  db: Db,
  { userId, cursor, reader }: { userId: string; cursor?: string | undefined; reader: TrailReader },
): Promise<{ items: HistoryEntry[]; next: string | null }> {
  if (!(await findProfile(db, userId))) throw createNotFound()
  const rows = await db
    .selectFrom('audit_entries as e')
    .select(['id', 'at', 'actor_email', 'action', 'before', 'after', selectUndoId(reader).as('undo_id')])
    .where('target_id', '=', userId)
    .$if(cursor !== undefined, (query) => query.where('id', '<', Number(cursor)))
    .orderBy('id', 'desc')
    // Reads one more row to know whether there is a next page.
    .limit(HISTORY_PAGE + 1)
    .execute()
  const items = rows.slice(0, HISTORY_PAGE).map(({ undo_id, ...row }) => ({
    ...row,
    ...(undo_id && { undo_id }),
    at: row.at.toISOString(),
    before: row.before as HistoryEntry['before'],
    after: row.after as HistoryEntry['after'],
  }))
  return { items, next: rows.length > HISTORY_PAGE ? String(items.at(-1)?.id) : null }
}
