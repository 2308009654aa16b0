import { sql } from 'kysely'
import { MIN_GROUP } from '#contract/usage-rules.ts'
import { toSaoPauloDay } from '#contract/user-rules.ts'
import type { Db } from '#server/database/schema.ts'

/** The share of those who come that read an area's report; nobody opens that of an area without one. */
export const READERS = { vendas: 0.62, oficina: 0.34, crm: 0.3, marketing: 0.14, hpd: 0.1, operadores: 0.05 }
/** How long half of the people wait for it, as a step of the timings, and how often it fails. */
const WAITS = { vendas: 11, oficina: 12, crm: 14, marketing: 13, hpd: 17, operadores: 10 }

/** Seeds a year of use by the seeded people: sums of closed periods, and the rows of the open ones. */
export async function seedUse(db: Db, now: Date): Promise<void> {
  const today = sql`${toSaoPauloDay(now.getTime())}::date`
  const shares = sql`jsonb_each_text(${JSON.stringify(READERS)}::jsonb) as area(type, share)`
  const days = sql`(
    select day from generate_series(${today} - 364, ${today}, interval '1 day') as day
    where day >= ${today} - 31 or extract(isodow from day) = 2) as days`
  // An area has the readers of its only report.
  const noise = sql`(0.9 + abs(hashtext(starts_on || area)) % 21 / 100.0)`
  await sql`
    insert into usage_sums (period, starts_on, kind, code, label, people, openings)
    select period, starts_on, kind, code, label, people, (people * (1.4 + share) * days)::int from (
      select *, round(people_of_all * share * ${noise} * (1 - 0.3 * (${today} - starts_on) / 365.0)
        * case when period = 'day' and extract(isodow from starts_on) > 5 then 0.15 else 1 end) as people
      from (
        select 'day' as period, day::date as starts_on, 80 as people_of_all, 1 as days
        from generate_series(${today} - 91, ${today} - 1, interval '1 day') as day
        union all
        select 'week', week::date, 118, 5
        from generate_series(date_trunc('week', ${today} - 364), date_trunc('week', ${today}) - interval '1 day', interval '7 days') as week
        union all
        select 'month', month::date, 160, 21
        from generate_series(date_trunc('month', ${today}) - interval '12 months',
          date_trunc('month', ${today}) - interval '1 day', interval '1 month') as month
      ) as periods, (
        select 'all' as kind, '' as code, null as label, 1.0 as share, '' as area
        union all
        select 'report', s.id::text, c.label, share::numeric, type from ${shares}
          join global_powerbi_settings s using (type)
          join catalogue_items c on c.kind = 'types' and c.code = s.type
        union all
        select 'area', type, null, share::numeric, type from ${shares}
        union all
        select 'marca', code, null, 0.08 + abs(hashtext(code)) % 20 / 100.0, code from catalogue_items where kind = 'marcas'
        union all
        select 'estado', code, null, 0.55 - position * 0.12, code from catalogue_items where kind = 'estados'
      ) as groups
    ) as sums where people > 0`.execute(db)
  await sql`
    update usage_sums as whole set openings = (select sum(openings) from usage_sums as part
      where (part.period, part.starts_on, part.kind) = (whole.period, whole.starts_on, 'area'))
    where kind = 'all'`.execute(db)
  await sql`update usage_sums set hidden = true where people < ${sql.lit(MIN_GROUP)}`.execute(db)
  await sql`
    insert into usage_timings (day, report_id, step, count)
    select day, s.id, wait::int + step, 2 + abs(hashtext(day::text || type || step)) % 4
    from ${days},
      jsonb_each_text(${JSON.stringify(WAITS)}::jsonb) as area(type, wait)
      join global_powerbi_settings s using (type), generate_series(-2, 5) as step
    where extract(isodow from day) <= 5 and abs(hashtext(type || day::text || step)) % (2 + abs(step)) = 0
    union all
    select day, s.id, -1, 1 + abs(hashtext(day::text)) % 3
    from ${days}, global_powerbi_settings s
    where (s.type, (${today} - day::date) % 9) in (('crm', 2), ('hpd', 5))`.execute(db)
  await sql`
    insert into usage_open (period, starts_on, user_id, report_id, openings)
    select period, date_trunc(period, ${today}::timestamp)::date, p.user_id, s.id,
      case when s.id is null then 0 else 1 + abs(hashtext(p.email || s.id)) % 3 end
    from (values ('day'), ('week'), ('month')) as periods(period)
    join profiles p on p.approved and p.last_sign_in_at at time zone 'America/Sao_Paulo' >= date_trunc(period, ${today}::timestamp)
    cross join lateral (
      select null::uuid as id
      union all
      select s.id from global_powerbi_settings s join catalogue_items c on c.kind = 'types' and c.code = s.type
      join ${shares} using (type) where c.label = any(p.types)
    ) as s`.execute(db)
  const counted = { name: 'usage-counted-until', value: now.toISOString() }
  await db.insertInto('portal_facts').values(counted).execute()
}
