import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { DEMO_PASSWORD } from '#server/demo/seed.ts'
import { type EventFollower, followEvents } from '#server/testing/follow-events.ts'
import { answerChallenge, encodeAnswer } from '#server/testing/human-passes.ts'
import { CONTACT_FORM } from '#server/testing/inbox-calls.ts'
import {
  type PortalProcess,
  shiftClock,
  spawnPortal,
  waitUntilReady,
} from '#server/testing/portal-process.ts'
import { getDatabaseUrl, openTestDatabase } from '#server/testing/test-database.ts'
import { waitFor } from '#server/testing/wait-for.ts'

const SLOW = 90_000
const READY = { timeout: 8000 }
const serverUrl = process.env.TEST_DATABASE_URL
const running: PortalProcess[] = []
afterEach(async () => {
  for (const portal of running.splice(0)) await portal.stop()
}, SLOW)

async function start(env: Record<string, string>): Promise<PortalProcess> {
  const portal = await spawnPortal(env)
  running.push(portal)
  await waitUntilReady(portal)
  return portal
}

function post(portal: PortalProcess, path: string, body: object) {
  return fetch(portal.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

async function followAsAdmin(portal: PortalProcess): Promise<EventFollower> {
  const credentials = { email: 'admin@grupopatio.com.br', password: DEMO_PASSWORD }
  const reply = await post(portal, '/api/auth/token?grant_type=password', credentials)
  const { access_token: token } = (await reply.json()) as { access_token: string }
  const follower = await followEvents(portal, token)
  await waitFor(() => expect(follower.events()).toHaveLength(1), READY)
  return follower
}

const sendMessage = async (portal: PortalProcess) =>
  expect((await post(portal, '/api/support-messages', CONTACT_FORM)).status).toBe(201)
const waitForChange = (follower: EventFollower) =>
  waitFor(() => expect(follower.topics()).toContain('messages'), READY)

/** Two portals that serve one database and share a secret. */
async function startPair(
  env: Record<string, string>,
  env2: Record<string, string>,
): Promise<[PortalProcess, PortalProcess]> {
  const database = await openTestDatabase('server')
  // Runs after the portals have stopped.
  onTestFinished(() => database.close())
  const dataDir = await mkdtemp(join(tmpdir(), 'patio-data-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  const shared = {
    ...env,
    DATABASE_URL: await getDatabaseUrl(database),
    // Contains the shared secret.
    DATA_DIR: dataDir,
  }
  return [await start(shared), await start({ ...shared, ...env2 })]
}

test.skipIf(!serverUrl)(
  'a message reaches streams of another process, which closes them when it stops',
  async () => {
    const [here, there] = await startPair({}, {})
    const follower = await followAsAdmin(there)
    await sendMessage(here)
    await waitForChange(follower)
    there.child.kill('SIGTERM')
    await follower.closed
    // Not cut, as requests are that run too long.
    expect(follower.text()).toMatch(/\nretry: \d+\n\n$/)
    expect(await there.exited).toBe(0)
  },
  SLOW,
)

test.skipIf(!serverUrl)(
  'sessions and lockouts work across machines with different clocks',
  async () => {
    const pair = await startPair({ ALTCHA_COST: '1' }, shiftClock(2_500))
    const [here, fast] = pair
    const signIn = (portal: PortalProcess, password: string) =>
      post(portal, '/api/auth/token?grant_type=password', { email: 'admin@grupopatio.com.br', password })
    for (const [one, other] of [pair, [fast, here]] as const) {
      const session = (await (await signIn(one, DEMO_PASSWORD)).json()) as Record<string, string>
      expect(session).toHaveProperty('access_token')
      const { access_token, refresh_token } = session
      const headers = { authorization: `Bearer ${access_token}` }
      expect((await fetch(`${other.url}/api/profiles/me`, { headers })).status).toBe(200)
      expect((await post(other, '/api/auth/token?grant_type=refresh_token', { refresh_token })).status).toBe(
        200,
      )
      const token = encodeAnswer(await answerChallenge(one))
      const checked = await post(other, '/api/functions/verify-recaptcha', { token })
      expect(await checked.json()).toMatchObject({ success: true })
    }
    for (let failures = 0; failures < 3; failures++) await signIn(fast, 'errada')
    const locked = await signIn(here, DEMO_PASSWORD)
    expect(locked.status).toBe(429)
    expect(Number(locked.headers.get('retry-after'))).toBeLessThanOrEqual(30)
  },
  SLOW,
)
