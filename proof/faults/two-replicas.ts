import {
  atMost,
  defineFault,
  exactly,
  type FaultRun,
  startFaultPortal,
  type Verdict,
} from '#proof/shared/fault.ts'
import { timeUntil } from '#proof/shared/load.ts'
import { ADMIN } from '#proof/shared/people.ts'
import { prepareDatabase } from '#proof/shared/postgres.ts'
import { type Answer, ask } from '#proof/shared/requests.ts'
import { followChanges } from '#proof/shared/streams.ts'
import { clockAhead } from '#server/testing/portal-process.ts'

const WRONG_TRIES = 14
const FREE_TRIES = 3
/** What the contact form takes from one address in ten minutes, and what comes afterwards, at either replica. */
const CONTACT_STATUSES = [201, 201, 201, 429, 429]
const SENDER = '203.0.113.7'
const MESSAGE = {
  name: 'Réplica',
  email: 'replica@exemplo.com.br',
  phone: '(21) 98765-4321',
  message: 'pela outra',
}

/** Requests go to two replicas in turn: what one has seen holds at the other. */
export const twoReplicas = defineFault({
  name: 'two replicas in turn',
  needsPostgres: true,
  async run(run) {
    const urls = await startReplicas(run)
    const sessions = [await signIn(urls[0]), await signIn(urls[1]), await signIn(urls[0])] as const
    return [
      ...(await tryRotation(urls, sessions[0])),
      ...(await tryLiveInbox(urls, sessions[1].access_token)),
      ...(await tryContactLimit(urls)),
      ...(await tryRevocation(urls, sessions[1].access_token, sessions[2].access_token)),
      ...(await tryLockOut(urls)),
    ]
  },
})

async function startReplicas(run: FaultRun): Promise<[string, string]> {
  const env = {
    // The limits are what is being looked at.
    RATE_LIMITS: 'on',
    // Somebody who writes often, and nobody else, stands behind a proxy.
    TRUSTED_PROXIES: '127.0.0.1',
    ...(await prepareDatabase('two', run.cleanUp)),
  }
  const first = await startFaultPortal(run, run.port, env)
  // On a machine whose clock is fast: the database's decides.
  const second = await startFaultPortal(run, run.port + 1, { ...env, ...clockAhead(2_500) })
  return [first.url, second.url]
}

const post = (url: string, path: string, body: unknown, token?: string) =>
  ask(url, { method: 'POST', path, body, ...(token && { token }) })
const inTurn = (urls: [string, string], index: number) => urls[index % 2] as string

/** The built-in administrator's address locks after three failures, wherever they happen. */
async function tryLockOut(urls: [string, string]): Promise<Verdict[]> {
  const guess = (index: number) =>
    post(inTurn(urls, index), '/api/auth/token?grant_type=password', {
      ...ADMIN,
      password: `errada ${index}`,
    })
  const answers: Answer[] = []
  for (let index = 0; index < WRONG_TRIES; index++) answers.push(await guess(index))
  return [
    exactly(
      `of ${WRONG_TRIES} wrong passwords looked at`,
      answers.filter(({ status }) => status === 400).length,
      FREE_TRIES,
    ),
  ]
}

interface Session {
  access_token: string
  refresh_token: string
}

async function signIn(url: string): Promise<Session> {
  const answer = await post(url, '/api/auth/token?grant_type=password', ADMIN)
  if (answer.status !== 200) throw new Error(`the administrator could not sign in: ${answer.body}`)
  return JSON.parse(answer.body) as Session
}

/** Each refresh at the other replica; the first token, used again, ends the session everywhere. */
async function tryRotation(urls: [string, string], { refresh_token }: Session): Promise<Verdict[]> {
  const refresh = (index: number, token: string) =>
    post(inTurn(urls, index), '/api/auth/token?grant_type=refresh_token', { refresh_token: token })
  const answers: Answer[] = []
  let newest = refresh_token
  for (let index = 0; index < 6; index++) {
    const answer = await refresh(index, newest)
    answers.push(answer)
    if (answer.status === 200) newest = (JSON.parse(answer.body) as Session).refresh_token
  }
  const replayed = await refresh(0, refresh_token)
  const afterwards = await refresh(1, newest)
  return [
    exactly('refreshes in turn', answers.filter(({ status }) => status === 200).length, 6),
    exactly('status of a refresh token used again', replayed.status, 400),
    exactly('status of the newest one after that', afterwards.status, 400),
  ]
}

async function tryLiveInbox(urls: [string, string], token: string): Promise<Verdict[]> {
  const stream = await followChanges(urls[1], token)
  const startedAt = stream.ids.length
  await post(urls[0], '/api/support-messages', MESSAGE)
  const seenMs = await timeUntil(async () => stream.ids.length > startedAt, 5_000)
  stream.close()
  return [atMost('a message sent through one shows on the other within', seenMs, 1_000, 'ms')]
}

/** The contact form's limit of one address is counted by both together. */
async function tryContactLimit(urls: [string, string]): Promise<Verdict[]> {
  const statuses: number[] = []
  for (const index of CONTACT_STATUSES.keys()) {
    const headers = { 'x-forwarded-for': SENDER }
    const asked = { method: 'POST', path: '/api/support-messages', body: MESSAGE, headers }
    statuses.push((await ask(inTurn(urls, index), asked)).status)
  }
  const [expected, seen] = [CONTACT_STATUSES.join(', '), statuses.join(', ')]
  return [{ promise: `contact messages in turn: ${expected}`, held: seen === expected, seen }]
}

async function tryRevocation(urls: [string, string], leaving: string, watching: string): Promise<Verdict[]> {
  const stream = await followChanges(urls[1], leaving)
  await post(urls[0], '/api/auth/logout?scope=local', {}, leaving)
  const next = await ask(urls[1], { path: '/api/profiles/me', token: leaving })
  const closedMs = await timeUntil(async () => !stream.isOpen(), 8_000)
  const other = await ask(urls[1], { path: '/api/profiles/me', token: watching })
  return [
    exactly('status at the other replica right after a sign-out', next.status, 401),
    atMost('its stream there ends within', closedMs, 5_000, 'ms'),
    exactly('status of a session that stays', other.status, 200),
  ]
}
