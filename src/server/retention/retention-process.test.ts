import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { migrate } from '#server/database/migrate.ts'
import { openEmbedded } from '#server/database/open-embedded.ts'
import { spawnPortal, untilReady } from '#server/testing/portal-process.ts'

const REAL = {
  PATIO_DEMO: 'false',
  HOST: '127.0.0.1',
  PUBLIC_URL: 'http://localhost:4000',
  SESSION_SECRET: 'k3J9-fbQ2-xT7w-Lm5R-pZ8v-Hn4C-yD6s',
  COMPANY_EMAIL_DOMAIN: 'example.com',
  POWERBI_TENANT_ID: 'tenant',
  POWERBI_CLIENT_ID: 'client',
  POWERBI_CLIENT_SECRET: 'a client secret',
  SMTP_URL: 'smtp://127.0.0.1:2525',
  MAIL_FROM: 'Portal <portal@example.com>',
}

/** Making a database from nothing, with every write reaching the disk, takes its time on a busy machine. */
const SLOW = 120_000

test(
  'a portal deletes what is old soon after its start, and says how much',
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'patio-retention-'))
    const database = await openEmbedded(dataDir)
    await migrate(database.db)
    await database.db
      .insertInto('used_human_checks')
      .values([
        { id: 'old', expires_at: new Date(Date.now() - 1000) },
        { id: 'young', expires_at: new Date(Date.now() + 3_600_000) },
      ])
      .execute()
    await database.close()
    const portal = await spawnPortal({ ...REAL, DATA_DIR: dataDir })
    await untilReady(portal)
    await expect
      .poll(() => portal.output(), { timeout: 30_000 })
      .toContain('"deleted":{"human checks":1},"msg":"old data deleted"')
    await portal.stop()
    expect(await portal.exited).toBe(0)
    await rm(dataDir, { recursive: true })
  },
  SLOW,
)
