// Everybody opens a report at once, on a portal that has just started: how many calls reach Power BI and its directory.
// `node proof/bench/token-storm.ts [--users 200]`

import type { Figure } from '#proof/shared/figures.ts'
import { median, quantile, readNumbers, runBench } from '#proof/shared/figures.ts'
import { addSessions } from '#proof/shared/people.ts'
import { prepareDatabase } from '#proof/shared/postgres.ts'
import { FIRST_PORT, startPortal } from '#proof/shared/processes.ts'
import type { Answer } from '#proof/shared/requests.ts'
import { assertAllOk, sendRequests, tokenRequest } from '#proof/shared/requests.ts'
import { say } from '#proof/shared/run-task.ts'
import { readDemoSecret } from '#server/demo/demo-installation.ts'

const { users } = readNumbers({ users: 200 })
const AREA = 'Vendas'
const DIRECTORY_MS = 150
const CALL_MS = 250
/** The directory, the report, and its model, which only the report names; the token is made meanwhile. */
const FLOOR_MS = DIRECTORY_MS + 2 * CALL_MS

interface Calls {
  directory: number
  generateToken: number
  other: number
}

async function readCalls(portalUrl: string): Promise<Calls> {
  const reply = await fetch(`${portalUrl}/demo/power-bi/calls`)
  const calls = (await reply.json()) as { path: string; status: number | null }[]
  const failed = calls.find(({ status }) => status !== 200)
  if (failed) throw new Error(`the emulator answered ${failed.path} with ${failed.status}`)
  const count = (pattern: RegExp) => calls.filter(({ path }) => pattern.test(path)).length
  const directory = count(/^\/directory\//)
  const generateToken = count(/\/GenerateToken$/)
  return { directory, generateToken, other: calls.length - directory - generateToken }
}

/** All at once against a new process, so that neither the directory's token nor any embed token is there. */
async function runStorm(env: Record<string, string>, tokens: string[], timesEach: number) {
  const portal = await startPortal(FIRST_PORT, env)
  try {
    const requests = Array.from({ length: timesEach }, () => tokens).flat()
    const answers = await sendRequests(
      portal.url,
      requests.map((token) => tokenRequest(token, AREA)),
      requests.length,
    )
    assertAllOk(answers)
    return { answers, calls: await readCalls(portal.url) }
  } finally {
    await portal.stop()
  }
}

function latencyOf(what: string, answers: Answer[]): Figure {
  const times = answers.map(({ ms }) => ms)
  const slowest = `p95 ${quantile(times, 0.95).toFixed(0)}, slowest ${Math.max(...times).toFixed(0)} ms`
  return { what: `${what}, median latency`, value: median(times), unit: 'ms', note: slowest }
}

const exactly = (count: number) => ({ atLeast: count, atMost: count })

await runBench(async (cleanUp) => {
  const env = {
    ...(await prepareDatabase('storm', cleanUp)),
    POWERBI_EMULATOR_DIRECTORY_LATENCY_MS: String(DIRECTORY_MS),
    POWERBI_EMULATOR_LATENCY_MS: String(CALL_MS),
  }
  // The first start migrates and seeds.
  await (await startPortal(FIRST_PORT, env)).stop()
  const tokens = await addSessions(env.DATABASE_URL, readDemoSecret(env.DATA_DIR), users, AREA)
  say(`${users} people with sessions; floor ${FLOOR_MS} ms`)
  const once = await runStorm(env, tokens, 1)
  const twice = await runStorm(env, tokens, 2)
  const unit = 'calls'
  const figures: Figure[] = [
    { what: `${users} cold requests: directory`, value: once.calls.directory, unit, ...exactly(1) },
    {
      what: `${users} cold requests: GenerateToken`,
      value: once.calls.generateToken,
      unit,
      ...exactly(users),
    },
    latencyOf(`${users} cold requests`, once.answers),
    { what: `${users} people twice: directory`, value: twice.calls.directory, unit, ...exactly(1) },
    {
      what: `${users} people twice: GenerateToken`,
      value: twice.calls.generateToken,
      unit,
      ...exactly(users),
    },
    { what: `${users} people twice: others (dataset)`, value: twice.calls.other, unit },
    latencyOf(`${users} people twice`, twice.answers),
  ]
  return figures
})
