import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEMO_PASSWORD } from '#server/demo/seed.ts'
import { followEvents } from '#server/testing/follow-events.ts'
import { CONTACT_FORM } from '#server/testing/inbox-calls.ts'
import { spawnMigratedPortal } from '#server/testing/migrated-portal.ts'
import { type PortalProcess, waitUntilReady } from '#server/testing/portal-process.ts'

const GRACE_MS = 4_000
/** Creating a database with synchronous writes is slow on a busy machine. */
const SLOW = 90_000

interface Reply {
  status: number | undefined
  connection: string | undefined
}

/** Sends one request on a new connection; the returned function sends the second half of its body. */
function begin(url: string, firstHalf?: string) {
  // Left for the server to close.
  const headers = { 'content-type': 'application/json', connection: 'keep-alive' }
  const asked = request(url, { method: firstHalf ? 'POST' : 'GET', agent: false, headers })
  const reply = new Promise<Reply>((resolve, reject) => {
    asked.once('error', reject)
    asked.once('response', (response) => {
      response.resume()
      resolve({ status: response.statusCode, connection: response.headers.connection })
    })
  })
  // Callers of the returned function handle its failure.
  reply.catch(() => {})
  if (firstHalf) asked.write(firstHalf)
  return (secondHalf?: string) => {
    asked.end(secondHalf)
    return reply
  }
}

describe('after SIGTERM', () => {
  let portal: PortalProcess
  beforeAll(async () => {
    portal = await spawnMigratedPortal({
      SHUTDOWN_GRACE_SECONDS: String(GRACE_MS / 1000),
      RATE_LIMITS: 'off',
    })
    await waitUntilReady(portal)
  }, SLOW)
  afterAll(() => portal.stop())

  const get = (path: string) => begin(portal.url + path)()
  const post = (path: string, body: object) => begin(portal.url + path, JSON.stringify(body))()

  test(
    'the portal reports not ready, serves new requests for the grace, ends streams, completes all requests and exits',
    async () => {
      const signedIn = await fetch(`${portal.url}/api/auth/token?grant_type=password`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'admin@grupopatio.com.br', password: DEMO_PASSWORD }),
      })
      const { access_token: token } = (await signedIn.json()) as { access_token: string }
      const stream = await followEvents(portal, token)
      const finishLate = begin(`${portal.url}/api/functions/verify-recaptcha`, '{"token":')
      // Ensures that the request has started.
      await get('/api/health/live')

      const startedAt = performance.now()
      portal.child.kill('SIGTERM')
      await expect
        .poll(async () => (await get('/api/health/ready')).status, { interval: 20, timeout: GRACE_MS })
        .toBe(503)
      const unready = await fetch(`${portal.url}/api/health/ready`)
      expect(await unready.json()).toMatchObject({ code: 'shutting-down' })
      await stream.closed

      expect(await post('/api/support-messages', CONTACT_FORM)).toEqual({ status: 201, connection: 'close' })
      const isRefused = async () => {
        const page = await get('/login').catch(() => undefined)
        if (page) expect(page).toEqual({ status: 200, connection: 'close' })
        return !page
      }
      while (!(await isRefused()));
      expect(performance.now() - startedAt).toBeGreaterThanOrEqual(GRACE_MS - 50)
      // Requests from before the signal still keep the process alive.
      expect(portal.child.exitCode).toBeNull()
      expect((await finishLate('"x"}')).status).toBe(200)
      expect(await portal.exited).toBe(0)
    },
    SLOW,
  )
})
