import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { EMULATED_PAGINATED_REPORT } from '#emulators/power-bi/catalogue.ts'
import { addPerson, getEmulatedReport } from '#server/testing/builders.ts'
import {
  fetchToken,
  listCalls,
  resetEmulator,
  scriptFault,
  toTokenBody,
} from '#server/testing/embed-token-calls.ts'
import { readTest, toSetting } from '#server/testing/report-setting-calls.ts'
import { setUpAdmin, setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal, type TestPortal } from '#server/testing/test-portal.ts'

const { workspaceId, reportId, datasetId } = EMULATED_PAGINATED_REPORT
const OTHER = getEmulatedReport('Oficina').datasetId
const createModelSource = (id: string) => ({
  datasourceType: 'AnalysisServices',
  connectionDetails: { server: 'pbiazure://api.powerbi.com/', database: `sobe_wowvirtualserver-${id}` },
})
const SQL_SOURCE = { datasourceType: 'Sql', connectionDetails: { server: 'dw', database: datasetId } }

describeOnEachDatabase('a paginated report', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  const admin = setUpAdmin(portal)
  beforeAll(async () => {
    await portal.database.db
      .insertInto('global_powerbi_settings')
      .values({
        type: 'vendas',
        embed_mode: 'service_principal',
        workspace_id: workspaceId,
        report_id: reportId,
        dataset_id: datasetId,
      })
      .execute()
  })
  beforeEach(() => resetEmulator(portal))

  const requestToken = async (on: TestPortal = portal, named: string | null = datasetId) => {
    await portal.database.db.updateTable('global_powerbi_settings').set({ dataset_id: named }).execute()
    const person = await addPerson(portal)
    const { status, body } = await fetchToken(
      on,
      person,
      toTokenBody('Vendas', { workspaceId, reportId, datasetId: named }),
    )
    return { status, body, email: person.email }
  }
  const setting = toSetting('Vendas', {
    workspace_id: workspaceId,
    report_id: reportId,
    dataset_id: null,
  })

  test.each([
    ['named', datasetId],
    ['not named', null],
  ])('of one model is filtered by the identity, with its dataset %s', async (_, named) => {
    const { status, body, email } = await requestToken(portal, named)
    expect([status, body.isPaginated]).toEqual([200, true])
    const { all, generateToken } = await listCalls(portal)
    expect(generateToken.at(-1)?.body).toMatchObject({
      reports: [{ id: reportId }],
      datasets: [{ id: datasetId, xmlaPermissions: 'ReadOnly' }],
      identities: [
        { username: email, roles: ['Portal'], customData: 'M:FIAT|U:RJ', datasets: [datasetId] },
        { username: email, reports: [reportId], auditableContext: email },
      ],
    })
    expect(all.filter(({ path }) => path.endsWith('/datasources')).length).toBeLessThanOrEqual(1)
  })

  test('passes the test', async () => {
    const found = await readTest(portal, admin.token, setting)
    expect(found).toMatchObject({ outcome: 'ok', reportName: 'Ordens de serviço para imprimir' })
  })

  describe('that the identity cannot filter is never shown', () => {
    test.each([
      ['of a database', [SQL_SOURCE]],
      ['of a model and a database', [createModelSource(datasetId), SQL_SOURCE]],
      ['of two models', [createModelSource(datasetId), createModelSource(OTHER)]],
      ['of nothing', []],
      ['of an unknown source', [null, { connectionDetails: { server: 'pbiazure://x', database: 'nome' } }]],
    ])('%s', async (_, value) => {
      const { database, clock } = portal
      const fresh = await startTestPortal({ kind, database, clock, rateLimits: false })
      await scriptFault(fresh, { on: 'datasources', body: { value }, times: 9 })
      const { status, body } = await requestToken(fresh)
      expect([status, body.code, body.embedToken]).toEqual([502, 'power-bi-rejected', undefined])
      expect(body.detail).toMatch(/^Este relatório paginado não lê só de um modelo semântico/)
      expect(await readTest(fresh, admin.token, setting)).toMatchObject({
        outcome: 'paginated-sources',
        message: expect.stringMatching(
          /o administrador do Power BI precisa .* ou use “URL Direta \(SSO\)”\.$/,
        ),
      })
      await fresh.stop()
    })

    test('of another model than the setting’s', async () => {
      const { status, body } = await requestToken(portal, OTHER)
      expect([status, body.detail]).toEqual([502, expect.stringMatching(/usa outro modelo de dados/)])
    })
  })

  test('of a database is shown with the user’s email where the installation allows it', async () => {
    const { database, clock } = portal
    const lax = await startTestPortal({ kind, database, clock, rateLimits: false, allowWithoutRls: true })
    await scriptFault(lax, { on: 'datasources', body: { value: [SQL_SOURCE] } })
    const { status, email } = await requestToken(lax)
    expect(status).toBe(200)
    const [call] = (await listCalls(lax)).generateToken
    expect(call?.body).toMatchObject({ identities: [{ username: email, reports: [reportId] }] })
    expect(call?.body.datasets).toBeUndefined()
    await lax.stop()
  })
})
