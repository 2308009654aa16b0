import { describe, expect, it } from 'vitest'
import {
  EMULATED_REPORTS,
  EMULATED_SSO_REPORT,
  EMULATED_REPORT_WITHOUT_RLS as OPEN,
} from '#emulators/power-bi/catalogue.ts'
import { callEmulator, decodePayload, toIdentity, VENDAS } from '#emulators/power-bi/testing/call-emulator.ts'

const NOW = Date.UTC(2026, 10, 1, 12)
const OFICINA = EMULATED_REPORTS[1] as typeof VENDAS

describe('GenerateToken', () => {
  const { generate, rest } = callEmulator({ clock: () => NOW })
  const toIdentities = (changes: Record<string, unknown>) => [toIdentity(VENDAS.datasetId, changes)]

  it('issues a token for report, dataset and identity with the directory token’s lifetime', async () => {
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
  ])('only shortens by lifetimeInMinutes %d: %d s', async (lifetimeInMinutes, seconds) => {
    const { token } = (await generate({ lifetimeInMinutes })).json()
    expect(decodePayload(token).exp - NOW / 1000).toBe(seconds)
  })

  it.each([
    ['no identity', { identities: [] }, /requires effective identity/],
    ['no role', { identities: toIdentities({ roles: [] }) }, /requires roles/],
    ['an unknown role', { identities: toIdentities({ roles: ['Outra'] }) }, /role 'Outra' does not exist/],
    ['no username', { identities: toIdentities({ username: '' }) }, /username is required/],
    ['a space in the username', { identities: toIdentities({ username: 'ana maria' }) }, /without spaces/],
    ['an accent in the username', { identities: toIdentities({ username: 'joão@x.com' }) }, /ASCII/],
    ['a username of 257', { identities: toIdentities({ username: 'a'.repeat(257) }) }, /256/],
    ['no datasets', { identities: toIdentities({ datasets: [] }) }, /datasets are required/],
    [
      'another dataset in the identity',
      { identities: toIdentities({ datasets: [OFICINA.datasetId] }) },
      /not for/,
    ],
    ['51 roles', { identities: toIdentities({ roles: Array(51).fill('Portal') }) }, /at most 50/],
    ['a role with a comma', { identities: toIdentities({ roles: ['A,B'] }) }, /without commas/],
    ['an auditable context of 7', { identities: toIdentities({ auditableContext: 7 }) }, /auditableContext/],
    ['two identities', { identities: [...toIdentities({}), ...toIdentities({})] }, /one effective identity/],
    ['a lifetime in words', { lifetimeInMinutes: 'dez' }, /lifetimeInMinutes/],
    ['neither report nor dataset', { reports: [], datasets: [], identities: [] }, /are required/],
  ])('returns 400 for %s', async (_, changes, message) => {
    const reply = await generate(changes)
    expect(reply.status).toBe(400)
    expect(reply.json().error.code).toBe('InvalidRequest')
    expect(reply.json().error.message).toMatch(message)
  })

  it('rejects an identity for a dataset without row-level security', async () => {
    const wanted = { reports: [{ id: OPEN.reportId }], datasets: [{ id: OPEN.datasetId }] }
    const identities = [toIdentity(OPEN.datasetId)]
    const refused = await rest('POST', '/GenerateToken', { ...wanted, identities })
    expect([refused.status, refused.json().error.message]).toEqual([
      400,
      expect.stringMatching(/shouldn't have/),
    ])
    expect((await rest('POST', '/GenerateToken', wanted)).status).toBe(200)
  })

  it('rejects every identity for a source with single sign-on', async () => {
    const { workspaceId, reportId, datasetId } = EMULATED_SSO_REPORT
    const dataset = (await rest('GET', `/groups/${workspaceId}/datasets/${datasetId}`)).json()
    expect(dataset).toMatchObject({
      isEffectiveIdentityRequired: true,
      isEffectiveIdentityRolesRequired: false,
    })
    const wanted = { reports: [{ id: reportId }], datasets: [{ id: datasetId }] }
    const identities = [toIdentity(datasetId)]
    const refused = await rest('POST', '/GenerateToken', { ...wanted, identities })
    expect([refused.status, refused.json().error]).toEqual([
      403,
      expect.objectContaining({ code: 'InvalidRequest', message: expect.stringMatching(/not supported/) }),
    ])
    expect((await rest('POST', '/GenerateToken', wanted)).status).toBe(400)
  })

  it('does not match reports with datasets', async () => {
    const requestToken = (report: string, dataset: string) =>
      rest('POST', '/GenerateToken', {
        reports: [{ id: report }],
        datasets: [{ id: dataset }],
        identities: [toIdentity(dataset)],
      })
    const { token } = (await requestToken(VENDAS.reportId, VENDAS.datasetId)).json()
    expect(decodePayload(token)).toMatchObject({ reportId: VENDAS.reportId, accessLevel: 'View' })
    expect((await requestToken(VENDAS.reportId, OFICINA.datasetId)).status).toBe(200)
    expect((await requestToken(VENDAS.datasetId, VENDAS.datasetId)).status).toBe(404)
    expect((await requestToken(VENDAS.reportId, VENDAS.reportId)).status).toBe(404)
  })
})
