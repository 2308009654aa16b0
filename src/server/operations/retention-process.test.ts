import { rm } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { openEmbedded } from '#server/database/open-embedded.ts'
import { createMigratedDataDir } from '#server/testing/migrated-portal.ts'
import { REAL_ENVIRONMENT, spawnPortal, waitUntilReady } from '#server/testing/portal-process.ts'

/** Creating a database with durable writes is slow on a busy machine. */
const SLOW = 120_000

test(
  'a portal deletes expired data soon after its start and logs the counts',
  async () => {
    const dataDir = await createMigratedDataDir()
    const database = await openEmbedded(dataDir)
    await database.db
      .insertInto('used_human_checks')
      .values([
        { id: 'old', expires_at: new Date(Date.now() - 1000) },
        { id: 'young', expires_at: new Date(Date.now() + 3_600_000) },
      ])
      .execute()
    await database.close()
    const portal = await spawnPortal({
      ...REAL_ENVIRONMENT,
      PATIO_DEMO: 'false',
      PUBLIC_URL: 'http://localhost:4000',
      DATA_DIR: dataDir,
    })
    await waitUntilReady(portal)
    await expect
      .poll(() => portal.output(), { timeout: 30_000 })
      .toContain('"deleted":{"human checks":1},"msg":"old data deleted"')
    await portal.stop()
    expect(await portal.exited).toBe(0)
    await rm(dataDir, { recursive: true })
  },
  SLOW,
)
