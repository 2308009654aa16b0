import { randomBytes } from 'node:crypto'
import {
  checkMax,
  defineFault,
  type FaultRun,
  startFaultPortal,
  type Verdict,
  verify,
} from '#proof/shared/fault.ts'
import { signInAsAdmin } from '#proof/shared/people.ts'
import { prepareDatabase } from '#proof/shared/postgres.ts'
import { type PortalRequest, send } from '#proof/shared/requests.ts'
import { makeTempFolder } from '#proof/shared/run-task.ts'

/** Calls at once beside which liveness is measured. */
const AT_ONCE = 50
/** Calls at once that take no connection from anybody; not on the embedded database. */
const CROWD = 400
const ROUNDS = 5
/** The flood's source address; everybody else has 127.0.0.1. */
const SOURCE = '127.0.0.66'

const post = (path: string, body: object): PortalRequest => ({ method: 'POST', path, body })
const random = () => randomBytes(32).toString('base64url')
const address = () => `${random().slice(0, 12).replaceAll(/[-_]/g, 'x')}@grupopatio.com.br`
const password = 'Nao-E-Esta-2026!'
/** One character that folds to eighteen, repeated around the only letter: the costliest to check. */
const COSTLIEST = `${'\uFDFA'.repeat(63)}a${'\uFDFA'.repeat(63)}`

/** One anonymous call of each public route that limits or checks refuse. */
const CALLS: Record<string, () => PortalRequest> = {
  'unknown link': () => post('/api/auth/verify', { type: 'signup', token_hash: random() }),
  "unknown 'não fui eu'": () => post('/api/auth/not-me', { token_hash: random() }),
  'built-in sign-in': () =>
    post('/api/auth/token?grant_type=password', { email: 'admin@grupopatio.com.br', password }),
  'sign-in without human check': () =>
    post('/api/auth/token?grant_type=password', { email: address(), password }),
  'forged refresh token': () =>
    post('/api/auth/token?grant_type=refresh_token', {
      refresh_token: randomBytes(36).toString('base64url'),
    }),
  'sign-up without human check': () => post('/api/auth/signup', { email: address(), password }),
  'sign-up with the costliest password': () =>
    post('/api/auth/signup', { email: address(), password: COSTLIEST }),
  'reset mail': () => post('/api/auth/recover', { email: address() }),
  'verification mail': () => post('/api/auth/resend', { type: 'signup', email: address() }),
  'human check': () => post('/api/functions/verify-recaptcha', { token: random() }),
  'contact message': () =>
    post('/api/support-messages', { name: 'Enxurrada', email: address(), phone: '21', message: 'x' }),
}

/** Anonymous calls that are refused cost their neighbors nothing, on either database. */
export const refusedFloods = defineFault({
  name: 'floods of refused anonymous calls',
  needsPostgres: true,
  async run(run) {
    const embedded = { DATA_DIR: makeTempFolder(run.cleanUp) }
    return [
      ...(await floodPortal(run, run.port, embedded)),
      ...(await floodPortal(run, run.port + 1, await prepareDatabase('floods', run.cleanUp))),
    ]
  },
})

async function floodPortal(run: FaultRun, port: number, env: Record<string, string>): Promise<Verdict[]> {
  const portal = await startFaultPortal(run, port, { ...env, RATE_LIMITS: 'on' })
  const token = await signInAsAdmin(portal.url)
  const database = env.DATABASE_URL ? 'PostgreSQL' : 'embedded'

  let refused = 0
  /** Sends a call many times at once. @returns the slowest liveness meanwhile, in ms */
  const flood = async (createCall: () => PortalRequest, atOnce = AT_ONCE) => {
    let isOver = false
    const askUntilEnd = async (asked: PortalRequest) => {
      let slowest = 0
      while (!isOver) {
        const { status, ms } = await send(portal.url, asked)
        if (status !== 200) refused++
        slowest = Math.max(slowest, ms)
      }
      return slowest
    }
    const alive = askUntilEnd({ path: '/api/health/live' })
    const reads = askUntilEnd({ path: '/api/profiles/me', token })
    await Promise.all(
      Array.from({ length: atOnce }, () => send(portal.url, { ...createCall(), localAddress: SOURCE })),
    )
    isOver = true
    await reads
    return alive
  }

  const verdicts: Verdict[] = []
  for (const [name, createCall] of Object.entries(CALLS)) {
    // The best of several rounds: other work on the machine slows some, a costly refusal every one.
    // A path without a handler, in turns, costs what this machine takes for so many connections.
    let unavoidable = Number.POSITIVE_INFINITY
    let slowest = Number.POSITIVE_INFINITY
    for (let round = 0; round < ROUNDS; round++) {
      unavoidable = Math.min(unavoidable, await flood(() => ({ path: '/api/nothing' })))
      slowest = Math.min(slowest, await flood(createCall))
    }
    const bound = Math.round(Math.max(100, 2 * unavoidable))
    verdicts.push(checkMax(`liveness beside ${AT_ONCE} × ${name} (${database})`, slowest, bound, 'ms'))
  }
  const crowd = env.DATABASE_URL && !run.isShort ? CROWD : AT_ONCE
  for (const createCall of Object.values(CALLS)) await flood(createCall, crowd)
  verdicts.push(verify(`neighbors refused beside ${crowd} of each (${database})`, refused, 0))
  await portal.stop()
  return verdicts
}
