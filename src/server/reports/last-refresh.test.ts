import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  addPerson,
  configureReports,
  getEmulatedReport,
  openTestSession,
  send,
} from '#server/testing/builders.ts'
import { listCalls, resetEmulator, scriptFault } from '#server/testing/embed-token-calls.ts'
import { readMetrics, TEST_METRICS_TOKEN } from '#server/testing/read-metrics.ts'
import { describeOnEachDatabase, setUpDatabase } from '#server/testing/test-database.ts'
import { startTestPortal, type TestPortal } from '#server/testing/test-portal.ts'

const { reportId } = getEmulatedReport('Vendas')

describeOnEachDatabase('last refresh', (kind) => {
  const database = setUpDatabase(kind)
  let portal: TestPortal
  beforeEach(async () => {
    await database.db.deleteFrom('global_powerbi_settings').execute()
    portal = await startTestPortal({ kind, database, metricsToken: TEST_METRICS_TOKEN })
    await configureReports(portal, 'Vendas')
  })
  afterEach(() => portal.stop())

  async function ask(changes: Parameters<typeof addPerson>[1] = {}, wanted = reportId) {
    const { access_token: token } = await openTestSession(portal, await addPerson(portal, changes))
    return send(portal, 'GET', `/api/reports/${wanted}/last-refresh`, { token })
  }
  const countCalls = async () =>
    (await listCalls(portal)).all.filter(({ path }) => path.includes('/refreshes')).length
  const toRefresh = (status: string, endTime: string | undefined) => ({ status, endTime, startTime: endTime })

  test('is available to holders of the area and cached for ten minutes', async () => {
    const { status, body } = await ask()
    expect(status).toBe(200)
    const age = portal.clock() - Date.parse(body.refreshedAt)
    expect(age).toBeGreaterThan(0)
    expect(age).toBeLessThan(25 * 3_600_000)
    expect(body.hasFailed).toBe(false)
    await ask()
    expect(await countCalls()).toBe(1)
    portal.clock.advance(10 * 60_000 + 1)
    await ask()
    expect(await countCalls()).toBe(2)
  })

  test('reports a failed newest refresh, also during another one', async () => {
    const value = [
      toRefresh('Unknown', undefined),
      toRefresh('Failed', '2026-11-21T09:00:00Z'),
      toRefresh('Completed', '2026-11-20T09:00:00Z'),
    ]
    await scriptFault(portal, { on: 'refreshes', body: { value } })
    expect((await ask()).body).toEqual({ refreshedAt: '2026-11-20T09:00:00.000Z', hasFailed: true })
  })

  test.each([
    ['Failed', { hasFailed: true }],
    ['Cancelled', { hasFailed: false, stopped: 'cancelled' }],
    ['Disabled', { hasFailed: false, stopped: 'disabled' }],
  ])('is listed for every report to administrators, null for shared links: %s', async (status, end) => {
    await portal.database.db
      .insertInto('global_powerbi_settings')
      .values({ type: 'slack', embed_mode: 'secure_sso', report_url: 'https://app.powerbi.com/x' } as never)
      .execute()
    const value = [toRefresh(status, '2026-11-21T09:00:00Z'), toRefresh('Completed', '2026-11-20T09:00:00Z')]
    await scriptFault(portal, { on: 'refreshes', body: { value } })
    const { access_token: token } = await openTestSession(
      portal,
      await addPerson(portal, { role: 'admin', types: [] }),
    )
    const { body } = await send(portal, 'GET', '/api/global-powerbi-settings/states', { token })
    expect(body.items).toEqual([
      {
        area: 'vendas',
        name: 'Vendas',
        embedMode: 'service_principal',
        refreshedAt: '2026-11-20T09:00:00.000Z',
        ...end,
      },
      { area: 'slack', name: 'Slack', embedMode: 'secure_sso', refreshedAt: null, hasFailed: false },
    ])
  })

  test.each([
    ['refuses', { on: 'refreshes', status: 403 }],
    ['lists none', { on: 'refreshes', body: { value: [] } }],
    [
      'answers with malformed JSON values',
      { on: 'refreshes', body: { value: [null, toRefresh('Completed', 'ontem')] } },
    ],
    ['does not know the report', { on: 'report', status: 404 }],
  ] as const)('is unknown and cached where the service %s', async (_, fault) => {
    await scriptFault(portal, { ...fault, times: 1 })
    const nothing = { refreshedAt: null, hasFailed: false }
    expect((await ask()).body).toEqual(nothing)
    if (fault.on !== 'refreshes') return
    expect((await ask()).body).toEqual(nothing)
    // A model without a history must not raise an alarm.
    const { figure } = await readMetrics(portal)
    expect(figure('patio_upstream_calls_total{service="power-bi",outcome="refused"}') ?? 0).toBe(0)
  })

  test('is not available without the area', async () => {
    await resetEmulator(portal)
    for (const reply of [await ask({ types: ['CRM'] }), await ask({}, getEmulatedReport('CRM').reportId)])
      expect([reply.status, reply.body.code]).toEqual([404, 'report-not-found'])
    expect((await listCalls(portal)).all).toEqual([])
  })
})
