import { beforeEach, describe, expect, test } from 'vitest'
import type { PowerBi } from '#server/power-bi/power-bi.ts'
import { undoEdit } from '#server/testing/admin-calls.ts'
import { addPerson, getEmulatedReport, openTestSession, send } from '#server/testing/builders.ts'
import { fetchToken, toTokenBody } from '#server/testing/embed-token-calls.ts'
import { setUpReportSettings, toLinkSetting, toSetting } from '#server/testing/report-setting-calls.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { reportMails } from './mails.ts'
import { testSavedReports } from './test-report-setting.ts'

const PATH = '/api/global-powerbi-settings/vendas/reports'
const LINK = 'https://app.powerbi.com/reportEmbed?reportId=1&autoAuth=true&ctid=2'

describeOnEachDatabase('further reports of an area', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  const { admin, save, remove: removeFirst } = setUpReportSettings(portal)
  beforeEach(async () => {
    await portal.database.db.deleteFrom('further_reports').execute()
    await save('vendas', toSetting('Vendas'))
  })
  const call = (method: string, path: string, body?: unknown, ifMatch?: string) =>
    send(portal, method, PATH + path, {
      token: admin.token,
      body,
      ...(ifMatch !== undefined && { headers: { 'if-match': `"${ifMatch}"` } }),
    })
  /** Adds the emulator's report of another area to Vendas. */
  const add = async (type: string, name: string) => {
    const { status, body } = await call('POST', '', { name, ...toSetting(type) })
    expect(status, JSON.stringify(body)).toBe(201)
    return body
  }
  const listNames = async () => (await call('GET', '')).body.items.map(({ name }: { name: string }) => name)
  const read = async (person: Parameters<typeof addPerson>[1] = {}) => {
    const { access_token: token } = await openTestSession(portal, await addPerson(portal, person))
    const get = (path: string) => send(portal, 'GET', path, { token })
    return { areas: (await get('/api/reports/me')).body.areas, get, token }
  }

  test('are added, ordered, changed, removed and restored, each in the trail', async () => {
    const goals = await add('Gerentes', 'Metas')
    expect(goals).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'Vendas',
      name: 'Metas',
      report_url: null,
      exports: true,
      page_name: null,
      bookmark_name: null,
      ...toSetting('Gerentes'),
      updated_at: new Date(portal.clock()).toISOString(),
      undoId: expect.any(String),
    })
    const leads = (await call('POST', '', { name: 'Leads', ...toLinkSetting(LINK) })).body
    expect(await listNames()).toEqual(['Metas', 'Leads'])
    const moved = { name: 'Leads', ...toLinkSetting(LINK), position: 0 }
    expect((await call('PATCH', `/${leads.id}`, moved)).status).toBe(200)
    expect(await listNames()).toEqual(['Leads', 'Metas'])
    await call('POST', '', { name: 'Estoque', ...toSetting('HPD'), position: 1 })
    expect(await listNames()).toEqual(['Leads', 'Estoque', 'Metas'])
    const renamed = await call('PATCH', `/${goals.id}`, { name: 'Metas do mês', ...toSetting('CRM') })
    expect(renamed.body).toMatchObject({ id: goals.id, name: 'Metas do mês', ...toSetting('CRM') })
    const removed = await call('DELETE', `/${goals.id}`)
    expect(await listNames()).toEqual(['Leads', 'Estoque'])
    expect((await undoEdit(portal, admin, removed.body.undoId)).status).toBe(200)
    expect(await listNames()).toEqual(['Leads', 'Estoque', 'Metas do mês'])

    const trail = await portal.database.db
      .selectFrom('audit_entries')
      .select(['action', 'actor_id', 'before', 'after'])
      .orderBy('id')
      .execute()
    const by = { actor_id: admin.user_id }
    expect(trail.slice(1)).toMatchObject([
      { ...by, action: 'report-setting-saved', before: null, after: { type: 'Vendas', name: 'Metas' } },
      { action: 'report-setting-saved', after: { name: 'Leads', report_url: LINK, position: 2 } },
      { action: 'report-setting-saved', before: { position: 2 }, after: { name: 'Leads', position: 1 } },
      { action: 'report-setting-saved', before: null, after: { name: 'Estoque', position: 2 } },
      { action: 'report-setting-saved', before: { name: 'Metas' }, after: { name: 'Metas do mês' } },
      { action: 'report-setting-removed', before: { name: 'Metas do mês' }, after: null },
      { action: 'report-setting-saved', before: null, after: { name: 'Metas do mês' } },
    ])
  })

  test('saving the current values writes no entry', async () => {
    const { id } = await add('CRM', 'Clientes')
    const count = async () =>
      (await portal.database.db.selectFrom('audit_entries').selectAll().execute()).length
    const before = await count()
    expect((await call('PATCH', `/${id}`, { name: 'Clientes', ...toSetting('CRM') })).status).toBe(200)
    expect(await count()).toBe(before)
  })

  test('count the approved people who have the area', async () => {
    const { people } = (await call('GET', '')).body
    await addPerson(portal)
    await addPerson(portal, { approved: false })
    await addPerson(portal, { types: ['CRM'] })
    await addPerson(portal, { valid_until: '2020-01-01' })
    expect((await call('GET', '')).body.people).toBe(people + 1)
  })

  test.each([
    ['without a name', { name: ' ', ...toSetting('CRM') }, 'name', 'Informe um nome para o relatório'],
    [
      'with the name of the area',
      { name: 'vendas', ...toSetting('CRM') },
      'name',
      'Esta área já tem um relatório com este nome',
    ],
    [
      'with the area’s first report',
      { name: 'Outro', ...toSetting('Vendas') },
      'report_id',
      'Esta área já tem este relatório, com o nome “Vendas”',
    ],
    [
      'with another’s report',
      { name: 'Outro', ...toSetting('Oficina') },
      'report_id',
      'Esta área já tem este relatório, com o nome “Serviços”',
    ],
    [
      'with a wrong id',
      { name: 'Outro', ...toSetting('CRM', { report_id: 'x' }) },
      'report_id',
      'Report ID inválido (formato UUID esperado)',
    ],
    [
      'with a link of another host',
      { name: 'Outro', ...toLinkSetting('https://exemplo.com.br') },
      'report_url',
      'Apenas URLs do Power BI são permitidas (app.powerbi.com ou msit.powerbi.com)',
    ],
  ])('are refused %s', async (_, body, path, message) => {
    const { id } = await add('Oficina', 'Serviços')
    const third = await add('HPD', 'Terceiro')
    for (const reply of [await call('POST', '', body), await call('PATCH', `/${third.id}`, body)])
      expect([reply.status, reply.body.fields]).toEqual([400, [{ path, message }]])
    expect((await call('PATCH', `/${id}`, { name: 'Serviços', ...toSetting('Oficina') })).status).toBe(200)
  })

  test('are at most twenty', async () => {
    for (let number = 1; number <= 20; number++) {
      const link = toLinkSetting(`${LINK}${number}`)
      expect((await call('POST', '', { name: `Relatório ${number}`, ...link })).status).toBe(201)
    }
    const { status, body } = await call('POST', '', { name: 'Mais um', ...toSetting('CRM') })
    expect([status, body.code]).toEqual([409, 'limit-reached'])
  })

  test('need the area’s first report, without which the area is shown to nobody', async () => {
    await add('Oficina', 'Serviços')
    await removeFirst('vendas')
    const { status, body } = await call('POST', '', { name: 'Outro', ...toSetting('CRM') })
    expect([status, body.detail]).toEqual([400, 'Configure antes o primeiro relatório de Vendas.'])
    expect((await read()).areas).toEqual([])
    await save('vendas', toSetting('Vendas'))
    expect((await read()).areas[0].reports).toHaveLength(2)
  })

  test('are refused as the first report, but not once removed', async () => {
    const { id } = await add('CRM', 'Clientes')
    const saveCrm = () => save('vendas', toSetting('CRM'))
    expect((await saveCrm()).body.fields).toEqual([
      { path: 'report_id', message: 'Esta área já tem este relatório, com o nome “Clientes”' },
    ])
    await removeFirst('vendas')
    expect((await saveCrm()).status).toBe(400)
    await save('vendas', toSetting('Vendas'))
    await call('DELETE', `/${id}`)
    expect((await saveCrm()).status).toBe(200)
  })

  describe('the name of the first', () => {
    const nameFirst = (name: string | null, ifMatch?: string) =>
      save('vendas', { ...toSetting('Vendas'), name }, ifMatch === undefined ? {} : { ifMatch })

    test('is shown beside others only, and is the area’s without one', async () => {
      expect((await nameFirst('Resumo do dia')).body).toMatchObject({ name: 'Resumo do dia' })
      const listOwn = async () => (await read()).areas[0].reports.map(({ name }: { name: string }) => name)
      expect(await listOwn()).toEqual(['Vendas'])
      const { id } = await add('Gerentes', 'Metas')
      expect(await listOwn()).toEqual(['Resumo do dia', 'Metas'])
      // A page of the version before sends no name.
      await save('vendas', toSetting('Vendas', { exports: false }))
      expect(await listOwn()).toEqual(['Resumo do dia', 'Metas'])
      expect((await nameFirst(null)).body.name).toBeNull()
      expect(await listOwn()).toEqual(['Vendas', 'Metas'])
      const { before, after } = await portal.database.db
        .selectFrom('audit_entries')
        .select(['before', 'after'])
        .orderBy('id', 'desc')
        .executeTakeFirstOrThrow()
      expect([before, 'name' in (after as object)]).toMatchObject([{ name: 'Resumo do dia' }, false])
      await call('DELETE', `/${id}`)
    })

    test('is refused twice in an area, with a stale version, and too long', async () => {
      await add('Gerentes', 'Metas')
      expect((await nameFirst('metas')).body.fields).toEqual([
        { path: 'name', message: 'Esta área já tem um relatório com este nome' },
      ])
      expect((await nameFirst('x'.repeat(61))).status).toBe(400)
      expect((await nameFirst('Resumo', '2020-01-01T00:00:00.000Z')).body.code).toBe('conflict')
      await nameFirst('Resumo')
      for (const name of ['resumo', 'Vendas'])
        expect((await call('POST', '', { name, ...toSetting('CRM') })).body.fields[0].path).toBe('name')
    })
  })

  test('are not changed or removed by whoever saw an older version', async () => {
    const { id, updated_at } = await add('Oficina', 'Serviços')
    const body = { name: 'Oficinas', ...toSetting('Oficina') }
    expect((await call('PATCH', `/${id}`, body, updated_at)).status).toBe(200)
    for (const reply of [
      await call('PATCH', `/${id}`, body, updated_at),
      await call('DELETE', `/${id}`, undefined, updated_at),
    ])
      expect([reply.status, reply.body.code]).toEqual([409, 'conflict'])
    expect(await listNames()).toEqual(['Oficinas'])
  })

  test('of another area or removed before are not found', async () => {
    const { id } = await add('Oficina', 'Serviços')
    const elsewhere = `/api/global-powerbi-settings/crm/reports/${id}`
    await save('crm', toSetting('CRM'))
    expect((await send(portal, 'DELETE', elsewhere, { token: admin.token })).status).toBe(404)
    await call('DELETE', `/${id}`)
    expect((await call('DELETE', `/${id}`)).status).toBe(404)
    expect((await call('PATCH', `/${id}`, { name: 'x', ...toSetting('CRM') })).status).toBe(404)
  })

  describe('for whoever has the area', () => {
    test('follow its first report, in order', async () => {
      const { workspaceId, reportId, datasetId } = getEmulatedReport('Gerentes')
      const added = await add('Gerentes', 'Metas')
      await call('POST', '', { name: 'Leads', ...toLinkSetting(LINK) })
      const { areas } = await read()
      expect(areas).toMatchObject([{ type: 'Vendas', reportId: getEmulatedReport('Vendas').reportId }])
      expect(areas[0].reports).toMatchObject([
        { name: 'Vendas', reportId: getEmulatedReport('Vendas').reportId },
        { id: added.id, name: 'Metas', embedMode: 'service_principal', workspaceId, reportId, datasetId },
        { name: 'Leads', embedMode: 'secure_sso', reportUrl: LINK },
      ])
      expect((await read({ marcas: [] })).areas[0].reports[2].reportUrl).toBeNull()
      expect((await read({ types: ['CRM'] })).areas).toEqual([])
    })

    test('give tokens, ages, views and exports, until they are removed', async () => {
      const { reportId } = getEmulatedReport('Oficina')
      const { id } = await add('Oficina', 'Serviços')
      const asks = async (changes: object = {}) => {
        const person = await addPerson(portal, changes)
        const { access_token: token } = await openTestSession(portal, person)
        const own = { area: 'Vendas', reportId }
        const view = { ...own, name: 'Minha', state: 'H4sI' }
        const replies = [
          await fetchToken(portal, person, toTokenBody('Oficina')),
          await send(portal, 'GET', `/api/reports/${reportId}/last-refresh`, { token }),
          await send(portal, 'POST', '/api/report-views', { token, body: view }),
          await send(portal, 'POST', '/api/report-exports', { token, body: { ...own, format: 'pdf' } }),
        ]
        return replies.map(({ status, body }) => (status < 300 ? status : body.code))
      }
      const refused = Array.from({ length: 4 }, () => 'report-not-found')
      expect(await asks()).toEqual([200, 200, 201, 202])
      expect(await asks({ types: ['CRM'] })).toEqual(refused)
      const { undoId } = (await call('DELETE', `/${id}`)).body
      expect(await asks()).toEqual(refused)
      await undoEdit(portal, admin, undoId)
      expect(await asks()).toEqual([200, 200, 201, 202])
    })

    test('open nothing in a view as by their links', async () => {
      await call('POST', '', { name: 'Leads', ...toLinkSetting(LINK) })
      const { user_id } = await addPerson(portal)
      const { body } = await send(portal, 'GET', `/api/profiles/${user_id}/reports`, { token: admin.token })
      expect(body.areas[0].reports.map(({ reportUrl }: { reportUrl: unknown }) => reportUrl)).toEqual([
        null,
        null,
      ])
    })

    test('open at a page and a bookmark, also after they were moved and restored', async () => {
      const opening = { page_name: 'ReportSection', bookmark_name: 'Bookmark1' }
      await save('vendas', toSetting('Vendas', opening))
      const input = { name: 'Serviços', ...toSetting('Oficina', opening) }
      const { id } = (await call('POST', '', input)).body
      const other = { name: 'Serviços', ...toSetting('HPD', opening), position: 0 }
      expect((await call('PATCH', `/${id}`, other)).body).toMatchObject(opening)
      const { undoId } = (await call('DELETE', `/${id}`)).body
      await undoEdit(portal, admin, undoId)
      const { areas } = await read({ types: ['Vendas'] })
      const shown = { pageName: 'ReportSection', bookmarkName: 'Bookmark1' }
      expect(areas[0].reports).toMatchObject([shown, shown])
      const moved = await call('PATCH', `/${id}`, { name: 'Serviços', ...toSetting('CRM') })
      expect(moved.body).toMatchObject({ page_name: null, bookmark_name: null })
      expect((await read({ types: ['Vendas'] })).areas[0].reports[1]).not.toHaveProperty('pageName')
    })

    test('switch their exports off alone', async () => {
      const { reportId } = getEmulatedReport('Oficina')
      await call('POST', '', { name: 'Serviços', ...toSetting('Oficina', { exports: false }) })
      const { areas, token } = await read()
      expect(areas[0].reports.map(({ canExport }: { canExport: boolean }) => canExport)).toEqual([
        true,
        false,
      ])
      const exportReport = (id: string) =>
        send(portal, 'POST', '/api/report-exports', {
          token,
          body: { area: 'Vendas', reportId: id, format: 'pdf' },
        })
      expect((await exportReport(getEmulatedReport('Vendas').reportId)).status).toBe(202)
      expect((await exportReport(reportId)).body.code).toBe('export-refused')
    })
  })

  test('are counted among the reports of their area', async () => {
    await add('Oficina', 'Serviços')
    const { body } = await send(portal, 'GET', '/api/catalogue/use', { token: admin.token })
    expect(body.items.find(({ code }: { code: string }) => code === 'vendas').reports).toBe(2)
  })

  test('are named in the administrators’ mail', async () => {
    await add('Oficina', 'Serviços')
    const services = { db: portal.database.db, groupName: 'Grupo', publicUrl: 'https://x' }
    const compose = reportMails['report-settings-changed']
    const mail = await compose(services as never, { recipient: admin.email } as never)
    expect(mail?.list?.[0]).toMatch(/: Vendas · Serviços: configuração salva, por /)
  })

  test('are tested by the doctor one by one', async () => {
    await add('Oficina', 'Serviços')
    const services = { db: portal.database.db, powerBi: {} as PowerBi, rlsRoles: [] }
    const tests = await testSavedReports(services, admin.email)
    expect(tests.map(({ title }) => title)).toEqual(['Vendas', 'Vendas · Serviços'])
  })

  test('are refreshed on their own', async () => {
    const { id } = await add('Oficina', 'Serviços')
    const { datasetId } = getEmulatedReport('Oficina')
    const refresh = `/api/global-powerbi-settings/vendas/refresh?report=${id}`
    expect((await send(portal, 'POST', refresh, { token: admin.token })).body.status).toBe('running')
    const calls = await (await fetch(`${portal.emulatorUrl}/calls`)).json()
    expect(calls.at(-1).path).toMatch(new RegExp(`/datasets/${datasetId}/refreshes`))
    const last = await portal.database.db
      .selectFrom('audit_entries')
      .select(['action', 'after'])
      .orderBy('id', 'desc')
      .executeTakeFirst()
    expect(last).toEqual({
      action: 'report-refresh-requested',
      after: { type: 'Vendas', name: 'Serviços' },
    })
    await call('DELETE', `/${id}`)
    expect((await send(portal, 'GET', refresh, { token: admin.token })).status).toBe(404)
  })
})
