import { statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMigratedDataDir, spawnMigratedPortal } from '#server/testing/migrated-portal.ts'
import {
  type PortalProcess,
  REAL_ENVIRONMENT,
  spawnPortal,
  waitUntilReady,
} from '#server/testing/portal-process.ts'

/** Runs a process that must fail, and returns its exit code and output. */
async function refusal(env: Record<string, string>, spawn = spawnPortal) {
  const portal = await spawn(env)
  const code = await portal.exited
  await portal.stop()
  return { code, output: portal.output().trim() }
}

/** Creating a database with synchronous writes is slow on a busy machine. */
const SLOW = 90_000

/** Sends half of a body, so that the request is surely in progress. */
function startHalfRequest(url: string, firstHalf: string) {
  const half = request(url, { method: 'POST', agent: false, headers: { 'content-type': 'application/json' } })
  const status = new Promise<number | undefined>((resolve, reject) => {
    half.once('error', reject)
    half.once('response', (reply) => {
      reply.resume()
      resolve(reply.statusCode)
    })
  })
  return {
    isUnderWay: new Promise<void>((resolve) => {
      half.write(firstHalf, () => setTimeout(resolve, 200))
    }),
    finish(secondHalf: string) {
      half.end(secondHalf)
      return status
    },
  }
}

describe('the process refuses to start', () => {
  test('with a bad environment: one line per fault, no value', async () => {
    const { code, output } = await refusal({ LOG_LEVEL: 'loud', BRAND_COLOR: 'hunter2' })
    expect(code).toBe(1)
    expect(output.split('\n')).toHaveLength(3)
    expect(output).toContain('LOG_LEVEL')
    expect(output).not.toContain('hunter2')
  })

  test('with an unreachable database: one line without its password', async () => {
    const { code, output } = await refusal({ DATABASE_URL: 'postgres://patio:hunter2@127.0.0.1:1/patio' })
    expect(code).toBe(1)
    expect(output).toMatch(/^Banco de dados inacessível em 127\.0\.0\.1:1\/patio: .+$/)
  })

  test('with demo mode on a public address', async () => {
    const { code, output } = await refusal({ HOST: '0.0.0.0', PUBLIC_URL: 'https://portal.example.com' })
    expect(code).toBe(1)
    expect(output).toContain('HOST')
    expect(output).toMatch(/PUBLIC_URL: .*NODE_ENV=production/)
  })

  test('with a missing logo', async () => {
    const { code, output } = await refusal({ BRAND_LOGO: '/nowhere/logo.svg' })
    expect(code).toBe(1)
    expect(output.split('\n').slice(1)).toEqual(['  - BRAND_LOGO: o arquivo não pode ser lido'])
  })

  test('with an address that this machine does not have', async () => {
    const { code, output } = await refusal({
      NODE_ENV: 'production',
      ...REAL_ENVIRONMENT,
      DATA_DIR: await createMigratedDataDir(),
      // An invalid name, which no resolver looks up.
      HOST: 'portal..invalid',
    })
    expect([code, output]).toEqual([1, expect.stringMatching(/O endereço portal\.\.invalid .* HOST/)])
    expect(output).not.toContain('Error')
  })

  test('without production’s secrets, listing them', async () => {
    const { code, output } = await refusal({ NODE_ENV: 'production' })
    expect(code).toBe(1)
    for (const name of ['PUBLIC_URL', 'SESSION_SECRET', 'POWERBI_CLIENT_ID']) expect(output).toContain(name)
  })

  test('with demo mode in production', async () => {
    const { code, output } = await refusal({
      NODE_ENV: 'production',
      ...REAL_ENVIRONMENT,
      PATIO_DEMO: 'true',
    })
    expect(code).toBe(1)
    expect(output).toContain('PATIO_DEMO')
  })
})

