import { sql } from 'kysely'
import { formatReportTitle } from '#contract/messages.ts'
import type { QueryOf } from '#contract/route.ts'
import type { NamedPeople, Usage, UsagePeriod, usageRoutes } from '#contract/usage.ts'
import { MAX_NAMED, MAX_PERIODS, MIN_GROUP, toMilliseconds } from '#contract/usage-rules.ts'
import { toSaoPauloDay } from '#contract/user-rules.ts'
import type { Db } from '#server/database/schema.ts'
import type { Context } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { FAILED_STEP, type OpenSum, type sumOpenUsage } from './count-usage.ts'
import { readReports } from './own-reports.ts'

const DEFAULT_DAYS = 30
const DAY_MS = 24 * 60 * 60_000

/**
 * Reads the use of a time from the sums of its closed periods; the open one is counted now.
 * @throws ProblemError invalid-input when the time is too long or ends before it begins
 */
export async function readUsage(
  { db, clock, sumOpen }: Pick<Context, 'db' | 'clock'> & { sumOpen: typeof sumOpenUsage },
  query: QueryOf<typeof usageRoutes.readUsage>,
): Promise<Omit<Usage, 'is_mailed'>> {
  const now = clock()
  const { by = 'day' } = query
  const bounds = await readBounds(db, { ...query, by, now })
  const [sums, steps, { catalogue, reports }] = [
    await readSums(db, by, bounds, sumOpen),
    await readSteps(db, by, bounds),
    await readReports(db),
  ]
  const byPeriod = Map.groupBy(steps, ({ starts_on }) => starts_on)
  const byReport = Map.groupBy(steps, ({ report_id }) => report_id)
  const closed = sums.periods.filter(({ is_open }) => !is_open).length
  /** The mean of the closed periods; of a group or a time without any, the open one. */
  const toUse = ({ people, shown_people, open_people, openings }: Counts) => {
    const mean = hideSmall(closed > 0 && people > 0 ? Math.max(1, shown_people / closed) : open_people)
    return { people: mean, openings: mean === null ? null : openings, is_masked: false }
  }
  const groups = (kind: Counts['kind']) => sums.groups.filter((group) => group.kind === kind)
  const listGroups = (kind: 'area' | 'marca' | 'estado', items: { code: string; label: string }[]) => {
    const masked = findMasked(sums.periods, groups(kind))
    return items.map(({ code, label }) => {
      const group = groups(kind).find((counted) => counted.code === code)
      const use = !group ? NO_USE : group === masked ? MASKED : toUse(group)
      return { code, label, ...use }
    })
  }
  const named = reports.map((report) => ({
    id: report.id,
    title: formatReportTitle(report.label, report.name),
    exists: true,
  }))
  const gone = groups('report')
    .filter(({ code }) => !reports.some(({ id }) => id === code))
    .map(({ code, label }) => ({ id: code, title: label, exists: false }))
  return {
    from: bounds.starts_on,
    to: bounds.ends_on,
    by,
    since: bounds.since,
    opened_since: bounds.opened_since,
    periods: sums.periods.map(({ people, openings, ...period }) => ({
      ...period,
      people: hideSmall(people),
      openings: hideSmall(people) === null ? null : openings,
      ...toTiming(byPeriod.get(period.starts_on)),
    })),
    timing: toTiming(steps.filter(({ starts_on }) => starts_on !== null)),
    reports: [...named, ...gone]
      .map((report) => {
        const counted = groups('report').find(({ code }) => code === report.id)
        const timing = toTiming(byReport.get(report.id))
        const use = counted ? toUse(counted) : NO_USE
        return { ...report, ...timing, ...(use.people === null && hideTiming(timing)), ...use }
      })
      .sort((one, other) => rank(other) - rank(one)),
    types: listGroups('area', catalogue.types),
    marcas: listGroups('marca', catalogue.marcas),
    estados: listGroups('estado', catalogue.estados),
    ...(await readAbsent(db, bounds.starts_at, toSaoPauloDay(now))),
  }
}

/** A group too small to be shown stands between none and the smallest one shown. */
const rank = ({ people, openings }: { people: number | null; openings: number | null }) =>
  people === null ? 1 : people * 1e9 + (openings ?? 0)

const hideSmall = (people: number) => {
  const rounded = people > 0 ? Math.max(1, Math.round(people)) : 0
  return rounded > 0 && rounded < MIN_GROUP ? null : rounded
}

