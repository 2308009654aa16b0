import { beforeEach, describe, expect, test } from 'vitest'
import { EMULATED_PAGINATED_REPORT, EMULATED_REPORT_WITHOUT_RLS } from '#emulators/power-bi/catalogue.ts'
import { DOCUMENTED_ANSWERS, toFault } from '#emulators/power-bi/testing/documented-answers.ts'
import { readTrail } from '#server/testing/admin-calls.ts'
import {
  addPerson,
  configureReports,
  getEmulatedReport,
  openTestSession,
  send,
} from '#server/testing/builders.ts'
import { deleteDuring } from '#server/testing/delete-during.ts'
import { listCalls, type Person, resetEmulator, scriptFault } from '#server/testing/embed-token-calls.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal, type TestPortal } from '#server/testing/test-portal.ts'
import { waitFor } from '#server/testing/wait-for.ts'

const { reportId } = getEmulatedReport('Vendas')
const MINUTE = 60_000

/** Calls the API as the person, each time in a new session: the clock leaves old ones behind. */
function openReader(portal: TestPortal, person: Person) {
  const open = async () => (await openTestSession(portal, person)).access_token
  return {
    person,
    open,
    get: async (path: string) => send(portal, 'GET', `/api/report-exports${path}`, { token: await open() }),
    start: async (body: object = {}) =>
      send(portal, 'POST', '/api/report-exports', {
        token: await open(),
        body: { area: 'Vendas', reportId, format: 'pdf', ...body },
      }),
    async download(id: string) {
      const headers = { authorization: `Bearer ${await open()}` }
      const reply = await fetch(`${portal.url}/api/report-exports/${id}/file`, { headers })
      return { status: reply.status, headers: reply.headers, text: await reply.text() }
    },
  }
}
type Reader = ReturnType<typeof openReader>

function expectRefusal(reply: { status: number; body: { code: string } }, status: number, code: string) {
  expect([reply.status, reply.body.code]).toEqual([status, code])
}

/** Runs due steps while the clock advances. */
async function advance(portal: TestPortal, ms: number, stepMs = 2_000): Promise<void> {
  for (let passed = 0; passed <= ms; passed += stepMs) {
    await portal.jobs.runDue()
    portal.clock.advance(stepMs)
  }
  await portal.jobs.runDue()
}

