import { type RawBuilder, sql } from 'kysely'
import { NOT_PEOPLE, type TrailEntry, type TrailFilter } from '#contract/audit.ts'
import { AUDIT_ACTIONS } from '#contract/audit-actions.ts'
import { parsePseudonym } from '#contract/describe-access.ts'
import type { Db } from '#server/database/schema.ts'
import { cursorInstantSchema } from '#server/http/cursor.ts'
import { toFieldError } from '#server/http/problem-error.ts'
import { matchesFilter } from '#server/users/user-queries.ts'
import { type AreaNames, namesArea, readAreaNames } from './area-names.ts'
import { selectUndoId, type TrailReader } from './audit.ts'

export const TRAIL_PAGE = 50

/** @param reader of the screen, where a bulk act is one entry */
type Wanted = TrailFilter & {
  cursor?: string | undefined
  limit?: number
  reader?: TrailReader
}
/** One of the three tables of the trail, by its letter in ids and cursors. */
type Source = 'a' | 'f' | 'r'
type Condition = RawBuilder<unknown>
interface Row extends Omit<TrailEntry, 'id' | 'undo_id' | 'people' | 'batch'> {
  undo_id: string | null
  batch_id: string | null
  people: number
  source: Source
  id: string
  report_id: string | null
}

const ISO = sql.lit('YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
const COLUMNS: Record<Source, RawBuilder<unknown>> = {
  a: sql`'a' as source, t.id, t.at, action, actor_id, actor_email, target_id, target_email, before, after,
    ip, user_agent, null::text as report_id, batch_id from audit_entries t`,
  r: sql`'r' as source, t.id, t.at, t.action, t.user_id as actor_id, null::text as actor_email,
    t.viewed_as as target_id, null::text as target_email, null::jsonb as before,
    case when t.method is not null then jsonb_build_object('method', t.method) end as after,
    t.ip, t.user_agent, t.report_id, null::uuid as batch_id from access_records t`,
  f: sql`'f' as source, t.id, t.hour as at, 'sign-in-refused' as action, null::uuid as actor_id,
    null::text as actor_email, t.user_id as target_id, null::text as target_email, null::jsonb as before,
    jsonb_build_object('attempts', attempts, 'outcome', outcome, 'ips', ips,
      'last_at', to_char(last_at at time zone 'America/Sao_Paulo', 'DD/MM/YYYY HH24:MI')) as after,
    ips[1] as ip, null::text as user_agent, null::text as report_id, null::uuid as batch_id
    from failed_sign_ins t`,
}
const SOURCES: readonly Source[] = ['a', 'f', 'r']

/**
 * Reads a page of the trail, newest first.
 * @throws ProblemError invalid-input for a wrong cursor, and for what `resolveTrailFilter` refuses
 */
export async function readTrail(db: Db, asked: Wanted) {
  const limit = asked.limit ?? TRAIL_PAGE
  const areas = await readAreaNames(db)
  const reports = await readReportNames(db, areas)
  const wanted = await resolveTrailFilter(db, asked, areas)
  const branches = listBranches(wanted, areas, reports)
  if (branches.length === 0) return { items: [], next: null }
  // Each branch reads its own index backwards and stops after a page.
  const pages = branches.map(
    ({ source, where }) => sql`(select ${COLUMNS[source]} where ${sql.join(where, sql` and `)}
      order by ${sql.ref(source === 'f' ? 't.hour' : 't.at')} desc, t.id desc limit ${limit + 1})`,
  )
  const { rows } = await sql<Row>`
    select e.source, e.id::text as id, to_char(e.at at time zone 'UTC', ${ISO}) as at, e.action, e.actor_id,
      coalesce(e.actor_email, actor.email) as actor_email, e.target_id,
      coalesce(e.target_email, target.email) as target_email, e.before, e.after, e.ip, e.user_agent, e.report_id,
      e.batch_id, ${wanted.reader ? selectUndoId(wanted.reader) : sql`null`} as undo_id,
      ${isGrouped(wanted) ? sql`(select count(*)::int from audit_entries n where ${IS_SAME_ACT})` : sql`1`} as people
    from (select * from (${sql.join(pages, sql` union all `)}) as pages
      order by at desc, source desc, id desc limit ${limit + 1}) as e
    left join profiles actor on actor.user_id = e.actor_id and e.source = 'r'
    left join profiles target on target.user_id = e.target_id and e.source <> 'a'
    order by e.at desc, e.source desc, e.id desc`.execute(db)
  const items = rows.slice(0, limit).map((row) => toEntry(row, reports))
  const last = items.at(-1)
  return { items, next: rows.length > limit && last ? `${last.at}_${last.id}` : null }
}

/** Of a person or a bulk act, each entry stands alone. */
const isGrouped = ({ reader, person, batch }: Wanted) => reader && !person && !batch
const IS_SAME_ACT = sql`n.batch_id = e.batch_id and n.action = e.action and n.target_id is not null`

function toEntry(
  { source, report_id, undo_id, batch_id, people, ...row }: Row,
  reports: ReportNames,
): TrailEntry {
  const group = people > 1 && batch_id && { people, batch: batch_id }
  const entry = { ...row, id: `${source}${row.id}`, ...(undo_id && { undo_id }), ...group }
  if (row.action !== 'report' && row.action !== 'report-shown') return entry
  const { code: _, ...named } = reports.get(report_id ?? '') ?? { code: '' }
  const after = { ...named, report_id, ...(row.target_id && { viewed_as: true }) }
  return { ...entry, after }
}

/** A command of the operator, which has no account. */
const IS_TERMINAL = sql`(t.ip = 'terminal')`

interface Branch {
  source: Source
  where: Condition[]
}

/** @param wanted with ids and the code of the area */
function listBranches(wanted: Wanted, areas: AreaNames, reports: ReportNames): Branch[] {
  const { person, actor, area } = wanted
  const branches: Branch[] = []
  const hasArea = (label: string) => sql`get_audit_areas(before, after) && array[${label}::text]`
  const inArea = (id: Condition) => (area ? namesArea(areas.listTenures(area), id, hasArea) : sql`true`)
  for (const source of SOURCES) {
    const where = [...limitTime(source, wanted), ...limitAction(source, wanted.action)]
    if (actor === 'portal')
      where.push(
        source === 'a' ? sql`actor_id is null and ${IS_TERMINAL} is not true` : sql`${source === 'f'}`,
      )
    else if (actor === 'servidor')
      where.push(source === 'a' ? sql`actor_id is null and ${IS_TERMINAL}` : sql`false`)
    else if (actor)
      where.push(
        source === 'f' ? sql`false` : sql`${sql.ref(source === 'a' ? 'actor_id' : 't.user_id')} = ${actor}`,
      )
    if (area) {
      const ids = [...reports].filter(([, { code }]) => code === area).map(([id]) => id)
      if (source === 'a') where.push(inArea(sql`t.id`))
      else where.push(source === 'r' ? sql`t.report_id = any(${ids}::text[])` : sql`false`)
    }
    if (person && source === 'r') {
      branches.push({ source, where: [...where, sql`t.viewed_as = ${person}`] })
      where.push(sql`t.user_id = ${person}`, sql`t.viewed_as is distinct from ${person}`)
    } else if (person) where.push(sql`${sql.ref(source === 'a' ? 'target_id' : 't.user_id')} = ${person}`)
    if (wanted.batch) where.push(source === 'a' ? sql`t.batch_id = ${wanted.batch}` : sql`false`)
    // The last entry of a bulk act, of those that match, stands for all.
    if (source === 'a' && isGrouped(wanted))
      where.push(sql`not exists (select from audit_entries n where n.batch_id = t.batch_id
        and n.action = t.action and n.target_id is not null and n.id > t.id and ${inArea(sql`n.id`)})`)
    branches.push({ source, where })
  }
  return branches
}

function limitTime(source: Source, { from, to, cursor }: Wanted): Condition[] {
  const at = sql.ref(source === 'f' ? 't.hour' : 't.at')
  const where = [sql`true`]
  if (from) where.push(sql`${at} >= ${from}::date::timestamp at time zone 'America/Sao_Paulo'`)
  if (to) where.push(sql`${at} < (${to}::date + 1)::timestamp at time zone 'America/Sao_Paulo'`)
  if (!cursor) return where
  const [, moment, kind, id] = /^(.{27})_([afr])(\d{1,18})$/.exec(cursor) ?? []
  if (!cursorInstantSchema.safeParse(moment).success || !kind || !id)
    throw toFieldError('cursor', 'O cursor não é desta lista.')
  if (source === kind) where.push(sql`(${at}, t.id) < (${moment}::timestamptz, ${id}::bigint)`)
  else where.push(source < kind ? sql`${at} <= ${moment}::timestamptz` : sql`${at} < ${moment}::timestamptz`)
  return where
}

const GROUPS: Record<string, RegExp> = {
  catalogue: /^catalogue-/,
  settings: /^report-setting-/,
  exports: /-exported$|-downloaded$|^report-mailed$/,
}

function limitAction(source: Source, action: TrailFilter['action']): Condition[] {
  const sources: Record<string, Source> = {
    acts: 'a',
    accesses: 'r',
    refusals: 'f',
    'sign-in': 'r',
    'first-step': 'r',
    report: 'r',
    'report-shown': 'r',
    'sign-in-refused': 'f',
  }
  if (!action) return []
  if ((sources[action] ?? 'a') !== source) return [sql`false`]
  const group = GROUPS[action]
  if (group) return [sql`t.action = any(${AUDIT_ACTIONS.filter((each) => group.test(each))}::text[])`]
  const isWhole = ['acts', 'accesses', 'refusals', 'sign-in-refused'].includes(action)
  return isWhole ? [] : [sql`t.action = ${action}`]
}

/**
 * Replaces whom and which area a filter names by their ids.
 * @throws ProblemError invalid-input for nobody, several people or no area: never an empty answer
 */
export async function resolveTrailFilter<F extends TrailFilter>(
  db: Db,
  filter: F,
  areas?: AreaNames,
): Promise<F> {
  const { person, actor, area, from, to } = filter
  if (from && to && from > to) throw toFieldError('to', 'O último dia vem antes do primeiro')
  const code = area && (areas ?? (await readAreaNames(db))).findAsked(area)
  if (area && !code) throw toFieldError('area', `Não há área com o nome “${area}”`)
  const nobody = NOT_PEOPLE.find((each) => each === actor?.toLowerCase())
  return {
    ...filter,
    ...(person && { person: await findId(db, 'person', person) }),
    ...(actor && { actor: nobody ?? (await findId(db, 'actor', actor)) }),
    ...(code && { area: code }),
  }
}

/** Finds whom a filter names: an id, the pseudonym as screens write it, an e-mail, or a name. */
async function findId(db: Db, field: 'person' | 'actor', who: string): Promise<string> {
  const pseudonym = parsePseudonym(who)
  if (pseudonym?.includes('-')) return pseudonym
  const ids = pseudonym ? await findPseudonym(db, pseudonym) : []
  if (ids.length === 1) return ids[0] as string
  const { rows } = await sql<{ user_id: string; email: string }>`
    select user_id, email from profiles p where ${matchesFilter({ q: who })}
    order by p.email <> ${who.toLowerCase()}, p.email limit 2`.execute(db)
  const [first, another] = rows
  if (first && (!another || first.email === who.toLowerCase())) return first.user_id
  const message = first ? 'Mais de uma pessoa se chama' : 'Ninguém se chama'
  throw toFieldError(field, `${message} “${who}”; escolha na lista ou escreva o e-mail inteiro`)
}

/** Finds the ids of the trail that begin with eight digits, by the indexes of its tables. */
async function findPseudonym(db: Db, digits: string): Promise<string[]> {
  const between = sql`between ${`${digits}-0000-0000-0000-000000000000`}::uuid
    and ${`${digits}-ffff-ffff-ffff-ffffffffffff`}::uuid`
  const { rows } = await sql<{ id: string }>`
    (select target_id as id from audit_entries where target_id ${between} limit 1)
    union (select actor_id from audit_entries where actor_id ${between} limit 1)
    union (select user_id from access_records where user_id ${between} limit 1)
    union (select viewed_as from access_records where viewed_as ${between} limit 1)`.execute(db)
  return rows.map(({ id }) => id)
}

type ReportNames = Map<string, { code: string; type: string; name?: string }>

/** Reads the area and name of each report that the portal has, or had by the trail; see access_records. */
async function readReportNames(db: Db, areas: AreaNames): Promise<ReportNames> {
  const { rows } = await sql<{ report_id: string; type: string; name: string | null; id: number | null }>`
    select report_id, type, name, id from (
      select coalesce(after ->> 'report_id', before ->> 'report_id', after ->> 'id', before ->> 'id') as report_id,
        coalesce(after ->> 'type', before ->> 'type') as type, coalesce(after ->> 'name', before ->> 'name') as name,
        0 as rank, id from audit_entries where action in ('report-setting-saved', 'report-setting-removed')
      union all select coalesce(report_id, s.id::text), c.label, null, 1, null from global_powerbi_settings s
        join catalogue_items c on c.kind = 'types' and c.code = s.type
      union all select coalesce(report_id, s.id::text), c.label, name, 1, null from further_reports s
        join catalogue_items c on c.kind = 'types' and c.code = s.type
    ) as named where report_id is not null and type is not null order by rank, id`.execute(db)
  return new Map(
    rows.map(({ report_id, type, name, id }) => {
      const code = areas.findCode(type, id ?? undefined)
      return [report_id, { code, type, ...(name !== null && { name }) }]
    }),
  )
}
