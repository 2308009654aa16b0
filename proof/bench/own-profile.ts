// Reading one's own profile: the portal with its full session check, @supabase/lite, and bare node:http, all on the
// same PostgreSQL, loaded in turns. `node proof/bench/own-profile.ts [--rounds 5] [--seconds 5] [--connections 32]`

import { PROFILE_FIELDS } from '#contract/users.ts'
import type { Figure } from '#proof/shared/figures.ts'
import { median, readNumbers, runBench, spread } from '#proof/shared/figures.ts'
import { installPeers, type LoadResult, runLoad, startBareNode, startLite } from '#proof/shared/peers.ts'
import { signInAsAdmin } from '#proof/shared/people.ts'
import { createDatabase, openPostgres, runSql } from '#proof/shared/postgres.ts'
import type { RunningProcess } from '#proof/shared/processes.ts'
import { cpuTime, FIRST_PORT, startPortal } from '#proof/shared/processes.ts'
import { type CleanUp, say, temporaryFolder } from '#proof/shared/run-task.ts'

const { rounds, seconds, connections } = readNumbers({ rounds: 5, seconds: 5, connections: 32 })
const WARM_UP_SECONDS = 2

interface Contender {
  name: string
  pid: number
  url: string
  headers: Record<string, string>
  /** `cpuUs` is the processor time of the server's own process for one request, which other work disturbs least. */
  results: (LoadResult & { cpuUs: number })[]
}

async function startContenders(cleanUp: CleanUp): Promise<Contender[]> {
  await installPeers()
  const server = await openPostgres(cleanUp)
  const databaseUrl = await createDatabase(server, 'portal', cleanUp)
  const liteDatabaseUrl = await createDatabase(server, 'lite', cleanUp)
  const DATA_DIR = temporaryFolder(cleanUp)
  const contenders: Contender[] = []
  const add = (name: string, { pid }: RunningProcess, url: string, headers: Record<string, string> = {}) =>
    contenders.push({ name, pid, url, headers, results: [] })

  let authorization = ''
  for (const [index, LOG_LEVEL] of ['info', 'warn'].entries()) {
    const portal = await startPortal(FIRST_PORT + index, { DATABASE_URL: databaseUrl, DATA_DIR, LOG_LEVEL })
    cleanUp(portal.stop)
    authorization ||= `Bearer ${await signInAsAdmin(portal.url)}`
    add(`portal, log level ${LOG_LEVEL}`, portal, `${portal.url}/api/profiles/me`, { authorization })
  }
  const userId = await runSql(databaseUrl, async (client) => {
    await client.query('analyze')
    const { rows } = await client.query("select user_id from profiles where email like 'diretoria@%'")
    return rows[0].user_id as string
  })
  const lite = await startLite(FIRST_PORT + 2, liteDatabaseUrl, databaseUrl)
  cleanUp(lite.stop)
  add('@supabase/lite', lite, lite.profileUrl, lite.headers)
  const bare = await startBareNode(FIRST_PORT + 3, databaseUrl, userId)
  cleanUp(bare.stop)
  add('node:http + prepared pg', bare, bare.profileUrl)
  return contenders
}

/** A contender that answers something else than one whole profile would win for nothing. */
async function assertAnswersProfile({ name, url, headers }: Contender): Promise<void> {
  const reply = await fetch(url, { headers })
  const profile = (await reply.json()) as Record<string, unknown>
  const isWhole = PROFILE_FIELDS.every((name) => name in profile)
  const isMore = Object.keys(profile).length > PROFILE_FIELDS.length
  if (!reply.ok || !isWhole || isMore || !String(profile.email).endsWith('@grupopatio.com.br'))
    throw new Error(`${name} answered ${reply.status} ${JSON.stringify(profile)}`)
}

async function measureOnce({ pid, url, headers, results }: Contender): Promise<void> {
  const before = cpuTime(pid) ?? 0
  const result = await runLoad({ url, headers, connections, seconds })
  results.push({ ...result, cpuUs: ((cpuTime(pid) ?? 0) - before) / result.requests })
}

function figuresOf(contenders: Contender[]): Figure[] {
  const throughputs = contenders.map(({ name, results }) => {
    const perSecond = results.map((result) => result.perSecond)
    const p99Ms = median(results.map((result) => result.p99Ms)).toFixed(0)
    const cpuUs = median(results.map((result) => result.cpuUs)).toFixed(0)
    const note = `${spread(perSecond)}, p99 ${p99Ms} ms, ${cpuUs} µs CPU a request`
    return { what: name, value: median(perSecond), unit: 'requests/s', note }
  })
  const [portal, quietPortal, lite, bare] = throughputs.map(({ value }) => value) as [
    number,
    number,
    number,
    number,
  ]
  const ratio = { unit: '×', digits: 2 }
  return [
    ...throughputs,
    { what: 'portal (info) / @supabase/lite', value: portal / lite, ...ratio, atLeast: 10 },
    { what: 'portal (info) / node:http', value: portal / bare, ...ratio, atLeast: 0.6 },
    { what: 'portal (warn) / @supabase/lite', value: quietPortal / lite, ...ratio },
    { what: 'portal (warn) / node:http', value: quietPortal / bare, ...ratio },
  ]
}

await runBench(async (cleanUp) => {
  const contenders = await startContenders(cleanUp)
  for (const contender of contenders) {
    await assertAnswersProfile(contender)
    await runLoad({ ...contender, connections, seconds: WARM_UP_SECONDS })
  }
  for (let round = 1; round <= rounds; round++) {
    for (const contender of contenders) await measureOnce(contender)
    const now = contenders.map(({ name, results }) => `${name} ${results.at(-1)?.perSecond.toFixed(0)}`)
    say(`round ${round} of ${rounds}: ${now.join(', ')}`)
  }
  return figuresOf(contenders)
})
