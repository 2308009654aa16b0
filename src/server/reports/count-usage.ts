import { type RawBuilder, sql } from 'kysely'
import type { BodyOf } from '#contract/route.ts'
import type { UsagePeriod, usageRoutes } from '#contract/usage.ts'
import { MIN_GROUP, toStep } from '#contract/usage-rules.ts'
import { createCache } from '#server/cache.ts'
import { createPeriodicJob } from '#server/database/periodic-job.ts'
import type { Db } from '#server/database/schema.ts'
import type { Context } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import type { ConsumeRateLimit } from '#server/http/rate-limits.ts'
import type { Log } from '#server/log.ts'
import { recordAccess } from '#server/operations/audit.ts'
import { readVisibleReports } from './own-reports.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** A record may be committed this long after its time. */
const LATE_MS = 10 * MINUTE_MS
const CURSOR = 'usage-counted-until'
const COUNT_LOCK = 740_210_454
/** A person opens some reports a minute; a page that reloads itself must not fill the table. */
const OPENINGS = { max: 120, windowSeconds: 600 }
/** One person counts once a report and hour: repeated calls would move what everybody reads. */
const COUNTED = { max: 1, windowSeconds: 3600 }

const PERIODS = sql`(values ('day'), ('week'), ('month')) as periods(period)`
const ZONE = sql.lit('America/Sao_Paulo')
/** SQL of the first day of the period of an instant. */
const toStart = (period: RawBuilder<unknown>, at: RawBuilder<unknown>) =>
  sql<string>`date_trunc(${period}, ${at} at time zone ${ZONE})::date`
const PERIOD = sql.ref('period')

/** The step of the timings for a report that did not open. */
export const FAILED_STEP = -1

export interface UsageContext extends Context {
  consumeRateLimit: ConsumeRateLimit
  sumOpen: typeof sumOpenUsage
}

/**
 * Records an opened report and counts it by its reader in the open periods; a time, a failure without.
 * @throws ProblemError report-not-found (also for those of others), rate-limited
 */
export async function recordTiming(
  context: UsageContext,
  { report, outcome, ms }: BodyOf<typeof usageRoutes.recordTiming>,
): Promise<void> {
  const { db, clock, actor } = context
  const { user_id } = actor.profile
  await context.consumeRateLimit(`usage ${user_id}`, OPENINGS)
  const { visible } = await readVisibleReports(db, actor.profile)
  const shown = visible.find(({ id }) => id === report)
  if (!shown) throw new ProblemError('report-not-found')
  const at = sql`${new Date(clock())}::timestamptz`
  const reportId = shown.report_id ?? shown.id
  if (outcome === 'shown') await recordAccess(context, { action: 'report-shown', userId: user_id, reportId })
  if (!(await isCounted(context, `${user_id} ${report} ${outcome}`))) return
  if (outcome === 'shown')
    await sql`
      insert into usage_open (period, starts_on, user_id, report_id, openings)
      select period, ${toStart(PERIOD, at)}, p.user_id, ${report}::uuid, 1
      from ${PERIODS}, profiles p where p.user_id = ${user_id} for key share of p
      on conflict (period, starts_on, user_id, report_id)
      do update set openings = usage_open.openings + 1`.execute(db)
  const step = outcome === 'failed' ? FAILED_STEP : ms === undefined ? undefined : toStep(ms)
  if (step === undefined) return
  await sql`
    insert into usage_timings (day, report_id, step, count)
    values (${toStart(sql`'day'`, at)}, ${report}, ${step}, 1)
    on conflict (day, report_id, step) do update set count = usage_timings.count + 1`.execute(db)
}

function isCounted({ consumeRateLimit }: UsageContext, key: string): Promise<boolean> {
  return consumeRateLimit(`usage-counted ${key}`, COUNTED).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ProblemError && error.code === 'rate-limited') return false
      throw error
    },
  )
}

interface CountContext {
  db: Db
  /** ms since the epoch */
  clock: () => number
}

/**
 * Creates the job that counts who came every minute and closes the periods that are over.
 * @param onMonthClosed runs in the transaction that closes the month before the current one
 */
export function createUsageJob(
  services: CountContext & { log: Log },
  onMonthClosed: (db: Db) => Promise<void> = async () => {},
) {
  return createPeriodicJob({
    ...services,
    name: 'usage',
    claimMs: 45_000,
    intervalMs: MINUTE_MS,
    retryMs: MINUTE_MS,
    run: async (_, shouldContinue) => ({
      isComplete: await countUsage(services, shouldContinue, onMonthClosed),
    }),
  })
}

/**
 * Counts on from the last run, or from the oldest access record, a day per transaction. Counting
 * something twice, also on two replicas at once, changes nothing.
 * @returns whether it has caught up
 */
