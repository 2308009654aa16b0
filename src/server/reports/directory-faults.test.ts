import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { addPerson, configureReports } from '#server/testing/builders.ts'
import { fetchToken, listCalls, scriptFault } from '#server/testing/embed-token-calls.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal, type TestPortal } from '#server/testing/test-portal.ts'

type Fault = Omit<Parameters<typeof scriptFault>[1], 'on'>

describeOnEachDatabase('when the directory', (kind) => {
  const portal = setUpPortal({ kind })
  let cold: TestPortal
  beforeAll(() => configureReports(portal, 'Vendas'))
  // A new replica per test has no directory token.
  beforeEach(async () => {
    cold = await startTestPortal({ kind, database: portal.database })
  })
  afterEach(() => cold.stop())

  const requestToken = async () => {
    const { status, headers, body } = await fetchToken(cold, await addPerson(portal))
    return { status, code: body.code, detail: body.detail, retryAfter: headers.get('retry-after') }
  }
  const createRejected = (detail: RegExp) => ({
    status: 502,
    code: 'power-bi-rejected',
    detail: expect.stringMatching(detail),
  })
  const unavailable = {
    status: 503,
    code: 'power-bi-unavailable',
    detail: expect.stringMatching(/^O Microsoft Entra (está ocupado|não respondeu)/),
  }

  test.each<[string, Fault, object]>([
    [
      'refuses the secret',
      { status: 401 },
      createRejected(
        /recusou as credenciais do portal \(código AADSTS7000215, pedido [\w-]{36}\)\. .*equipe de TI\.$/,
      ),
    ],
    ['is down', { status: 500 }, unavailable],
    [
      'is down with an error code',
      {
        status: 503,
        body: {
          error: 'temporarily_unavailable',
          error_description: 'AADSTS90033: A transient error has occurred.',
        },
      },
      unavailable,
    ],
    [
      'asks to wait',
      { status: 429, headers: { 'Retry-After': '17' } },
      {
        ...unavailable,
        detail: expect.stringMatching(/AADSTS90033, pedido [\w-]{36}\)\. Tente novamente em 17 segundos\.$/),
        retryAfter: '17',
      },
    ],
    ['does not answer', { delayMs: 6_000 }, unavailable],
    ['answers with no JSON', { status: 200, body: '{' }, unavailable],
    [
      'is blocked by a firewall',
      { status: 403, body: '<html>Bloqueado</html>' },
      {
        status: 503,
        code: 'power-bi-unavailable',
        detail: expect.stringMatching(/^A resposta não veio da Microsoft/),
      },
    ],
    [
      'refuses for an unknown reason',
      { status: 400, errorCode: 'interaction_required', message: 'AADSTS50005: Text.' },
      createRejected(/\(código AADSTS50005, pedido [\w-]{36}\)\. .*a equipe de TI/),
    ],
    ['answers with nothing', { status: 200, body: 'null' }, unavailable],
    ['answers without a token', { status: 200, body: { token_type: 'Bearer' } }, unavailable],
  ])('%s, the caller gets a problem', async (_, fault, expected) => {
    await scriptFault(cold, { on: 'directory', times: 9, ...fault })
    expect(await requestToken()).toMatchObject(expected)
    const { directory, generateToken } = await listCalls(cold)
    expect([directory.length, generateToken.length]).toEqual([1, 0])
  })

  test('failed once, the next request retries', async () => {
    await scriptFault(cold, { on: 'directory', status: 500 })
    expect((await requestToken()).status).toBe(503)
    expect((await requestToken()).status).toBe(200)
  })
})
