import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Session } from '#contract/accounts.ts'
import { createTokens } from './accounts/tokens.ts'
import { openEmbedded } from './database/open-embedded.ts'
import { createKeyring } from './keyring.ts'
import { addPerson, openTestSession } from './testing/builders.ts'
import { createMigratedDataDir } from './testing/migrated-portal.ts'
import {
  type PortalProcess,
  REAL_ENVIRONMENT,
  spawnPortal,
  waitUntilReady,
} from './testing/portal-process.ts'
import { describeOnEachDatabase, getDatabaseUrl, openTestDatabase } from './testing/test-database.ts'

const [OLD, NEW] = ['an-old-secret-7b9a3e48c6b2f1e0d9c8b7a695', 'a-new-secret-c6b2f1e0d9c8b7a6957b9a3e48']
const { SESSION_SECRET: _, ...WITHOUT_SECRET } = REAL_ENVIRONMENT
const PRODUCTION = {
  ...WITHOUT_SECRET,
  NODE_ENV: 'production',
  PUBLIC_URL: 'http://localhost',
  ALTCHA_COST: '1000',
}

test('a replaced secret still verifies but no longer signs, with keys obtained before', async () => {
  const keyring = createKeyring([OLD])
  const { access, devices } = createTokens(keyring, Date.now)
  const claims = { userId: 'u', sessionId: 's', refreshCounter: 0 }
  const id = '0f8a2c55-7b1d-4b52-9a3e-6d2f1c9b8e70'
  const [token, device] = [await access.sign(claims), devices.sign(id, 'ana@example.com')]
  keyring.replaceSecrets([NEW])
  const fresh = createTokens(createKeyring([NEW]), Date.now)
  expect(await access.verify(token)).toEqual(claims)
  expect(devices.read(device, 'ana@example.com')).toBe(id)
  expect(await fresh.access.verify(token)).toBeUndefined()
  expect(await fresh.access.verify(await access.sign(claims))).toEqual(claims)
})

test('SIGHUP rereads the secret files: all of them, or none if one is invalid', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'patio-secrets-'))
  const dataDir = await createMigratedDataDir()
  const write = (name: string, value: string) => writeFileSync(join(folder, name), `${value}\n`)
  const [oldToken, newToken] = ['o'.repeat(32), 'n'.repeat(32)]
  write('session', OLD)
  write('metrics', oldToken)
  write('smtp', 'smtp://127.0.0.1:9')
  const { SMTP_URL: _, ...rest } = PRODUCTION
  const portal = await spawnPortal({
    ...rest,
    DATA_DIR: dataDir,
    SESSION_SECRET_FILE: join(folder, 'session'),
    METRICS_TOKEN_FILE: join(folder, 'metrics'),
    SMTP_URL_FILE: join(folder, 'smtp'),
  })
  onTestFinished(async () => {
    await portal.stop()
    for (const path of [folder, dataDir]) rmSync(path, { recursive: true })
  })
  await waitUntilReady(portal)
  const readStatus = async (token: string) =>
    (await fetch(`${portal.url}/api/metrics`, { headers: { authorization: `Bearer ${token}` } })).status
  expect(await readStatus(oldToken)).toBe(200)

  write('session', 'short')
  write('metrics', newToken)
  portal.child.kill('SIGHUP')
  await expect
    .poll(portal.output, { timeout: 15_000 })
    .toContain('secrets not read again: all stay as they were')
  expect(portal.output()).toMatch(/SESSION_SECRET: /)
  expect([await readStatus(oldToken), await readStatus(newToken)]).toEqual([200, 401])

  write('session', NEW)
  write('smtp', 'smtp://127.0.0.1:10')
  portal.child.kill('SIGHUP')
  await expect.poll(portal.output, { timeout: 15_000 }).toContain('secrets read again')
  expect(portal.output()).toContain('"files":["METRICS_TOKEN","SESSION_SECRET","SMTP_URL"]')
  expect([await readStatus(oldToken), await readStatus(newToken)]).toEqual([401, 200])
  for (const secret of [OLD, NEW, oldToken, newToken]) expect(portal.output()).not.toContain(secret)
}, 90_000)

/** Two processes on PostgreSQL, one on the embedded database. */
describeOnEachDatabase('a rotation of SESSION_SECRET', (kind) => {
  test('signs nobody out, replica by replica, as docs/operations.md describes it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'patio-rotation-'))
    const dataDir = await createMigratedDataDir()
    const database = kind === 'server' ? await openTestDatabase(kind) : await openEmbedded(dataDir)
    const people = { database, clock: Date.now, keyring: createKeyring([OLD]) }
    const sessions: Session[] = []
    for (let count = 0; count < 4; count++)
      sessions.push(await openTestSession(people, await addPerson(people)))
    const location: Record<string, string> =
      kind === 'server' ? { DATABASE_URL: await getDatabaseUrl(database) } : {}
    if (kind === 'embedded') await database.close()
    const replicas: { portal: PortalProcess; file: string }[] = []
    const spawnReplica = async (file: string) => {
      const env = {
        ...PRODUCTION,
        ...location,
        DATA_DIR: dataDir,
        SESSION_SECRET_FILE: file,
        SHUTDOWN_GRACE_SECONDS: '0',
      }
      const portal = await spawnPortal(env)
      await waitUntilReady(portal)
      return portal
    }
    onTestFinished(async () => {
      await Promise.all(replicas.map(({ portal }) => portal.stop()))
      if (kind === 'server') await database.close()
      for (const path of [folder, dataDir]) rmSync(path, { recursive: true })
    })
    for (const name of kind === 'server' ? ['one', 'other'] : ['one']) {
      const file = join(folder, name)
      writeFileSync(file, OLD)
      replicas.push({ portal: await spawnReplica(file), file })
    }
    let turn = 0
    const nextUrl = () => replicas[turn++ % replicas.length]?.portal.url
    /** Each session is refreshed by one replica, and used at every one. */
    const useSessions = async () => {
      const statuses: number[] = []
      for (const [index, { refresh_token }] of sessions.entries()) {
        const refreshed = await fetch(`${nextUrl()}/api/auth/token?grant_type=refresh_token`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ refresh_token }),
        })
        const session = (await refreshed.json()) as Session
        sessions[index] = session
        const headers = { authorization: `Bearer ${session.access_token}` }
        const used = await Promise.all(
          replicas.map(({ portal }) => fetch(`${portal.url}/api/profiles/me`, { headers })),
        )
        statuses.push(refreshed.status, ...used.map(({ status }) => status))
      }
      // The next round begins with the other replica.
      turn++
      expect([...new Set(statuses)]).toEqual([200])
    }
    const reload = async ({ portal, file }: (typeof replicas)[number], secrets: string[]) => {
      const count = () => portal.output().split('secrets read again').length
      const before = count()
      writeFileSync(file, secrets.join(','))
      portal.child.kill('SIGHUP')
      await expect.poll(count, { timeout: 15_000 }).toBe(before + 1)
    }
    await useSessions()
    for (const secrets of [
      [OLD, NEW],
      [NEW, OLD],
    ])
      for (const replica of replicas) {
        await reload(replica, secrets)
        await useSessions()
      }
    for (const replica of replicas) {
      writeFileSync(replica.file, NEW)
      await replica.portal.stop()
      replica.portal = await spawnReplica(replica.file)
      await useSessions()
    }
  }, 180_000)
})