async function countUsage(
  { db, clock }: CountContext,
  shouldContinue: () => boolean,
  onMonthClosed: (db: Db) => Promise<void>,
): Promise<boolean> {
  const now = clock()
  for (let isComplete = false; !isComplete; ) {
    if (!shouldContinue()) return false
    isComplete = await db.transaction().execute(async (transaction) => {
      await sql`select pg_advisory_xact_lock(${sql.lit(COUNT_LOCK)})`.execute(transaction)
      const from = await readCursor(transaction, now)
      const until = Math.min(from + DAY_MS, now)
      await countPeople(transaction, new Date(from - LATE_MS), new Date(until))
      const closed = await closePeriods(transaction, new Date(until - LATE_MS))
      const [month] = closed.filter(({ period }) => period === 'month').slice(-1)
      if (month && (await isLastMonth(transaction, month.starts_on, now))) await onMonthClosed(transaction)
      const value = new Date(Math.max(from, until)).toISOString()
      await transaction
        .insertInto('portal_facts')
        .values({ name: CURSOR, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute()
      return until >= now
    })
  }
  return true
}

async function readCursor(db: Db, now: number): Promise<number> {
  const { rows } = await sql<{ at: Date | null }>`
    select coalesce((select value::timestamptz from portal_facts where name = ${CURSOR}),
      (select min(at) from access_records)) as at`.execute(db)
  return Math.min(rows[0]?.at?.getTime() ?? now, now)
}

/** Counts those who signed in, were given a report or renewed their session, once per period. */
async function countPeople(db: Db, from: Date, until: Date): Promise<void> {
  await sql`
    insert into usage_open (period, starts_on, user_id)
    select seen.period, seen.starts_on, p.user_id from (
      select distinct period, ${toStart(PERIOD, sql.ref('at'))} as starts_on, user_id from ${PERIODS}, (
        select at, user_id from access_records where at >= ${from} and at < ${until} and viewed_as is null
        union all
        select last_sign_in_at, user_id from profiles where last_sign_in_at >= ${from} and last_sign_in_at < ${until}
      ) as came
    ) as seen join profiles p on p.user_id = seen.user_id
    where not exists (select from usage_open o
        where (o.period, o.starts_on, o.user_id) = (seen.period, seen.starts_on, seen.user_id) and o.report_id is null)
      and not exists (select from usage_sums s
        where (s.period, s.starts_on, s.kind) = (seen.period, seen.starts_on, 'all'))
    for key share of p
    on conflict do nothing`.execute(db)
}

/** Writes the sums of the periods that ended before an instant and deletes their rows. */
async function closePeriods(db: Db, before: Date) {
  const at = sql`${before}::timestamptz`
  const { rows } = await sql<{ period: UsagePeriod; starts_on: string }>`
    select distinct period, starts_on from usage_open
    where starts_on < ${toStart(PERIOD, at)} order by starts_on`.execute(db)
  // Weeks and months are made of closed days.
  const ordered = rows.toSorted((one, other) => Number(other.period === 'day') - Number(one.period === 'day'))
  for (const { period, starts_on } of ordered) {
    await sql`
      with counted as (
        delete from usage_open where period = ${period} and starts_on = ${starts_on}
        returning user_id, report_id, openings
      )
      insert into usage_sums (period, starts_on, kind, code, label, people, openings, hidden)
      select ${period}, ${starts_on}::date, sums.* from (${sumUsage(sql`counted`)}) as sums
      on conflict do nothing`.execute(db)
    if (period === 'day') continue
    await sql`
      update usage_sums s set (openings, hidden) = (
        select coalesce(sum(d.openings), 0), coalesce(sum(d.openings), 0) = 0 and s.openings > 0 from usage_sums d
        where d.period = 'day' and (d.kind, d.code) = (s.kind, s.code) and not d.hidden
          and d.starts_on >= ${starts_on}::date and d.starts_on < ${starts_on}::date + ${sql.lit(`1 ${period}`)}::interval)
      where s.period = ${period} and s.starts_on = ${starts_on}::date`.execute(db)
  }
  return ordered
}

/**
 * Builds the sums of rows of usage_open: kind, code, label, people, openings, hidden. Brands and
 * states are those that people have now. Rows are grouped by person first: count(distinct) sorts.
 */
export function sumUsage(rows: RawBuilder<unknown>): RawBuilder<unknown> {
  const sums = sql`count(*)::int as people, sum(openings)::int as openings`
  const isSmall = sql`people < ${sql.lit(MIN_GROUP)}`
  return sql`
    with opened as materialized (select user_id, report_id, openings from ${rows} as r),
    came as materialized (select user_id, sum(openings)::int as openings from opened group by user_id),
    reports as materialized (
      select s.id, c.code as area, c.label from global_powerbi_settings s
        join catalogue_items c on c.kind = 'types' and c.code = s.type
      union all
      select f.id, c.code, c.label || ' · ' || f.name from further_reports f
        join catalogue_items c on c.kind = 'types' and c.code = f.type
    ),
    sums as (
      select 'all' as kind, '' as code, null as label, null as area, ${sums} from came having count(*) > 0
      union all
      select 'report', report_id::text, reports.label, reports.area, counted.people, counted.openings
      from (select report_id, ${sums} from opened where report_id is not null group by report_id) as counted
      left join reports on id = report_id
      union all
      select 'area', area, null, null, ${sums} from (
        select area, user_id, sum(openings) as openings from opened join reports on id = report_id
        group by area, user_id
      ) as readers group by area
      union all
      select 'marca', code, null, null, ${sums}
      from came join profiles p using (user_id), unnest(p.marcas) as code group by code
      union all
      select 'estado', code, null, null, ${sums}
      from came join profiles p using (user_id), unnest(p.estados) as code group by code
    ),
    cells as (
      select *, count(*) filter (where ${isSmall}) over siblings as small, count(*) over siblings as cells,
        -- Whether the cells add up to all openings, from which one could be subtracted.
        coalesce(sum(openings) over siblings = (select nullif(openings, 0) from sums where kind = 'all'), false) as is_whole,
        row_number() over (partition by kind, area, ${isSmall} order by openings, code) as place
      from sums window siblings as (partition by kind, area)
    ),
    -- A single hidden cell takes the smallest other one with it, or the sum where there is no other.
    groups as (
      select *, ${isSmall} or (small = 1 and place = 1 and is_whole) as is_hidden from cells
      where kind not in ('all', 'report')
    )
    select kind, code, label, people, openings, is_hidden as hidden from groups
    union all
    select kind, code, label, people, openings,
      ${isSmall} or (place = 1 and (small = 1 or (small = 0 and area in (
        select code from groups where kind = 'area' and is_hidden)))) from cells where kind = 'report'
    union all
    select kind, code, label, people, openings,
      ${isSmall} or exists (select from groups g where g.small = 1 and g.cells = 1 and g.is_whole)
    from cells where kind = 'all'`
}

/** One group of a period that is not over. */
export interface OpenSum {
  kind: 'all' | 'report' | 'area' | 'marca' | 'estado'
  code: string
  label: string | null
  people: number
  openings: number
  hidden: boolean
}

/**
 * Counts a period that is not over, by all groups. Openings of weeks and months are those that its
 * days show: else a hidden day would be the difference.
 */
export async function sumOpenUsage(db: Db, by: UsagePeriod, startsOn: string): Promise<OpenSum[]> {
  const open = sql`(select * from usage_open where period = ${by} and starts_on = ${startsOn}::date)`
  const { rows } = await sql<OpenSum>`${sumUsage(open)}`.execute(db)
  if (by === 'day') return rows
  const { rows: closed } = await sql<OpenSum>`
    select kind, code, sum(openings)::int as openings from usage_sums
    where period = 'day' and starts_on >= ${startsOn}::date and not hidden group by 1, 2`.execute(db)
  // Yesterday too, until late records have come.
  const { rows: days } = await sql<{ starts_on: string }>`
    select distinct starts_on from usage_open where period = 'day' and starts_on >= ${startsOn}::date`.execute(
    db,
  )
  const shown = new Map<string, number>()
  const add = ({ kind, code, openings }: OpenSum) =>
    shown.set(`${kind} ${code}`, (shown.get(`${kind} ${code}`) ?? 0) + openings)
  closed.forEach(add)
  for (const day of days)
    for (const sum of await sumOpenUsage(db, 'day', day.starts_on)) if (!sum.hidden) add(sum)
  return rows.map((sum) => {
    const openings = shown.get(`${sum.kind} ${sum.code}`) ?? 0
    return { ...sum, openings, hidden: openings === 0 && sum.openings > 0 }
  })
}

/** Of 10,000 people it takes most of an answer; what is opened meanwhile is counted a little later. */
const OPEN_TTL_MS = 30_000

/** Creates sumOpenUsage with a cache. @param clock ms since the epoch */
export function createOpenUsage(clock: () => number): typeof sumOpenUsage {
  const sums = createCache<OpenSum[], { db: Db; by: UsagePeriod; startsOn: string }>(clock, {
    max: 6,
    ttl: OPEN_TTL_MS,
    fetchMethod: (_key, _stale, { context: { db, by, startsOn } }) => sumOpenUsage(db, by, startsOn),
  })
  return (db, by, startsOn) => sums.forceFetch(`${by} ${startsOn}`, { context: { db, by, startsOn } })
}

async function isLastMonth(db: Db, startsOn: string, now: number): Promise<boolean> {
  const at = sql`${new Date(now)}::timestamptz`
  const { rows } = await sql<{ is_last: boolean }>`
    select ${toStart(sql`'month'`, at)} - interval '1 month' = ${startsOn}::date as is_last`.execute(db)
  return rows[0]?.is_last === true
}
