import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { type PortalProcess, spawnPortal } from './portal-process.ts'

/** A data directory that a portal has migrated and never started, for the caller to remove. */
export async function makeMigratedDataDir(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'patio-data-'))
  await cp(inject('dataDirTemplate'), dataDir, { recursive: true })
  return dataDir
}

/** Like spawnPortal(), in a directory of its own that saves it making a database from nothing. */
export async function spawnMigratedPortal(env: Record<string, string> = {}): Promise<PortalProcess> {
  const dataDir = await makeMigratedDataDir()
  const portal = await spawnPortal({ ...env, DATA_DIR: dataDir })
  return {
    ...portal,
    async stop() {
      await portal.stop()
      await rm(dataDir, { recursive: true })
    },
  }
}
