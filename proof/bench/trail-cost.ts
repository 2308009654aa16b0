// What writing and sealing the trail costs: sign-in and embed token of a portal, in pairs with
// one that writes no access records and seals nothing. Then how quickly rows are sealed and verified.
// `node proof/bench/trail-cost.ts [--rounds 200] [--entries 20000]`
import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { type Figure, median, readNumbers, runBench } from '#proof/shared/figures.ts'
import { ADMIN, signInAsAdmin } from '#proof/shared/people.ts'
import { createDatabase, openPostgres, runSql } from '#proof/shared/postgres.ts'
import { FIRST_PORT, startPortal } from '#proof/shared/processes.ts'
import { createTokenRequest, type PortalRequest, send } from '#proof/shared/requests.ts'
import { type CleanUp, makeTempFolder, say } from '#proof/shared/run-task.ts'
import { openServer } from '#server/database/open-server.ts'
import { createLog } from '#server/log.ts'
import { createTrailSealer } from '#server/operations/seal-trail.ts'
import { verifyChain } from '#server/operations/verify-trail.ts'

const { rounds, entries } = readNumbers({ rounds: 200, entries: 20_000 })
/** A tenth more time, which is the most that the trail may cost. */
const MAX_RATIO = 1.1
const POLL_MS = 100

/** Accepts the rows without writing them; the sealer's lease is held by nobody. */
const WITHOUT_TRAIL = `
  alter table access_records rename to written_records;
  create view access_records as select * from written_records;
  create function drop_record() returns trigger language plpgsql as $$ begin return new; end $$;
  create trigger drop_record instead of insert on access_records for each row execute function drop_record();
  insert into job_claims (name, claimed_until, holder) values ('trail-sealer', 'infinity', gen_random_uuid())
    on conflict (name) do update set claimed_until = excluded.claimed_until, holder = excluded.holder`

interface Measured {
  url: string
  databaseUrl: string
  agent: Agent
  token: string
}

async function start(server: string, port: number, withTrail: boolean, cleanUp: CleanUp): Promise<Measured> {
  const databaseUrl = await createDatabase(server, `trail_${port}`, cleanUp)
  const env = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: makeTempFolder(cleanUp),
    LOG_LEVEL: 'warn',
    RATE_LIMITS: 'off',
  }
  // The first start migrates and seeds.
  await (await startPortal(port, env)).stop()
  if (!withTrail) await runSql(databaseUrl, (client) => client.query(WITHOUT_TRAIL))
  const portal = await startPortal(port, env)
  cleanUp(portal.stop)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  cleanUp(() => agent.destroy())
  return { url: portal.url, databaseUrl, agent, token: await signInAsAdmin(portal.url) }
}

const REQUESTS: [what: string, create: (token: string) => PortalRequest][] = [
  ['sign-in', () => ({ method: 'POST', path: '/api/auth/token?grant_type=password', body: ADMIN })],
  ['embed token', (token) => createTokenRequest(token, 'Vendas')],
]

async function measurePairs([what, create]: (typeof REQUESTS)[number], portals: Measured[]): Promise<Figure> {
  const times: number[][] = portals.map(() => [])
  for (let round = 0; round < rounds; round++) {
    // In turns also within a pair: the second of a pair finds a warmer machine.
    for (const place of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const { url, agent, token } = portals[place] as Measured
      const { ms, status, body } = await send(url, { ...create(token), agent, timeoutMs: 0 })
      if (status !== 200) throw new Error(`${what}: ${status} ${body}`)
      times[place]?.push(ms)
    }
  }
  const [withTrail = [], without = []] = times
  const unwritten = median(without)
  // Of pairs, since a busy machine is slower in one minute than in the next.
  const added = median(withTrail.map((ms, round) => ms - (without[round] as number)))
  say(`${what}: ${added.toFixed(2)} ms more than ${unwritten.toFixed(2)} ms`)
  return {
    what: `${what}: time with the trail, of that without`,
    value: 1 + added / unwritten,
    unit: '×',
    digits: 2,
    atMost: MAX_RATIO,
    note: `${added.toFixed(2)} ms more than ${unwritten.toFixed(2)} ms`,
  }
}

async function measureChain({ databaseUrl }: Measured): Promise<Figure[]> {
  await runSql(databaseUrl, (client) =>
    client.query(
      `insert into audit_entries (at, action, target_id, before, after, ip)
      select now(), 'types-set', gen_random_uuid(), '{"types": []}', '{"types": ["Vendas"]}', '203.0.113.7'
      from generate_series(1, $1::int)`,
      [entries],
    ),
  )
  const { db, close } = await openServer({ url: databaseUrl, onConnectionError: () => {} })
  try {
    const sealer = createTrailSealer({ db, clock: Date.now, log: createLog('silent') })
    // The portal's own sealer may hold the lease, and then does the work.
    const startedAt = performance.now()
    let sealed = 0
    while (sealed < entries) {
      await sealer.runNow()
      await wait(POLL_MS)
      sealed = (
        await db
          .selectFrom('trail_chains')
          .select('position')
          .where('chain', '=', 'audit')
          .executeTakeFirstOrThrow()
      ).position
    }
    const sealedAt = performance.now()
    await sealer.stop()
    const report = await verifyChain(db, 'audit', [])
    if (report.faults > 0) throw new Error(report.findings.join('\n'))
    const rate = (ms: number) => (entries / ms) * 1000
    return [
      { what: 'rows sealed a second', value: rate(sealedAt - startedAt), unit: 'rows' },
      { what: 'rows verified a second', value: rate(performance.now() - sealedAt), unit: 'rows' },
    ]
  } finally {
    await close()
  }
}

await runBench(async (cleanUp) => {
  const server = await openPostgres(cleanUp)
  const portals = [
    await start(server, FIRST_PORT, true, cleanUp),
    await start(server, FIRST_PORT + 1, false, cleanUp),
  ]
  const figures: Figure[] = []
  for (const request of REQUESTS) figures.push(await measurePairs(request, portals))
  return [...figures, ...(await measureChain(portals[0] as Measured))]
})
