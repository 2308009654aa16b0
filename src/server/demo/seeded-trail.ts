import { sql } from 'kysely'
import type { Db } from '#server/database/schema.ts'
import { READERS } from './seeded-use.ts'

const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'

/** The pseudonym of an administrator of before, whose account is gone. */
const FORMER = '3f6c1d52-8a0b-4b7e-9d14-5e2a7c90b6f1'

/**
 * Seeds the trail of the generated people: their accounts, approvals and later areas, and two weeks of
 * sign-ins and opened reports. The demo accounts keep what whoever tries the portal does.
 */
export async function seedTrail(db: Db, now: Date): Promise<void> {
  const people = sql`(
    select p.*, abs(hashtext(p.email)) as dice, cardinality(p.types) > 1 and abs(hashtext(p.email)) % 4 = 0
        and p.created_at < ${now}::timestamptz - interval '60 days' as has_more
    from profiles p
    where p.approved and not exists (select from passwords w where w.user_id = p.user_id)) as p`
  const lists = sql`'marcas', p.marcas, 'estados', p.estados`
  await sql`
    insert into audit_entries (at, actor_id, actor_email, action, target_id, target_email, before, after, ip, user_agent)
    select at, case when at < since then ${FORMER} else by_admin.user_id end,
      case when at >= since then by_admin.email end, action, e.user_id, e.email, before, after,
      case when at < since then null else ip end, case when at < since then null else user_agent end
    from (
      select created_at as at, null as role, 'account-created' as action, user_id, email,
        null::jsonb as before, null::jsonb as after,
        '10.20.' || dice % 40 || '.' || dice % 250 as ip, ${BROWSER} as user_agent
      from ${people}
      union all
      select created_at + least(interval '20 hours', (${now}::timestamptz - created_at) / 2), 'admin', 'approval-given',
        user_id, email,
        '{"approved": false, "types": [], "marcas": [], "estados": []}',
        jsonb_build_object('approved', true, 'types', case when has_more then p.types[2:] else p.types end, ${lists}),
        '10.20.0.5', ${BROWSER}
      from ${people}
      union all
      select ${now}::timestamptz - (2 + dice % 30) * interval '1 day', 'admin', 'types-set', user_id, email,
        jsonb_build_object('types', p.types[2:]), jsonb_build_object('types', p.types), '10.20.0.5', ${BROWSER}
      from ${people} where has_more
    ) as e left join (
      select role, p.user_id, p.email, p.created_at as since from user_roles r join profiles p using (user_id)) as by_admin
      on by_admin.role = e.role
    order by at`.execute(db)
  await sql`
    insert into access_records (at, user_id, action, method, report_id, ip, user_agent)
    select at, user_id, action, case when report_id is null then 'password' end, report_id, '10.20.' || dice % 40 || '.' || dice % 250, ${BROWSER} from (
      select visits.at + coalesce(seen.minutes, 0) * interval '1 minute' as at, visits.user_id, visits.dice,
        case when seen.report_id is null then 'sign-in' else 'report-shown' end as action, seen.report_id
      from (
        select p.user_id, p.email, p.dice, p.types, day, p.last_sign_in_at - day * interval '1 day' as at
        from ${people}, generate_series(0, 13) as day
        where p.last_sign_in_at - day * interval '1 day' > greatest(p.created_at, ${now}::timestamptz - interval '14 days')
          and (day = 0 or (extract(isodow from p.last_sign_in_at - day * interval '1 day') <= 5 and (p.dice + day) % 3 = 0))
      ) as visits cross join lateral (
        select null as report_id, 0 as minutes
        union all
        select coalesce(s.report_id::text, s.id::text), 1 + abs(hashtext(s.type || visits.day)) % 9
        from global_powerbi_settings s join catalogue_items c on c.kind = 'types' and c.code = s.type
          join jsonb_each_text(${JSON.stringify(READERS)}::jsonb) as area(type, share) using (type)
        where c.label = any(visits.types)
          and (day = 0 or abs(hashtext(visits.email || s.type || visits.day)) % 100 < share::numeric * 100)
      ) as seen
    ) as rows where at < ${now} order by at`.execute(db)
}
