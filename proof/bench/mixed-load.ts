// Simulates a busy morning: reads, messages and sign-ins at a constant rate, independent
// of replies. Then the peak at eight: people sign in, open a report and stay, on top of
// a base load with open streams. Options are requests per second, people, and seconds:
// `npm run load [-- --seconds 20] [--server 1000] [--embedded 200] [--people 500] [--peak 300]`
import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Figure } from '#proof/shared/figures.ts'
import { quantile, readNumbers, runBench } from '#proof/shared/figures.ts'
import { PASSWORD, startInProduction } from '#proof/shared/in-production.ts'
import { ADMIN, fetchPasses, signInAsAdmin } from '#proof/shared/people.ts'
import { createDatabase, openPostgres, runSql } from '#proof/shared/postgres.ts'
import { FIRST_PORT, readResidentMemory, startPortal } from '#proof/shared/processes.ts'
import { type Answer, createTokenRequest, type PortalRequest, send } from '#proof/shared/requests.ts'
import { type CleanUp, makeTempFolder, say } from '#proof/shared/run-task.ts'
import { openStream } from '#proof/shared/streams.ts'

const options = readNumbers({ seconds: 20, server: 1000, embedded: 200, people: 500, peak: 300 })
const WARM_UP_SECONDS = 3
const MAX_CONNECTIONS = 256
const TICK_MS = 5
/** The base load during the peak: requests per second, and open streams of administrators. */
const BASE_RATE = 50
const STREAMS = 5
const AREA = 'Vendas'
const MESSAGE = {
  name: 'Carga',
  email: 'carga@exemplo.com.br',
  phone: '(21) 98765-4321',
  message: 'Bom dia!',
}

type Kind = 'read' | 'write' | 'sign-in'

/** Of each hundred: 90 reads, 8 messages, 2 sign-ins, interleaved. */
function getKind(index: number): Kind {
  const place = (index * 37) % 100
  if (place < 2) return 'sign-in'
  return place < 10 ? 'write' : 'read'
}

function createRequest(kind: Kind, index: number, token: string): PortalRequest {
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

/** Sends at a constant rate: a slow reply does not delay other requests. */
async function generateLoad(
  url: string,
  perSecond: number,
  seconds: number,
  requestAt: (index: number) => { asked: PortalRequest; kind: Kind },
): Promise<Sample[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_CONNECTIONS })
  const flying: Promise<Sample>[] = []
  const startedAt = performance.now()
  const total = perSecond * seconds
  while (flying.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - startedAt) / 1000) * perSecond))
    for (let index = flying.length; index < due; index++) {
      const { asked, kind } = requestAt(index)
      flying.push(send(url, { ...asked, agent }).then((answer) => ({ ...answer, kind })))
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
    DATA_DIR: makeTempFolder(cleanUp),
  })
  cleanUp(portal.stop)
  if (env.DATABASE_URL) await runSql(env.DATABASE_URL, (client) => client.query('analyze'))
  const token = await signInAsAdmin(portal.url)
  const requestAt = (index: number) => {
    const kind = getKind(index)
    return { asked: createRequest(kind, index, token), kind }
  }
  await generateLoad(portal.url, perSecond, WARM_UP_SECONDS, requestAt)
  const samples = await generateLoad(portal.url, perSecond, options.seconds, requestAt)
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

/** Gives each request its own client address, as behind a proxy, since production has rate limits. */
const toHeaders = (index: number) => ({ 'x-forwarded-for': `10.${index % 250}.${(index >> 8) % 250}.7` })

/** Returns a read or a message; sign-ins come from the simulated people. */
function createBaseRequest(index: number, token: string): { asked: PortalRequest; kind: Kind } {
  const kind = getKind(index) === 'write' ? 'write' : 'read'
  return { asked: { ...createRequest(kind, index, token), headers: toHeaders(index) }, kind }
}

/**
 * Simulates one person: the page, the human check, the
 * password, and the requests of the reports screen.
 */
async function simulatePerson(url: string, index: number): Promise<Answer[]> {
  const headers = toHeaders(index * 251)
  const page = await send(url, { path: '/login', headers: { ...headers, 'accept-encoding': 'br' } })
  const [captcha] = await fetchPasses(url, 1, headers)
  const body = { email: `carga${index}@grupopatio.com.br`, password: PASSWORD, captcha }
  const path = '/api/auth/token?grant_type=password'
  const signedIn = await send(url, { method: 'POST', path, body, headers })
  if (signedIn.status !== 200) return [page, signedIn]
  const token = JSON.parse(signedIn.body).access_token as string
  const screen = ['/api/profiles/me', '/api/user-roles/me', '/api/reports/me'].map((each) => ({
    path: each,
    token,
  }))
  const asked: PortalRequest[] = [...screen, createTokenRequest(token, AREA)]
  return [page, signedIn, ...(await Promise.all(asked.map((each) => send(url, { ...each, headers }))))]
}

async function measurePeak(DATABASE_URL: string, cleanUp: CleanUp): Promise<Figure[]> {
  const { portal, token } = await startInProduction(
    DATABASE_URL,
    { people: options.people, area: AREA },
    cleanUp,
  )
  const before = readResidentMemory(portal.pid)
  for (let each = 0; each < STREAMS; each++) await openStream(portal.url, token, cleanUp, () => {})
  const memory: number[] = []
  const watch = setInterval(() => memory.push(readResidentMemory(portal.pid)), 100)
  const load = generateLoad(portal.url, BASE_RATE, options.peak, (index) => createBaseRequest(index, token))
  const mornings: Promise<Answer[]>[] = []
  for (let index = 1; index <= options.people; index++) {
    const lost = (error: unknown) => [{ sentAt: 0, ms: 0, status: 0, error: String(error), body: '' }]
    mornings.push(simulatePerson(portal.url, index).catch(lost))
    await wait((options.peak * 1000) / options.people)
  }
  const answers = [...(await load), ...(await Promise.all(mornings)).flat()]
  clearInterval(watch)
  const failed = answers.filter(({ status }) => status >= 400 || status === 0)
  if (failed[0]) say(`the first failure was ${failed[0].status} ${failed[0].error ?? failed[0].body}`)
  const what = `${options.people} people in ${options.peak} s, ${BASE_RATE}/s beside, ${STREAMS} streams`
  const latency = quantile(
    answers.map(({ ms }) => ms),
    0.99,
  )
  return [
    { what: `${what}: p99`, value: latency, unit: 'ms', atMost: 500 },
    { what: `${what}: failed, of ${answers.length}`, value: failed.length, unit: 'requests', atMost: 0 },
    {
      what: `${what}: memory, all but the moments of a password's hash (p95)`,
      value: quantile(memory, 0.95),
      unit: 'MB',
      atMost: 200,
      note: `${before.toFixed(0)} before, ${Math.max(...memory).toFixed(0)} at most`,
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
