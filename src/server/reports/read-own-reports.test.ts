import { beforeAll, describe, expect, test } from 'vitest'
import { TYPES } from '#contract/seeded-catalogue.ts'
import {
  addPerson,
  configureReports,
  getEmulatedReport,
  openTestSession,
  send,
} from '#server/testing/builders.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const REPORT_URL = 'https://app.powerbi.com/reportEmbed?reportId=1&autoAuth=true'

describeOnEachDatabase('reports/me', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  beforeAll(async () => {
    await configureReports(portal, 'CRM', 'Vendas', 'Oficina', 'Marketing')
    const sso = { embed_mode: 'secure_sso', report_url: REPORT_URL } as const
    await portal.database.db
      .insertInto('global_powerbi_settings')
      .values(['administrativo', 'operadores', 'slack', 'inventada'].map((type) => ({ type, ...sso })))
      .execute()
  })

  const read = async (person: Parameters<typeof addPerson>[1]) => {
    const { access_token: token } = await openTestSession(portal, await addPerson(portal, person))
    const { status, body } = await send(portal, 'GET', '/api/reports/me', { token })
    expect(status).toBe(200)
    return { ...body, types: body.areas.map((area: { type: string }) => area.type) }
  }

  test('returns the caller’s areas in tab order with their reports', async () => {
    const { types, ...rest } = await read({
      types: ['Operadores', 'Vendas'],
      marcas: ['GM', 'FIAT'],
      estados: ['ES'],
    })
    const { workspaceId, reportId, datasetId } = getEmulatedReport('Vendas')
    const sales = {
      embedMode: 'service_principal',
      reportUrl: null,
      workspaceId,
      reportId,
      datasetId,
      canExport: true,
    }
    const calls = {
      embedMode: 'secure_sso',
      reportUrl: REPORT_URL,
      workspaceId: null,
      reportId: null,
      datasetId: null,
      canExport: true,
    }
    const id = expect.stringMatching(/^[0-9a-f-]{36}$/)
    expect(rest).toEqual({
      notices: [],
      approved: true,
      endedOn: null,
      emailVerified: true,
      marcas: ['GM', 'FIAT'],
      estados: ['ES'],
      areas: [
        { type: 'Vendas', ...sales, reports: [{ id, name: 'Vendas', ...sales }] },
        { type: 'Operadores', ...calls, reports: [{ id, name: 'Operadores', ...calls }] },
      ],
    })
  })

  test('sorts by tab order, not by types or settings', async () => {
    const expected = ['Vendas', 'Oficina', 'CRM', 'Marketing', 'Operadores', 'Administrativo', 'Slack']
    expect((await read({ types: [...TYPES] })).types).toEqual(expected)
    expect((await read({ types: [...TYPES].reverse() })).types).toEqual(expected)
  })

  test('treats a lowercase administrativo as Administrativo, without duplicates', async () => {
    expect((await read({ types: ['administrativo', 'Vendas'] })).types).toEqual(['Vendas', 'Administrativo'])
    expect((await read({ types: ['administrativo', 'Administrativo'] })).types).toEqual(['Administrativo'])
  })

  test('omits unknown and unconfigured areas, even with a setting of that name', async () => {
    expect(
      (await read({ types: ['Inventada', 'inventada', 'HPD', 'Gerentes', '', 'Vendas'] })).types,
    ).toEqual(['Vendas'])
    expect((await read({ types: [] })).types).toEqual([])
  })

  test('omits areas outside the types, also for an administrator', async () => {
    expect((await read({ types: ['CRM'], role: 'admin' })).types).toEqual(['CRM'])
  })

  test('returns no areas without approval, also for an administrator', async () => {
    for (const role of ['user', 'admin'] as const)
      expect(await read({ approved: false, role })).toMatchObject({ approved: false, areas: [] })
  })

  test('returns whether the address is verified', async () => {
    expect(await read({ email_verified_at: null })).toMatchObject({ emailVerified: false, types: ['Vendas'] })
  })

  describe('keeps the tab but withholds the share link', () => {
    test.each([
      ['without marcas', { marcas: [] }],
      ['without estados', { estados: [] }],
      ['with unknown marcas only', { marcas: ['FERRARI'] }],
      ['with unknown estados only', { estados: ['SP'] }],
    ])('%s', async (_, scope) => {
      const { areas } = await read({ types: ['Operadores', 'Slack'], ...scope })
      expect(areas.map((area: object) => ({ ...area, embedMode: undefined }))).toMatchObject([
        { type: 'Operadores', reportUrl: null },
        { type: 'Slack', reportUrl: null },
      ])
    })
  })
})
