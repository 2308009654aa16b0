import { type RawBuilder, sql } from 'kysely'
import type { Hindrance, Reader } from '#contract/audit.ts'
import { ENTITLEMENT_ACTIONS } from '#contract/audit-actions.ts'
import { toSaoPauloDay } from '#contract/user-rules.ts'
import { findArea, readCatalogue } from '#server/catalogue/catalogue.ts'
import type { Db } from '#server/database/schema.ts'
import { toFieldError } from '#server/http/problem-error.ts'
import { readProfile } from '#server/users/user-queries.ts'
import { type AreaNames, namesArea, readAreaNames } from './area-names.ts'

/** What decides what a person sees; from the trail for a past day, where a key may be unknown. */
interface Access {
  user_id: string
  email: string | null
  full_name: string | null
  approved?: boolean
  types?: string[]
  marcas?: string[]
  estados?: string[]
  valid_until?: string | null
  /** The entry of the trail that has the types, whose names are of then; undefined for those of now. */
  typesFrom?: number
}

interface Asked {
  /** A day in São Paulo, of which the end counts; undefined is now. */
  on?: string | undefined
  now: number
}

const KEYS = ['approved', 'types', 'marcas', 'estados', 'valid_until']

/**
 * Returns the first instant after the day; null for now, which needs no trail.
 * @throws ProblemError invalid-input for a day to come
 */
function getEnd({ on, now }: Asked): RawBuilder<Date> | null {
  const today = toSaoPauloDay(now)
  if (on !== undefined && on > today) throw toFieldError('on', 'Escolha hoje ou um dia que já passou')
  return on === undefined || on === today
    ? null
    : sql<Date>`((${on}::date + 1)::timestamp at time zone 'America/Sao_Paulo')`
}

/** Whether the trail reaches back to the end of the day, and since when there is one. */
async function readReach(db: Db, end: RawBuilder<Date> | null) {
  const { rows } = await sql<{ reach: Date | null; known: boolean }>`
    select min(at) as reach, coalesce(min(at) < ${end ?? sql`now()`}, false) as known from audit_entries`.execute(
    db,
  )
  const [row] = rows
  return { reach: row?.reach?.toISOString() ?? null, known: end === null || row?.known === true }
}

interface Change {
  id: string
  key: string
  value: never
  entry: number
}

/**
 * Reads what people could see at an instant: as profiles are, minus what later entries changed. Of
 * people deleted since only the trail tells, under their pseudonym, and of some of them it does not.
 */
async function readAccess(db: Db, end: RawBuilder<Date> | null, userId?: string): Promise<Access[]> {
  const { rows: people } = await sql<Access>`
    select user_id, email, full_name, approved, types, marcas, estados, valid_until::text as valid_until
    from profiles where true ${userId ? sql`and user_id = ${userId}` : sql``}
      ${end ? sql`and created_at < ${end}` : sql``}`.execute(db)
  if (!end) return people
  const byId = new Map<string, Access>(people.map((person) => [person.user_id, person]))
  const actions = sql`e.action = any(${[...ENTITLEMENT_ACTIONS, 'user-deleted']}::text[])`
  const target = userId ? sql`e.target_id = ${userId}` : sql`e.target_id is not null`
  // Of deleted people: the last value before the end, in which a later one is put below.
  const { rows: earlier } = await sql<Change>`
    select distinct on (e.target_id, k.key) e.target_id as id, k.key, k.value, e.id as entry
    from audit_entries e, jsonb_each(e.after) as k
    where ${actions} and ${target} and e.at < ${end} and k.key = any(${KEYS}::text[])
      and not exists (select from profiles p where p.user_id = e.target_id)
    order by e.target_id, k.key, e.at desc, e.id desc`.execute(db)
  const { rows: later } = await sql<Change>`
    select distinct on (e.target_id, k.key) e.target_id as id, k.key, k.value, e.id as entry
    from audit_entries e, jsonb_each(e.before) as k
    where ${actions} and ${target} and e.at >= ${end} and k.key = any(${KEYS}::text[])
    order by e.target_id, k.key, e.at, e.id`.execute(db)
  // Deletions of earlier versions tell neither what went with the account nor when it was created.
  const { rows: deleted } = await sql<{ id: string }>`
    select target_id as id from audit_entries e where action = 'user-deleted' and at >= ${end} and ${target}
      and coalesce((before ->> 'created_at')::timestamptz, (select min(at) from audit_entries created
        where created.target_id = e.target_id and created.action = 'account-created'), '-infinity') < ${end}`.execute(
    db,
  )
  for (const { id } of [...earlier, ...deleted]) byId.set(id, { user_id: id, email: null, full_name: null })
  for (const { id, key, value, entry } of [...earlier, ...later]) {
    const access = byId.get(id)
    if (access) Object.assign(access, { [key]: value, ...(key === 'types' && { typesFrom: entry }) })
  }
  // Whoever was deleted before the end saw nothing any more.
  const { rows: gone } = await sql<{ id: string }>`
    select coalesce(target_id, (after ->> 'userId')::uuid) as id from audit_entries e
    where action in ('user-deleted', 'account-disowned') and at < ${end}`.execute(db)
  for (const { id } of gone) byId.delete(id)
  return [...byId.values()]
}

/** Whether the trail does not tell if a person could see the area. */
function isUnknown({ email, approved, types, marcas, estados }: Access, holdsArea: boolean): boolean {
  if (email !== null || approved === false || (types && !holdsArea)) return false
  if (marcas?.length === 0 || estados?.length === 0) return false
  return [approved, types, marcas, estados].includes(undefined)
}

