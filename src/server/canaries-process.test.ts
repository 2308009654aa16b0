import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EMULATED_REPORTS } from '#emulators/power-bi/catalogue.ts'
import { type Canaries, createCanaries } from '#server/testing/canaries.ts'
import { spawnMigratedPortal } from '#server/testing/migrated-portal.ts'
import { type PortalProcess, REAL_ENVIRONMENT, waitUntilReady } from '#server/testing/portal-process.ts'
import { readDemoSecret } from './demo/demo-installation.ts'
import { DEMO_PASSWORD, SHORT_DEMO_PASSWORD } from './demo/seed.ts'

const ADMIN = 'admin@grupopatio.com.br'
const SLOW = 90_000

/** Secrets of any installation, including a demo. */
function secretEnvironment(canaries: Canaries): Record<string, string> {
  return {
    METRICS_TOKEN: canaries.plant('metrics token'),
    RECAPTCHA_SITE_KEY: 'a site key is public',
    RECAPTCHA_SECRET_KEY: canaries.plant('reCAPTCHA secret'),
  }
}

/** Further secrets of a production portal; no address leads anywhere. */
function realEnvironment(canaries: Canaries): Record<string, string> {
  return {
    ...REAL_ENVIRONMENT,
    SESSION_SECRET: canaries.plant('session secret'),
    SMTP_URL: `smtp://portal:${encodeURIComponent(canaries.plant('SMTP password'))}@127.0.0.1:9`,
    POWERBI_CLIENT_SECRET: canaries.plant('client secret'),
  }
}

describe('a process with canaries as secrets, at log level debug', () => {
  const canaries = createCanaries()
  const environment = secretEnvironment(canaries)
  let portal: PortalProcess
  beforeAll(async () => {
    portal = await spawnMigratedPortal({ ...environment, LOG_LEVEL: 'debug', RATE_LIMITS: 'off' })
    await waitUntilReady(portal)
    const session = readDemoSecret(portal.dataDir)
    canaries.watch('session secret of the demo', session)
    // The emulator's client secret is its prefix.
    canaries.watch('emulated client secret', session.slice(0, 16))
  }, SLOW)
  afterAll(() => portal.stop())

  const call = async (method: string, path: string, body?: unknown, token?: string) => {
    const reply = await fetch(portal.url + path, {
      method,
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: reply.status, text: await reply.text() }
  }
  const signIn = (password: string) =>
    call('POST', '/api/auth/token?grant_type=password', { email: ADMIN, password })

  test('sends none of them in the page or its files', async () => {
    for (const path of ['/', '/login', '/power-bi', '/brand.css']) {
      const { status, text } = await call('GET', path)
      expect(status, path).toBe(200)
      expect(canaries.findLeaks(text), path).toEqual([])
    }
  })

  test(
    'prints and exports none of them, for any request or failure',
    async () => {
      expect((await signIn(canaries.plant('wrong password'))).status).toBe(400)
      const { access_token, refresh_token } = JSON.parse((await signIn(DEMO_PASSWORD)).text)
      canaries.watch('access token', access_token.split('.')[2])
      canaries.watch('refresh token', refresh_token)
      canaries.watch('demo password', DEMO_PASSWORD)
      const [report] = EMULATED_REPORTS
      const wanted = {
        workspaceId: report?.workspaceId,
        reportId: report?.reportId,
        datasetId: report?.datasetId,
      }
      const body = { ...wanted, marcas: [], estados: [], userEmail: ADMIN }
      const ask = () => call('POST', '/api/functions/get-powerbi-token', body, access_token)
      const seen: number[] = []
      for (const fault of [
        { on: 'directory', status: 401 },
        { on: 'directory', status: 503 },
        { on: 'generateToken', status: 403 },
      ]) {
        await call('PUT', '/demo/power-bi/faults', fault)
        seen.push((await ask()).status)
      }
      const issued = await ask()
      expect([...seen, issued.status]).toEqual([502, 503, 502, 200])
      canaries.watch('embed token', JSON.parse(issued.text).embedToken)
      await call('POST', '/api/auth/token?grant_type=refresh_token', { refresh_token })
      const metrics = await call('GET', '/api/metrics', undefined, environment.METRICS_TOKEN)
      expect(metrics.status).toBe(200)
      expect(canaries.findLeaks(metrics.text)).toEqual([])
      // The announcement contains the demo's password, which is not secret.
      const outputBefore = portal.output().replace(`(senha ${DEMO_PASSWORD})`, '')
      await expect.poll(() => portal.output(), { timeout: 5_000 }).toContain('"path":"/api/metrics"')
      expect(canaries.findLeaks(outputBefore)).toEqual([])
      expect(canaries.findLeaks(portal.output().replace(`(senha ${DEMO_PASSWORD})`, ''))).toEqual([])
    },
    SLOW,
  )

  test(
    'prints none of them when it fails to start',
    async () => {
      const database = `postgres://patio:${encodeURIComponent(canaries.plant('database password'))}@127.0.0.1:9/x`
      const real = { PATIO_DEMO: 'false', ...realEnvironment(canaries) }
      for (const extra of [
        { DATABASE_URL: database },
        { ...real, DATABASE_URL: database },
        { ...real, PATIO_DEMO: 'true' },
        { ...real, MAIL_FROM: '', POWERBI_CLIENT_CERTIFICATE: canaries.plant('client certificate') },
      ]) {
        const broken = await spawnMigratedPortal({ ...environment, ...extra, LOG_LEVEL: 'debug' })
        expect(await broken.exited).toBe(1)
        expect(broken.output().length).toBeGreaterThan(10)
        expect(canaries.findLeaks(broken.output())).toEqual([])
        await broken.stop()
      }
    },
    SLOW,
  )
})

const BUILT = fileURLToPath(new URL('../../dist/web', import.meta.url))

test.skipIf(!existsSync(BUILT))(
  'the built files contain no setting of the server and no password of the demo',
  () => {
    const files = readdirSync(BUILT, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    )
    expect(files.length).toBeGreaterThan(5)
    const secrets = [
      'SESSION_SECRET',
      'CLIENT_SECRET',
      'DATABASE_URL',
      'SMTP_URL',
      'METRICS_TOKEN',
      'RECAPTCHA_SECRET',
    ]
    for (const entry of files) {
      const text = readFileSync(join(entry.parentPath, entry.name), 'latin1')
      for (const secret of [...secrets, DEMO_PASSWORD, SHORT_DEMO_PASSWORD])
        expect(text.includes(secret), `${entry.name} holds ${secret}`).toBe(false)
    }
  },
)
