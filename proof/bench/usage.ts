// Measures the answers of 'Uso' over a year of that many people, on both databases, and what
// counting an opening costs. `node proof/bench/usage.ts [--people 10000] [--rounds 9]`
import { sql } from 'kysely'
import type { OwnReports } from '#contract/reports.ts'
import { type Figure, readNumbers, runBench, timeRounds, toMsFigure } from '#proof/shared/figures.ts'
import { signInAsAdmin, startWithPeople } from '#proof/shared/people.ts'
import { openPostgres } from '#proof/shared/postgres.ts'
import { FIRST_PORT } from '#proof/shared/processes.ts'
import { send } from '#proof/shared/requests.ts'
import type { Db } from '#server/database/schema.ts'

const { people, rounds } = readNumbers({ people: 10_000, rounds: 9 })
const MAX_MS = 200
const MAX_COUNT_MS = 50
const DAY_MS = 86_400_000
const toDay = (at: number) => new Date(at).toISOString().slice(0, 10)

/** Replaces the demo's use by that of everybody, every day. */
async function fillYear(db: Db): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(db)
  await run('truncate usage_sums, usage_open, usage_timings')
  await run(`insert into usage_sums (period, starts_on, kind, code, label, people, openings)
    select period, starts_on, kind, code, label, 1000 + abs(hashtext(code)) % 1000, 5000
    from (
      select 'day' as period, d::date as starts_on from generate_series(current_date - 366, current_date - 1, interval '1 day') d
      union all select 'week', d::date from generate_series(date_trunc('week', current_date - 366),
        date_trunc('week', current_date) - interval '1 day', interval '7 days') d
      union all select 'month', d::date from generate_series(date_trunc('month', current_date) - interval '12 months',
        date_trunc('month', current_date) - interval '1 day', interval '1 month') d
    ) as periods, (
      select 'all' as kind, '' as code, null as label
      union all select 'report', id::text, type from global_powerbi_settings
      union all select case kind when 'types' then 'area' when 'marcas' then 'marca' else 'estado' end, code, null from catalogue_items
    ) as groups`)
  await run(`insert into usage_open (period, starts_on, user_id, report_id, openings)
    select period, date_trunc(period, (now() at time zone 'America/Sao_Paulo'))::date, p.user_id, r.id, case when r.id is null then 0 else 3 end
    from (values ('day'), ('week'), ('month')) periods(period), profiles p,
      (select null::uuid as id union all (select id from global_powerbi_settings order by type limit 4)) r`)
  await run(`insert into usage_timings (day, report_id, step, count)
    select d::date, s.id, step, 20 from generate_series(current_date - 366, current_date, interval '1 day') d,
      global_powerbi_settings s, generate_series(-1, 24) step`)
  await run('vacuum analyze usage_sums')
  await run('vacuum analyze usage_open')
  await run('vacuum analyze usage_timings')
}

await runBench(async (cleanUp) => {
  const now = Date.now()
  const year = `from=${toDay(now - 364 * DAY_MS)}&to=${toDay(now)}`
  const figures: Figure[] = []
  const server = await openPostgres(cleanUp)
  for (const [index, kind] of (['PostgreSQL', 'embedded'] as const).entries()) {
    const portal = await startWithPeople(people, kind === 'PostgreSQL' ? server : undefined, cleanUp, {
      port: FIRST_PORT + index,
      fill: fillYear,
    })
    const token = await signInAsAdmin(portal.url)
    const call = async (path: string, body?: object) => {
      const answer = await send(portal.url, { path, token, ...(body && { method: 'POST', body }) })
      if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.body}`)
      return answer.body
    }
    const read = (query: string) => () => call(`/api/usage?${query}`)
    for (const by of ['day', 'week', 'month'])
      figures.push(
        toMsFigure(`${kind}: a year by ${by}`, await timeRounds(rounds, read(`${year}&by=${by}`)), MAX_MS),
      )
    figures.push(toMsFigure(`${kind}: 30 days`, await timeRounds(rounds, read('')), MAX_MS))
    const { areas } = JSON.parse(await call('/api/reports/me')) as OwnReports
    const body = { report: areas[0]?.reports?.[0]?.id, outcome: 'shown', ms: 1_500 }
    const times = await timeRounds(rounds, () => call('/api/usage/timings', body))
    figures.push(toMsFigure(`${kind}: counting an opening`, times, MAX_COUNT_MS))
    await portal.stop()
  }
  return figures
})
