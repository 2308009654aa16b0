// Measures the audit trail with a million entries: pages by each filter, and who sees an area.
// `node proof/bench/audit-trail.ts [--entries 1000000] [--people 10000] [--rounds 5]`
import { sql } from 'kysely'
import type { TrailFilter } from '#contract/audit.ts'
import {
  type Figure,
  formatSpread,
  median,
  readNumbers,
  runBench,
  timeRounds,
} from '#proof/shared/figures.ts'
import { createDatabase, openPostgres } from '#proof/shared/postgres.ts'
import { makeTempFolder, say } from '#proof/shared/run-task.ts'
import { migrateDatabase } from '#server/database/migrate.ts'
import { openEmbedded } from '#server/database/open-embedded.ts'
import { openServer } from '#server/database/open-server.ts'
import type { Db } from '#server/database/schema.ts'
import { readAreaAccess } from '#server/operations/access-on-day.ts'
import { readTrail } from '#server/operations/trail.ts'

const { entries, people, rounds } = readNumbers({ entries: 1_000_000, people: 10_000, rounds: 5 })
const MAX_FIRST_PAGE_MS = 50
const MAX_FILTER_MS = 200

/** Fills a year: half are acts of ten administrators, mostly in bulk, half sign-ins and opened reports. */
async function fill(db: Db): Promise<void> {
  const run = (statement: ReturnType<typeof sql>) => statement.execute(db)
  await run(sql`insert into profiles (email, approved, types, marcas, estados, created_at)
    select 'pessoa' || n || '@grupopatio.com.br', true, array['Vendas', 'CRM'], array['FIAT'], array['RJ'],
      now() - interval '2 years' from generate_series(1, ${sql.lit(people)}) n`)
  await run(sql`create table bench_who as
    select row_number() over (order by email) as place, user_id, email from profiles`)
  await run(sql`create unique index on bench_who (place)`)
  const half = sql.lit(Math.floor(entries / 2))
  const ago = sql`now() - (${half} - n) * interval '1 year' / ${half}`
  await run(sql`
    insert into audit_entries (at, actor_id, actor_email, action, target_id, target_email, before, after, ip, user_agent)
    select ${ago}, actor.user_id, actor.email,
      case when n % 1000 = 0 then 'role-changed' when n % 7 = 0 then 'scope-set' else 'entitlements-added' end,
      target.user_id, target.email,
      case when n % 7 = 0 then '{"marcas": ["FIAT"]}' else '{"types": ["CRM"]}' end::jsonb,
      case when n % 7 = 0 then '{"marcas": ["GM"]}'
        when n % 5000 = 1 then '{"types": ["CRM", "HPD"]}' else '{"types": ["Vendas", "CRM"]}' end::jsonb,
      '203.0.113.7', 'Mozilla/5.0 (X11; Linux x86_64)'
    from generate_series(1, ${half}) n
    join bench_who actor on actor.place = n % 10 + 1 join bench_who target on target.place = n % ${sql.lit(people)} + 1`)
  await run(sql`
    insert into access_records (at, user_id, action, report_id, ip, user_agent)
    select ${ago}, w.user_id, case when n % 3 = 0 then 'sign-in' else 'report' end,
      case when n % 3 > 0 then 'relatorio-' || case when n % 4000 = 1 then 9 else n % 4 end end,
      '203.0.113.7', 'Mozilla/5.0 (X11; Linux x86_64)'
    from generate_series(1, ${half}) n join bench_who w on w.place = n % ${sql.lit(people)} + 1`)
  await run(sql`insert into failed_sign_ins (hour, subject, outcome, attempts, ips, last_at)
    select date_trunc('hour', now()) - n * interval '1 hour', 'unknown ' || n % 20, 'invalid-credentials', 3,
      array['203.0.113.9'], now() - n * interval '1 hour' from generate_series(1, 8760) n`)
  await run(sql`insert into global_powerbi_settings (type, embed_mode, workspace_id, report_id)
    values ('vendas', 'service_principal', 'w', 'relatorio-1'), ('hpd', 'service_principal', 'w', 'relatorio-9')`)
  await run(sql`drop table bench_who`)
  await run(sql`vacuum analyze`)
}

function listQueries(now: number): Record<string, TrailFilter & { cursor?: string }> {
  const day = (ago: number) => new Date(now - ago * 86_400_000).toISOString().slice(0, 10)
  return {
    'first page': {},
    'page half a year back': { cursor: `${day(180)}T12:00:00.000000Z_a1` },
    'one person': { person: 'pessoa77@grupopatio.com.br' },
    'one administrator': { actor: 'pessoa1@grupopatio.com.br' },
    'the portal': { actor: 'portal' },
    'a frequent act': { action: 'entitlements-added' },
    'a rare act': { action: 'role-changed' },
    'an act that nobody did': { action: 'catalogue-ordered' },
    'sign-ins': { action: 'sign-in' },
    refusals: { action: 'refusals' },
    'a frequent area': { area: 'Vendas' },
    'a rare area': { area: 'HPD' },
    'an area without entries': { area: 'Slack' },
    'a month in the past': { from: day(200), to: day(170) },
    'a rare act of one administrator in a month': {
      actor: 'pessoa1@grupopatio.com.br',
      action: 'role-changed',
      from: day(200),
      to: day(170),
    },
    'a rare area and a frequent act': { area: 'HPD', action: 'entitlements-added' },
    'one person and a frequent area': { person: 'pessoa77@grupopatio.com.br', area: 'Vendas' },
  }
}

async function measure(db: Db, name: string, hasTargets: boolean): Promise<Figure[]> {
  say(`${name}: filling ${entries} entries`)
  await fill(db)
  const figures: Figure[] = []
  for (const [what, query] of Object.entries(listQueries(Date.now()))) {
    const times = await timeRounds(rounds, () => readTrail(db, query))
    const atMost = what === 'first page' ? MAX_FIRST_PAGE_MS : MAX_FILTER_MS
    const note = formatSpread(times)
    figures.push({
      what: `${name}: ${what}`,
      value: median(times),
      unit: 'ms',
      ...(hasTargets && { atMost }),
      note,
    })
    say(`${what}: ${median(times).toFixed(0)} ms`)
  }
  const now = Date.now()
  const on = new Date(now - 100 * 86_400_000).toISOString().slice(0, 10)
  for (const [what, asked] of [
    ['now', { now }],
    ['100 days ago', { now, on }],
  ] as const) {
    const times = await timeRounds(rounds, () => readAreaAccess(db, { slug: 'vendas', ...asked }))
    figures.push({
      what: `${name}: who sees an area ${what}`,
      value: median(times),
      unit: 'ms',
      note: formatSpread(times),
    })
  }
  return figures
}

await runBench(async (cleanUp) => {
  const url = await createDatabase(await openPostgres(cleanUp), 'audit', cleanUp)
  const served = await openServer({ url, onConnectionError: () => {} })
  cleanUp(() => served.close())
  // Filling takes longer than a request may.
  const server = (await served.openWithoutTimeouts?.()) ?? served
  cleanUp(() => server.close())
  await migrateDatabase(server)
  const figures = await measure(server.db, 'PostgreSQL', true)
  const embedded = await openEmbedded(makeTempFolder(cleanUp))
  cleanUp(() => embedded.close())
  await migrateDatabase(embedded)
  return [...figures, ...(await measure(embedded.db, 'embedded', false))]
})
