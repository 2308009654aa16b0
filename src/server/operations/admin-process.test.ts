import { spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMigratedDataDir } from '#server/testing/migrated-portal.ts'
import { BARE_ENVIRONMENT, spawnPortal, waitUntilReady } from '#server/testing/portal-process.ts'

const ADMIN = fileURLToPath(new URL('../admin.ts', import.meta.url))
/** Creating a database with durable writes is slow on a busy machine. */
const SLOW = 90_000

async function runAdmin(env: Record<string, string>, ...args: string[]) {
  const child = spawn(process.execPath, [ADMIN, ...args], { env: { ...BARE_ENVIRONMENT, ...env } })
  const [said, complaint, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((resolve) => child.once('close', resolve)),
  ])
  return { said, complaint, code }
}

describe('npm run admin as a process', () => {
  let dataDir: string
  beforeAll(async () => {
    dataDir = await createMigratedDataDir()
  })
  afterAll(() => rm(dataDir, { recursive: true }))

  test.each([[], ['create'], ['list', 'a@b.c'], ['grant', 'a@b.c', 'd@e.f'], ['constructor', 'a@b.c']])(
    'explains itself when called with %j',
    async (...args) => {
      const { complaint, code } = await runAdmin({ DATA_DIR: dataDir }, ...args)
      expect(code).toBe(1)
      expect(complaint).toMatch(/^Uso: npm run admin -- COMANDO EMAIL\n/)
    },
  )

  test('names missing environment variables', async () => {
    const { complaint, code } = await runAdmin({ NODE_ENV: 'production' }, 'list')
    expect(code).toBe(1)
    expect(complaint).toContain('SESSION_SECRET: falta')
    expect(complaint).not.toMatch(/\bat \w+.*\(/)
  })

  test(
    'refuses an embedded database that a running portal uses, and works once it has stopped',
    async () => {
      const portal = await spawnPortal({ DATA_DIR: dataDir })
      await waitUntilReady(portal)
      const refused = await runAdmin({ DATA_DIR: dataDir }, 'list')
      expect(refused.code).toBe(1)
      expect(refused.complaint).toMatch(/já está em uso pelo processo \d+.*\n.*pare o portal e tente de novo/)
      expect((await fetch(`${portal.url}/api/health/ready`)).status).toBe(200)
      await portal.stop()

      const listed = await runAdmin({ DATA_DIR: dataDir }, 'list')
      expect([listed.code, listed.complaint]).toEqual([0, ''])
      expect(listed.said).toMatch(/^admin@grupopatio\.com\.br {2}último acesso: Nunca\n$/)
      const made = await runAdmin({ DATA_DIR: dataDir, PORT: '4411' }, 'create', 'chefe@grupopatio.com.br')
      expect(made.said).toContain('http://localhost:4411/reset-password#token_hash=')
    },
    SLOW,
  )

  test(
    'does not spoil a demo that was never started',
    async () => {
      const fresh = await createMigratedDataDir()
      const refused = await runAdmin({ DATA_DIR: fresh }, 'create', 'chefe@grupopatio.com.br')
      expect(refused.complaint).toContain('Rode npm start uma vez antes')
      await rm(fresh, { recursive: true })
    },
    SLOW,
  )
})
