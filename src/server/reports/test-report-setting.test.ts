import { beforeEach, describe, expect, test } from 'vitest'
import { addPerson, emulatedReport, openTestSession } from '#server/testing/builders.ts'
import { resetEmulator, scriptFault, upstreamCalls } from '#server/testing/embed-token-calls.ts'
import { findOut, linkSetting, principalSetting, tryOut } from '#server/testing/report-setting-calls.ts'
import { setUpAdmin, setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal } from '#server/testing/test-portal.ts'

type Fault = Parameters<typeof scriptFault>[1]

const VENDAS = emulatedReport('Vendas')

describeOnEachDatabase('Testar relatório', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  // Without brands and states of their own, and waiting for approval: administrators configure all the same.
  const admin = setUpAdmin(portal, { approved: false, marcas: [], estados: [] })
  beforeEach(() => resetEmulator(portal))
  const tested = (body: object, on = portal, as = admin.token) => findOut(on, as, body)

  describe('when all is good', () => {
    test('gives the report’s name and the time of the last refresh, and changes nothing', async () => {
      const found = await tested(principalSetting('Vendas'))
      expect(found).toMatchObject({ outcome: 'ok', reportName: 'Vendas do grupo' })
      expect(found.refreshedAt).toMatch(/^\d{4}-\d\d-\d\dT06:03:41.000Z$/)
      expect(found.message).toMatch(
        /^Tudo certo: o relatório “Vendas do grupo” abre no portal, com dados atualizados em \d\d\/\d\d\/\d{4}, 03:03 \(horário de Brasília\)\.$/,
      )
      const { db } = portal.database
      for (const table of ['global_powerbi_settings', 'audit_entries', 'access_records'] as const)
        expect(await db.selectFrom(table).selectAll().execute(), table).toEqual([])
    })

    test('finds the dataset by itself, and takes ids in capitals', async () => {
      expect((await tested(principalSetting('Vendas', { dataset_id: null }))).outcome).toBe('ok')
      const shouted = principalSetting('Vendas', { dataset_id: VENDAS.datasetId.toUpperCase() })
      expect((await tested(shouted)).outcome).toBe('ok')
    })

    test('has asked for a view-only token with the identity that people get, and thrown it away', async () => {
      const found = await tested(principalSetting('Vendas'))
      const [call] = (await upstreamCalls(portal)).generateToken
      const scope = /^M:FIAT\|M:GAC\|.*\|M:VW\|U:RJ\|U:ES\|U:MG\|U:PR$/
      expect(call?.body).toMatchObject({ reports: [{ id: VENDAS.reportId }], lifetimeInMinutes: 30 })
      expect(call?.body.identities).toMatchObject([
        { roles: ['Portal'], customData: expect.stringMatching(scope), datasets: [VENDAS.datasetId] },
      ])
      expect(Object.keys(found).sort()).toEqual([
        'code',
        'message',
        'outcome',
        'refreshedAt',
        'reportName',
        'requestId',
      ])
    })

    test('remembers nothing: the next one asks for everything anew', async () => {
      for (let count = 0; count < 2; count++) await tested(principalSetting('Vendas'))
      const calls = await upstreamCalls(portal)
      const asked = [calls.directory, calls.report, calls.dataset, calls.generateToken]
      expect(asked.map((each) => each.length)).toEqual([2, 2, 2, 2])
    })
  })

  describe('the last refresh', () => {
    const completed = { status: 'Completed', endTime: '2026-11-20T09:00:00Z' }
    test.each<[string, Omit<Fault, 'on'>, string | null]>([
      [
        'failed: the one before counts',
        { body: { value: [{ status: 'Failed', endTime: '2026-11-21T09:00:00Z' }, completed] } },
        '2026-11-20T09:00:00.000Z',
      ],
      [
        'is under way: the one before counts',
        { body: { value: [{ status: 'Unknown' }, completed] } },
        '2026-11-20T09:00:00.000Z',
      ],
      ['never was', { body: { value: [] } }, null],
      ['may not be asked for', { status: 403 }, null],
      ['is not told of such models', { status: 415 }, null],
      ['cannot be read', { status: 200, body: '<html>' }, null],
      ['is nonsense', { body: { value: [null, { status: 'Completed' }, 'x'] } }, null],
      ['takes too long to find', { delayMs: 20_000 }, null],
    ])('%s', async (_, fault, refreshedAt) => {
      await scriptFault(portal, { on: 'refreshes', times: 2, ...fault })
      const start = performance.now()
      const found = await tested(principalSetting('Vendas'))
      expect(found).toMatchObject({ outcome: 'ok', refreshedAt })
      expect(/atualizados/.test(found.message)).toBe(refreshedAt !== null)
      // One call alone may take eight seconds.
      expect(performance.now() - start).toBeLessThan(6_000)
    })
  })

  test('gives up before its calls do, and tells what it found', async ({ skip }) => {
    skip(kind === 'server', 'the database has no part in it')
    const { database, clock } = portal
    // What is loaded when first needed is there after this.
    await tested(principalSetting('Vendas'))
    const hasty = await startTestPortal({ kind, database, clock, timeouts: { testMs: 2_000 } })
    await scriptFault(hasty, { on: 'generateToken', delayMs: 30_000, times: 2 })
    const found = await tested(principalSetting('Vendas'), hasty)
    expect(found).toMatchObject({ outcome: 'service-down', reportName: 'Vendas do grupo' })
    // A call for itself is tried again after five seconds.
    expect((await upstreamCalls(hasty)).generateToken).toHaveLength(1)
    await hasty.stop()
  })

  test('of a share link says that it cannot be found, and warns when it is public', async () => {
    const plain = await tested(linkSetting('https://app.powerbi.com/reportEmbed?reportId=1&autoAuth=true'))
    expect(plain).toEqual({
      outcome: 'not-testable',
      message: expect.stringMatching(/^Links de SSO não podem ser testados pelo portal: [^.]+\.$/),
      reportName: null,
      refreshedAt: null,
      code: null,
      requestId: null,
    })
    const open = await tested(linkSetting('<iframe src="https://app.powerbi.com/view?r=eyJr"></iframe>'))
    expect(open.message).toBe(
      `${plain.message} Atenção: este é um link público (Publicar na Web), que qualquer pessoa na internet abre sem senha.`,
    )
    // How fresh the data of the test before are may still be asked for.
    const { report, dataset, generateToken } = await upstreamCalls(portal)
    expect([...report, ...dataset, ...generateToken]).toEqual([])
  })

  test('is given forty times a minute to each administrator', async () => {
    const { database, clock } = portal
    const limited = await startTestPortal({ kind, database, clock })
    for (let count = 0; count < 40; count++) await tested(principalSetting('Vendas'), limited)
    const refused = await tryOut(limited, admin.token, principalSetting('Vendas'))
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
    const other = await openTestSession(portal, await addPerson(portal, { role: 'admin' }))
    expect((await tested(principalSetting('Vendas'), limited, other.access_token)).outcome).toBe('ok')
    await limited.stop()
  })
})