interface Grant {
  since: string | null
  through: string | null
  templates?: string[]
  by: string | null
}

/** Finds since when and through what people have an area: the later of its grant and the approval. */
async function readGrants(
  db: Db,
  end: RawBuilder<Date> | null,
  ids: string[],
  { areas, code }: { areas: AreaNames; code: string },
) {
  const names = (lists: RawBuilder<unknown>) =>
    namesArea(
      areas.listTenures(code),
      sql`id`,
      (label) => sql`coalesce(jsonb_exists(${lists}, ${label}), false)`,
    )
  // From the newest entry of each person back to the one that gave it, by their index.
  const { rows } = await sql<{
    id: string
    at: Date
    action: string
    templates: string[] | null
    by: string | null
  }>`
    select who.id, given.* from unnest(${ids}::uuid[]) as who(id), lateral (
      select at, action, after -> 'templates' as templates, coalesce(actor_email, actor_id::text) as by from audit_entries
      where target_id = who.id and action = any(${[...ENTITLEMENT_ACTIONS]}::text[])
        and ${end ? sql`at < ${end}` : sql`true`}
        and ((${names(sql`after -> 'types'`)} and not ${names(sql`before -> 'types'`)})
          or ((after ->> 'approved') = 'true' and (before ->> 'approved') is distinct from 'true'))
      order by at desc, id desc limit 1) as given`.execute(db)
  return new Map<string, Grant>(
    rows.map(({ id, at, action, templates, by }) => [
      id,
      { since: at.toISOString(), through: action, ...(templates && { templates }), by },
    ]),
  )
}

const NO_GRANT: Grant = { since: null, through: null, by: null }

function getHindrance(
  { approved, types, marcas, estados, valid_until }: Access,
  day: string,
): Hindrance | null {
  if (!approved) return 'not-approved'
  if (valid_until && valid_until < day) return 'ended'
  if (!types?.length) return 'no-types'
  return marcas?.length && estados?.length ? null : 'no-scope'
}

/** Lists the codes of the areas that a person has, by the names of their time. */
const listCodes = (areas: AreaNames, { types = [], typesFrom }: Access) =>
  types.map((type) => areas.findCode(type, typesFrom))

/** Lists who can see the reports of an area, or could on a day. @throws ProblemError not-found */
export async function readAreaAccess(db: Db, { slug, ...asked }: Asked & { slug: string }) {
  const { code } = findArea(await readCatalogue(db), { slug })
  const end = getEnd(asked)
  const reached = await readReach(db, end)
  if (!reached.known) return { ...reached, readers: [], unknown: 0 }
  const areas = await readAreaNames(db)
  const day = end ? (asked.on as string) : toSaoPauloDay(asked.now)
  const people = await readAccess(db, end)
  const holdsArea = (access: Access) => listCodes(areas, access).includes(code)
  const readers = people.filter((access) => !getHindrance(access, day) && holdsArea(access))
  const unknown = people.filter((access) => isUnknown(access, holdsArea(access))).length
  const grants = await readGrants(
    db,
    end,
    readers.map(({ user_id }) => user_id),
    { areas, code },
  )
  const items = readers.map(
    ({ user_id, email, full_name, marcas = [], estados = [], valid_until = null }): Reader => ({
      user_id,
      email,
      full_name,
      marcas,
      estados,
      until: valid_until,
      ...(grants.get(user_id) ?? NO_GRANT),
    }),
  )
  const toName = ({ full_name, email, user_id }: Reader) => full_name ?? email ?? user_id
  return { ...reached, readers: items.sort((a, b) => toName(a).localeCompare(toName(b), 'pt-BR')), unknown }
}

/** Lists the areas that a person can see and why, or could on a day. @throws ProblemError not-found */
export async function readPersonAccess(db: Db, { userId, ...asked }: Asked & { userId: string }) {
  const { email } = await readProfile(db, userId)
  const end = getEnd(asked)
  const reached = await readReach(db, end)
  const nothing = { ...reached, email, hindrance: null, marcas: [], estados: [], areas: [] }
  if (!reached.known) return nothing
  const [access] = await readAccess(db, end, userId)
  if (!access) return { ...nothing, hindrance: 'no-account' as const }
  const { types } = await readCatalogue(db)
  const names = await readAreaNames(db)
  const { marcas = [], estados = [], valid_until: until = null } = access
  const { rows: reports } = await sql<{ type: string; name: string }>`
    select type, name from further_reports where deleted_at is null order by position`.execute(db)
  const held = listCodes(names, access)
  const unlisted = held.filter((code) => !types.some((type) => type.code === code))
  const areas = []
  for (const { code, label } of [
    ...types.filter((type) => held.includes(type.code)),
    ...unlisted.map((name) => ({ code: name, label: name })),
  ]) {
    const grants = await readGrants(db, end, [userId], { areas: names, code })
    // Further reports of a past day are not known.
    const further = end ? [] : reports.filter(({ type }) => type === code).map(({ name }) => name)
    areas.push({ type: label, reports: further, until, ...(grants.get(userId) ?? NO_GRANT) })
  }
  const day = end ? (asked.on as string) : toSaoPauloDay(asked.now)
  return { ...reached, email, hindrance: getHindrance(access, day), marcas, estados, areas }
}
