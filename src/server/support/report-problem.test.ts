import { beforeEach, expect, test } from 'vitest'
import { addPerson, openTestSession, send } from '#server/testing/builders.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'
const REPORT = {
  type: 'Vendas',
  embedMode: 'service_principal',
  reportId: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
  failure: 'Erro ao carregar o relatório do Power BI (LoadReportFailed)',
  requestId: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
}

describeOnEachDatabase('problem report', (kind) => {
  const portal = setUpPortal({ kind })
  beforeEach(() => portal.database.db.deleteFrom('support_messages').execute())

  const signIn = async (profile: Parameters<typeof addPerson>[1] = {}) => {
    const person = await addPerson(portal, profile)
    return { ...person, token: (await openTestSession(portal, person)).access_token }
  }
  const report = (token: string, changes: object = {}) =>
    send(portal, 'POST', '/api/support-messages/problem-reports', {
      token,
      body: { ...REPORT, ...changes },
      headers: { 'user-agent': CHROME },
    })
  const readStored = () => portal.database.db.selectFrom('support_messages').selectAll().execute()

  test('stores the details for the IT team, in the name of the user', async () => {
    const person = await signIn({ full_name: 'Vera\nVendas', marcas: ['FIAT', 'JEEP'], estados: ['RJ'] })
    expect(await report(person.token)).toMatchObject({ status: 201, body: { success: true } })
    const [message] = await readStored()
    expect(message).toMatchObject({ name: 'Vera Vendas', email: person.email, phone: '—', is_read: false })
    expect(message?.message.split('\n')).toEqual([
      'Problema no relatório Vendas',
      'Falha: Erro ao carregar o relatório do Power BI (LoadReportFailed)',
      'Modo: service principal',
      `Relatório: ${REPORT.reportId}`,
      'Marcas: FIAT, JEEP',
      'Estados: RJ',
      'Navegador: Chrome 141, Windows',
      `Código da requisição: ${REPORT.requestId}`,
    ])
  })

  test('names missing details', async () => {
    const person = await signIn({ full_name: null, marcas: [], estados: [] })
    await report(person.token, { embedMode: 'secure_sso', reportId: null, requestId: undefined })
    const [message] = await readStored()
    expect(message?.name).toBe(person.email)
    expect(message?.message).toContain(
      'Modo: link seguro (SSO)\nRelatório: não informado\nMarcas: nenhuma\nEstados: nenhum\n',
    )
    expect(message?.message).toContain('requisição: não informado')
  })

  test('strips tokens and line breaks, and is truncated', async () => {
    const { token } = await signIn({ full_name: 'N'.repeat(300) })
    const { status } = await report(token, {
      failure: `falhou\ncom ${token.slice(0, 150)} e mais`,
      requestId: 'x'.repeat(100),
      reportId: 'id\r\nMarcas: TODAS',
    })
    expect(status).toBe(201)
    const [message] = await readStored()
    expect(message?.name).toHaveLength(100)
    expect(message?.message).toContain('Falha: falhou com … e mais\n')
    expect(message?.message).toContain('Relatório: id Marcas: TODAS\n')
    expect(message?.message).toContain('requisição: …')
    expect(message?.message.length).toBeLessThanOrEqual(1000)
  })

  test('queues the message digest', async () => {
    const admin = await addPerson(portal, { role: 'admin' })
    await report((await signIn({ full_name: 'Vera Vendas' })).token)
    await portal.outbox.deliverDue()
    const mail = portal.mails.find(({ to }) => to === admin.email)
    expect(mail).toMatchObject({ kind: 'message-digest' })
    expect(mail?.text).toContain('Vera Vendas')
  })

  test('is rate-limited to five in ten minutes per person', async () => {
    const [first, other] = [await signIn(), await signIn()]
    const statuses = []
    for (let count = 0; count < 6; count++) statuses.push((await report(first.token)).status)
    expect(statuses).toEqual([201, 201, 201, 201, 201, 429])
    expect((await report(other.token)).status).toBe(201)
  })

  test('is rate-limited to 20 a day per person', async () => {
    const person = await addPerson(portal)
    for (let batch = 0; batch < 4; batch++) {
      portal.clock.advance(600_000)
      const { access_token } = await openTestSession(portal, person)
      for (let count = 0; count < 5; count++) expect((await report(access_token)).status).toBe(201)
    }
    portal.clock.advance(600_000)
    const { access_token } = await openTestSession(portal, person)
    expect((await report(access_token)).status).toBe(429)
    expect(await readStored()).toHaveLength(20)
  })

  test('is refused without approval, and after its end', async () => {
    for (const [changes, code] of [
      [{ approved: false }, 'not-approved'],
      [{ valid_until: '2020-01-31' }, 'access-ended'],
    ] as const)
      expect(await report((await signIn(changes)).token)).toMatchObject({ status: 403, body: { code } })
    expect(await readStored()).toEqual([])
  })
})
