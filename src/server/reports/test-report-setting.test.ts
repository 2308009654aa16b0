import { beforeEach, describe, expect, test } from 'vitest'
import { addPerson, getEmulatedReport, openTestSession } from '#server/testing/builders.ts'
import { listCalls, resetEmulator, scriptFault } from '#server/testing/embed-token-calls.ts'
import { readTest, sendTest, toLinkSetting, toSetting } from '#server/testing/report-setting-calls.ts'
import { setUpAdmin, setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal } from '#server/testing/test-portal.ts'

type Fault = Parameters<typeof scriptFault>[1]

const VENDAS = getEmulatedReport('Vendas')

describeOnEachDatabase('Testar relatório', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  // Without brands, states and approval, which administrators do not need to configure.
  const admin = setUpAdmin(portal, { approved: false, marcas: [], estados: [] })
  beforeEach(() => resetEmulator(portal))
  const runTest = (body: object, on = portal, as = admin.token) => readTest(on, as, body)

  describe('without a fault', () => {
    test('returns the report’s name and last refresh, and changes nothing', async () => {
      const found = await runTest(toSetting('Vendas'))
      expect(found).toMatchObject({ outcome: 'ok', reportName: 'Vendas do grupo' })
      expect(found.refreshedAt).toMatch(/^\d{4}-\d\d-\d\dT06:03:41.000Z$/)
      expect(found.message).toMatch(
        /^Tudo certo: o relatório “Vendas do grupo” abre no portal, com dados atualizados em \d\d\/\d\d\/\d{4}, 03:03 \(horário de Brasília\)\.$/,
      )
      const { db } = portal.database
      for (const table of ['global_powerbi_settings', 'audit_entries', 'access_records'] as const)
        expect(await db.selectFrom(table).selectAll().execute(), table).toEqual([])
    })

    test('finds the dataset, and accepts upper-case ids', async () => {
      expect((await runTest(toSetting('Vendas', { dataset_id: null }))).outcome).toBe('ok')
      const shouted = toSetting('Vendas', { dataset_id: VENDAS.datasetId.toUpperCase() })
      expect((await runTest(shouted)).outcome).toBe('ok')
    })

    test('requests a view-only token with a user’s identity and discards it', async () => {
      const found = await runTest(toSetting('Vendas'))
      const [call] = (await listCalls(portal)).generateToken
      const scope = /^M:FIAT\|M:GAC\|.*\|M:VW\|U:RJ\|U:ES\|U:MG\|U:PR$/
      expect(call?.body).toMatchObject({ reports: [{ id: VENDAS.reportId }], lifetimeInMinutes: 30 })
      expect(call?.body.identities).toMatchObject([
        {
          roles: ['Portal'],
          customData: expect.stringMatching(scope),
          datasets: [VENDAS.datasetId],
          auditableContext: admin.email,
        },
      ])
      expect(Object.keys(found).sort()).toEqual([
        'answer',
        'code',
        'isTemporary',
        'message',
        'outcome',
        'refreshedAt',
        'reportName',
        'requestId',
      ])
    })

    test('caches nothing: the next test repeats all calls', async () => {
      for (let count = 0; count < 2; count++) await runTest(toSetting('Vendas'))
      const calls = await listCalls(portal)
      const asked = [calls.directory, calls.report, calls.dataset, calls.generateToken]
      expect(asked.map((each) => each.length)).toEqual([2, 2, 2, 2])
    })
  })

  describe('the last refresh', () => {
    const completed = { status: 'Completed', endTime: '2026-11-20T09:00:00Z' }
    test.each<[string, Omit<Fault, 'on'>, string | null]>([
      [
        'is under way: the one before counts',
        { body: { value: [{ status: 'Unknown' }, completed] } },
        '2026-11-20T09:00:00.000Z',
      ],
      ['never was', { body: { value: [] } }, null],
      ['may not be asked for', { status: 403 }, null],
      ['is not available for such models', { status: 415 }, null],
      ['cannot be read', { status: 200, body: '<html>' }, null],
      ['is nonsense', { body: { value: [null, { status: 'Completed' }, 'x'] } }, null],
      // Less than a test may take, and more than what it can do without.
      ['takes too long to find', { delayMs: 5_000 }, null],
    ])('%s', async (_, fault, refreshedAt) => {
      await scriptFault(portal, { on: 'refreshes', times: 2, ...fault })
      const found = await runTest(toSetting('Vendas'))
      expect(found).toMatchObject({ outcome: 'ok', refreshedAt })
      expect(/atualizados/.test(found.message)).toBe(refreshedAt !== null)
    })

    const failed = { status: 'Failed', endTime: '2026-11-21T09:00:00Z' }
    test.each([
      ['Failed', 'falhou'],
      ['Cancelled', 'foi cancelada'],
      ['Disabled', 'foi desativada'],
    ])('%s is no success', async (status, verb) => {
      const value = [{ status, endTime: '2026-11-21T09:00:00Z' }, completed]
      await scriptFault(portal, { on: 'refreshes', body: { value } })
      expect(await runTest(toSetting('Vendas'))).toMatchObject({
        outcome: 'refresh-failed',
        message: expect.stringContaining(`atualização dos dados ${verb}, e os dados são de 20/11/2026`),
      })
    })

    test.each([
      ['the data are older', [failed, completed], /falhou, e os dados são de 20\/11\/2026, 06:00/],
      ['no other is known', [failed], /falhou: /],
    ])('failed, so that not all is well: %s', async (_, value, message) => {
      await scriptFault(portal, { on: 'refreshes', body: { value } })
      const found = await runTest(toSetting('Vendas'))
      expect(found).toMatchObject({ outcome: 'refresh-failed', message: expect.stringMatching(message) })
      expect(found.message).toMatch(/^O relatório “Vendas do grupo” abre no portal, mas a última/)
    })
  })

  test('times out before its calls and reports partial results', async ({ skip }) => {
    skip(kind === 'server', 'the database has no part in it')
    const { database, clock } = portal
    // Loads the modules that are imported on demand.
    await runTest(toSetting('Vendas'))
    const hasty = await startTestPortal({ kind, database, clock, timeouts: { testMs: 2_000 } })
    await scriptFault(hasty, { on: 'generateToken', delayMs: 30_000, times: 2 })
    const found = await runTest(toSetting('Vendas'), hasty)
    expect(found).toMatchObject({ outcome: 'service-down', reportName: 'Vendas do grupo' })
    // A single call is retried after five seconds.
    expect((await listCalls(hasty)).generateToken).toHaveLength(1)
    await hasty.stop()
  })

  test('cannot test a share link, and warns when it is public', async () => {
    const link = `https://app.powerbi.com/reportEmbed?reportId=${VENDAS.reportId}`
    const plain = await runTest(toLinkSetting(link))
    expect(plain).toEqual({
      outcome: 'not-testable',
      isTemporary: false,
      answer: null,
      message: expect.stringMatching(/^Links de SSO não podem ser testados pelo portal: [^.]+\.$/),
      reportName: null,
      refreshedAt: null,
      code: null,
      requestId: null,
    })
    const open = await runTest(toLinkSetting('<iframe src="https://app.powerbi.com/view?r=eyJr"></iframe>'))
    expect(open.message).toBe(
      `${plain.message} Atenção: este é um link público (Publicar na Web), que qualquer pessoa na internet abre sem senha.`,
    )
    const page = await runTest(toLinkSetting('https://app.powerbi.com/dashboardEmbed?dashboardId=1'))
    expect(page.message).toBe(`${plain.message} Atenção: este link não abre dentro do portal.`)
    // The refresh of the previous test may still be pending.
    const { report, dataset, generateToken } = await listCalls(portal)
    expect([...report, ...dataset, ...generateToken]).toEqual([])
  })

  test('is rate-limited to forty a minute per administrator', async () => {
    const { database, clock } = portal
    const limited = await startTestPortal({ kind, database, clock })
    for (let count = 0; count < 40; count++) await runTest(toSetting('Vendas'), limited)
    const refused = await sendTest(limited, admin.token, toSetting('Vendas'))
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
    const other = await openTestSession(portal, await addPerson(portal, { role: 'admin' }))
    expect((await runTest(toSetting('Vendas'), limited, other.access_token)).outcome).toBe('ok')
    await limited.stop()
  })
})
