import { beforeEach, describe, expect, test } from 'vitest'
import {
  EMULATED_CAPACITY_ID,
  EMULATED_SSO_REPORT,
  EMULATED_REPORT_WITHOUT_RLS as OPEN,
} from '#emulators/power-bi/catalogue.ts'
import { getEmulatedReport } from '#server/testing/builders.ts'
import { listCalls, resetEmulator, scriptFault } from '#server/testing/embed-token-calls.ts'
import { readTest, toSetting } from '#server/testing/report-setting-calls.ts'
import { setUpAdmin, setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal } from '#server/testing/test-portal.ts'

type Fault = Parameters<typeof scriptFault>[1]

const OFICINA = getEmulatedReport('Oficina')
const WITHOUT_RLS = { workspace_id: OPEN.workspaceId, report_id: OPEN.reportId, dataset_id: OPEN.datasetId }
const NOWHERE = '00000000-0000-4000-8000-000000000000'
const DATASET = `Creating embed token for accessing dataset ${NOWHERE}`

describeOnEachDatabase('Testar relatório, with a fault', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  // Without brands, states and approval, which administrators do not need to configure.
  const admin = setUpAdmin(portal, { approved: false, marcas: [], estados: [] })
  beforeEach(() => resetEmulator(portal))
  const runTest = (body: object, on = portal, as = admin.token) => readTest(on, as, body)

  const TI = /: a equipe de TI precisa /
  const PORTAL = /: o administrador do portal precisa /
  const POWER_BI = /[:,] o administrador do Power BI precisa /
  const WAIT = /: espere (alguns minutos|1 minuto) e tente de novo\.$/

  describe('a wrong setting', () => {
    test.each<[string, object, string, RegExp]>([
      ['another workspace', { workspace_id: OFICINA.workspaceId }, 'report-not-found', PORTAL],
      ['no such report', { report_id: NOWHERE }, 'report-not-found', PORTAL],
      ['no such dataset', { dataset_id: NOWHERE }, 'dataset-mismatch', PORTAL],
      ['the dataset of another workspace', { dataset_id: OFICINA.datasetId }, 'dataset-mismatch', PORTAL],
      ['a dataset id that is none', { dataset_id: 'errado' }, 'dataset-mismatch', PORTAL],
      ['a dataset id that climbs', { dataset_id: '..' }, 'dataset-mismatch', PORTAL],
    ])('%s', async (_, changes, outcome, who) => {
      const found = await runTest(toSetting('Vendas', changes))
      expect(found).toMatchObject({ outcome, message: expect.stringMatching(who), refreshedAt: null })
      const calls = await listCalls(portal)
      expect(calls.generateToken).toEqual([])
      const rest = calls.all.filter((call) => !calls.directory.includes(call))
      for (const { path } of rest) expect(path).toMatch(/\/(reports|datasets)\/[^/]+$/)
    })

    test('the report of another dataset', async () => {
      await scriptFault(portal, { on: 'report', body: { datasetId: OFICINA.datasetId } })
      const found = await runTest(toSetting('Vendas'))
      expect(found).toMatchObject({ outcome: 'dataset-mismatch', message: expect.stringMatching(PORTAL) })
      expect(found.reportName).toBe('Vendas do grupo')
    })

    test('a model without row-level security, unless the installation allows it', async () => {
      const open = toSetting('Vendas', WITHOUT_RLS)
      const found = await runTest(open)
      expect(found).toMatchObject({ outcome: 'without-rls', message: expect.stringMatching(POWER_BI) })
      expect(found.message).toContain('“Portal”')
      expect((await listCalls(portal)).generateToken).toEqual([])
      const { database, clock } = portal
      const lax = await startTestPortal({ kind, database, clock, rateLimits: false, allowWithoutRls: true })
      expect((await runTest(open, lax)).outcome).toBe('ok')
      await lax.stop()
    })

    test('a model that needs an identity but has no roles', async () => {
      const { workspaceId: workspace_id, reportId: report_id } = EMULATED_SSO_REPORT
      const found = await runTest(toSetting('Vendas', { workspace_id, report_id, dataset_id: null }))
      expect(found).toMatchObject({ outcome: 'sso-connection', message: expect.stringMatching(POWER_BI) })
      expect((await listCalls(portal)).generateToken).toEqual([])
    })

    test('a role unknown to the model', async () => {
      const { database, clock } = portal
      const other = await startTestPortal({
        kind,
        database,
        clock,
        rateLimits: false,
        rlsRoles: ['Portal', 'Outra'],
      })
      const found = await runTest(toSetting('Vendas'), other)
      expect(found).toMatchObject({ outcome: 'unknown-role', message: expect.stringMatching(POWER_BI) })
      expect(found.message).toContain('as funções “Portal” e “Outra”')
      await other.stop()
    })
  })

  describe('when the service refuses', () => {
    const toFault = (target: Fault['on'], status: number, more: Partial<Fault> = {}) =>
      ({ on: target, status, ...more }) as Fault
    const failToken = (message: string) => toFault('generateToken', 400, { message })
    const wait = { headers: { 'Retry-After': '60', RequestId: NOWHERE } }
    const switchedOff = { 'X-PowerBI-Error-Info': 'ServicePrincipalIsNotAllowedByTenantAdminSwitch' }
    const page = { body: '<html><h1>Access denied</h1></html>' }
    const unknownError = { 'X-PowerBI-Error-Info': 'UnknownError' }
    const closed = { Message: 'API is not accessible for application' }
    const toRefusal = (status: number, errorCode: string, number: number) =>
      toFault('directory', status, { errorCode, message: `AADSTS${number}: Some text. Trace ID: x` })
    const trialUsedUp = { errorCode: 'Forbidden', message: 'The user has exceeded the amount of embed token' }
    const CASES: [string, RegExp, Record<string, Fault>][] = [
      ['bad-credentials', TI, { 'the secret': toFault('directory', 401) }],
      ['secret-expired', TI, { 'a secret past its end': toRefusal(401, 'invalid_client', 7000222) }],
      [
        'wrong-client-id',
        TI,
        {
          'an unknown application': toRefusal(400, 'unauthorized_client', 700016),
          'an application that is not in this tenant': toRefusal(401, 'invalid_client', 7000229),
        },
      ],
      [
        'application-disabled',
        TI,
        { 'an application switched off': toRefusal(400, 'unauthorized_client', 7000112) },
      ],
      ['bad-certificate', TI, { 'the certificate': toRefusal(401, 'invalid_client', 700027) }],
      ['wrong-clock', TI, { 'a signature of another hour': toRefusal(401, 'invalid_client', 700024) }],
      [
        'conditional-access',
        TI,
        { 'the address that it comes from': toRefusal(400, 'interaction_required', 53003) },
      ],
      ['no-power-bi', TI, { 'a tenant without Power BI': toRefusal(400, 'invalid_resource', 500011) }],
      [
        'directory-refused',
        /\(código AADSTS90099, pedido [\w-]{36}\): a equipe de TI precisa .*\/error\.$/,
        { 'with a number that has no sentence': toRefusal(400, 'access_denied', 90099) },
      ],
      [
        'foreign-answer',
        /\(código HTTP (200|403) de 127\.0\.0\.1:\d+\): a equipe de TI precisa liberar/,
        {
          'by a firewall before the directory': toFault('directory', 403, page),
          'by a firewall before the service': toFault('report', 403, page),
          'by a captive portal': toFault('dataset', 200, page),
        },
      ],
      [
        'wrong-tenant',
        TI,
        {
          'an unknown tenant': toRefusal(400, 'invalid_request', 90002),
          'a malformed tenant': toRefusal(400, 'invalid_request', 900023),
        },
      ],
      [
        'no-workspace-access',
        POWER_BI,
        {
          'the portal in the workspace': toFault('report', 403),
          'it with 401': toFault('report', 401, { errorCode: 'PowerBINotAuthorizedException' }),
          'it as for an unknown workspace': toFault('report', 404, { errorCode: 'PowerBIFolderNotFound' }),
        },
      ],
      [
        'service-principals-off',
        POWER_BI,
        {
          'service principals altogether': toFault('report', 401, { body: '', headers: switchedOff }),
          'them with an additional general code': toFault('report', 401, {
            errorCode: 'PowerBINotAuthorizedException',
            headers: switchedOff,
          }),
        },
      ],
      [
        'api-closed',
        POWER_BI,
        {
          'the application its API': toFault('report', 403, { body: closed }),
          'its tokens': toFault('generateToken', 403, { body: closed }),
        },
      ],
      ['no-model-access', POWER_BI, { 'the dataset alone': toFault('dataset', 403) }],
      ['limited-content', POWER_BI, { 'all of a report but its id': toFault('report', 200, { body: {} }) }],
      [
        'embedding-off',
        POWER_BI,
        {
          'the token alone': toFault('generateToken', 403),
          'it for the role in the workspace': toFault('generateToken', 403, {
            message: 'The workspace role of the caller does not allow embedding',
          }),
        },
      ],
      [
        'sso-connection',
        POWER_BI,
        {
          'an identity for Direct Lake': toFault('generateToken', 403, {
            errorCode: 'InvalidRequest',
            message: 'Creating embed token with effective identity is not supported for this datasource',
          }),
          'an identity for Analysis Services': toFault('generateToken', 403, {
            errorCode: 'InvalidRequest',
            message: `${DATASET} requries effective identity username to be identical to the caller's principal name`,
          }),
        },
      ],
      ['no-capacity', POWER_BI, { 'for a used-up trial': toFault('generateToken', 403, trialUsedUp) }],
      ['report-not-found', PORTAL, { 'the report': toFault('report', 404) }],
      ['not-a-member', POWER_BI, { 'to find for a token what it read': toFault('generateToken', 404) }],
      ['dataset-not-found', POWER_BI, { 'to know the dataset': toFault('dataset', 404) }],
      ['dataset-mismatch', PORTAL, { 'the dataset': failToken('Dataset x does not belong to the report') }],
      [
        'identity-required',
        TI,
        {
          'a token without identity': failToken(`${DATASET} requires effective identity to be provided`),
          'a token without roles': failToken(`${DATASET} requires roles to be included`),
        },
      ],
      [
        'identity-forbidden',
        POWER_BI,
        { 'the identity': failToken(`${DATASET} shouldn't have effective identity`) },
      ],
      [
        'unknown-role',
        POWER_BI,
        {
          'the role': failToken("Effective identity: role 'Portal' was not found"),
          'its roles': failToken('The roles provided in the effective identity are invalid'),
        },
      ],
      [
        'capacity-paused',
        POWER_BI,
        {
          'as paused': toFault('report', 404, { errorCode: 'CapacityNotActive' }),
          'as paused, with 503': toFault('generateToken', 503, { errorCode: 'CapacityNotActive' }),
        },
      ],
      [
        'rate-limited',
        WAIT,
        {
          'so many requests': toFault('report', 429, wait),
          'so many tokens': toFault('generateToken', 429, wait),
        },
      ],
      [
        'directory-busy',
        WAIT,
        {
          'so many sign-ins': toFault('directory', 429),
          'with its directory down': toFault('directory', 503),
          'with a passing fault of its directory': toRefusal(400, 'temporarily_unavailable', 90024),
        },
      ],
      [
        'directory-silent',
        WAIT,
        { 'with nonsense of its directory': toFault('directory', 200, { body: '{' }) },
      ],
      [
        'service-down',
        WAIT,
        {
          'being down': toFault('report', 500),
          'with its tokens down': toFault('generateToken', 503),
          'with nonsense': toFault('report', 200, { body: '{' }),
          'with a page of its own': toFault('report', 502, page),
          'with nothing': toFault('dataset', 200, { body: 'null' }),
          'with a token that is none': toFault('generateToken', 200, { body: {} }),
        },
      ],
      [
        'refused',
        /\(código UnknownError, pedido [0-9a-f-]{36}\): o administrador do Power BI precisa .*chamado/,
        {
          'for a reason of its own': toFault('generateToken', 400, { errorCode: 'UnknownError' }),
          'for a reason in a header': toFault('generateToken', 400, { body: '', headers: unknownError }),
          'another role': toFault('generateToken', 400, {
            errorCode: 'UnknownError',
            message: 'The role of the caller must be refreshed',
          }),
        },
      ],
      [
        'refused',
        /recusou o token do relatório \(pedido [0-9a-f-]{36}\): o administrador/,
        { 'with a code that is none': toFault('generateToken', 400, { errorCode: '<b>' }) },
      ],
    ]
    const each = CASES.flatMap(([outcome, message, faults]) =>
      Object.entries(faults).map(([name, fault]) => [name, outcome, message, fault] as const),
    )
    test.each(each)('%s: %s', async (_, outcome, message, fault) => {
      await scriptFault(portal, { ...fault, times: 4 })
      const found = await runTest(toSetting('Vendas'))
      expect(found).toMatchObject({ outcome, message: expect.stringMatching(message), refreshedAt: null })
      expect(found.reportName).toBe(/directory|report/.test(fault.on) ? null : 'Vendas do grupo')
      expect(found.message).toMatch(/^[A-Z][^<>]+\.$/)
    })

    const pause = { headers: { 'Retry-After': '90' } }
    test.each<[string, Fault, string, string]>([
      ['a pause', toFault('report', 429, pause), 'TooManyRequests', '2 minutos'],
      ['a fault', toFault('report', 500), 'InternalServerError', 'alguns minutos'],
      ['a page', toFault('report', 502, { body: '<h1>', headers: { RequestId: NOWHERE } }), 'HTTP 502', 'a'],
      ['a fault of the directory', toFault('directory', 503), 'AADSTS90033', 'alguns minutos'],
    ])('with request id and waiting time: %s', async (_, fault, code, pause) => {
      await scriptFault(portal, { ...fault, times: 4 })
      const found = await runTest(toSetting('Vendas'))
      expect(found.requestId).toMatch(/^[0-9a-f-]{36}$/)
      expect(found.message).toContain(`(código ${code}, pedido ${found.requestId}): espere ${pause}`)
    })

    describe('the capacity', () => {
      const scriptCapacity = (sku: string, state = 'Active') =>
        scriptFault(portal, {
          on: 'capacities',
          body: { value: [{ id: EMULATED_CAPACITY_ID, sku, state, capacityUserAccessRight: 'Assign' }] },
        })

      test('missing after the trial', async () => {
        const without = { body: { value: [{ isOnDedicatedCapacity: false }] } }
        await scriptFault(portal, { on: 'groups', ...without })
        const given = await runTest(toSetting('Vendas'))
        expect(given).toMatchObject({ outcome: 'no-capacity', refreshedAt: expect.stringMatching(/^20/) })
        await scriptFault(portal, { on: 'groups', ...without })
        await scriptFault(portal, { on: 'generateToken', status: 403 })
        expect((await runTest(toSetting('Vendas'))).outcome).toBe('no-capacity')
      })

      test('of Premium Per User, which does not serve embedding', async () => {
        await scriptCapacity('PP3')
        const found = await runTest(toSetting('Vendas'))
        expect(found).toMatchObject({
          outcome: 'premium-per-user',
          message: expect.stringMatching(/“Premium por usuário”.*o administrador do Power BI precisa/),
        })
      })

      test('suspended, although a token was issued', async () => {
        await scriptCapacity('F8', 'Suspended')
        expect((await runTest(toSetting('Vendas'))).outcome).toBe('capacity-paused')
        await scriptCapacity('F8', 'Suspended')
        await scriptFault(portal, { on: 'generateToken', status: 403 })
        expect((await runTest(toSetting('Vendas'))).outcome).toBe('capacity-paused')
      })

      test.each<[string, Fault]>([
        ['one that the application may not see', { on: 'capacities', body: { value: [] }, times: 1 }],
        ['a list that is refused', { on: 'capacities', status: 403, times: 1 }],
        ['a list that takes too long', { on: 'capacities', delayMs: 20_000, times: 1 }],
        ['a workspace that is not described', { on: 'groups', status: 403, times: 1 }],
      ])('unknown: %s', async (_, fault) => {
        await scriptFault(portal, fault)
        const found = await runTest(toSetting('Vendas'))
        expect(found.outcome).toBe('capacity-unknown')
        expect(found.message).toMatch(
          /^O relatório “Vendas do grupo” abre no portal, com dados atualizados em .* Não foi possível saber/,
        )
      })
    })

    test('with ids for a support ticket', async () => {
      await scriptFault(portal, { on: 'report', status: 400, errorCode: 'UnknownError' })
      const found = await runTest(toSetting('Vendas'))
      expect(found).toMatchObject({
        code: 'UnknownError',
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      })
      await scriptFault(portal, toRefusal(401, 'invalid_client', 7000222))
      expect(await runTest(toSetting('Vendas'))).toMatchObject({ code: 'AADSTS7000222' })
      const both = { errorCode: 'PowerBINotAuthorizedException', headers: switchedOff }
      await scriptFault(portal, toFault('report', 403, both))
      expect((await runTest(toSetting('Vendas'))).code).toBe(
        'PowerBINotAuthorizedException / ServicePrincipalIsNotAllowedByTenantAdminSwitch',
      )
    })

    test('an expired secret while older tokens are still valid', async () => {
      expect((await runTest(toSetting('Vendas'))).outcome).toBe('ok')
      await scriptFault(portal, { on: 'directory', status: 401 })
      expect((await runTest(toSetting('Vendas'))).outcome).toBe('bad-credentials')
      expect((await runTest(toSetting('Vendas'))).outcome).toBe('ok')
    })
  })
})