/** What few people felt is theirs too; of failures readSteps leaves those that many felt. */
const hideTiming = ({ failures }: { failures: number }) => ({
  median_ms: null,
  slow_ms: null,
  failures: failures || null,
})

const NO_USE = { people: 0, openings: 0, is_masked: false }
const MASKED = { people: null, openings: null, is_masked: true }

/** Finds the group that would tell the only small one, where each person of the one period is in one. */
function findMasked(periods: readonly { people: number }[], groups: readonly Counts[]): Counts | undefined {
  const [only, another] = periods
  const count = ({ people, open_people }: Counts) => people + open_people
  const isWhole = groups.reduce((sum, group) => sum + count(group), 0) === only?.people
  const shown = groups.filter((group) => count(group) >= MIN_GROUP)
  if (another || !isWhole || groups.length - shown.length !== 1) return undefined
  return shown.toSorted((one, other) => count(one) - count(other))[0]
}

/** The same expression twice in a statement needs literals: parameters would differ. */
const toInterval = (by: UsagePeriod) => ({ unit: sql.lit(by), step: sql`${sql.lit(`1 ${by}`)}::interval` })

interface Bounds {
  starts_on: string
  ends_on: string
  starts_at: Date
  since: string | null
  opened_since: string | null
  open_on: string
}

/** Extends a time to whole periods, and tells since when anything was counted. */
async function readBounds(
  db: Db,
  { by, now, ...wanted }: QueryOf<typeof usageRoutes.readUsage> & { by: UsagePeriod; now: number },
): Promise<Bounds> {
  const today = toSaoPauloDay(now)
  const from = wanted.from ?? toSaoPauloDay(now - (DEFAULT_DAYS - 1) * DAY_MS)
  const to = wanted.to !== undefined && wanted.to < today ? wanted.to : today
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS
  if (days < 0 || days / { day: 1, week: 7, month: 28 }[by] > MAX_PERIODS)
    throw new ProblemError('invalid-input', {
      detail: 'Escolha um período que comece antes de terminar e não seja tão longo.',
    })
  const { unit, step } = toInterval(by)
  const oldest = (isReport: boolean) => sql`least(
    (select min(starts_on) from usage_sums where period = ${unit} and (kind = 'report') = ${sql.lit(isReport)}),
    (select min(starts_on) from usage_open where period = ${unit} and (report_id is not null or not ${sql.lit(isReport)})))`
  const { rows } = await sql<Bounds>`
    select starts_on, starts_on::timestamp at time zone 'America/Sao_Paulo' as starts_at,
      least((date_trunc(${unit}, ${to}::timestamp) + ${step})::date - 1, ${today}::date) as ends_on,
      date_trunc(${unit}, ${today}::timestamp)::date as open_on,
      ${oldest(false)} as since, ${oldest(true)} as opened_since
    from (select date_trunc(${unit}, ${from}::timestamp)::date as starts_on) as bounds`.execute(db)
  return rows[0] as Bounds
}

interface Counts extends Omit<OpenSum, 'openings' | 'hidden'> {
  /** `people` are those of closed periods, added up; here without periods of fewer than five. */
  shown_people: number
  open_people: number
  /** In the periods that show them; null when none does. */
  openings: number | null
}

/** Reads the periods since something was counted, and the sums of each group over them. */
async function readSums(
  db: Db,
  by: UsagePeriod,
  { starts_on, ends_on, since, open_on }: Bounds,
  sumOpen: typeof sumOpenUsage,
) {
  if (since === null) return { periods: [], groups: [] }
  const { unit, step } = toInterval(by)
  const open = open_on >= starts_on && open_on <= ends_on ? await sumOpen(db, by, open_on) : []
  const { rows: counted } = await sql<Counts & { starts_on: string | null }>`
    with sums as (
      select starts_on, kind, code, label, people, 0 as open_people, openings, hidden from usage_sums
      where period = ${by} and starts_on between ${starts_on}::date and ${ends_on}::date
      union all
      select ${open_on}::date, kind, code, label, 0, people, openings, hidden
      from json_to_recordset(${JSON.stringify(open)}::json)
        as live(kind text, code text, label text, people int, openings int, hidden boolean)
    )
    select kind, code, max(label) as label, case when kind = 'all' then starts_on end as starts_on,
      sum(people)::int as people, sum(open_people)::int as open_people,
      coalesce(sum(people) filter (where people >= ${sql.lit(MIN_GROUP)}), 0)::int as shown_people,
      (sum(openings) filter (where not hidden))::int as openings
    from sums group by 1, 2, 4`.execute(db)
  const { rows: periods } = await sql<{ starts_on: string }>`
    select starts_on::date from generate_series(
      greatest(${starts_on}::date, date_trunc(${unit}, ${since}::timestamp)), ${ends_on}::date, ${step}
    ) as starts_on`.execute(db)
  return {
    periods: periods.map((period) => {
      const sum = counted.find(({ starts_on }) => starts_on === period.starts_on)
      const people = (sum?.people ?? 0) + (sum?.open_people ?? 0)
      const is_open = period.starts_on === open_on
      return { ...period, is_open, people, openings: sum ? sum.openings : 0 }
    }),
    groups: counted,
  }
}

