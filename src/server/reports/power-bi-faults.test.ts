import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { addPerson, configureReports, send } from '#server/testing/builders.ts'
import {
  fetchToken,
  listCalls,
  type Person,
  resetEmulator,
  scriptFault,
  toTokenBody,
} from '#server/testing/embed-token-calls.ts'
import { describeOnEachDatabase, setUpDatabase } from '#server/testing/test-database.ts'
import { startTestPortal, type TestPortal } from '#server/testing/test-portal.ts'

type Fault = Parameters<typeof scriptFault>[1]
type Target = Fault['on']

describeOnEachDatabase('when Power BI fails', (kind) => {
  const database = setUpDatabase(kind)
  let portal: TestPortal
  let person: Person
  // A new portal per test has neither cached tokens nor cached datasets.
  beforeEach(async () => {
    await database.db.deleteFrom('global_powerbi_settings').execute()
    portal = await startTestPortal({ kind, database, rateLimits: false })
    await configureReports(portal, 'Vendas')
    person = await addPerson(portal)
  })
  afterEach(() => portal.stop())

  const requestToken = async (wanted = toTokenBody('Vendas')) => {
    const { status, headers, body } = await fetchToken(portal, person, wanted)
    return { status, code: body.code, detail: body.detail, retryAfter: headers.get('retry-after'), body }
  }
  const AFTER_ALL: Target[] = ['directory', 'report', 'dataset', 'generateToken']
  afterEach(async () => {
    const calls = await listCalls(portal)
    for (const call of calls.generateToken)
      expect(call.body.identities, 'asked without identity').toHaveLength(1)
    for (const target of AFTER_ALL) expect(calls[target as 'report'].length, target).toBeLessThanOrEqual(2)
  })
  const createRejected = (detail: RegExp) => ({
    status: 502,
    code: 'power-bi-rejected',
    detail: expect.stringMatching(detail),
    retryAfter: null,
  })
  const paused = {
    status: 503,
    code: 'capacity-paused',
    detail: expect.stringMatching(/capacidade do Power BI deste espaço de trabalho está pausada/),
    retryAfter: '60',
  }
  const createUnexpected = (detail: RegExp) => ({
    status: 503,
    code: 'power-bi-unavailable',
    detail: expect.stringMatching(detail),
  })
  const unavailable = createUnexpected(/^O Power BI não/)

  describe('GenerateToken', () => {
    test.each<[string, Omit<Fault, 'on'>, object, number]>([
      [
        'demands an identity',
        {
          status: 400,
          message: 'Creating embed token for accessing dataset x requires effective identity to be provided',
        },
        createRejected(/^O modelo exige a identidade.*quem resolve é a equipe de TI\.$/),
        1,
      ],
      [
        'accepts no identity',
        {
          status: 400,
          message: "Creating embed token for accessing dataset x shouldn't have effective identity",
        },
        createRejected(/não aceita identidade e mostraria tudo/),
        1,
      ],
      [
        'rejects an unknown role',
        { status: 400, message: "Effective identity: role 'X' does not exist" },
        createRejected(/não conhece a função “Portal” \(código/),
        1,
      ],
      ['refuses without a reason', { status: 400, body: '' }, createRejected(/^O Power BI recusou/), 1],
      ['keeps refusing the directory token', { status: 401 }, createRejected(/não o deixa inserir/), 2],
      [
        'forbids it',
        { status: 403 },
        createRejected(
          /não o deixa inserir \(código PowerBINotAuthorizedException, pedido [\w-]{36}\)\. Avise o administrador do portal: quem resolve é o administrador do Power BI\.$/,
        ),
        1,
      ],
      [
        'finds nothing',
        { status: 404 },
        createRejected(/lê o relatório e o modelo, mas o Power BI não os acha/),
        1,
      ],
      [
        'sends a long Retry-After',
        { status: 429, headers: { 'Retry-After': '30' } },
        {
          ...createUnexpected(/^O Power BI pediu .*pedido [\w-]{36}\)\. Tente novamente em 30 segundos\.$/),
          retryAfter: '30',
        },
        1,
      ],
      [
        'is down',
        { status: 500 },
        {
          ...createUnexpected(
            /\(código InternalServerError, pedido [\w-]{36}\)\. Tente novamente em instantes/,
          ),
          retryAfter: '10',
        },
        2,
      ],
      ['has its capacity paused', { status: 404, errorCode: 'CapacityNotActive' }, paused, 1],
      ['has its capacity paused with 503', { status: 503, errorCode: 'CapacityNotActive' }, paused, 1],
      ['answers with no JSON', { status: 200, body: '{"token":' }, unavailable, 2],
      [
        'is hidden by a captive portal',
        { status: 200, body: '\n<!doctype html><title>Entrar' },
        {
          ...createUnexpected(/^A resposta não veio da Microsoft \(código HTTP 200 de 127\.0\.0\.1:\d+\)\./),
          retryAfter: '60',
        },
        1,
      ],
      ['answers with nothing', { status: 200, body: 'null' }, unavailable, 2],
      ['answers with a list', { status: 200, body: '[]' }, unavailable, 2],
      [
        'answers without a token',
        { status: 200, body: { expiration: '2030-01-01T00:00:00Z' } },
        unavailable,
        1,
      ],
      ['answers without an end', { status: 200, body: { token: 'x' } }, unavailable, 1],
    ])('%s', async (_, fault, expected, tries) => {
      await scriptFault(portal, { on: 'generateToken', times: 9, ...fault })
      const { body, ...reply } = await requestToken()
      expect(reply).toMatchObject(expected)
      expect(body.embedToken).toBeUndefined()
      expect((await listCalls(portal)).generateToken).toHaveLength(tries)
    })

    test.each<[string, Omit<Fault, 'on'>]>([
      ['is down', { status: 503 }],
      ['sends a short Retry-After', { status: 429, headers: { 'Retry-After': '1' } }],
      ['answers with no JSON', { status: 200, body: '{' }],
      ['reports the directory token as expired', { status: 403, errorCode: 'TokenExpired' }],
    ])('%s once, and the retry gets the token', async (_, fault) => {
      await scriptFault(portal, { on: 'generateToken', ...fault })
      expect((await requestToken()).status).toBe(200)
    })

    test('refuses an old directory token once, and a new one is requested', async () => {
      expect((await requestToken()).status).toBe(200)
      await resetEmulator(portal)
      await scriptFault(portal, { on: 'generateToken', status: 401 })
      person = await addPerson(portal)
      expect((await requestToken()).status).toBe(200)
      expect((await listCalls(portal)).directory).toHaveLength(1)
    })

    test('fails, but the failure is not cached', async () => {
      await scriptFault(portal, { on: 'generateToken', status: 403 })
      expect([(await requestToken()).status, (await requestToken()).status]).toEqual([502, 200])
    })
  })

  describe('the dataset', () => {
    test.each<[string, Omit<Fault, 'on'>, object]>([
      [
        'has no row-level security',
        { body: { isEffectiveIdentityRequired: false } },
        createRejected(/segurança em nível de linha/),
      ],
      [
        'does not say whether it has row-level security',
        { status: 200, body: {} },
        createRejected(/só o nome deste modelo/),
      ],
      ['is not found', { status: 404 }, createRejected(/^O modelo de dados não existe/)],
      [
        'is forbidden to the portal',
        { status: 403 },
        createRejected(/não tem acesso ao modelo de dados.*quem resolve é o administrador do Power BI/),
      ],
      ['cannot be read', { status: 500 }, unavailable],
      ['is nothing', { status: 200, body: 'null' }, unavailable],
    ])('%s: no token', async (_, fault, expected) => {
      await scriptFault(portal, { on: 'dataset', times: 9, ...fault })
      const { body, ...reply } = await requestToken()
      expect(reply).toMatchObject(expected)
      expect(body.embedToken).toBeUndefined()
    })
  })

  test('slowly, the first token on a screen gets a longer timeout than others', async ({ skip }) => {
    skip(kind === 'server', 'the database has no part in it')
    await portal.stop()
    portal = await startTestPortal({ kind, database, rateLimits: false, timeouts: { tokenMs: 1_500 } })
    await configureReports(portal, 'Oficina')
    person = await addPerson(portal, { types: ['Vendas', 'Oficina'] })
    // A cold capacity: one try must be long enough.
    await scriptFault(portal, { on: 'generateToken', delayMs: 2_000 })
    expect((await requestToken()).status).toBe(200)
    await scriptFault(portal, { on: 'generateToken', delayMs: 2_000, times: 2 })
    let isAnswered = false
    const slow = requestToken(toTokenBody('Oficina')).finally(() => {
      isAnswered = true
    })
    expect((await send(portal, 'GET', '/api/health/ready')).status).toBe(200)
    expect(isAnswered).toBe(false)
    expect(await slow).toMatchObject(unavailable)
    await resetEmulator(portal)
  })
})
