import { type RawBuilder, sql } from 'kysely'
import type { TrailEntry, TrailFilter } from '#contract/audit.ts'
import { AUDIT_ACTIONS } from '#contract/audit-actions.ts'
import type { Db } from '#server/database/schema.ts'
import { toFieldError } from '#server/http/problem-error.ts'
import { type AreaNames, namesArea, readAreaNames } from './area-names.ts'

export const TRAIL_PAGE = 50

type Wanted = TrailFilter & { cursor?: string | undefined; limit?: number }
/** One of the three tables of the trail, by its letter in ids and cursors. */
type Source = 'a' | 'f' | 'r'
type Condition = RawBuilder<unknown>
interface Row extends Omit<TrailEntry, 'id'> {
  source: Source
  id: string
  report_id: string | null
}

const ISO = sql.lit('YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
const COLUMNS: Record<Source, RawBuilder<unknown>> = {
  a: sql`'a' as source, t.id, t.at, action, actor_id, actor_email, target_id, target_email, before, after,
    ip, user_agent, null::text as report_id from audit_entries t`,
  r: sql`'r' as source, t.id, t.at, t.action, t.user_id as actor_id, null::text as actor_email,
    t.viewed_as as target_id, null::text as target_email, null::jsonb as before, null::jsonb as after,
    t.ip, t.user_agent, t.report_id from access_records t`,
  f: sql`'f' as source, t.id, t.hour as at, 'sign-in-refused' as action, null::uuid as actor_id,
    null::text as actor_email, t.user_id as target_id, null::text as target_email, null::jsonb as before,
    jsonb_build_object('attempts', attempts, 'outcome', outcome, 'ips', ips,
      'last_at', to_char(last_at at time zone 'America/Sao_Paulo', 'DD/MM/YYYY HH24:MI')) as after,
    ips[1] as ip, null::text as user_agent, null::text as report_id from failed_sign_ins t`,
}
const SOURCES: readonly Source[] = ['a', 'f', 'r']

/** Reads a page of the trail, newest first. @throws ProblemError invalid-input for a wrong cursor */
export async function readTrail(db: Db, wanted: Wanted) {
  const limit = wanted.limit ?? TRAIL_PAGE
  const areas = await readAreaNames(db)
  const reports = await readReportNames(db, areas)
  const branches = await listBranches(db, wanted, areas, reports)
  if (branches.length === 0) return { items: [], next: null }
  // Each branch reads its own index backwards and stops after a page.
  const pages = branches.map(
    ({ source, where }) => sql`(select ${COLUMNS[source]} where ${sql.join(where, sql` and `)}
      order by ${sql.ref(source === 'f' ? 't.hour' : 't.at')} desc, t.id desc limit ${limit + 1})`,
  )
  const { rows } = await sql<Row>`
    select e.source, e.id::text as id, to_char(e.at at time zone 'UTC', ${ISO}) as at, e.action, e.actor_id,
      coalesce(e.actor_email, actor.email) as actor_email, e.target_id,
      coalesce(e.target_email, target.email) as target_email, e.before, e.after, e.ip, e.user_agent, e.report_id
    from (select * from (${sql.join(pages, sql` union all `)}) as pages
      order by at desc, source desc, id desc limit ${limit + 1}) as e
    left join profiles actor on actor.user_id = e.actor_id and e.source = 'r'
    left join profiles target on target.user_id = e.target_id and e.source <> 'a'
    order by e.at desc, e.source desc, e.id desc`.execute(db)
  const items = rows.slice(0, limit).map((row) => toEntry(row, reports))
  const last = items.at(-1)
  return { items, next: rows.length > limit && last ? `${last.at}_${last.id}` : null }
}

function toEntry({ source, report_id, ...row }: Row, reports: ReportNames): TrailEntry {
  const entry = { ...row, id: `${source}${row.id}` }
  if (row.action !== 'report' && row.action !== 'report-shown') return entry
  const { code: _, ...named } = reports.get(report_id ?? '') ?? { code: '' }
  const after = { ...named, report_id, ...(row.target_id && { viewed_as: true }) }
  return { ...entry, after }
}

interface Branch {
  source: Source
  where: Condition[]
}

async function listBranches(
  db: Db,
  wanted: Wanted,
  areas: AreaNames,
  reports: ReportNames,
): Promise<Branch[]> {
  const person = wanted.person ? await findId(db, wanted.person) : undefined
  const actor = wanted.actor && wanted.actor !== 'portal' ? await findId(db, wanted.actor) : wanted.actor
  const area = wanted.area && areas.findCode(wanted.area)
  const branches: Branch[] = []
  for (const source of SOURCES) {
    const where = [...limitTime(source, wanted), ...limitAction(source, wanted.action)]
    if (actor === 'portal') where.push(source === 'a' ? sql`actor_id is null` : sql`${source === 'f'}`)
    else if (actor)
      where.push(
        source === 'f' ? sql`false` : sql`${sql.ref(source === 'a' ? 'actor_id' : 't.user_id')} = ${actor}`,
      )
    if (area) {
      const ids = [...reports].filter(([, { code }]) => code === area).map(([id]) => id)
      const tenures = areas.listTenures(area)
      const hasArea = (label: string) => sql`get_audit_areas(before, after) && array[${label}::text]`
      if (source === 'a') where.push(namesArea(tenures, sql`t.id`, hasArea))
      else where.push(source === 'r' ? sql`t.report_id = any(${ids}::text[])` : sql`false`)
    }
    if (person && source === 'r') {
      branches.push({ source, where: [...where, sql`t.viewed_as = ${person}`] })
      where.push(sql`t.user_id = ${person}`, sql`t.viewed_as is distinct from ${person}`)
    } else if (person) where.push(sql`${sql.ref(source === 'a' ? 'target_id' : 't.user_id')} = ${person}`)
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
  const [, moment, kind, id] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)_([afr])(\d{1,18})$/.exec(cursor) ?? []
  if (!moment || !kind || !id) throw toFieldError('cursor', 'O cursor não é desta lista.')
  if (source === kind) where.push(sql`(${at}, t.id) < (${moment}::timestamptz, ${id}::bigint)`)
  else where.push(source < kind ? sql`${at} <= ${moment}::timestamptz` : sql`${at} < ${moment}::timestamptz`)
  return where
}

/** What the actions of a group begin with. */
const GROUPS: Record<string, string> = { catalogue: 'catalogue-', settings: 'report-setting-' }

function limitAction(source: Source, action: TrailFilter['action']): Condition[] {
  const sources: Record<string, Source> = {
    ...{ acts: 'a', accesses: 'r', refusals: 'f' },
    ...{ 'sign-in': 'r', report: 'r', 'report-shown': 'r', 'sign-in-refused': 'f' },
  }
  if (!action) return []
  if ((sources[action] ?? 'a') !== source) return [sql`false`]
  const group = GROUPS[action]
  if (group) return [sql`t.action = any(${AUDIT_ACTIONS.filter((each) => each.startsWith(group))}::text[])`]
  const isWhole = ['acts', 'accesses', 'refusals', 'sign-in-refused'].includes(action)
  return isWhole ? [] : [sql`t.action = ${action}`]
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const NOBODY = '00000000-0000-0000-0000-000000000000'

/** Finds whom a filter names: an id, also a pseudonym, or the e-mail of an account. */
async function findId(db: Db, who: string): Promise<string> {
  if (UUID.test(who)) return who
  const email = who.toLowerCase()
  const found = await db
    .selectFrom('profiles')
    .select('user_id')
    .where('email', '=', email)
    .executeTakeFirst()
  return found?.user_id ?? NOBODY
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
