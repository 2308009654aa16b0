import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { EMULATED_CLIENT_ID, EMULATED_REPORTS, EMULATED_TENANT_ID } from '#emulators/power-bi/catalogue.ts'
import { CLIENT_SECRET } from '#emulators/power-bi/testing/call-emulator.ts'
import { serveEmulator } from '#emulators/power-bi/testing/serve-emulator.ts'
import { createLog } from '#server/log.ts'
import type { DirectoryOptions } from './directory-token.ts'
import { createPowerBi } from './power-bi-client.ts'

const [VENDAS] = EMULATED_REPORTS as [(typeof EMULATED_REPORTS)[number]]
const ANA = 'ana@grupopatio.com.br'
const IDENTITY = {
  username: ANA,
  roles: ['Portal'],
  customData: 'M:FIAT|U:RJ',
  auditableContext: ANA,
}

/** Self-signed, without its key; ends on 18 August 2029. The emulated directory checks no signature. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBeDCCAR2gAwIBAgIUfJPFicePZgaXpGB2NjkRZ5UwF1AwCgYIKoZIzj0EAwIw
ETEPMA0GA1UEAwwGcG9ydGFsMB4XDTI2MTEyMjA1MTIzMloXDTI5MDgxODA1MTIz
MlowETEPMA0GA1UEAwwGcG9ydGFsMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
QUV4jm+oBjGxpU1Rbk/44VpCtmrhQmLt28jOaLPSbFFaGYNadaC6vHAXdP0XYF1A
f2uvf9ftrmGfjmA4ego01aNTMFEwHQYDVR0OBBYEFI7xLgOrMTmMH98ssDIHRhA4
6G3OMB8GA1UdIwQYMBaAFI7xLgOrMTmMH98ssDIHRhA46G3OMA8GA1UdEwEB/wQF
MAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAPEpbSueMEjMNGTNgkcK8aDzB6u4rLeU
ekCAykCburD0AiEAwkXlA72QfQshdw0myhR+jRPP7GnKCl1fuF5UnI1AjeE=
-----END CERTIFICATE-----`

let emulator: Awaited<ReturnType<typeof serveEmulator>>
let folder: string
beforeEach(async () => {
  emulator = await serveEmulator({ secret: 'chave', clientSecret: CLIENT_SECRET })
  folder = mkdtempSync(join(tmpdir(), 'patio-secret-'))
})
afterEach(async () => {
  rmSync(folder, { recursive: true })
  await emulator.close()
})

function connect(credentials: Partial<DirectoryOptions>, clock: () => number = Date.now) {
  return createPowerBi({
    directory: {
      tenantId: EMULATED_TENANT_ID,
      clientId: EMULATED_CLIENT_ID,
      ...credentials,
      tokenEndpoint: `${emulator.at}/directory/${EMULATED_TENANT_ID}/oauth2/v2.0/token`,
    },
    apiBase: `${emulator.at}/api`,
    tokenMinutes: 30,
    allowWithoutRls: false,
    countCall: () => {},
    clock,
    log: createLog('silent'),
  })
}

/** Starts a client with a secret that the directory no longer accepts. */
function startWith(clientSecret: string) {
  const file = join(folder, 'secret')
  writeFileSync(file, `${clientSecret}\n`)
  const powerBi = connect({ clientSecret, credentialFiles: { secret: file } })
  const requestToken = () => powerBi.generateEmbedToken(VENDAS, IDENTITY, { isFirst: true })
  const countSignIns = async () => {
    const calls = (await (await fetch(`${emulator.at}/calls`)).json()) as { path: string }[]
    return calls.filter(({ path }) => path.startsWith('/directory/')).length
  }
  return { powerBi, requestToken, file, countSignIns }
}

test('a secret replaced in its file is adopted without a restart', async () => {
  const { powerBi, requestToken, file, countSignIns } = startWith('o segredo que venceu')
  await expect(requestToken()).rejects.toThrow(/recusou as credenciais/)
  // The file is unchanged: the directory is called only once.
  expect(await countSignIns()).toBe(1)
  writeFileSync(file, `${CLIENT_SECRET}\n`)
  expect((await requestToken()).token).toBeTruthy()
  expect((await powerBi.testReport(VENDAS, IDENTITY)).outcome).toBe('ok')
})

test('a missing or empty file changes nothing', async () => {
  const { requestToken, file } = startWith('o segredo que venceu')
  writeFileSync(file, '')
  await expect(requestToken()).rejects.toThrow(/recusou as credenciais/)
  rmSync(file)
  await expect(requestToken()).rejects.toThrow(/recusou as credenciais/)
})

test('a partially written certificate changes nothing', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const clientCertificate = `${CERTIFICATE}\n${privateKey.export({ type: 'pkcs8', format: 'pem' })}`
  const file = join(folder, 'certificate')
  writeFileSync(file, clientCertificate.slice(0, 300))
  const powerBi = connect({ clientCertificate, credentialFiles: { certificate: file } })
  const error = 'invalid_client'
  const body = { error, error_description: 'AADSTS700027: The certificate is not known.' }
  const fault = { on: 'directory', status: 401, times: 1, body }
  await fetch(`${emulator.at}/faults`, { method: 'PUT', body: JSON.stringify(fault) })
  await expect(powerBi.generateEmbedToken(VENDAS, IDENTITY, { isFirst: true })).rejects.toThrow(
    /não aceita o certificado/,
  )
})

test('the end of a certificate is reported a month before', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const clientCertificate = `${CERTIFICATE}\n${privateKey.export({ type: 'pkcs8', format: 'pem' })}`
  const readEndAt = (now: string) =>
    connect({ clientCertificate }, () => Date.parse(now)).testReport(VENDAS, IDENTITY)
  const ok = { outcome: 'ok' }
  expect(await readEndAt('2029-07-10')).toMatchObject({ ...ok, certificateEndsAt: null })
  const soon = await readEndAt('2029-07-30')
  expect(soon).toMatchObject({ ...ok, certificateEndsAt: new Date('2029-08-18T05:12:32Z') })
})

test('the end of a secret is the day that the settings name, and is reported a month before', async () => {
  const settings = { clientSecret: CLIENT_SECRET, secretEnds: '2027-05-31' }
  const readAt = (now: string) => connect(settings, () => Date.parse(now)).testReport(VENDAS, IDENTITY)
  const end = new Date('2027-05-31T23:59:59Z')
  expect(await connect(settings).readCertificateEnd()).toEqual(end)
  expect(await readAt('2027-04-30')).toMatchObject({ outcome: 'ok', certificateEndsAt: null })
  expect(await readAt('2027-05-03')).toMatchObject({ outcome: 'ok', certificateEndsAt: end })
  expect(await connect({ clientSecret: CLIENT_SECRET }).readCertificateEnd()).toBeUndefined()
})

test.each([
  [401, /recusou as credenciais/],
  [503, /está ocupado/],
])('a check bypasses the cached directory token: %i', async (status, problem) => {
  const powerBi = connect({ clientSecret: CLIENT_SECRET })
  expect((await powerBi.listWorkspaces(true)).length).toBeGreaterThan(0)
  await powerBi.listWorkspaces()
  const fault = { on: 'directory', status, times: 9, body: { error: 'invalid_client' } }
  await fetch(`${emulator.at}/faults`, { method: 'PUT', body: JSON.stringify(fault) })
  expect((await powerBi.listWorkspaces()).length).toBeGreaterThan(0)
  await expect(powerBi.listWorkspaces(true)).rejects.toThrow(problem)
})
