// Measures how long the portal takes to become ready, and its memory after many requests.
// `node proof/bench/start-and-memory.ts [--rounds 7] [--requests 10000] [--connections 16]`
import { readNumbers, runBench, toMsFigure } from '#proof/shared/figures.ts'
import { signInAsAdmin } from '#proof/shared/people.ts'
import { prepareDatabase } from '#proof/shared/postgres.ts'
import {
  FIRST_PORT,
  readResidentMemory,
  runProcess,
  startPortal,
  waitUntilAnswers,
} from '#proof/shared/processes.ts'
import { assertAllOk, createTokenRequest, type PortalRequest, sendRequests } from '#proof/shared/requests.ts'
import { type CleanUp, makeTempFolder, say } from '#proof/shared/run-task.ts'

/**
 * Runs `npm start` until the portal is ready, then stops it.
 * @returns milliseconds since the start of npm
 */
async function measureNpmStart(port: number, env: Record<string, string>): Promise<number> {
  // npm forwards a signal to its direct child only, so the whole group is ended.
  const started = runProcess('npm', ['start'], { env: { PORT: String(port), ...env }, isGroup: true })
  try {
    return await waitUntilAnswers(`http://127.0.0.1:${port}/api/health/ready`, started)
  } finally {
    await started.stop()
  }
}

const { rounds, requests, connections } = readNumbers({ rounds: 7, requests: 10_000, connections: 16 })
type Env = Record<string, string>

/** Measures the second and later starts on the same database and data directory. */
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
  const env = { DATA_DIR: makeTempFolder(cleanUp), NODE_ENV: '' }
  say(`first npm start: ${(await measureNpmStart(FIRST_PORT, env)).toFixed(0)} ms`)
  const times: number[] = []
  for (let round = 0; round < rounds; round++) times.push(await measureNpmStart(FIRST_PORT, env))
  return times
}

/** Returns a browser's requests in turn: profile, reports, token, page. */
function createMixedRequests(token: string): PortalRequest[] {
  const kinds: PortalRequest[] = [
    { path: '/api/profiles/me', token },
    { path: '/api/reports/me', token },
    createTokenRequest(token, 'Vendas'),
    { path: '/power-bi', headers: { 'accept-encoding': 'br' } },
  ]
  return Array.from({ length: requests }, (_, index) => kinds[index % kinds.length] as PortalRequest)
}

async function measureMemory(env: Env): Promise<{ before: number; after: number }> {
  const portal = await startPortal(FIRST_PORT, { ...env, RATE_LIMITS: 'off' })
  try {
    const accessToken = await signInAsAdmin(portal.url)
    const before = readResidentMemory(portal.pid)
    assertAllOk(await sendRequests(portal.url, createMixedRequests(accessToken), connections))
    return { before, after: readResidentMemory(portal.pid) }
  } finally {
    await portal.stop()
  }
}

await runBench(async (cleanUp) => {
  const postgres = await prepareDatabase('start', cleanUp)
  const npmStarts = await measureNpmStarts(cleanUp)
  say('npm start done')
  const onPostgres = await measureStarts(postgres)
  const embedded = await measureStarts({ DATA_DIR: makeTempFolder(cleanUp) })
  say('starts done')
  const memory = await measureMemory(postgres)
  const note = `${memory.before.toFixed(0)} MB before`
  return [
    toMsFigure('npm start, again, until ready', npmStarts, 4_000),
    toMsFigure('server process until ready, PostgreSQL', onPostgres, 300),
    toMsFigure('server process until ready, embedded', embedded, 1_200),
    {
      what: `resident memory after ${requests} requests, PostgreSQL`,
      value: memory.after,
      unit: 'MB',
      atMost: 200,
      note,
    },
  ]
})
