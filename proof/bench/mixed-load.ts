// What a busy morning looks like: reads, messages and sign-ins at a steady rate, sent on time whether or not the earlier
// ones have been answered. Then the peak at eight: people sign in, look at a report and stay, beside the load and streams.
// `npm run load [-- --seconds 20] [--server 1000] [--embedded 200] [--people 500] [--peak 300]` (requests a second; seconds)
import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Figure } from '#proof/shared/figures.ts'
import { quantile, readNumbers, runBench } from '#proof/shared/figures.ts'
import { ADMIN, addSessions, earnPasses, signInAsAdmin } from '#proof/shared/people.ts'
import { createDatabase, openPostgres, runSql } from '#proof/shared/postgres.ts'
import { FIRST_PORT, residentMemory, startPortal } from '#proof/shared/processes.ts'
import { type Answer, type Asked, ask, tokenRequest } from '#proof/shared/requests.ts'
import { type CleanUp, say, temporaryFolder } from '#proof/shared/run-task.ts'
import { followChanges } from '#proof/shared/streams.ts'
import { readDemoSecret } from '#server/demo/demo-installation.ts'

const options = readNumbers({ seconds: 20, server: 1000, embedded: 200, people: 500, peak: 300 })
const WARM_UP_SECONDS = 3
const MAX_CONNECTIONS = 256
const TICK_MS = 5
/** Of the load beside the people at eight: requests a second, and open streams of administrators. */
const BESIDE = 50
const STREAMS = 5
const MESSAGE = {
  name: 'Carga',
  email: 'carga@exemplo.com.br',
  phone: '(21) 98765-4321',
  message: 'Bom dia!',
}

type Kind = 'read' | 'write' | 'sign-in'

/** In each hundred: 90 reads, 8 messages, 2 sign-ins, well mixed. */
function kindOf(index: number): Kind {
  const place = (index * 37) % 100
  if (place < 2) return 'sign-in'
  return place < 10 ? 'write' : 'read'
}

function requestOf(kind: Kind, index: number, token: string): Asked {
  if (kind === 'sign-in') return { method: 'POST', path: '/api/auth/token?grant_type=password', body: ADMIN }
  if (kind === 'write') return { method: 'POST', path: '/api/support-messages', body: MESSAGE }
  const paths = [
    '/api/profiles/me',
    '/api/reports/me',
    '/api/user-roles/me',
    '/api/support-messages/unread-count',
  ]
  return { path: paths[index % paths.length] as string, token }
}

interface Sample extends Answer {
  kind: Kind
}

/** Sends on time: a slow answer delays nothing but itself. */
async function send(url: string, token: string, perSecond: number, seconds: number): Promise<Sample[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_CONNECTIONS })
  const flying: Promise<Sample>[] = []
  const startedAt = performance.now()
  const total = perSecond * seconds
  while (flying.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - startedAt) / 1000) * perSecond))
    for (let index = flying.length; index < due; index++) {
      const kind = kindOf(index)
      flying.push(
        ask(url, { ...requestOf(kind, index, token), agent }).then((answer) => ({ ...answer, kind })),
      )
    }
    await wait(TICK_MS)
  }
  const samples = await Promise.all(flying)
  agent.destroy()
  return samples
}

async function measure(
  what: string,
  env: Record<string, string>,
  perSecond: number,
  p99Ms: number,
  cleanUp: CleanUp,
): Promise<Figure[]> {
  const portal = await startPortal(FIRST_PORT, {
    ...env,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'info',
    DATA_DIR: temporaryFolder(cleanUp),
  })
  cleanUp(portal.stop)
  if (env.DATABASE_URL) await runSql(env.DATABASE_URL, (client) => client.query('analyze'))
  const token = await signInAsAdmin(portal.url)
  await send(portal.url, token, perSecond, WARM_UP_SECONDS)
  const samples = await send(portal.url, token, perSecond, options.seconds)
  await portal.stop()
  const failed = samples.filter(({ status }) => status === 0 || status >= 500)
  if (failed[0])
    say(`${what}: the first failure was ${failed[0].status} ${failed[0].error ?? failed[0].body}`)
  const refused = samples.filter(({ status }) => status >= 400 && status < 500)
  if (refused[0]) throw new Error(`the load itself is wrong: ${refused[0].status} ${refused[0].body}`)
  const latency = (kind?: Kind, share = 0.99) =>
    quantile(
      samples.filter((sample) => !kind || sample.kind === kind).map(({ ms }) => ms),
      share,
    )
  const note = (['read', 'write', 'sign-in'] as const)
    .map((kind) => `${kind} ${latency(kind).toFixed(0)}`)
    .join(', ')
  return [
    {
      what: `${what}, ${perSecond}/s: p99`,
      value: latency(),
      unit: 'ms',
      atMost: p99Ms,
      note: `p99 by kind: ${note} ms`,
    },
    { what: `${what}, ${perSecond}/s: median`, value: latency(undefined, 0.5), unit: 'ms', digits: 1 },
    {
      what: `${what}: 5xx or broken, of ${samples.length}`,
      value: failed.length,
      unit: 'requests',
      atMost: 0,
    },
  ]
}