describe('a running demo', () => {
  let demo: PortalProcess
  let dataDir: string
  beforeAll(async () => {
    dataDir = await createMigratedDataDir()
    demo = await spawnPortal({ DATA_DIR: dataDir })
    await waitUntilReady(demo)
  }, SLOW)
  afterAll(async () => {
    await demo.stop()
    await rm(dataDir, { recursive: true })
  })

  test('prevents a second process on its data directory', async () => {
    const { code, output } = await refusal({ DATA_DIR: dataDir })
    expect(code).toBe(1)
    expect(output).toContain(`já está em uso pelo processo ${demo.child.pid}`)
  })

  test(
    'prevents a second process on its port, which prints one line',
    async () => {
      const { code, output } = await refusal({ PORT: new URL(demo.url).port }, spawnMigratedPortal)
      expect(code).toBe(1)
      expect(output).toMatch(/^A porta \d+ já está em uso\. Defina outra em PORT\.$/)
    },
    SLOW,
  )

  test('answers only to localhost', async () => {
    const status = await new Promise((resolve) => {
      request(`${demo.url}/login`, { headers: { host: 'portal.example.com' } }, (reply) => {
        reply.resume()
        resolve(reply.statusCode)
      }).end()
    })
    expect(status).toBe(421)
  })

  test('sends no Strict-Transport-Security, and Trusted Types as report-only on its page', async () => {
    const [page, api] = [await fetch(`${demo.url}/login`), await fetch(`${demo.url}/api/health/live`)]
    expect(page.headers.get('strict-transport-security')).toBeNull()
    expect(page.headers.get('content-security-policy-report-only')).toBe("require-trusted-types-for 'script'")
    expect(api.headers.get('content-security-policy-report-only')).toBeNull()
  })

  test('serves its instruments', async () => {
    for (const path of ['/demo/mailbox', '/demo/mailbox.json', '/demo/power-bi/calls'])
      expect((await fetch(demo.url + path)).status).toBe(200)
  })

  test(
    'finishes the running request on SIGTERM, exits with 0 and keeps its data usable',
    async () => {
      const running = startHalfRequest(`${demo.url}/api/functions/verify-recaptcha`, '{"token":')
      await running.isUnderWay
      // A closed terminal must not end it.
      demo.child.kill('SIGHUP')
      expect((await fetch(`${demo.url}/api/health/ready`)).status).toBe(200)
      demo.child.kill('SIGTERM')
      await expect.poll(() => fetch(`${demo.url}/api/health/live`).catch(() => 'refused')).toBe('refused')
      expect(await running.finish('"x"}')).toBe(200)
      expect(await demo.exited).toBe(0)

      const production = await refusal({ NODE_ENV: 'production', ...REAL_ENVIRONMENT, DATA_DIR: dataDir })
      expect(production.code).toBe(1)
      expect(production.output).toContain('demonstração')

      demo = await spawnPortal({ DATA_DIR: dataDir })
      await waitUntilReady(demo)
    },
    SLOW,
  )
})

test(
  'production contains nothing of the demo',
  async () => {
    const smtp = { SMTP_URL: 'smtp://mail.example.com', SMTP_URI: 'smtp://mail.example.com' }
    const portal = await spawnPortal({ NODE_ENV: 'production', ...REAL_ENVIRONMENT, ...smtp })
    try {
      await waitUntilReady(portal)
      expect(portal.output()).toMatch(/^Atenção: SMTP_URL: /m)
      expect(portal.output()).toMatch(/^Atenção: SMTP_URI: .*SMTP_URL/m)
      expect(statSync(join(portal.dataDir, 'postgres')).mode & 0o777).toBe(0o700)
      for (const path of [
        '/demo/mailbox',
        '/demo/mailbox.json',
        '/demo/power-bi/calls',
        '/demo/power-bi/reportEmbed',
      ])
        expect((await fetch(portal.url + path)).status, path).toBe(404)
      expect(portal.output()).toContain('Banco de dados embutido')
      const { headers } = await fetch(`${portal.url}/login`)
      expect(headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains')
    } finally {
      await portal.stop()
    }
  },
  SLOW,
)
