import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type PortalProcess, spawnPortal, untilReady } from '#server/testing/portal-process.ts'
import { test as base } from './portal-fixture.ts'

const ADMIN = fileURLToPath(new URL('../src/server/admin.ts', import.meta.url))

interface Administrators {
  /** Makes somebody an administrator, or takes it away, while pages of the portal may be open. */
  change(command: 'grant' | 'revoke', name: string): Promise<void>
}

/**
 * A portal whose administrators change. The embedded database is one process's, so the portal makes way for the
 * command and comes back at the same address; sessions outlive that.
 */
async function startPortal(dataDir: string): Promise<{ portal: PortalProcess } & Administrators> {
  const env = { DATA_DIR: dataDir, RATE_LIMITS: 'off', ALTCHA_COST: '50' }
  let running = await spawnPortal(env)
  await untilReady(running)
  const { url } = running
  return {
    portal: { ...running, output: () => running.output(), stop: () => running.stop() },
    async change(command, name) {
      await running.stop()
      const args = [ADMIN, command, `${name}@grupopatio.com.br`]
      await promisify(execFile)(process.execPath, args, {
        env: { PATH: process.env.PATH, DATA_DIR: dataDir },
      })
      running = await spawnPortal({ ...env, PORT: new URL(url).port })
      await untilReady(running)
    },
  }
}

/** Tests with more than one administrator, or with one who is none any more. */
export const test = base.extend<
  { administrators: Administrators },
  { office: Awaited<ReturnType<typeof startPortal>> }
>({
  office: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of what a fixture needs from here
    async ({}, use) => {
      const dataDir = await mkdtemp(join(tmpdir(), 'patio-administrators-'))
      const office = await startPortal(dataDir)
      await use(office)
      await office.portal.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  portal: [async ({ office }, use) => use(office.portal), { scope: 'worker' }],
  administrators: async ({ office }, use) => use(office),
})
