import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { addPerson, configureReports, emulatedReport, openTestSession, send } from '#server/testing/builders.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal, type TestPortal } from '#server/testing/test-portal.ts'

interface Call {
  method: string
  path: string
  status: number
  body: { identities?: { username: string; roles: string[]; customData: string; datasets: string[] }[] }
}

describeOnEachDatabase('get-powerbi-token', (kind) => {
  let portal: TestPortal
  beforeAll(async () => {
    portal = await startTestPortal({ kind, rateLimits: false })
    await configureReports(portal, 'Vendas', 'Oficina')
  })
  afterAll(() => portal.stop())
  beforeEach(async () => {
    await fetch(`${portal.emulatorUrl}/calls`, { method: 'DELETE' })
    await fetch(`${portal.emulatorUrl}/faults`, { method: 'DELETE' })
  })

  const calls = async (): Promise<Call[]> => (await fetch(`${portal.emulatorUrl}/calls`)).json() as Promise<Call[]>
  const generated = async () => (await calls()).filter((call) => call.path.endsWith('/GenerateToken'))
  const bodyFor = (type: string, extra: object = {}) => {
    const { workspaceId, reportId, datasetId } = emulatedReport(type)
    return { workspaceId, reportId, datasetId, marcas: [], estados: [], userEmail: 'x@y.z', ...extra }
  }
  const ask = async (person: Awaited<ReturnType<typeof addPerson>>, body: object) => {
    const { access_token } = await openTestSession(portal, person)
    return send(portal, 'POST', '/api/functions/get-powerbi-token', { token: access_token, body })
  }

  test('a token carries the identity of the database, whatever the request says', async () => {
    const person = await addPerson(portal, { marcas: ['FIAT', 'GM'], estados: ['RJ'] })
    const forged = { marcas: ['FIAT', 'GM', 'VW'], estados: ['RJ', 'MG'], userEmail: 'diretoria@grupopatio.com.br' }
    const { status, body } = await ask(person, bodyFor('Vendas', forged))
    expect(status).toBe(200)
    const payload = JSON.parse(Buffer.from(body.embedToken.split('.')[1], 'base64url').toString())
    const { datasetId, reportId } = emulatedReport('Vendas')
    expect(payload).toMatchObject({ reportId, datasetId })
    expect(payload.identities).toEqual([
      { username: person.email, roles: ['Portal'], customData: 'M:FIAT|M:GM|U:RJ', datasets: [datasetId] },
    ])
    expect(body.expiresInSeconds).toBeGreaterThan(1700)
    expect(body.expiresInSeconds).toBeLessThanOrEqual(1800)
  })
})
