import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { EMULATED_REPORT_WITHOUT_RLS } from '#emulators/power-bi/catalogue.ts'
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
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal } from '#server/testing/test-portal.ts'

describeOnEachDatabase('get-powerbi-token', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  beforeAll(() => configureReports(portal, 'Vendas', 'Oficina'))
  beforeEach(() => resetEmulator(portal))

  const decodePayload = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString())
  const pickIds = ({ workspaceId, reportId, datasetId }: ReturnType<typeof getEmulatedReport>) => ({
    workspaceId,
    reportId,
    datasetId,
  })

  test('carries the identity of the database and ignores the request’s', async () => {
    const person = await addPerson(portal, { marcas: ['FIAT', 'GM'], estados: ['RJ'] })
    const forged = {
      marcas: ['FIAT', 'GM', 'VW'],
      estados: ['RJ', 'MG'],
      userEmail: 'diretoria@grupopatio.com.br',
    }
    const { status, body } = await fetchToken(portal, person, toTokenBody('Vendas', forged))
    expect(status).toBe(200)
    const { datasetId, reportId } = getEmulatedReport('Vendas')
    expect(decodePayload(body.embedToken)).toMatchObject({ reportId, datasetId })
    expect(decodePayload(body.embedToken).identities).toEqual([
      {
        username: person.email,
        roles: ['Portal'],
        customData: 'M:FIAT|M:GM|U:RJ',
        datasets: [datasetId],
        auditableContext: person.email,
      },
    ])
    expect(body.expiresInSeconds).toBeGreaterThan(1790)
    expect(body.expiresInSeconds).toBeLessThanOrEqual(1800)
  })

  test('requests thirty minutes of view access, never edit', async () => {
    await fetchToken(portal, await addPerson(portal))
    const [call] = (await listCalls(portal)).generateToken
    const { reportId, datasetId } = getEmulatedReport('Vendas')
    expect(call?.path).toBe('/api/v1.0/myorg/GenerateToken')
    const asked = { reports: [{ id: reportId }], datasets: [{ id: datasetId }], lifetimeInMinutes: 30 }
    expect(call?.body).toEqual({ ...asked, identities: [expect.anything()] })
  })

  test('omits unknown marcas and estados from the identity', async () => {
    const person = await addPerson(portal, {
      marcas: ['FIAT|U:MG', 'fiat', 'GM'],
      estados: ['RJ', 'SP', 'M:VW'],
    })
    const { body } = await fetchToken(portal, person)
    expect(decodePayload(body.embedToken).identities[0].customData).toBe('M:GM|U:RJ')
  })

  test('writes an access record for each request', async () => {
    const person = await addPerson(portal)
    await fetchToken(portal, person)
    await fetchToken(portal, person)
    const records = await portal.database.db
      .selectFrom('access_records')
      .selectAll()
      .where('user_id', '=', person.user_id)
      .execute()
    const record = { action: 'report', report_id: getEmulatedReport('Vendas').reportId, ip: '127.0.0.1' }
    expect(records).toMatchObject([record, record])
  })

  test('finds the dataset when the setting does not name it', async () => {
    await configureReports(portal, 'Marketing')
    await portal.database.db
      .updateTable('global_powerbi_settings')
      .set({ dataset_id: null })
      .where('type', '=', 'marketing')
      .execute()
    const person = await addPerson(portal, { types: ['Marketing'] })
    const { status, body } = await fetchToken(
      portal,
      person,
      toTokenBody('Marketing', { datasetId: undefined }),
    )
    expect(status).toBe(200)
    expect(decodePayload(body.embedToken).datasetId).toBe(getEmulatedReport('Marketing').datasetId)
    expect((await fetchToken(portal, person, toTokenBody('Marketing', { datasetId: null }))).status).toBe(200)
    expect((await listCalls(portal)).report).toHaveLength(1)
  })

  describe('is refused without any call to Power BI', () => {
    const refusal = async (person: Parameters<typeof addPerson>[1], body: object) => {
      const reply = await fetchToken(portal, await addPerson(portal, person), body)
      expect((await listCalls(portal)).all).toEqual([])
      const { requestId: _, ...problem } = reply.body
      return problem
    }

    test.each([
      ['a user waiting for approval', { approved: false }, 'not-approved'],
      ['an administrator who waits for approval', { approved: false, role: 'admin' }, 'not-approved'],
      ['no marcas', { marcas: [] }, 'no-scope'],
      ['no estados', { estados: [] }, 'no-scope'],
      ['only unknown marcas', { marcas: ['FERRARI', 'fiat', ''] }, 'no-scope'],
      ['only unknown estados', { estados: ['SP', 'rj'] }, 'no-scope'],
      ['an estado among the marcas', { marcas: ['RJ'], estados: ['FIAT'] }, 'no-scope'],
    ] as const)('to %s', async (_, person, code) => {
      const forged = { marcas: ['FIAT'], estados: ['RJ'] }
      const changes = { ...person } as Parameters<typeof addPerson>[1]
      expect(await refusal(changes, toTokenBody('Vendas', forged))).toMatchObject({ status: 403, code })
    })

    test('with the same 404 for anything but a report of the caller’s areas', async () => {
      await configureReports(portal, 'HPD')
      const { db } = portal.database
      await db
        .updateTable('global_powerbi_settings')
        .set({ embed_mode: 'secure_sso', report_url: 'https://app.powerbi.com/reportEmbed' })
        .where('type', '=', 'hpd')
        .execute()
      const person = { types: ['Vendas', 'HPD', 'CRM', 'vendas ', 'desconhecido'] }
      const [vendas, oficina] = [pickIds(getEmulatedReport('Vendas')), pickIds(getEmulatedReport('Oficina'))]
      const upper = (key: keyof typeof vendas) => ({ ...vendas, [key]: vendas[key].toUpperCase() })
      const bodies: Record<string, object> = {
        'an unconfigured report': { workspaceId: 'a', reportId: 'b', datasetId: 'c' },
        'the report of another area': oficina,
        'a report of the tenant outside the settings': pickIds(EMULATED_REPORT_WITHOUT_RLS),
        'an own area without a setting': pickIds(getEmulatedReport('CRM')),
        'an area in SSO mode': pickIds(getEmulatedReport('HPD')),
        'another workspace': { ...vendas, workspaceId: oficina.workspaceId },
        'another report': { ...vendas, reportId: oficina.reportId },
        'another dataset': { ...vendas, datasetId: oficina.datasetId },
        'no dataset': { ...vendas, datasetId: undefined },
        'a null dataset': { ...vendas, datasetId: null },
        'an upper-case workspace': upper('workspaceId'),
        'an upper-case report': upper('reportId'),
        'an upper-case dataset': upper('datasetId'),
        'a path inside an id': { ...vendas, reportId: `${vendas.reportId}/../${oficina.reportId}` },
        'a space behind an id': { ...vendas, reportId: `${vendas.reportId} ` },
        'a wildcard': { ...vendas, datasetId: '%' },
      }
      const expected = await refusal(person, bodies['an unconfigured report'] as object)
      expect(expected).toMatchObject({ status: 404, code: 'report-not-found' })
      for (const [what, body] of Object.entries(bodies))
        expect(await refusal(person, body), what).toEqual(expected)
      expect(await refusal({ ...person, marcas: [] }, oficina), 'without scope').toEqual(expected)
      expect(await refusal({ ...person, role: 'admin' }, oficina), 'to an administrator').toEqual(expected)
    })
  })

  test('is rate-limited: thirty upstream calls and three hundred requests a minute', async () => {
    const { database, clock } = portal
    const limited = await startTestPortal({ kind, database, clock })
    const person = await addPerson(portal, { types: ['Vendas', 'Oficina'] })
    const { access_token: token } = await openTestSession(portal, person)
    const requestToken = (type: string) =>
      send(limited, 'POST', '/api/functions/get-powerbi-token', { token, body: toTokenBody(type) })
    // Cached tokens do not count upstream.
    for (let count = 0; count < 40; count++) expect((await requestToken('Vendas')).status).toBe(200)
    await scriptFault(limited, { on: 'generateToken', status: 400, times: 99 })
    for (let count = 0; count < 29; count++) expect((await requestToken('Oficina')).status).toBe(502)
    const refused = await requestToken('Oficina')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
    expect((await requestToken('Vendas')).status).toBe(200)
    expect((await listCalls(limited)).generateToken).toHaveLength(30)
    const requests = database.db
      .updateTable('rate_limits')
      .where('key', '=', `embed-token-request ${person.user_id}`)
    await requests.set({ taken: 300 }).execute()
    expect((await requestToken('Vendas')).status).toBe(429)
    await limited.stop()
  })
})