/** One person's morning: the page, the human check, the password, and what the screen of reports asks for. */
async function comeIn(url: string, email: string): Promise<Answer[]> {
  const page = await ask(url, { path: '/login', headers: { 'accept-encoding': 'br' } })
  const [captcha] = await earnPasses(url, 1)
  const body = { email, password: ADMIN.password, captcha }
  const signedIn = await ask(url, { method: 'POST', path: '/api/auth/token?grant_type=password', body })
  if (signedIn.status !== 200) return [page, signedIn]
  const token = JSON.parse(signedIn.body).access_token as string
  const screen = ['/api/profiles/me', '/api/user-roles/me', '/api/reports/me'].map((path) => ({
    path,
    token,
  }))
  const asked: Asked[] = [...screen, tokenRequest(token, 'Vendas')]
  return [page, signedIn, ...(await Promise.all(asked.map((each) => ask(url, each))))]
}

async function measurePeak(DATABASE_URL: string, cleanUp: CleanUp): Promise<Figure[]> {
  const DATA_DIR = temporaryFolder(cleanUp)
  const portal = await startPortal(FIRST_PORT, {
    DATABASE_URL,
    DATA_DIR,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'info',
    ALTCHA_COST: '1',
  })
  cleanUp(portal.stop)
  const before = residentMemory(portal.pid)
  await addSessions(DATABASE_URL, readDemoSecret(DATA_DIR), options.people, 'Vendas')
  await runSql(DATABASE_URL, (client) =>
    client.query(`insert into passwords (user_id, hash) select p.user_id, a.hash from profiles p, passwords a
      join profiles o on o.user_id = a.user_id where o.email = '${ADMIN.email}' and p.email like 'carga%'`),
  )
  const token = await signInAsAdmin(portal.url)
  for (let each = 0; each < STREAMS; each++) cleanUp((await followChanges(portal.url, token)).close)
  let highest = 0
  const watch = setInterval(() => {
    highest = Math.max(highest, residentMemory(portal.pid))
  }, 500)
  const load = send(portal.url, token, BESIDE, options.peak)
  const mornings: Promise<Answer[]>[] = []
  for (let index = 1; index <= options.people; index++) {
    const lost = (error: unknown) => [{ sentAt: 0, ms: 0, status: 0, error: String(error), body: '' }]
    mornings.push(comeIn(portal.url, `carga${index}@grupopatio.com.br`).catch(lost))
    await wait((options.peak * 1000) / options.people)
  }
  const answers = [...(await load), ...(await Promise.all(mornings)).flat()]
  clearInterval(watch)
  const failed = answers.filter(({ status }) => status >= 400 || status === 0)
  if (failed[0]) say(`the first failure was ${failed[0].status} ${failed[0].error ?? failed[0].body}`)
  const what = `${options.people} people in ${options.peak} s, ${BESIDE}/s beside, ${STREAMS} streams`
  return [
    {
      what: `${what}: p99`,
      value: quantile(
        answers.map(({ ms }) => ms),
        0.99,
      ),
      unit: 'ms',
      atMost: 500,
    },
    { what: `${what}: failed, of ${answers.length}`, value: failed.length, unit: 'requests', atMost: 0 },
    {
      what: `${what}: memory at most`,
      value: highest,
      unit: 'MB',
      atMost: 140,
      note: `${before.toFixed(0)} MB before`,
    },
  ]
}

await runBench(async (cleanUp) => {
  const DATABASE_URL = await createDatabase(await openPostgres(cleanUp), 'mixed', cleanUp)
  return [
    ...(await measure('PostgreSQL', { DATABASE_URL }, options.server, 150, cleanUp)),
    ...(await measure('embedded', {}, options.embedded, 250, cleanUp)),
    ...(await measurePeak(await createDatabase(await openPostgres(cleanUp), 'peak', cleanUp), cleanUp)),
  ]
})
