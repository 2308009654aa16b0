import { beforeEach, describe, expect, test } from 'vitest'
import { DOCUMENTED_REFRESHES } from '#emulators/power-bi/testing/documented-answers.ts'
import { readTrail } from '#server/testing/admin-calls.ts'
import {
  addPerson,
  configureReports,
  getEmulatedReport,
  openTestSession,
  send,
} from '#server/testing/builders.ts'
import { listCalls, resetEmulator, scriptFault } from '#server/testing/embed-token-calls.ts'
import { callSetting, toLinkSetting } from '#server/testing/report-setting-calls.ts'
import { setUpAdmin, setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

type Fault = Parameters<typeof scriptFault>[1]

const MINUTE = 60_000

describeOnEachDatabase('Atualizar agora', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  const admin = setUpAdmin(portal)
  beforeEach(async () => {
    await resetEmulator(portal)
    await portal.database.db.deleteFrom('global_powerbi_settings').execute()
    await configureReports(portal, 'Vendas')
    // The refresh of the previous test has ended.
    portal.clock.advance(5 * MINUTE)
  })
  const call = (method: 'GET' | 'POST', area = 'vendas') =>
    send(portal, method, `/api/global-powerbi-settings/${area}/refresh`, { token: admin.token })
  const listRefreshCalls = async () =>
    (await listCalls(portal)).all.filter(({ method, path }) => method === 'POST' && /\/refreshes$/.test(path))

  test('starts a refresh of the model, in the trail, and follows it to its end', async () => {
    const { status, body } = await call('POST')
    expect([status, body]).toMatchObject([200, { status: 'running' }])
    expect(body.message).toMatch(/^O Power BI começou a atualizar os dados/)
    const { workspaceId, datasetId } = getEmulatedReport('Vendas')
    expect(await listRefreshCalls()).toMatchObject([
      {
        path: `/api/v1.0/myorg/groups/${workspaceId}/datasets/${datasetId}/refreshes`,
        body: { notifyOption: 'NoNotification' },
        status: 202,
      },
    ])
    expect(await readTrail(portal)).toMatchObject([
      { action: 'report-refresh-requested', actor_id: admin.user_id, after: { type: 'Vendas' } },
    ])
    const running = (await call('GET')).body
    expect(running).toMatchObject({ status: 'running', message: expect.stringMatching(/em andamento desde/) })
    const again = (await call('POST')).body
    expect(again).toMatchObject({ status: 'running', message: expect.stringMatching(/^Os dados já estão/) })
    portal.clock.advance(MINUTE)
    const done = (await call('GET')).body
    expect(done).toMatchObject({
      status: 'completed',
      message: expect.stringMatching(/^Dados atualizados em/),
    })
  })

  test('shows a failure with the service’s code', async () => {
    const serviceExceptionJson = '{"errorCode":"ModelRefreshFailed_CredentialsNotSpecified"}'
    const times = { startTime: '2026-11-21T09:00:00Z', endTime: '2026-11-21T09:01:00Z' }
    const value = [{ status: 'Failed', serviceExceptionJson, ...times }]
    await scriptFault(portal, { on: 'refreshes', body: { value } })
    const { body } = await call('GET')
    expect(body.status).toBe('failed')
    expect(body.message).toMatch(
      /falhou em 21\/11\/2026, 06:01 .*\(código ModelRefreshFailed_CredentialsNotSpecified\): o administrador/,
    )
  })

  describe('of the history', () => {
    const HOUR = 60 * MINUTE
    const at = (hoursAgo: number) => new Date(portal.clock() - hoursAgo * HOUR).toISOString()
    const toEntry = (
      status: string,
      extendedStatus: string | undefined,
      startedHoursAgo: number,
      end = true,
    ) => ({
      ...DOCUMENTED_REFRESHES.runningWithEnd,
      status,
      extendedStatus,
      startTime: at(startedHoursAgo),
      endTime: end ? at(startedHoursAgo - 0.1) : undefined,
    })
    const read = async (...value: object[]) => {
      await scriptFault(portal, { on: 'refreshes', body: { value } })
      return (await call('GET')).body
    }

    // MicrosoftDocs/powerbi-docs issues 4795 and 3892: in some answers it has an end.
    test.each(['InProgress', 'NotStarted'])('%s is running whatever its end says', async (extended) => {
      const done = toEntry('Completed', 'Completed', 24)
      expect(await read(toEntry('Unknown', extended, 0.2), done)).toMatchObject({
        status: 'running',
        message: expect.stringMatching(/^Atualização em andamento desde .* Pode levar vários minutos\.$/),
      })
      expect(await read(toEntry('Unknown', extended, 3, false), done)).toMatchObject({
        status: 'running',
        message: expect.stringMatching(/levando mais que o normal: o administrador do Power BI precisa/),
      })
    })

    test('an Unknown of yesterday is lost, not running', async () => {
      const done = toEntry('Completed', 'Completed', 48)
      const found = await read(toEntry('Unknown', undefined, 25, false), done)
      expect(found.status).toBe('unknown')
      expect(found.message).toMatch(/^O Power BI não diz como terminou a atualização de .*: o administrador/)
    })

    test('an Unknown before a later refresh counts no more', async () => {
      const found = await read(toEntry('Unknown', undefined, 5, false), toEntry('Completed', undefined, 2))
      expect(found).toMatchObject({ status: 'completed' })
    })

    test.each([
      ['Cancelled', 'foi cancelada'],
      ['Disabled', 'foi desativada'],
    ])('%s is told to readers and administrators', async (status, told) => {
      const value = [toEntry(status, status, 2), toEntry('Completed', 'Completed', 26)]
      expect(await read(...value)).toMatchObject({
        status: 'failed',
        message: expect.stringMatching(
          `^A última atualização ${told} em .*: o administrador do Power BI precisa`,
        ),
      })
      await scriptFault(portal, { on: 'refreshes', body: { value } })
      portal.clock.advance(11 * MINUTE)
      const { access_token: token } = await openTestSession(portal, await addPerson(portal))
      const path = `/api/reports/${getEmulatedReport('Vendas').reportId}/last-refresh`
      expect((await send(portal, 'GET', path, { token })).body).toMatchObject({
        hasFailed: false,
        stopped: status.toLowerCase(),
        refreshedAt: value[1]?.endTime,
      })
    })

    test('TimedOut is a failure', async () => {
      expect(await read(toEntry('Unknown', 'TimedOut', 2))).toMatchObject({ status: 'failed' })
    })
  })

  test.each<[string, Omit<Fault, 'on'>, number, object]>([
    [
      'lacks write permission',
      { status: 403 },
      200,
      {
        status: 'no-write-permission',
        message: expect.stringMatching(/não pode atualizar.*administrador do/),
      },
    ],
    [
      'is refused for another reason',
      { status: 400, errorCode: 'InvalidRequest', message: 'Invalid dataset refresh request' },
      502,
      { code: 'power-bi-rejected', detail: expect.stringMatching(/código InvalidRequest, pedido [\w-]{36}/) },
    ],
    [
      'has to wait',
      { status: 429, headers: { 'Retry-After': '90' } },
      503,
      { code: 'power-bi-unavailable', detail: expect.stringMatching(/: espere 2 minutos e tente de novo/) },
    ],
    [
      'meets a paused capacity',
      { status: 404, errorCode: 'CapacityNotActive' },
      503,
      { code: 'capacity-paused' },
    ],
  ])('tells when the application %s', async (_, fault, status, expected) => {
    await scriptFault(portal, { on: 'refreshes', ...fault })
    const reply = await call('POST')
    expect([reply.status, reply.body]).toMatchObject([status, expected])
  })

  test('asks Power BI once, also when it may have taken a request that failed', async () => {
    await scriptFault(portal, { on: 'refreshes', status: 503 })
    const { status, body } = await call('POST')
    expect([status, body.code]).toEqual([503, 'power-bi-unavailable'])
    expect(await listRefreshCalls()).toHaveLength(1)
  })

  test('renews a refused directory token and asks again', async () => {
    await scriptFault(portal, { on: 'refreshes', status: 401 })
    expect((await call('POST')).body).toMatchObject({ status: 'running' })
    expect(await listRefreshCalls()).toHaveLength(2)
  })

  test('tells that a model has no refresh history', async () => {
    await scriptFault(portal, { on: 'refreshes', status: 415 })
    expect((await call('GET')).body).toMatchObject({ status: 'unknown' })
    await scriptFault(portal, { on: 'refreshes', body: { value: [] } })
    expect((await call('GET')).body).toMatchObject({ status: 'unknown' })
  })

  test('needs a saved report in Service Principal mode', async () => {
    const link = toLinkSetting('https://app.powerbi.com/reportEmbed?reportId=1')
    await callSetting(portal, admin.token, 'PUT', 'crm', { body: link })
    for (const area of ['crm', 'hpd'])
      for (const method of ['GET', 'POST'] as const) {
        const { status, body } = await call(method, area)
        expect([status, body.code]).toEqual([404, 'not-found'])
      }
    expect(await listRefreshCalls()).toEqual([])
  })
})
