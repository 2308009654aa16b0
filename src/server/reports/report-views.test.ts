import { beforeEach, expect, test } from 'vitest'
import { reportViewMessages } from '#contract/messages.ts'
import { MAX_STATE_LENGTH, MAX_VIEWS, type ReportView } from '#contract/report-views.ts'
import { toSaoPauloDay } from '#contract/user-rules.ts'
import { removeAllPeople } from '#server/testing/admin-calls.ts'
import {
  addPerson,
  configureReports,
  getEmulatedReport,
  openTestSession,
  send,
  UNKNOWN_ID,
} from '#server/testing/builders.ts'
import { deleteDuring } from '#server/testing/delete-during.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const { reportId } = getEmulatedReport('Vendas')
const STATE = 'H4sIAAAA/+=='

describeOnEachDatabase('saved views', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  let ana: string
  let bia: string
  let anaId: string
  let biaId: string
  beforeEach(async () => {
    await removeAllPeople(portal)
    await portal.database.db.deleteFrom('global_powerbi_settings').execute()
    await configureReports(portal, 'Vendas', 'CRM')
    const open = async (full_name: string) => {
      const person = await addPerson(portal, { full_name, types: ['Vendas', 'CRM', 'Operadores'] })
      return [(await openTestSession(portal, person)).access_token, person.user_id] as const
    }
    ;[ana, anaId] = await open('Ana Lima')
    ;[bia, biaId] = await open('Bia Reis')
  })
  const call = (token: string, method: string, path = '', body?: object) =>
    send(portal, method, `/api/report-views${path}`, { token, body })
  const save = (token: string, change: object = {}) =>
    call(token, 'POST', '', { area: 'Vendas', reportId, name: 'Este mês', state: STATE, ...change })
  const add = async (token: string, change: object = {}): Promise<ReportView> => {
    const { status, body } = await save(token, change)
    expect(status, JSON.stringify(body)).toBe(201)
    return body
  }
  const list = async (token: string, query = ''): Promise<ReportView[]> =>
    (await call(token, 'GET', query)).body.items
  const listNames = async (token: string) => (await list(token)).map(({ name }) => name)
  const change = (token: string, id: string, body: object) => call(token, 'PATCH', `/${id}`, body)
  const gone = { status: 404, body: { detail: reportViewMessages.gone } }

  test('are listed by name and area without their state, which reading one adds', async () => {
    // Three digits of milliseconds, though the last one is 0.
    portal.clock.advance(10 - (portal.clock() % 10))
    const view = await add(ana)
    expect(view).toEqual({
      id: expect.any(String),
      area: 'Vendas',
      reportId,
      name: 'Este mês',
      isDefault: false,
      shared: false,
      owner: null,
      updatedAt: new Date(portal.clock()).toISOString(),
      stateHash: expect.stringMatching(/^\w+$/),
    })
    const other = await add(ana, { area: 'CRM', reportId: getEmulatedReport('CRM').reportId, name: 'Águia' })
    expect(await list(ana)).toEqual([other, view])
    expect(await list(ana, '?area=Vendas')).toEqual([view])
    expect(await list(ana, '?area=HPD')).toEqual([])
    expect((await call(ana, 'GET', `/${view.id}`)).body).toEqual({
      ...view,
      state: STATE,
      ownerSeesMore: false,
    })
    expect(await list(bia)).toEqual([])
    for (const reply of [
      await call(bia, 'GET', `/${view.id}`),
      await change(bia, view.id, { name: 'Minha' }),
      await call(bia, 'DELETE', `/${view.id}`),
      await call(bia, 'POST', `/${view.id}/restore`),
      await call(ana, 'GET', `/${UNKNOWN_ID}`),
      await call(ana, 'POST', `/${view.id}/restore`),
    ])
      expect(reply).toMatchObject(gone)
    expect(await list(ana)).toEqual([other, view])
  })

  test('can be renamed and overwritten, and one of a report opens first', async () => {
    const first = await add(ana, { isDefault: true })
    const second = await add(ana, { name: 'Segunda', isDefault: true })
    const openFirst = async () =>
      (await send(portal, 'GET', '/api/reports/me', { token: ana })).body.areas[0].reports[0].firstViewId
    expect(await openFirst()).toBe(second.id)
    const defaults = async () => (await list(ana)).flatMap(({ id, isDefault }) => (isDefault ? id : []))
    expect(await defaults()).toEqual([second.id])
    expect((await change(ana, first.id, { isDefault: true })).body.isDefault).toBe(true)
    expect(await defaults()).toEqual([first.id])
    await add(ana, { area: 'CRM', reportId: getEmulatedReport('CRM').reportId, isDefault: true })
    expect(await defaults()).toHaveLength(2)
    expect((await change(ana, first.id, { isDefault: false })).body.isDefault).toBe(false)

    const changed = await change(ana, first.id, { name: '  Outubro ', state: 'H4sIBBBB' })
    const { stateHash } = changed.body
    expect(changed.body).toEqual({ ...first, name: 'Outubro', isDefault: false, stateHash })
    expect(stateHash).not.toBe(first.stateHash)
    expect((await call(ana, 'GET', `/${first.id}`)).body.state).toBe('H4sIBBBB')
    // A view that is as before shows what it showed.
    expect((await change(ana, first.id, { state: STATE })).body.stateHash).toBe(first.stateHash)
    const taken = { path: 'name', message: reportViewMessages.nameTaken }
    expect(await change(ana, second.id, { name: 'OUTUBRO' })).toMatchObject({
      status: 400,
      body: { fields: [taken] },
    })
    expect((await change(ana, first.id, { name: 'outubro' })).body.name).toBe('outubro')
  })

  test('can be deleted and restored, also one that opens first', async () => {
    const view = await add(ana, { isDefault: true })
    expect((await call(ana, 'DELETE', `/${view.id}`)).status).toBe(204)
    expect(await list(ana)).toEqual([])
    expect(await call(ana, 'GET', `/${view.id}`)).toMatchObject(gone)
    expect(await call(ana, 'DELETE', `/${view.id}`)).toMatchObject(gone)
    const next = await add(ana, { name: 'Outra', isDefault: true })
    expect((await call(ana, 'POST', `/${view.id}/restore`)).body).toEqual(view)
    expect(await list(ana)).toEqual([view, { ...next, isDefault: false }])

    const ids = []
    for (let index = 0; index < 11; index++) ids.push((await add(ana)).id)
    for (const id of ids) {
      portal.clock.advance(1000)
      await call(ana, 'DELETE', `/${id}`)
    }
    expect(await call(ana, 'POST', `/${ids[0]}/restore`)).toMatchObject(gone)
    expect((await call(ana, 'POST', `/${ids[1]}/restore`)).status).toBe(200)
  })

  test('are at most 20 for a person and report, also with concurrent requests and restored ones', async () => {
    const { id } = await add(ana)
    await call(ana, 'DELETE', `/${id}`)
    const replies = await Promise.all(Array.from({ length: MAX_VIEWS + 2 }, () => save(ana)))
    const refused = replies.filter(({ status }) => status !== 201)
    expect(refused).toHaveLength(2)
    const tooMany = { status: 409, body: { code: 'limit-reached', detail: reportViewMessages.tooMany } }
    for (const reply of [...refused, await call(ana, 'POST', `/${id}/restore`)])
      expect(reply).toMatchObject(tooMany)
    const [one] = await list(ana)
    expect((await change(ana, one?.id as string, { state: 'H4sIBBBB' })).status).toBe(200)
    expect((await save(bia)).status).toBe(201)
    expect((await save(ana, { area: 'CRM', reportId: getEmulatedReport('CRM').reportId })).status).toBe(201)
  })

  test('have states of at most 256 KB, and 4 MB together', async () => {
    const state = 'x'.repeat(MAX_STATE_LENGTH)
    expect((await save(ana, { state: `${state}x` })).body.fields).toEqual([
      { path: 'state', message: reportViewMessages.stateTooLong },
    ])
    expect((await save(ana, { state: `${state}${'x'.repeat(5_000)}` })).body.code).toBe('body-too-large')
    for (const bad of ['', 'a b', '{}', 'a=b', '===', 'a==='])
      expect((await save(ana, { state: bad })).status).toBe(400)
    const { id } = await add(ana)
    for (let index = 0; index < 15; index++) await add(ana, { state })
    const noRoom = { status: 409, body: { code: 'limit-reached', detail: reportViewMessages.noRoom } }
    expect(await save(ana, { state })).toMatchObject(noRoom)
    expect((await change(ana, id, { state })).status).toBe(200)
    expect(await save(ana)).toMatchObject(noRoom)
    const [{ id: large } = { id: '' }] = (await list(ana)).filter((view) => view.id !== id)
    expect((await change(ana, large, { state })).status).toBe(200)
    await call(ana, 'DELETE', `/${large}`)
    expect((await save(ana)).status).toBe(201)
    expect(await call(ana, 'POST', `/${large}/restore`)).toMatchObject(noRoom)
    expect((await save(bia, { state })).status).toBe(201)
  })

  test('belong to a report of the person that is no shared link', async () => {
    const report_url = 'https://app.powerbi.com/reportEmbed?reportId=x'
    await portal.database.db
      .insertInto('global_powerbi_settings')
      .values({ type: 'operadores', embed_mode: 'secure_sso', report_url, report_id: 'x' } as never)
      .execute()
    for (const wanted of [
      { reportId: 'x' },
      { area: 'CRM' },
      { area: 'HPD' },
      { area: 'Operadores', reportId: 'x' },
    ])
      expect(await save(ana, wanted)).toMatchObject({ status: 404, body: { code: 'report-not-found' } })
    for (const name of ['', ' ', 'x'.repeat(61), 'a\u202eb', 'a\nb'])
      expect((await save(ana, { name })).body.fields).toMatchObject([{ path: 'name' }])
    expect((await change(ana, (await add(ana)).id, {})).status).toBe(400)
  })

  test('open for others only while shared and with the area, and are then in their list', async () => {
    const view = await add(ana, { isDefault: true })
    await change(ana, view.id, { shared: true })
    expect(await list(bia)).toEqual([])
    const theirs = { ...view, shared: true, isDefault: false, owner: 'Ana Lima' }
    const opened = { ...theirs, state: STATE, ownerSeesMore: false }
    expect((await call(bia, 'GET', `/${view.id}`)).body).toEqual(opened)
    const lists = portal.database.db.updateTable('profiles').where('user_id', '=', biaId)
    await lists.set({ estados: [] }).execute()
    expect((await call(bia, 'GET', `/${view.id}`)).body).toEqual({ ...opened, ownerSeesMore: true })
    expect(await list(bia)).toEqual([theirs])
    expect(await change(bia, view.id, { name: 'Minha' })).toMatchObject(gone)

    const setTypes = (types: string[]) =>
      portal.database.db.updateTable('profiles').set({ types }).where('user_id', '=', biaId).execute()
    await setTypes(['CRM'])
    expect(await call(bia, 'GET', `/${view.id}`)).toMatchObject(gone)
    expect(await list(bia)).toEqual([])
    await setTypes(['Vendas'])
    expect(await list(bia)).toEqual([theirs])

    await change(ana, view.id, { shared: false })
    expect(await list(bia)).toEqual([])
    expect(await call(bia, 'GET', `/${view.id}`)).toMatchObject(gone)
    await change(ana, view.id, { shared: true })
    expect((await call(bia, 'DELETE', `/${view.id}`)).status).toBe(204)
    expect(await list(bia)).toEqual([])
    expect(await listNames(ana)).toEqual(['Este mês'])

    await call(bia, 'GET', `/${view.id}`)
    await portal.database.db.deleteFrom('profiles').where('user_id', '=', anaId).execute()
    expect(await list(bia)).toEqual([])
    for (const table of ['report_views', 'opened_report_views'] as const)
      expect(await portal.database.db.selectFrom(table).selectAll().execute(), table).toEqual([])
  })

  test('name no e-mail of their owner, and close for others with the owner’s access', async () => {
    const view = await add(ana)
    await change(ana, view.id, { shared: true })
    const setOwner = (values: object) =>
      portal.database.db.updateTable('profiles').set(values).where('user_id', '=', anaId).execute()
    await setOwner({ full_name: null })
    expect((await call(bia, 'GET', `/${view.id}`)).body.owner).toBe('Um colega')
    const today = toSaoPauloDay(portal.clock())
    const yesterday = toSaoPauloDay(portal.clock() - 24 * 60 * 60_000)
    for (const [end, again] of [
      [{ approved: false }, { approved: true }],
      [{ valid_until: yesterday }, { valid_until: today }],
      [{ types: ['CRM'] }, { types: ['Vendas'] }],
    ]) {
      expect((await list(bia)).map(({ owner }) => owner)).toEqual(['Um colega'])
      await setOwner(end as object)
      expect(await call(bia, 'GET', `/${view.id}`), JSON.stringify(end)).toMatchObject(gone)
      expect(await list(bia)).toEqual([])
      await setOwner(again as object)
    }
  })

  test('are not found by a reader who opens one while its owner is deleted', async () => {
    const view = await add(ana)
    await change(ana, view.id, { shared: true })
    const open = () => call(bia, 'GET', `/${view.id}`)
    expect(await deleteDuring(portal, { kind, userId: anaId, call: open })).toMatchObject(gone)
  })
})