interface Steps {
  starts_on: string | null
  report_id: string | null
  step: number
  count: number
}

/**
 * Reads how often each step of time was felt, by period and by report. Days on which fewer than five
 * opened a report are left out everywhere, unless five times or more it did not open.
 */
async function readSteps(db: Db, by: UsagePeriod, { starts_on, ends_on }: Bounds): Promise<Steps[]> {
  const { unit } = toInterval(by)
  const start = by === 'day' ? sql`day` : sql`date_trunc(${unit}, day::timestamp)::date`
  const { rows } = await sql<Steps>`
    with small as materialized (
      select starts_on as day, code::uuid as report_id from usage_sums
      where period = 'day' and kind = 'report' and people < ${sql.lit(MIN_GROUP)}
        and starts_on between ${starts_on}::date and ${ends_on}::date
      union all
      select starts_on, report_id from usage_open
      where period = 'day' and report_id is not null and starts_on between ${starts_on}::date and ${ends_on}::date
      group by 1, 2 having count(*) < ${sql.lit(MIN_GROUP)}
    )
    select ${start} as starts_on, report_id, step, sum(count)::int as count
    from usage_timings left join small using (day, report_id)
    where day between ${starts_on}::date and ${ends_on}::date
      and (small.day is null or (step = ${sql.lit(FAILED_STEP)} and count >= ${sql.lit(MIN_GROUP)}))
    group by grouping sets ((${start}, step), (report_id, step))
    order by step`.execute(db)
  return rows
}

/** @param steps in ascending order, several of one allowed */
function toTiming(steps: readonly Steps[] = []) {
  const failures = steps.filter(({ step }) => step === FAILED_STEP).reduce((sum, { count }) => sum + count, 0)
  const measured = steps
    .filter(({ step }) => step !== FAILED_STEP)
    .sort((one, other) => one.step - other.step)
  const total = measured.reduce((sum, { count }) => sum + count, 0)
  const find = (share: number) => {
    let passed = 0
    const found = measured.find(({ count }) => {
      passed += count
      return passed >= total * share
    })
    return total < MIN_GROUP || !found ? null : toMilliseconds(found.step)
  }
  return { median_ms: find(0.5), slow_ms: find(0.95), failures }
}

/** Lists approved people who never came, and those who have not come since an instant. */
async function readAbsent(
  db: Db,
  since: Date,
  today: string,
): Promise<{ never_came: NamedPeople; stopped_coming: NamedPeople }> {
  const { rows } = await sql<NamedPeople['people'][number] & { never: boolean; total: number; at: Date }>`
    select * from (
      select user_id, email, full_name, coalesce(last_sign_in_at, created_at) as at, last_sign_in_at is null as never,
        (count(*) over (partition by last_sign_in_at is null))::int as total,
        row_number() over (partition by last_sign_in_at is null
          order by coalesce(last_sign_in_at, created_at), email) as position
      from profiles
      where approved and (valid_until is null or valid_until >= ${today}::date)
        and (last_sign_in_at is null or last_sign_in_at < ${since})
    ) as absent where position <= ${sql.lit(MAX_NAMED)} order by position`.execute(db)
  const list = (isNever: boolean) => {
    const people = rows.filter(({ never }) => never === isNever)
    return {
      total: people[0]?.total ?? 0,
      people: people.map(({ at, ...person }) => ({ ...person, at: new Date(at).toISOString() })),
    }
  }
  return { never_came: list(true), stopped_coming: list(false) }
}