describeOnEachDatabase('exporting a report', (kind) => {
  const portal = setUpPortal({ kind, allowWithoutRls: true })
  const addReader = async (profile: Parameters<typeof addPerson>[1] = {}) =>
    openReader(portal, await addPerson(portal, profile))
  const setReport = (values: object) =>
    portal.database.db
      .updateTable('global_powerbi_settings')
      .set(values)
      .where('type', '=', 'vendas')
      .execute()
  const addView = async ({ person }: Reader, name: string) => {
    const { id } = await portal.database.db
      .insertInto('report_views')
      .values({
        user_id: person.user_id,
        type: 'vendas',
        report_id: reportId,
        name,
        state: 'H4sI',
        updated_at: new Date(portal.clock()),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  }
  const finish = async (reader: Reader, body: object = {}) => {
    const { body: started } = await reader.start(body)
    await advance(portal, 10_000)
    return started.id as string
  }

  beforeEach(async () => {
    await resetEmulator(portal)
    await portal.database.db.deleteFrom('jobs').execute()
    await portal.database.db.deleteFrom('global_powerbi_settings').execute()
    await configureReports(portal, 'Vendas', 'CRM')
  })

  test("runs from queued to done, and streams the file of the reader's own rows", async () => {
    const reader = await addReader()
    const started = await reader.start()
    expect(started.status).toBe(202)
    expect(started.body).toMatchObject({ title: 'Vendas', format: 'pdf', status: 'queued', percent: 0 })
    const { id } = started.body
    expect((await reader.download(id)).status).toBe(404)
    await portal.jobs.runDue()
    portal.clock.advance(2_000)
    await portal.jobs.runDue()
    expect((await reader.get(`/${id}`)).body).toMatchObject({ status: 'running', percent: 66 })
    portal.clock.advance(3_000)
    await portal.jobs.runDue()
    const done = (await reader.get('')).body.items[0]
    expect(done).toMatchObject({ id, status: 'done', percent: 100, detail: null })
    expect(Date.parse(done.available_until)).toBe(portal.clock() + 60 * MINUTE)

    const file = await reader.download(id)
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'application/pdf'])
    expect(file.headers.get('content-disposition')).toMatch(
      /^attachment; filename\*=UTF-8''Vendas%20[\d-]{10}%20\d\dh\d\d\.pdf$/,
    )
    for (const part of [reader.person.email, 'Marcas: FIAT)', 'Estados: RJ)'])
      expect(file.text).toContain(part)
    const [call, ...others] = (await listCalls(portal)).exportTo
    expect(others).toEqual([])
    const { email } = reader.person
    const identity = {
      username: email,
      auditableContext: email,
      roles: ['Portal'],
      customData: 'M:FIAT|U:RJ',
    }
    expect(call?.body).toEqual({
      format: 'PDF',
      powerBIReportConfiguration: {
        identities: [{ ...identity, datasets: [getEmulatedReport('Vendas').datasetId] }],
        settings: { locale: 'pt-BR' },
      },
    })
  })

  test('passes what the reader sees as the default bookmark, and keeps it no longer than it runs', async () => {
    const reader = await addReader()
    const state = 'YW55IHN0YXRl'.repeat(20_000)
    const id = await finish(reader, { state, format: 'pptx' })
    const [call] = (await listCalls(portal)).exportTo
    expect(call?.body).toMatchObject({ powerBIReportConfiguration: { defaultBookmark: { state } } })
    const row = portal.database.db.selectFrom('jobs').selectAll().where('id', '=', id)
    expect(JSON.stringify(await row.executeTakeFirst())).not.toContain('YW55IHN0YXRl')
    expect((await reader.download(id)).text).toMatch(/^PK/)
    expectRefusal(await reader.start({ state: 'x'.repeat(256 * 1024 + 1) }), 400, 'invalid-input')
  })

  test('gives two people of one area their own rows', async () => {
    const [ana, rui] = [await addReader(), await addReader({ marcas: ['JEEP'], estados: ['MG'] })]
    const ids = [(await ana.start()).body.id, (await rui.start()).body.id]
    await advance(portal, 10_000)
    expect((await ana.download(ids[0])).text).toContain('Marcas: FIAT)')
    expect((await rui.download(ids[1])).text).toContain('Marcas: JEEP)')
    // Each sees and downloads their own alone.
    expect((await rui.download(ids[0])).status).toBe(404)
    expect((await rui.get(`/${ids[0]}`)).status).toBe(404)
    expect((await rui.get('')).body.items).toHaveLength(1)
  })

  test.each([
    ['a model without row-level security', EMULATED_REPORT_WITHOUT_RLS, /segurança em nível de linha/],
    ['a paginated report', EMULATED_PAGINATED_REPORT, /relatório paginado/],
  ])('refuses %s with a sentence, and does not call ExportTo', async (_, report, sentence) => {
    await setReport({ workspace_id: report.workspaceId, report_id: report.reportId, dataset_id: null })
    const reader = await addReader()
    const id = await finish(reader, { reportId: report.reportId })
    const { status, detail } = (await reader.get(`/${id}`)).body
    expect(status).toBe('failed')
    expect(detail).toMatch(sentence)
    expect((await listCalls(portal)).exportTo).toEqual([])
  })

  test.each([
    ['an SSO area', { embed_mode: 'secure_sso', report_url: 'https://x', report_id: null }, /própria conta/],
    ['an area without exports', { exports: false }, /desligou a exportação dos relatórios de Vendas/],
  ])('refuses %s at once', async (_, setting, sentence) => {
    await setReport(setting)
    const reply = await (await addReader()).start()
    expectRefusal(reply, 403, 'export-refused')
    expect(reply.body.detail).toMatch(sentence)
  })

  test('shows a saved view that the reader may open, and no other', async () => {
    const others = { types: ['Vendas', 'CRM'], marcas: ['JEEP'], estados: ['MG'] }
    const [ana, rui] = [await addReader(), await addReader(others)]
    const { db } = portal.database
    const viewId = await addView(rui, 'Mês 10/11')
    expectRefusal(await ana.start({ viewId }), 404, 'not-found')
    const crm = { area: 'CRM', reportId: getEmulatedReport('CRM').reportId }
    expectRefusal(await rui.start({ ...crm, viewId }), 404, 'not-found')
    await db.updateTable('report_views').set({ shared: true }).execute()
    // The view's own state, whatever is seen.
    const id = await finish(ana, { viewId, state: 'abcd' })
    expect((await ana.get(`/${id}`)).body.title).toBe('Vendas · Mês 10/11')
    expect((await readTrail(portal)).at(-1)).toMatchObject({ after: { published: false } })
    // The owner has exported it too: each gets their own rows, and nobody the other's file.
    const ownerId = await finish(rui, { viewId })
    expect((await ana.download(id)).text).toContain('Marcas: FIAT)')
    expect((await rui.download(ownerId)).text).toContain('Marcas: JEEP)')
    expect([(await ana.download(ownerId)).status, (await rui.download(id)).status]).toEqual([404, 404])
    expect((await listCalls(portal)).exportTo.map(({ body }) => body)).toMatchObject(
      ['H4sI', 'H4sI'].map((state) => ({
        powerBIReportConfiguration: { defaultBookmark: { state } },
      })),
    )
  })

  test('names each file after report, view and the minute in which it was made', async () => {
    const reader = await addReader()
    const viewId = await addView(reader, 'Mês 10/11: “A*”?')
    const moveTo = (at: string) => portal.clock.advance(Date.parse(at) - portal.clock())
    const readName = async (id: string) =>
      decodeURIComponent((await reader.download(id)).headers.get('content-disposition') ?? '').split("''")[1]
    moveTo('2027-01-29T02:59:00Z')
    const first = await finish(reader, { viewId })
    moveTo('2027-01-29T03:01:00Z')
    const second = await finish(reader, { viewId, state: 'abcd' })
    const named = 'Vendas · Mês 10-11- “A-”-'
    expect([await readName(first), await readName(second), await readName(first)]).toEqual([
      `${named} 2027-01-28 23h59.pdf`,
      `${named} 2027-01-29 00h01.pdf`,
      `${named} 2027-01-28 23h59.pdf`,
    ])
  })

  test('does not know reports of other areas and other ids', async () => {
    const reader = await addReader()
    const crm = getEmulatedReport('CRM').reportId
    for (const body of [{ area: 'CRM', reportId: crm }, { reportId: crm }, { area: 'Oficina' }])
      expectRefusal(await reader.start(body), 404, 'report-not-found')
    expectRefusal(await (await addReader({ marcas: [] })).start(), 403, 'no-scope')
  })

  test('says that a workspace without a capacity cannot export, and does not call ExportTo', async () => {
    const fresh = await startTestPortal({ kind, database: portal.database, clock: portal.clock })
    await scriptFault(fresh, { on: 'groups', body: { value: [{ isOnDedicatedCapacity: false }] } })
    const reader = openReader(fresh, await addPerson(portal))
    const { body } = await reader.start()
    await fresh.jobs.runDue()
    expect((await reader.get(`/${body.id}`)).body).toMatchObject({
      status: 'failed',
      detail: expect.stringMatching(/^Sem capacidade não há exportação/),
    })
    expect((await listCalls(fresh)).exportTo).toEqual([])
    await fresh.stop()
  })

  test('waits as long as Retry-After says after a 429 at the first call', async () => {
    await scriptFault(portal, { on: 'exportTo', status: 429, headers: { 'Retry-After': '90' } })
    const reader = await addReader()
    const { id } = (await reader.start()).body
    await advance(portal, 80_000)
    expect((await reader.get(`/${id}`)).body.status).toBe('queued')
    expect((await listCalls(portal)).exportTo).toHaveLength(1)
    await advance(portal, 20_000)
    expect((await reader.get(`/${id}`)).body.status).toBe('done')
  })

  test('goes on after failures of the status, and gives up after six in a row', async () => {
    await scriptFault(portal, { on: 'exportStatus', status: 503, times: 4 })
    const reader = await addReader()
    const id = await finish(reader)
    await advance(portal, 60_000)
    expect((await reader.get(`/${id}`)).body.status).toBe('done')
    await scriptFault(portal, { on: 'exportTo', status: 500, times: 100 })
    const failing = (await reader.start()).body.id
    await advance(portal, 10 * MINUTE, 10_000)
    expect((await reader.get(`/${failing}`)).body).toMatchObject({
      status: 'failed',
      detail: expect.stringMatching(/^O Power BI não respondeu/),
    })
    expect((await listCalls(portal)).exportTo).toHaveLength(1 + 6)
  })

  // learn.microsoft.com/power-bi/developer/embedded/export-to: a failed export with Retry-After is busy.
  test('starts a failed export again once its Retry-After has passed', async () => {
    const reader = await addReader()
    const answer = DOCUMENTED_ANSWERS.find(({ name }) => name === 'export-status-failed-retry-after')
    await scriptFault(portal, toFault(answer as (typeof DOCUMENTED_ANSWERS)[number]))
    const { body } = await reader.start()
    await advance(portal, 18_000)
    expect((await listCalls(portal)).exportTo).toHaveLength(1)
    expect((await reader.get(`/${body.id}`)).body).toMatchObject({ status: 'running' })
    await advance(portal, 20_000)
    expect((await listCalls(portal)).exportTo).toHaveLength(2)
    expect((await reader.get(`/${body.id}`)).body).toMatchObject({ status: 'done', percent: 100 })
  })

  test('gives up an export that stays busy for half an hour', async () => {
    const reader = await addReader()
    const headers = { 'Retry-After': '20' }
    await scriptFault(portal, { on: 'exportStatus', body: { status: 'Failed' }, headers, times: 999 })
    const { body } = await reader.start()
    await advance(portal, 31 * MINUTE, 30_000)
    expect((await reader.get(`/${body.id}`)).body).toMatchObject({
      status: 'failed',
      detail: expect.stringMatching(/30 minutos/),
    })
  })

  test.each([
    ['a failed export', { body: { status: 'Failed' } }, /não conseguiu exportar/],
    ['a forgotten export', { status: 404 }, /não conseguiu exportar/],
    [
      'a paused capacity',
      { status: 403, errorCode: 'CapacityNotActive', times: 20 },
      /capacidade .* pausada/,
    ],
    [
      'an export of half an hour',
      { body: { status: 'Running', percentComplete: 5 }, times: 999 },
      /30 minutos/,
    ],
  ])('tells the reader of %s', async (_, fault, sentence) => {
    await scriptFault(portal, { on: 'exportStatus', ...fault })
    const reader = await addReader()
    const { id } = (await reader.start()).body
    await advance(portal, 32 * MINUTE, MINUTE)
    const { status, detail } = (await reader.get(`/${id}`)).body
    expect(status).toBe('failed')
    expect(detail).toMatch(sentence)
  })

  test('names what Power BI refuses to export', async () => {
    await scriptFault(portal, { on: 'exportTo', status: 403 })
    const reader = await addReader()
    const id = await finish(reader)
    expect((await reader.get(`/${id}`)).body.detail).toMatch(/não deixa o portal exportar/)
  })

  describe('of which the file is gone', () => {
    const change = (reader: { person: Person }, values: object) =>
      portal.database.db
        .updateTable('profiles')
        .set(values)
        .where('user_id', '=', reader.person.user_id)
        .execute()

    test.each<[string, (reader: Reader) => unknown]>([
      ['after an hour', () => portal.clock.advance(60 * MINUTE)],
      ['when the marcas have changed', (reader) => change(reader, { marcas: ['FIAT', 'JEEP'] })],
      ['when the area is no longer entitled', (reader) => change(reader, { types: ['CRM'] })],
      ['when the area has another report', () => setReport({ report_id: getEmulatedReport('CRM').reportId })],
      ['when exports of the area are off', () => setReport({ exports: false })],
      ['when Power BI has it no more', () => scriptFault(portal, { on: 'exportFile', status: 404 })],
    ])('%s', async (_, act) => {
      const reader = await addReader()
      const id = await finish(reader)
      expect((await reader.download(id)).status).toBe(200)
      await act(reader)
      const file = await reader.download(id)
      expect(file.status).toBe(404)
      expect(JSON.parse(file.text).detail).toBe('Este arquivo não está mais disponível. Exporte de novo.')
    })

    test('when Power BI is down it is unavailable, not gone', async () => {
      const reader = await addReader()
      const id = await finish(reader)
      await scriptFault(portal, { on: 'exportFile', status: 429, headers: { 'Retry-After': '7' } })
      const file = await reader.download(id)
      expect([file.status, file.headers.get('retry-after')]).toEqual([503, '7'])
    })

    test.each<[string, number, (reader: Reader) => Promise<unknown>]>([
      [
        'the person is deleted',
        401,
        ({ person }) =>
          portal.database.db.deleteFrom('profiles').where('user_id', '=', person.user_id).execute(),
      ],
      [
        'the session ends',
        401,
        ({ person }) =>
          portal.database.db.deleteFrom('sessions').where('user_id', '=', person.user_id).execute(),
      ],
      ['the approval is removed', 404, (reader) => change(reader, { approved: false })],
      ['the marcas change', 404, (reader) => change(reader, { marcas: ['JEEP'] })],
    ])('when %s while Power BI is asked for it, without a row in the trail', async (_, status, act) => {
      const reader = await addReader()
      const id = await finish(reader)
      await scriptFault(portal, { on: 'exportFile', delayMs: 3_000 })
      const download = reader.download(id)
      await waitFor(async () => expect((await listCalls(portal)).exportFile).toHaveLength(1))
      await act(reader)
      expect((await download).status).toBe(status)
      const entries = await readTrail(portal)
      expect(entries.filter(({ actor_id }) => actor_id === reader.person.user_id)).toMatchObject([
        { action: 'report-exported' },
      ])
    })

    test("when what comes is a proxy's page, it is unavailable and not recorded", async () => {
      const reader = await addReader()
      const id = await finish(reader)
      await scriptFault(portal, { on: 'exportFile', headers: { 'content-type': 'text/html' } })
      expect((await reader.download(id)).status).toBe(503)
      const entries = await readTrail(portal)
      expect(entries.at(-1)).toMatchObject({ action: 'report-exported' })
    })

    test('when access changes while it is exported, nothing is exported or handed out', async () => {
      const [waiting, running] = [await addReader(), await addReader()]
      const early = (await running.start()).body.id
      await portal.jobs.runDue()
      const late = (await waiting.start()).body.id
      for (const reader of [waiting, running]) await change(reader, { estados: ['MG'] })
      await advance(portal, 10_000)
      for (const [reader, id] of [
        [waiting, late],
        [running, early],
      ] as const) {
        const { status, detail } = (await reader.get(`/${id}`)).body
        expect([status, detail]).toEqual(['failed', expect.stringMatching(/^Seu acesso mudou/)])
      }
      expect((await listCalls(portal)).exportTo).toHaveLength(1)
    })
  })

  test('the trail tells who exported what, and who fetched the file', async () => {
    const reader = await addReader()
    const id = await finish(reader, { format: 'pptx' })
    await reader.download(id)
    const entries = (await readTrail(portal)).filter(({ actor_id }) => actor_id === reader.person.user_id)
    const after = { type: 'Vendas', report_id: reportId, format: 'pptx' }
    expect(entries).toMatchObject([
      { action: 'report-exported', target_id: reader.person.user_id, after: { ...after, published: true } },
      { action: 'export-downloaded', target_id: reader.person.user_id, after },
    ])
  })

  test("exports an administrator's own rows, whomever they are viewing", async () => {
    const admin = await addReader({ role: 'admin', marcas: ['GM'] })
    const { person } = await addReader({ marcas: ['JEEP'] })
    const view = await send(portal, 'GET', `/api/profiles/${person.user_id}/reports`, {
      token: await admin.open(),
    })
    expect(view.body.areas[0]).toMatchObject({ type: 'Vendas', canExport: false })
    const id = await finish(admin)
    expect((await admin.download(id)).text).toContain('Marcas: GM)')
    for (const extra of [{ userId: person.user_id }, { view: view.body.view }])
      expectRefusal(await admin.start(extra), 400, 'invalid-input')
  })

  test('exports nothing with EXPORTS=off, also of jobs that were waiting', async () => {
    const off = await startTestPortal({
      kind,
      database: portal.database,
      clock: portal.clock,
      exports: false,
    })
    const person = await addPerson(portal)
    const [before, after] = [openReader(portal, person), openReader(off, person)]
    const { id } = (await before.start()).body
    await off.jobs.runDue()
    expect((await before.get(`/${id}`)).body.detail).toBe(
      'A exportação de relatórios está desligada neste portal.',
    )
    expectRefusal(await after.start(), 403, 'export-refused')
    const own = await send(off, 'GET', '/api/reports/me', { token: await after.open() })
    expect(own.body.areas[0].canExport).toBe(false)
    await off.stop()
  })

  test('runs five at once for the portal and one for a person, counted over replicas', async () => {
    const replica = await startTestPortal({ kind, database: portal.database, clock: portal.clock })
    const readers = await Promise.all(Array.from({ length: 7 }, () => addReader()))
    for (const reader of readers) for (let i = 0; i < 2; i++) await reader.start()
    const countCalls = async () =>
      (await listCalls(portal)).exportTo.length + (await listCalls(replica)).exportTo.length
    await Promise.all([portal.jobs.runDue(), replica.jobs.runDue()])
    expect(await countCalls()).toBe(5)
    for (let round = 0; round < 30; round++) {
      portal.clock.advance(2_000)
      await Promise.all([portal.jobs.runDue(), replica.jobs.runDue()])
    }
    expect(await countCalls()).toBe(14)
    for (const reader of readers)
      expect((await reader.get('')).body.items.map(({ status }: { status: string }) => status)).toEqual([
        'done',
        'done',
      ])
    await replica.stop()
  })

  test('another replica goes on where a killed one stopped', async () => {
    const replica = await startTestPortal({ kind, database: portal.database, clock: portal.clock })
    const reader = await addReader()
    const { id } = (await reader.start()).body
    await portal.jobs.runDue()
    // As a killed process leaves it: leased, in the middle of the next step.
    const lease = crypto.randomUUID()
    const leased_until = new Date(portal.clock() + MINUTE)
    await portal.database.db.updateTable('jobs').set({ lease, leased_until }).where('id', '=', id).execute()
    portal.clock.advance(MINUTE - 1)
    await replica.jobs.runDue()
    expect((await reader.get(`/${id}`)).body.percent).toBe(0)
    portal.clock.advance(1)
    await replica.jobs.runDue()
    expect((await reader.get(`/${id}`)).body.status).toBe('done')
    expect((await listCalls(portal)).exportTo).toHaveLength(1)
    expect((await listCalls(replica)).exportTo).toHaveLength(0)
    await replica.stop()
  })

  test('a replica that lost its lease writes nothing down', async () => {
    const replica = await startTestPortal({ kind, database: portal.database, clock: portal.clock })
    const reader = await addReader()
    const { id } = (await reader.start()).body
    await scriptFault(portal, { on: 'exportTo', status: 403, delayMs: 2_000 })
    const slow = portal.jobs.runDue()
    await expect.poll(async () => (await listCalls(portal)).exportTo.length).toBe(1)
    portal.clock.advance(61_000)
    await replica.jobs.runDue()
    await slow
    expect((await reader.get(`/${id}`)).body.status).toBe('running')
    portal.clock.advance(5_000)
    await replica.jobs.runDue()
    expect((await reader.get(`/${id}`)).body.status).toBe('done')
    await replica.stop()
  })

  test('deleting the person ends the job and its step', async () => {
    const reader = await addReader()
    await reader.start()
    await portal.database.db.deleteFrom('profiles').where('user_id', '=', reader.person.user_id).execute()
    await portal.jobs.runDue()
    expect(await portal.database.db.selectFrom('jobs').selectAll().execute()).toEqual([])
  })

  test('refuses a person who is being deleted', async () => {
    const reader = await addReader()
    const token = await reader.open()
    const body = { area: 'Vendas', reportId, format: 'pdf' }
    const reply = await deleteDuring(portal, {
      kind,
      userId: reader.person.user_id,
      call: () => send(portal, 'POST', '/api/report-exports', { token, body }),
    })
    expect(reply.status).toBe(401)
    expect(await portal.database.db.selectFrom('jobs').selectAll().execute()).toEqual([])
  })

  test('limits how often a person exports and downloads, with one row of the trail for a file', async () => {
    const reader = await addReader()
    const id = await finish(reader)
    for (let i = 0; i < 30; i++) expect((await reader.download(id)).status).toBe(200)
    expect((await reader.download(id)).status).toBe(429)
    expect((await listCalls(portal)).exportFile).toHaveLength(30)
    const downloads = (await readTrail(portal)).filter(
      ({ action, actor_id }) => action === 'export-downloaded' && actor_id === reader.person.user_id,
    )
    expect(downloads).toHaveLength(1)
    for (let i = 1; i < 30; i++) expect((await reader.start()).status).toBe(202)
    expectRefusal(await reader.start(), 429, 'rate-limited')
  })
})
