import { expect, test } from 'vitest'
import { addPerson } from '#server/testing/builders.ts'
import { fetchToken, toTokenBody } from '#server/testing/embed-token-calls.ts'
import { setUpReportSettings, toLinkSetting, toSetting } from '#server/testing/report-setting-calls.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const LINK = 'https://app.powerbi.com/reportEmbed?reportId=1&autoAuth=true&ctid=2'

describeOnEachDatabase('report settings', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  const { admin, save, remove, list } = setUpReportSettings(portal)
  const readActions = () =>
    portal.database.db
      .selectFrom('audit_entries')
      .select(['action', 'actor_id', 'actor_email', 'before', 'after', 'ip'])
      .orderBy('id')
      .execute()

  test('are created, changed between the modes, listed in tab order and removed', async () => {
    const created = await save('crm', toLinkSetting(LINK))
    expect(created.status).toBe(200)
    const ids = { workspace_id: null, report_id: null, dataset_id: null }
    const opening = { page_name: null, bookmark_name: null }
    const nothing = { report_url: null, ...ids, exports: true, name: null, ...opening }
    expect(created.body).toEqual({
      ...nothing,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'CRM',
      embed_mode: 'secure_sso',
      report_url: LINK,
      updated_at: new Date(portal.clock()).toISOString(),
      undoId: expect.any(String),
    })
    await save('vendas', toSetting('Vendas'))
    portal.clock.advance(1500)
    const changed = await save('crm', toSetting('Oficina', { dataset_id: '' }))
    expect(changed.body).toEqual({
      ...nothing,
      ...toSetting('Oficina', { dataset_id: null }),
      id: created.body.id,
      type: 'CRM',
      updated_at: new Date(portal.clock()).toISOString(),
      undoId: expect.any(String),
    })
    expect((await list()).map(({ type }: { type: string }) => type)).toEqual(['Vendas', 'CRM'])
    expect(changed.body).toMatchObject((await list())[1])

    expect((await remove('crm')).body).toEqual({ removed: true, undoId: expect.any(String) })
    expect((await remove('crm')).body).toEqual({ removed: false, undoId: null })
    expect(await list()).toHaveLength(1)
  })

  test('switch exports off and on, and leave them as they are when nothing is said', async () => {
    expect((await save('vendas', toSetting('Vendas'))).body.exports).toBe(true)
    for (const [input, exports] of [
      [{ exports: false }, false],
      [{}, false],
      [{ exports: true }, true],
    ] as const)
      expect((await save('vendas', toSetting('Vendas', input))).body.exports).toBe(exports)
    const last = (await readActions()).at(-1)
    expect([last?.before, last?.after]).toMatchObject([{ exports: false }, { exports: true }])
  })

  test('write an audit entry per change, and none without an effect', async () => {
    await save('vendas', toLinkSetting(LINK))
    await save('vendas', toLinkSetting(` ${LINK} `))
    await save('vendas', toSetting('Vendas'))
    await remove('vendas')
    await remove('vendas')
    const who = { actor_id: admin.user_id, actor_email: admin.email, ip: '127.0.0.1' }
    const nothing = { report_url: null, workspace_id: null, report_id: null, dataset_id: null, exports: true }
    const asLink = { type: 'Vendas', ...nothing, ...toLinkSetting(LINK), id: expect.any(String) }
    const asPrincipal = { type: 'Vendas', ...nothing, ...toSetting('Vendas') }
    expect(await readActions()).toEqual([
      { ...who, action: 'report-setting-saved', before: null, after: asLink },
      { ...who, action: 'report-setting-saved', before: asLink, after: asPrincipal },
      { ...who, action: 'report-setting-removed', before: asPrincipal, after: null },
    ])
  })

  test('store a normalized link, extracted from a pasted iframe', async () => {
    const iframe = `<iframe title="x" src="${LINK.replaceAll('&', '&amp;')}" allowFullScreen="true"></iframe>`
    expect((await save('vendas', toLinkSetting(iframe))).body.report_url).toBe(LINK)
    const odd = ' HTTPS://APP.powerbi.com/a/../view?r=a b '
    expect((await save('vendas', toLinkSetting(odd))).body.report_url).toBe(
      'https://app.powerbi.com/view?r=a%20b',
    )
  })

  test('store every parameter of a link as it was pasted, its own filters too', async () => {
    const pasted = `${LINK}&amp;$filter=Loja/UF eq 'RJ' or Loja/UF eq 'SP'&amp;rp:Loja=São  Paulo&pageName=ReportSection`
    const { report_url } = (await save('vendas', toLinkSetting(pasted))).body
    expect([...new URL(report_url).searchParams].slice(3)).toEqual([
      ['$filter', "Loja/UF eq 'RJ' or Loja/UF eq 'SP'"],
      ['rp:Loja', 'São  Paulo'],
      ['pageName', 'ReportSection'],
    ])
  })

  test('open at a page and a bookmark, which stay with their report', async () => {
    const opening = { page_name: 'ReportSection', bookmark_name: 'Bookmarkeb9e787c137d047a58b9' }
    const none = { page_name: null, bookmark_name: null }
    for (const [input, expected] of [
      [toSetting('Vendas', { ...opening, page_name: ' ReportSection ' }), opening],
      // The payload that is specified names neither.
      [toSetting('Vendas', { dataset_id: '' }), opening],
      [toSetting('Vendas', { page_name: '' }), { ...opening, page_name: null }],
      [toSetting('Oficina'), none],
      [toSetting('Vendas', opening), opening],
      [toSetting('Oficina', opening), opening],
      [toLinkSetting(LINK), none],
    ] as const)
      expect((await save('vendas', input)).body).toMatchObject(expected)
    const trail = (await readActions()).slice(-3)
    expect(trail[1]).toMatchObject({ before: opening, after: { ...toSetting('Oficina'), ...opening } })
    expect(trail[2]?.after).not.toHaveProperty('page_name')
  })

  test('lose page and bookmark when 0.2, which knows neither, chooses another report', async () => {
    await save('vendas', toSetting('Vendas', { page_name: 'ReportSection', bookmark_name: 'Bookmark1' }))
    const { report_id } = toSetting('Oficina') as unknown as { report_id: string }
    const update = (values: { report_id?: string; dataset_id?: string }) =>
      portal.database.db.updateTable('global_powerbi_settings').set(values).execute()
    await update({ dataset_id: 'd' })
    expect((await list())[0]).toMatchObject({ page_name: 'ReportSection', bookmark_name: 'Bookmark1' })
    await update({ report_id })
    expect((await list())[0]).toMatchObject({ page_name: null, bookmark_name: null })
  })

  test('never serve the old report after a change', async () => {
    const person = await addPerson(portal, { types: ['Vendas'] })
    await save('vendas', toSetting('Vendas'))
    expect((await fetchToken(portal, person, toTokenBody('Vendas'))).status).toBe(200)
    await save('vendas', toSetting('Oficina'))
    expect((await fetchToken(portal, person, toTokenBody('Vendas'))).status).toBe(404)
    expect((await fetchToken(portal, person, toTokenBody('Oficina'))).status).toBe(200)
    await remove('vendas')
    expect((await fetchToken(portal, person, toTokenBody('Oficina'))).status).toBe(404)
  })
})
