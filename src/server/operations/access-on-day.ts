import { type RawBuilder, sql } from 'kysely'
import type { Hindrance, Reader } from '#contract/audit.ts'
import { ENTITLEMENT_ACTIONS } from '#contract/audit-actions.ts'
import { sortItems } from '#contract/entitlement-lists.ts'
import { toSaoPauloDay } from '#contract/user-rules.ts'
import { findArea, readCatalogue } from '#server/catalogue/catalogue.ts'
import type { Db } from '#server/database/schema.ts'
import { toFieldError } from '#server/http/problem-error.ts'
import { readProfile } from '#server/users/user-queries.ts'
import { listAreaLabels } from './trail.ts'

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

/**
 * Reads what people could see at an instant: as profiles are, minus what later entries changed. Of
 * deleted people only the trail tells, under their pseudonym.
 */
async function readAccess(db: Db, end: RawBuilder<Date> | null, userId?: string): Promise<Access[]> {
  const { rows: people } = await sql<Access & { exists: boolean }>`
    select user_id, email, full_name, approved, types, marcas, estados, valid_until::text as valid_until
    from profiles where true ${userId ? sql`and user_id = ${userId}` : sql``}
      ${end ? sql`and created_at < ${end}` : sql``}`.execute(db)
  if (!end) return people
  const byId = new Map<string, Access>(people.map((person) => [person.user_id, person]))
  const actions = sql`e.action = any(${[...ENTITLEMENT_ACTIONS]}::text[])`
  const target = userId ? sql`e.target_id = ${userId}` : sql`e.target_id is not null`
  // Of deleted people: the last value before the end, in which a later one is put below.
  const { rows: earlier } = await sql<{ id: string; key: string; value: never }>`
    select distinct on (e.target_id, k.key) e.target_id as id, k.key, k.value
    from audit_entries e, jsonb_each(e.after) as k
    where ${actions} and ${target} and e.at < ${end} and k.key = any(${KEYS}::text[])
      and not exists (select from profiles p where p.user_id = e.target_id)
    order by e.target_id, k.key, e.at desc, e.id desc`.execute(db)
  for (const { id } of earlier) byId.set(id, { user_id: id, email: null, full_name: null })
  const { rows: later } = await sql<{ id: string; key: string; value: never }>`
    select distinct on (e.target_id, k.key) e.target_id as id, k.key, k.value
    from audit_entries e, jsonb_each(e.before) as k
    where ${actions} and ${target} and e.at >= ${end} and k.key = any(${KEYS}::text[])
    order by e.target_id, k.key, e.at, e.id`.execute(db)
  for (const { id, key, value } of [...earlier, ...later]) {
    const access = byId.get(id)
    if (access) Object.assign(access, { [key]: value })
  }
  // Whoever was deleted before the end saw nothing any more.
  const { rows: gone } = await sql<{ id: string }>`
    select coalesce(target_id, (after ->> 'userId')::uuid) as id from audit_entries e
    where action in ('user-deleted', 'account-disowned') and at < ${end}`.execute(db)
  for (const { id } of gone) byId.delete(id)
  return [...byId.values()]
}

interface Grant {
  since: string | null
  through: string | null
  by: string | null
}

/** Finds since when and through what people have an area: the later of its grant and the approval. */
async function readGrants(db: Db, end: RawBuilder<Date> | null, ids: string[], labels: string[]) {
  // From the newest entry of each person back to the one that gave it, by their index.
  const { rows } = await sql<{ id: string; at: Date; action: string; by: string | null }>`
    select who.id, given.* from unnest(${ids}::uuid[]) as who(id), lateral (
      select at, action, coalesce(actor_email, actor_id::text) as by from audit_entries
      where target_id = who.id and action = any(${[...ENTITLEMENT_ACTIONS]}::text[])
        and ${end ? sql`at < ${end}` : sql`true`}
        and ((jsonb_exists_any(after -> 'types', ${labels}::text[])
            and not coalesce(jsonb_exists_any(before -> 'types', ${labels}::text[]), false))
          or ((after ->> 'approved') = 'true' and (before ->> 'approved') is distinct from 'true'))
      order by at desc, id desc limit 1) as given`.execute(db)
  return new Map<string, Grant>(
    rows.map(({ id, at, action, by }) => [id, { since: at.toISOString(), through: action, by }]),
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

/** Lists who can see the reports of an area, or could on a day. @throws ProblemError not-found */
export async function readAreaAccess(db: Db, { slug, ...asked }: Asked & { slug: string }) {
  const catalogue = await readCatalogue(db)
  const { label } = findArea(catalogue, { slug })
  const end = getEnd(asked)
  const reached = await readReach(db, end)
  if (!reached.known) return { ...reached, readers: [] }
  const labels = await listAreaLabels(db, label)
  const day = end ? (asked.on as string) : toSaoPauloDay(asked.now)
  const readers = (await readAccess(db, end)).filter(
    (access) =>
      !getHindrance(access, day) &&
      sortItems(catalogue, 'types', access.types ?? []).some((type) => labels.includes(type)),
  )
  const grants = await readGrants(
    db,
    end,
    readers.map(({ user_id }) => user_id),
    labels,
  )
  const items = readers.map(
    ({ user_id, email, full_name, marcas = [], estados = [], valid_until = null }): Reader => ({
      ...{ user_id, email, full_name, marcas, estados, until: valid_until },
      ...(grants.get(user_id) ?? NO_GRANT),
    }),
  )
  const toName = ({ full_name, email, user_id }: Reader) => full_name ?? email ?? user_id
  return { ...reached, readers: items.sort((a, b) => toName(a).localeCompare(toName(b), 'pt-BR')) }
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
  const catalogue = await readCatalogue(db)
  const { marcas = [], estados = [], types = [], valid_until: until = null } = access
  const { rows: reports } = await sql<{ type: string; name: string }>`
    select c.label as type, r.name from further_reports r
    join catalogue_items c on c.kind = 'types' and c.code = r.type
    where r.deleted_at is null order by r.position`.execute(db)
  const areas = []
  for (const type of sortItems(catalogue, 'types', types)) {
    const grants = await readGrants(db, end, [userId], await listAreaLabels(db, type))
    // Further reports of a past day are not known.
    const names = end ? [] : reports.filter((report) => report.type === type).map(({ name }) => name)
    areas.push({ type, reports: names, until, ...(grants.get(userId) ?? NO_GRANT) })
  }
  const day = end ? (asked.on as string) : toSaoPauloDay(asked.now)
  return { ...reached, email, hindrance: getHindrance(access, day), marcas, estados, areas }
}
