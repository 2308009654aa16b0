import { beforeAll, beforeEach, expect, test } from 'vitest'
import { EMULATED_THIN_REPORT } from '#emulators/power-bi/catalogue.ts'
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

const { workspaceId, reportId, datasetId, datasetWorkspaceId } = EMULATED_THIN_REPORT
const OFICINA = getEmulatedReport('Oficina')

describeOnEachDatabase('a report with a model in another workspace', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  const admin = setUpAdmin(portal)
  const updateSettings = () => portal.database.db.updateTable('global_powerbi_settings')
  beforeAll(async () => {
    const ids = { workspace_id: workspaceId, report_id: reportId, dataset_id: datasetId }
    await portal.database.db
      .insertInto('global_powerbi_settings')
      .values({ type: 'vendas', embed_mode: 'service_principal', ...ids })
      .execute()
  })
  beforeEach(() => resetEmulator(portal))

  const requestToken = async (named: string | null = datasetId) => {
    await updateSettings().set({ dataset_id: named }).execute()
    const body = toTokenBody('Vendas', { workspaceId, reportId, datasetId: named })
    return fetchToken(portal, await addPerson(portal), body)
  }

  test.each([
    ['named in the setting', datasetId],
    ['found by itself', null],
  ])('is shown with its dataset %s', async (_, named) => {
    expect((await requestToken(named)).status).toBe(200)
    const { generateToken, dataset } = await listCalls(portal)
    expect(generateToken.map(({ path }) => path)).toEqual(['/api/v1.0/myorg/GenerateToken'])
    expect(generateToken[0]?.body).toMatchObject({
      reports: [{ id: reportId }],
      datasets: [{ id: datasetId }],
      identities: [{ roles: ['Portal'], datasets: [datasetId] }],
    })
    for (const { path } of dataset) expect(path).toContain(`/groups/${datasetWorkspaceId}/`)
  })

  test('is never shown with another report’s model, although the service would issue a token', async () => {
    const { status, body } = await requestToken(OFICINA.datasetId)
    expect([status, body.code, body.embedToken]).toEqual([502, 'power-bi-rejected', undefined])
    expect(body.detail).toMatch(/^O relatório usa outro modelo de dados/)
    expect((await listCalls(portal)).generateToken[0]?.status).toBe(200)
  })

  test('passes the test, which names a workspace without membership', async () => {
    const setting = toSetting('Vendas', {
      workspace_id: workspaceId,
      report_id: reportId,
      dataset_id: null,
    })
    expect((await readTest(portal, admin.token, setting)).outcome).toBe('ok')
    const asked = (await listCalls(portal)).all.filter(({ path }) => path.includes('/groups?'))
    for (const workspace of [workspaceId, datasetWorkspaceId])
      expect(asked.some(({ path }) => path.includes(workspace as string))).toBe(true)
    await scriptFault(portal, { on: 'groups', body: { value: [{ isOnDedicatedCapacity: false }] } })
    expect((await readTest(portal, admin.token, setting)).outcome).toBe('no-capacity')
    await scriptFault(portal, { on: 'dataset', status: 403 })
    expect(await readTest(portal, admin.token, setting)).toMatchObject({
      outcome: 'no-model-access',
      message: expect.stringMatching(
        /como membro \(pode demorar a valer\) também no espaço de trabalho em que o modelo está\.$/,
      ),
    })
  })
})
