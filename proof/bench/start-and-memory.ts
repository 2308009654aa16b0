// How long the portal takes to be ready, and how much memory it holds after many requests.
// `node proof/bench/start-and-memory.ts [--rounds 7] [--requests 10000] [--connections 16]`
import type { Asked } from './support/ask.ts'
import type { Figure } from './support/figures.ts'
import { readNumbers } from './support/options.ts'
import { FIRST_PORT } from './support/paths.ts'
import { prepareDatabase } from './support/prepare-database.ts'
import { residentMemory } from './support/resident-memory.ts'
import { runBench } from './support/run-bench.ts'
import { type CleanUp, say } from './support/run-task.ts'
import { assertAllOk, sendRequests } from './support/send-requests.ts'
import { signInAsAdmin } from './support/sign-in-as-admin.ts'
import { startAsAPerson } from './support/start-as-a-person.ts'
import { startPortal } from './support/start-portal.ts'
import { median, spread } from './support/statistics.ts'
import { temporaryFolder } from './support/temporary-folder.ts'
import { tokenRequest } from './support/token-request.ts'

const { rounds, requests, connections } = readNumbers({ rounds: 7, requests: 10_000, connections: 16 })
type Env = Record<string, string>

/** The second and every later start of this database and this data directory. */
async function measureStarts(env: Env): Promise<number[]> {
  await (await startPortal(FIRST_PORT, env)).stop()
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const portal = await startPortal(FIRST_PORT, env)
    times.push(portal.readyMs)
    await portal.stop()
  }
  return times
}

async function measureNpmStarts(cleanUp: CleanUp): Promise<number[]> {
  const env = { DATA_DIR: temporaryFolder(cleanUp), NODE_ENV: '' }
  say(`first npm start: ${(await startAsAPerson(FIRST_PORT, env)).toFixed(0)} ms`)
  const times: number[] = []
  for (let round = 0; round < rounds; round++) times.push(await startAsAPerson(FIRST_PORT, env))
  return times
}

/** What a browser asks for in turn: profile, reports, token, page. */
function mixedRequests(token: string): Asked[] {
  const kinds: Asked[] = [
    { path: '/api/profiles/me', token },
    { path: '/api/reports/me', token },
    tokenRequest(token, 'Vendas'),
    { path: '/power-bi', headers: { 'accept-encoding': 'br' } },
  ]
  return Array.from({ length: requests }, (_, index) => kinds[index % kinds.length] as Asked)
}

async function measureMemory(env: Env): Promise<{ before: number; after: number }> {
  const portal = await startPortal(FIRST_PORT, { ...env, RATE_LIMITS: 'off' })
  try {
    const accessToken = await signInAsAdmin(portal.url)
    const before = residentMemory(portal.pid)
    assertAllOk(await sendRequests(portal.url, mixedRequests(accessToken), connections))
    return { before, after: residentMemory(portal.pid) }
  } finally {
    await portal.stop()
  }
}

const inMs = (what: string, times: number[], atMost: number): Figure => ({
  what,
  value: median(times),
  unit: 'ms',
  atMost,
  note: spread(times),
})

await runBench(async (cleanUp) => {
  const postgres = await prepareDatabase('start', cleanUp)
  const npmStarts = await measureNpmStarts(cleanUp)
  say('npm start done')
  const onPostgres = await measureStarts(postgres)
  const embedded = await measureStarts({ DATA_DIR: temporaryFolder(cleanUp) })
  say('starts done')
  const memory = await measureMemory(postgres)
  const note = `${memory.before.toFixed(0)} MB before`
  const figures: Figure[] = [
    inMs('npm start, again, until ready', npmStarts, 4_000),
    inMs('server process until ready, PostgreSQL', onPostgres, 300),
    inMs('server process until ready, embedded', embedded, 1_200),
    {
      what: `resident memory after ${requests} requests, PostgreSQL`,
      value: memory.after,
      unit: 'MB',
      atMost: 200,
      note,
    },
  ]
  return figures
})
