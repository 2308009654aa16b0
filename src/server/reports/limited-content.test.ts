import { beforeEach, describe, expect, test } from 'vitest'
import { EMULATED_PAGINATED_REPORT } from '#emulators/power-bi/catalogue.ts'
import {
  addPerson,
  configureReports,
  getEmulatedReport,
  openTestSession,
  send,
} from '#server/testing/builders.ts'
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

const { reportId, datasetId: id } = getEmulatedReport('Vendas')
const NAMED = { id, name: 'Vendas do grupo' }
/** As readers see it. */
const SHOWN = /^O Power BI dá ao portal só o nome deste modelo de dados/
const MISSING =
  /^O Power BI dá ao portal só o nome deste modelo de dados.* o administrador do Power BI precisa .*não só como visualizador.*permissão de gravação/

/** Replies of 'Datasets - Get Dataset In Group', whose fields but the id are all optional. */
const LIMITED: [string, object][] = [
  ['id and name alone', NAMED],
  ['no word of roles', { ...NAMED, isEffectiveIdentityRequired: true }],
  ['no word of an identity', { ...NAMED, isEffectiveIdentityRolesRequired: true }],
  ['no identity, and no word of roles', { ...NAMED, isEffectiveIdentityRequired: false }],
  ['null', { ...NAMED, isEffectiveIdentityRequired: null, isEffectiveIdentityRolesRequired: null }],
  ['text', { ...NAMED, isEffectiveIdentityRequired: 'false', isEffectiveIdentityRolesRequired: 'false' }],
]

describeOnEachDatabase('a model of which the service tells too little', (kind) => {
  describe.each([false, true])('with POWERBI_ALLOW_WITHOUT_RLS=%s', (allowWithoutRls) => {
    const portal = setUpPortal({ kind, rateLimits: false, allowWithoutRls })
    const runTest = async () => {
      const { access_token } = await openTestSession(portal, await addPerson(portal, { role: 'admin' }))
      return readTest(portal, access_token, toSetting('Vendas'))
    }
    beforeEach(async () => {
      await resetEmulator(portal)
      await portal.database.db.deleteFrom('jobs').execute()
      await portal.database.db.deleteFrom('global_powerbi_settings').execute()
      await configureReports(portal, 'Vendas')
      // What an earlier test has read is cached.
      portal.clock.advance(11 * 60_000)
    })

    test.each(LIMITED)('gives no token: %s', async (_, body) => {
      await scriptFault(portal, { on: 'dataset', status: 200, body, times: 9 })
      const reply = await fetchToken(portal, await addPerson(portal))
      expect([reply.status, reply.body.code, reply.body.embedToken]).toEqual([
        502,
        'power-bi-rejected',
        undefined,
      ])
      expect(reply.body.detail).toMatch(SHOWN)
      expect(await runTest()).toMatchObject({
        outcome: 'limited-content',
        message: expect.stringMatching(MISSING),
      })
      // Once the permission is there, the next request succeeds.
      await resetEmulator(portal)
      expect((await fetchToken(portal, await addPerson(portal))).status).toBe(200)
    })

    test('gives no export', async () => {
      await scriptFault(portal, { on: 'dataset', status: 200, body: NAMED, times: 9 })
      const { access_token: token } = await openTestSession(portal, await addPerson(portal))
      const wanted = { area: 'Vendas', reportId, format: 'pdf' }
      const { body } = await send(portal, 'POST', '/api/report-exports', { token, body: wanted })
      await portal.jobs.runDue()
      const path = `/api/report-exports/${body.id}`
      expect((await send(portal, 'GET', path, { token })).body).toMatchObject({
        status: 'failed',
        detail: expect.stringMatching(SHOWN),
      })
      expect((await listCalls(portal)).exportTo).toEqual([])
    })

    test('gives no token for a report without its model', async () => {
      const body = { id: reportId, name: 'Vendas do grupo' }
      await scriptFault(portal, { on: 'report', status: 200, body, times: 9 })
      const reply = await fetchToken(portal, await addPerson(portal))
      expect([reply.status, reply.body.embedToken]).toEqual([502, undefined])
      expect(reply.body.detail).toMatch(SHOWN)
    })

    test.each<[string, object]>([
      ['no list', {}],
      ['a source without details', { value: [{ datasourceType: 'AnalysisServices' }] }],
      ['a source without a type', { value: [null] }],
    ])('gives no token for a paginated report: %s', async (_, body) => {
      const { workspaceId, reportId: paginated } = EMULATED_PAGINATED_REPORT
      await portal.database.db
        .updateTable('global_powerbi_settings')
        .set({ workspace_id: workspaceId, report_id: paginated, dataset_id: null })
        .execute()
      await scriptFault(portal, { on: 'datasources', status: 200, body, times: 9 })
      const ids = { workspaceId, reportId: paginated, datasetId: null }
      const reply = await fetchToken(portal, await addPerson(portal), toTokenBody('Vendas', ids))
      expect([reply.status, reply.body.embedToken]).toEqual([502, undefined])
      expect((await listCalls(portal)).generateToken).toEqual([])
    })
  })

  describe('beside a capacity of which it tells too little', () => {
    const portal = setUpPortal({ kind, rateLimits: false })
    const admin = setUpAdmin(portal)
    test.each([
      [{ sku: undefined }, 'capacity-unknown'],
      [{ state: undefined }, 'capacity-unknown'],
      [{ state: 'ProvisionFailed' }, 'capacity-unknown'],
      [{ state: 'PreSuspended' }, 'capacity-paused'],
      [{ state: 'UpdatingSku' }, 'ok'],
    ])('%o is %s', async (changes, outcome) => {
      const capacity = { id: '0f084df7-c13d-451b-af5f-ed0c466403b2', sku: 'F8', state: 'Active' }
      await scriptFault(portal, { on: 'capacities', body: { value: [{ ...capacity, ...changes }] } })
      expect(await readTest(portal, admin.token, toSetting('Vendas'))).toMatchObject({ outcome })
    })
  })
})
