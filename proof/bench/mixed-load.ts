// What a busy morning looks like: reads, messages and sign-ins at a steady rate, sent on time whether or not the earlier
// ones have been answered. `npm run load [-- --seconds 20] [--server 1000] [--embedded 200]` (requests a second)
import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Figure } from '#proof/shared/figures.ts'
import { quantile, readNumbers, runBench } from '#proof/shared/figures.ts'
import { ADMIN, signInAsAdmin } from '#proof/shared/people.ts'
import { createDatabase, openPostgres, runSql } from '#proof/shared/postgres.ts'
import { FIRST_PORT, startPortal } from '#proof/shared/processes.ts'
import { type Answer, type Asked, ask } from '#proof/shared/requests.ts'
import { type CleanUp, say, temporaryFolder } from '#proof/shared/run-task.ts'

const options = readNumbers({ seconds: 20, server: 1000, embedded: 200 })
const WARM_UP_SECONDS = 3
const MAX_CONNECTIONS = 256
const TICK_MS = 5
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

await runBench(async (cleanUp) => {
  const DATABASE_URL = await createDatabase(await openPostgres(cleanUp), 'mixed', cleanUp)
  return [
    ...(await measure('PostgreSQL', { DATABASE_URL }, options.server, 150, cleanUp)),
    ...(await measure('embedded', {}, options.embedded, 250, cleanUp)),
  ]
})
