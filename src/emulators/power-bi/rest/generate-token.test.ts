import { describe, expect, it } from 'vitest'
import { EMULATED_REPORTS, EMULATED_REPORT_WITHOUT_RLS as OPEN } from '#emulators/power-bi/catalogue.ts'
import { callEmulator, createIdentity, decodePayload, VENDAS } from '#emulators/power-bi/testing/call-emulator.ts'

const NOW = Date.UTC(2026, 10, 1, 12)
const OFICINA = EMULATED_REPORTS[1] as typeof VENDAS

describe('GenerateToken', () => {
  const { generate, rest } = callEmulator({ clock: () => NOW })
  const identity = (changes: Record<string, unknown>) => [createIdentity(VENDAS.datasetId, changes)]

  it('gives a token that names report, dataset and identity and lives as long as the directory token', async () => {
    const { token, tokenId, expiration } = (await generate()).json()
    expect(decodePayload(token)).toMatchObject({
      tokenId,
      reportId: VENDAS.reportId,
      datasetId: VENDAS.datasetId,
      identities: [{ customData: 'M:FIAT|U:RJ' }],
      exp: NOW / 1000 + 3599,
    })
    expect(expiration).toBe('2026-11-01T12:59:59Z')
    expect(token.split('.')).toHaveLength(3)
  })

  it.each([
    [30, 1800],
    [600, 3599],
    [0, 3599],
  ])('lets lifetimeInMinutes %d only shorten: %d s', async (lifetimeInMinutes, seconds) => {
    const { token } = (await generate({ lifetimeInMinutes })).json()
    expect(decodePayload(token).exp - NOW / 1000).toBe(seconds)
  })

  it.each([
    ['no identity', { identities: [] }, /requires effective identity/],
    ['no role', { identities: identity({ roles: [] }) }, /requires roles/],
    ['an unknown role', { identities: identity({ roles: ['Outra'] }) }, /role 'Outra' does not exist/],
    ['no username', { identities: identity({ username: '' }) }, /username is required/],
    ['a space in the username', { identities: identity({ username: 'ana maria' }) }, /without spaces/],
    ['an accent in the username', { identities: identity({ username: 'joão@x.com' }) }, /ASCII/],
    ['a username of 257', { identities: identity({ username: 'a'.repeat(257) }) }, /256/],
    ['no datasets', { identities: identity({ datasets: [] }) }, /datasets are required/],
    [
      'another dataset in the identity',
      { identities: identity({ datasets: [OFICINA.datasetId] }) },
      /not for/,
    ],
    ['51 roles', { identities: identity({ roles: Array(51).fill('Portal') }) }, /at most 50/],
    ['two identities', { identities: [...identity({}), ...identity({})] }, /one effective identity/],
    ['a lifetime in words', { lifetimeInMinutes: 'dez' }, /lifetimeInMinutes/],
    ['neither report nor dataset', { reports: [], datasets: [], identities: [] }, /are required/],
  ])('answers 400 to %s', async (_, changes, message) => {
    const reply = await generate(changes)
    expect(reply.status).toBe(400)
    expect(reply.json().error.code).toBe('InvalidRequest')
    expect(reply.json().error.message).toMatch(message)
  })

  it('refuses an identity for a dataset without row-level security, and wants none', async () => {
    const wanted = { reports: [{ id: OPEN.reportId }], datasets: [{ id: OPEN.datasetId }] }
    const identities = [createIdentity(OPEN.datasetId)]
    const refused = await rest('POST', '/GenerateToken', { ...wanted, identities })
    expect([refused.status, refused.json().error.message]).toEqual([
      400,
      expect.stringMatching(/shouldn't have/),
    ])
    expect((await rest('POST', '/GenerateToken', wanted)).status).toBe(200)
  })

  it('does not compare reports with datasets', async () => {
    const ask = (report: string, dataset: string) =>
      rest('POST', '/GenerateToken', {
        reports: [{ id: report }],
        datasets: [{ id: dataset }],
        identities: [createIdentity(dataset)],
      })
    const { token } = (await ask(VENDAS.reportId, VENDAS.datasetId)).json()
    expect(decodePayload(token)).toMatchObject({ reportId: VENDAS.reportId, accessLevel: 'View' })
    expect((await ask(VENDAS.reportId, OFICINA.datasetId)).status).toBe(200)
    expect((await ask(VENDAS.datasetId, VENDAS.datasetId)).status).toBe(404)
    expect((await ask(VENDAS.reportId, VENDAS.reportId)).status).toBe(404)
  })
})
