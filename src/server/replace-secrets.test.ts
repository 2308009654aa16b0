import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createTokens } from './accounts/tokens.ts'
import { createKeyring } from './keyring.ts'
import { createMigratedDataDir } from './testing/migrated-portal.ts'
import { REAL_ENVIRONMENT, spawnPortal, waitUntilReady } from './testing/portal-process.ts'

const [OLD, NEW] = ['an-old-secret-7b9a3e48c6b2f1e0d9c8b7a695', 'a-new-secret-c6b2f1e0d9c8b7a6957b9a3e48']

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
  const { SESSION_SECRET: _, SMTP_URL: __, ...rest } = REAL_ENVIRONMENT
  const portal = await spawnPortal({
    ...rest,
    NODE_ENV: 'production',
    DATA_DIR: dataDir,
    PUBLIC_URL: 'http://localhost',
    ALTCHA_COST: '1000',
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
