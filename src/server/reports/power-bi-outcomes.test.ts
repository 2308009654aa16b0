import { beforeEach, describe, expect, test } from 'vitest'
import { createLog } from '#server/log.ts'
import { describeFailure } from '#server/power-bi/classify-failure.ts'
import { OUTCOMES, type Outcome } from '#server/power-bi/outcomes.ts'
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
  type Person,
  resetEmulator,
  scriptFault,
} from '#server/testing/embed-token-calls.ts'
import { readTest, toSetting } from '#server/testing/report-setting-calls.ts'
import { setUpAdmin, setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal } from '#server/testing/test-portal.ts'

type Fault = Parameters<typeof scriptFault>[1]

const OVERLOADED =
  "Unable to complete the action because your organization's Fabric compute capacity has exceeded its limits. Try again later."
const JWT = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg'
/** As no service should put it. */
const WORDS = `The user ana.lima@grupopatio.com.br\u202e\u0007 used ${JWT} and client_secret=x8Q~short to\nread model Unidades ${'again '.repeat(200)}`
const SAID = 'read model Unidades'

describe.each(Object.keys(OUTCOMES) as Outcome[])('the sentences of %s', (outcome) => {
  const failure = { outcome, code: 'X', requestId: 'y' }
  const [reader, administrator] = (['readers', 'administrators'] as const).map((to) =>
    describeFailure(failure, { roles: ['Portal'], to }),
  )

  test('say what happened, with code and request id, and leave no blank', () => {
    for (const sentence of [reader, administrator])
      expect(sentence).toMatch(/^[A-Z][^{}]+ \(código X, pedido y\)[.:] [^{}]+\.$/)
  })

  test('name who mends it, and what to do to administrators alone', () => {
    const owner = /\{(it|portal|power-bi)\}/.exec(OUTCOMES[outcome].text)
    expect(/ precisa /.test(administrator ?? '')).toBe(owner !== null)
    expect(reader).not.toMatch(/ precisa /)
  })
})

