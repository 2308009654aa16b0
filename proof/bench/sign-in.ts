// Signing in, the human check solved beforehand: the portal against @supabase/lite in turns on one PostgreSQL, then
// what other requests feel while 50 sign-ins queue. `node proof/bench/sign-in.ts [--rounds 3] [--portal 300] [--lite 30]`

import { median, quantile, readNumbers, runBench, spread } from '#proof/shared/figures.ts'
import { installPeers, startLite } from '#proof/shared/peers.ts'
import { DIRECTOR, earnPasses, signInAsAdmin, startForSignIns } from '#proof/shared/people.ts'
import { createDatabase, openPostgres, runSql } from '#proof/shared/postgres.ts'
import { FIRST_PORT } from '#proof/shared/processes.ts'
import type { Asked } from '#proof/shared/requests.ts'
import { assertAllOk, sendRequests } from '#proof/shared/requests.ts'
import { say } from '#proof/shared/run-task.ts'

const { rounds, portal: portalCount, lite: liteCount } = readNumbers({ rounds: 3, portal: 300, lite: 30 })
const CONNECTIONS = 8
const QUEUED = 50

const post = (path: string, body: object): Asked => ({ method: 'POST', path, body })

/** Gives everybody the password of the director: people sign in with accounts of their own. @returns their addresses */
function givePasswords(databaseUrl: string): Promise<string[]> {
  return runSql(databaseUrl, async (client) => {
    await client.query(
      `insert into passwords (user_id, hash)
      select p.user_id, (select hash from passwords join profiles using (user_id) where email = $1)
      from profiles p on conflict do nothing`,
      [DIRECTOR.email],
    )
    const { rows } = await client.query<{ email: string }>(
      `select email from profiles where approved and email_verified_at is not null and email like '%.%@%'`,
    )
    return rows.map(({ email }) => email)
  })
}

/** @returns sign-ins a second */
async function measure(url: string, requests: Asked[]): Promise<number> {
  const start = performance.now()
  assertAllOk(await sendRequests(url, requests, CONNECTIONS))
  return (requests.length * 1000) / (performance.now() - start)
}

/** Reads the own profile 50 times a second for as long as the sign-ins take. @returns the latencies in ms */
async function readMeanwhile(url: string, token: string, busy: Promise<unknown>): Promise<number[]> {
  let isBusy = true
  const done = busy.finally(() => {
    isBusy = false
  })
  const answers: ReturnType<typeof sendRequests>[] = []
  while (isBusy) {
    answers.push(sendRequests(url, [{ path: '/api/profiles/me', token }], 1))
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await done
  const all = (await Promise.all(answers)).flat()
  assertAllOk(all)
  return all.map(({ ms }) => ms)
}

await runBench(async (cleanUp) => {
  await installPeers()
  const server = await openPostgres(cleanUp)
  const databaseUrl = await createDatabase(server, 'portal', cleanUp)
  const liteDatabaseUrl = await createDatabase(server, 'lite', cleanUp)
  const portal = await startForSignIns(databaseUrl, cleanUp)
  const emails = await givePasswords(databaseUrl)
  const portalSignIn = (captcha: string, index: number) =>
    post('/api/auth/token?grant_type=password', {
      email: emails[index % emails.length],
      password: DIRECTOR.password,
      captcha,
    })
  const lite = await startLite(FIRST_PORT + 1, liteDatabaseUrl, databaseUrl)
  cleanUp(lite.stop)
  const liteUrl = new URL(lite.profileUrl).origin

  const rates = { portal: [] as number[], lite: [] as number[] }
  for (let round = 1; round <= rounds; round++) {
    const passes = await earnPasses(portal.url, portalCount)
    rates.portal.push(await measure(portal.url, passes.map(portalSignIn)))
    const liteSignIn = post('/auth/v1/token?grant_type=password', DIRECTOR)
    rates.lite.push(await measure(liteUrl, Array(liteCount).fill(liteSignIn)))
    say(
      `round ${round} of ${rounds}: portal ${rates.portal.at(-1)?.toFixed(0)}, lite ${rates.lite.at(-1)?.toFixed(1)}`,
    )
  }

  const token = await signInAsAdmin(portal.url)
  const passes = await earnPasses(portal.url, portalCount)
  const queue = sendRequests(portal.url, passes.map(portalSignIn), QUEUED)
  const latencies = await readMeanwhile(portal.url, token, queue)
  assertAllOk(await queue)

  const ratio = median(rates.portal) / median(rates.lite)
  return [
    { what: 'portal', value: median(rates.portal), unit: 'sign-ins/s', note: spread(rates.portal) },
    {
      what: '@supabase/lite',
      value: median(rates.lite),
      unit: 'sign-ins/s',
      digits: 1,
      note: spread(rates.lite, 1),
    },
    { what: 'portal / @supabase/lite', value: ratio, unit: '×', digits: 1, atLeast: 8 },
    {
      what: `other requests while ${QUEUED} sign-ins queue, p99`,
      value: quantile(latencies, 0.99),
      unit: 'ms',
      atMost: 100,
      note: `median ${median(latencies).toFixed(0)} ms, ${latencies.length} requests`,
    },
  ]
})