describeOnEachDatabase('what Power BI answers', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  const admin = setUpAdmin(portal, { types: ['Vendas'], marcas: ['FIAT'], estados: ['RJ'] })
  let reader: Person
  beforeEach(async () => {
    await resetEmulator(portal)
    await portal.database.db.deleteFrom('global_powerbi_settings').execute()
    await configureReports(portal, 'Vendas')
    // The report and model of the previous test are cached no more.
    portal.clock.advance(11 * 60_000)
    reader = await addPerson(portal)
    admin.token = (await openTestSession(portal, admin)).access_token
  })

  const STEPS = ['report', 'dataset', 'generateToken'] as const
  describe.each(STEPS)('an overloaded capacity, at %s', (on) => {
    test.each<[string, Omit<Fault, 'on'>]>([
      ['400 with a code', { status: 400, errorCode: 'FabricThrottled', message: '' }],
      ['400 with words', { status: 400, errorCode: 'UnknownError', message: OVERLOADED }],
      [
        'a model that does not load',
        { status: 400, message: 'Cannot load model due to reaching capacity limits.' },
      ],
      [
        'a code at the root',
        { status: 400, body: { errorCode: 'CapacityLimitExceeded', message: 'Try again later.' } },
      ],
      [
        'a code in a header',
        { status: 400, body: '', headers: { 'x-powerbi-error-info': 'FabricThrottled' } },
      ],
      [
        'a code in details',
        {
          status: 400,
          body: {
            error: { code: 'InvalidRequest', details: [{ code: 'CapacityLimitExceeded', message: '' }] },
          },
        },
      ],
      ['430', { status: 430, body: { errorCode: 'TooManyRequestsForCapacity', message: '' } }],
    ])('is temporary and heals: %s', async (_, fault) => {
      await scriptFault(portal, { on, ...fault })
      const { status, body, headers } = await fetchToken(portal, reader)
      expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'power-bi-unavailable', '60'])
      expect(body.detail).toMatch(/^A capacidade do Power BI .* está sobrecarregada/)
      // A second call within seconds would only add to the load.
      expect((await listCalls(portal))[on]).toHaveLength(1)
      expect((await fetchToken(portal, reader)).status).toBe(200)
    })
  })

  test.each<[string, Fault, number, RegExp]>([
    [
      'a capacity that is not active, at the root of a 404',
      { on: 'report', status: 404, body: { errorCode: 'CapacityNotActive', message: 'x' } },
      503,
      /está pausada/,
    ],
    [
      'an inbound rule',
      { on: 'report', status: 403, body: { errorCode: 'RequestDeniedByInboundPolicy', message: 'x' } },
      502,
      /redes permitidas/,
    ],
    [
      'the XMLA endpoint',
      { on: 'generateToken', status: 400, message: 'The XMLA endpoint is off' },
      502,
      /XMLA/,
    ],
    [
      'a paginated visual',
      { on: 'generateToken', status: 400, message: 'The report has a paginated report visual' },
      502,
      /traz dentro um relatório paginado/,
    ],
    [
      'an application that is not assigned',
      {
        on: 'directory',
        status: 400,
        errorCode: 'invalid_grant',
        message: 'AADSTS501051: x is not assigned',
      },
      502,
      /Microsoft Entra só dá tokens/,
    ],
    [
      'another cloud',
      { on: 'directory', status: 400, errorCode: 'invalid_request', message: 'AADSTS900382: Cross Cloud' },
      502,
      /outra nuvem/,
    ],
  ])('has a sentence: %s', async (_, fault, status, detail) => {
    if (fault.on === 'directory') portal.clock.advance(60 * 60_000)
    await scriptFault(portal, fault)
    const reply = await fetchToken(portal, reader)
    expect([reply.status, reply.body.detail]).toEqual([status, expect.stringMatching(detail)])
  })

  test('the first token of a day names a silent directory', async () => {
    portal.clock.advance(60 * 60_000)
    await scriptFault(portal, { on: 'directory', status: 200, body: 'null' })
    const { body } = await fetchToken(portal, reader)
    expect(body.detail).toMatch(/^O Microsoft Entra não respondeu/)
  })

  test('is quoted to administrators, clean and short, and never to readers', async () => {
    const script = () =>
      scriptFault(portal, { on: 'generateToken', status: 400, errorCode: 'UnknownError', message: WORDS })
    await script()
    const asReader = await fetchToken(portal, reader)
    expect(asReader.body).toMatchObject({ code: 'power-bi-rejected' })
    expect(asReader.body.detail).toMatch(
      /^O Power BI recusou o token do relatório \(código UnknownError, pedido [\w-]{36}\)\. Avise/,
    )
    expect(JSON.stringify(asReader.body)).not.toContain(SAID)
    await script()
    const asAdmin = await fetchToken(portal, admin)
    expect(asAdmin.body.detail).toContain(
      ' O que o Power BI respondeu: The user ***@grupopatio.com.br used ***',
    )
    await script()
    const person = `/api/profiles/${reader.user_id}`
    const { view } = (await send(portal, 'GET', `${person}/reports`, admin)).body
    const { workspaceId, reportId, datasetId } = getEmulatedReport('Vendas')
    const asViewer = await send(portal, 'POST', `${person}/embed-token`, {
      token: admin.token,
      body: { view, workspaceId, reportId, datasetId },
    })
    expect(asViewer.body.detail).toContain(SAID)
    await script()
    const { code, requestId, answer } = await readTest(portal, admin.token, toSetting('Vendas'))
    expect({ code, requestId }).toEqual({
      code: 'UnknownError',
      requestId: expect.stringMatching(/^[\w-]{36}$/),
    })
    expect(answer).toContain(`used *** and client_secret= *** to ${SAID} again`)
    expect([...answer]).toHaveLength(500)
    expect(answer).not.toMatch(/[\p{Cc}\p{Cf}]|ana\.lima|eyJ|x8Q/u)
  })

  test('stands in the log, clean', async () => {
    let written = ''
    const log = createLog('warn', {
      write(line) {
        written += line
      },
    })
    const { database, clock } = portal
    const logged = await startTestPortal({ kind, database, clock, rateLimits: false, log })
    await scriptFault(logged, { on: 'generateToken', status: 400, errorCode: 'UnknownError', message: WORDS })
    await fetchToken(logged, reader)
    const line = written.split('\n').find((each) => each.includes('Power BI refused a call'))
    expect(JSON.parse(line ?? '')).toMatchObject({
      status: 400,
      code: 'UnknownError',
      answer: expect.stringContaining(SAID),
      powerBiRequestId: expect.stringMatching(/^[\w-]{36}$/),
    })
    // The stack and the causes have the words too.
    expect(written).not.toMatch(/ana\.lima|eyJ|x8Q|\\u202e/)
    await logged.stop()
  })

  describe('to a refresh', () => {
    const refresh = () =>
      send(portal, 'POST', '/api/global-powerbi-settings/vendas/refresh', { token: admin.token })

    test.each<[string, Omit<Fault, 'on'>, RegExp]>([
      [
        'the limit of a day',
        {
          message:
            'Invalid dataset refresh request. Number of refresh requests in last 24 hours exceeded limit',
        },
        /oito em capacidade compartilhada/,
      ],
      [
        'missing credentials',
        { errorCode: 'DMTS_DatasourceHasNoCredentialError', message: '' },
        /não tem como entrar na fonte/,
      ],
      [
        'a model without refresh',
        { message: 'Invalid dataset refresh request. The dataset is DirectQuery' },
        /não tem atualização/,
      ],
      [
        'a reason without sentence',
        { errorCode: 'UnknownError', message: 'x' },
        /recusou a atualização dos dados/,
      ],
      ['a model that is gone', { status: 404 }, /modelo de dados não existe/],
    ])('speaks of the refresh alone: %s', async (_, fault, detail) => {
      await scriptFault(portal, { on: 'refreshes', status: 400, ...fault })
      const { status, body } = await refresh()
      expect([status, body.code, body.detail]).toEqual([
        502,
        'power-bi-rejected',
        expect.stringMatching(detail),
      ])
      expect(body.detail).not.toContain('recusou o relatório')
    })

    test('waits for an overloaded capacity', async () => {
      await scriptFault(portal, { on: 'refreshes', status: 400, message: OVERLOADED })
      expect((await refresh()).body).toMatchObject({ code: 'power-bi-unavailable' })
    })
  })

  test('is quoted in an export to an administrator, and not to a reader', async () => {
    const started = async (token: string) => {
      await scriptFault(portal, { on: 'exportTo', status: 400, errorCode: 'UnknownError', message: WORDS })
      const body = { area: 'Vendas', reportId: toSetting('Vendas').report_id, format: 'pdf' }
      const { body: queued } = await send(portal, 'POST', '/api/report-exports', { token, body })
      await portal.jobs.runDue()
      return (await send(portal, 'GET', `/api/report-exports/${queued.id}`, { token })).body
    }
    const { access_token: token } = await openTestSession(portal, reader)
    const asReader = await started(token)
    expect(asReader).toMatchObject({ status: 'failed' })
    expect(asReader.detail).toMatch(/^O Power BI recusou a exportação \(código UnknownError, pedido/)
    const list = await send(portal, 'GET', '/api/report-exports', { token })
    expect(JSON.stringify([asReader, list.body])).not.toContain(SAID)
    expect((await started(admin.token)).detail).toContain(SAID)
  })
})
