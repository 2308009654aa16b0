import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { MAX_NOTICES, type NoticeForm, noticeMessages } from '#contract/notices.ts'
import { type Admin, openAdmin, patchProfile, readTrail, undoEdit } from '#server/testing/admin-calls.ts'
import { addPerson, ageAuthentication, openTestSession, send } from '#server/testing/builders.ts'
import { followEvents } from '#server/testing/follow-events.ts'
import { SOME_NOTICE_FORM } from '#server/testing/route-callers.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { waitFor } from '#server/testing/wait-for.ts'

const MINUTE = 60_000

describeOnEachDatabase('notices', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  let admin: Admin
  let seller: string
  beforeAll(async () => {
    admin = await openAdmin(portal)
    seller = await openPerson({ types: ['Vendas'] })
  })
  beforeEach(async () => {
    await portal.database.db.deleteFrom('notices').execute()
    // What visitors see is cached for two seconds.
    portal.clock.advance(5_000)
  })
  const openPerson = async (profile: Parameters<typeof addPerson>[1]) =>
    (await openTestSession(portal, await addPerson(portal, profile))).access_token
  const add = (form: Partial<NoticeForm> = {}, token = admin.token) =>
    send(portal, 'POST', '/api/admin/notices', { token, body: { ...SOME_NOTICE_FORM, ...form } })
  const change = (id: string, body: object, version?: number, token = admin.token) =>
    send(portal, 'PATCH', `/api/admin/notices/${id}`, {
      token,
      body,
      ...(version !== undefined && { headers: { 'if-match': `"${version}"` } }),
    })
  const listTexts = async (token?: string) => {
    const { body } = await send(
      portal,
      'GET',
      token ? '/api/notices' : '/api/notices/public',
      token ? { token } : {},
    )
    return body.items.map(({ text }: { text: string }) => text)
  }
  const toInstant = (ms: number) => new Date(portal.clock() + ms).toISOString()

  test('are shown by severity to those whom they concern', async () => {
    await add({ text: 'A todos', severity: 'info' })
    await add({ text: 'Às vendas', severity: 'problem', types: ['Vendas', 'CRM'] })
    await add({ text: 'À oficina', types: ['Oficina'] })
    await add({ text: 'Rascunho', is_draft: true })
    expect(await listTexts(seller)).toEqual(['Às vendas', 'A todos'])
    const pending = await openPerson({ types: ['Vendas'], approved: false })
    expect(await listTexts(pending)).toEqual([])
    expect(await listTexts(await openPerson({ types: ['Oficina', 'Vendas'] }))).toEqual([
      'Às vendas',
      'À oficina',
      'A todos',
    ])
    expect(await listTexts()).toEqual([])
    await add({ text: 'Antes de entrar', on_login: true })
    expect(await listTexts(pending)).toEqual(['Antes de entrar'])
  })

  test('start and end by the clock', async () => {
    await add({ starts_at: toInstant(MINUTE), ends_at: toInstant(3 * MINUTE), on_login: true })
    const readState = async () => (await send(portal, 'GET', '/api/admin/notices', admin)).body.items[0].state
    const states = []
    for (const advance of [0, MINUTE, 2 * MINUTE]) {
      portal.clock.advance(advance)
      states.push([await readState(), (await listTexts(seller)).length, (await listTexts()).length])
    }
    expect(states).toEqual([
      ['scheduled', 0, 0],
      ['active', 1, 1],
      ['ended', 0, 0],
    ])
  })

  test('are closed for one person, until the text changes', async () => {
    const { body } = await add()
    const other = await openPerson({})
    const close = () => send(portal, 'POST', `/api/notices/${body.id}/close`, { token: seller })
    expect((await close()).status).toBe(204)
    expect((await close()).status).toBe(204)
    expect([await listTexts(seller), await listTexts(other)]).toEqual([[], [body.text]])
    const { items } = (await send(portal, 'GET', '/api/admin/notices', admin)).body
    expect(items).toMatchObject([{ closed: 1, version: 1 }])
    await change(body.id, { ...SOME_NOTICE_FORM, types: ['Vendas'] }, 1)
    expect(await listTexts(seller)).toEqual([])
    await change(body.id, { ...SOME_NOTICE_FORM, text: 'Às 23h' }, 2)
    expect(await listTexts(seller)).toEqual(['Às 23h'])
  })

  test('are ended at once, removed and restored, each in the trail', async () => {
    const { body } = await add()
    const before = (await readTrail(portal)).length
    const ended = (await change(body.id, { ended: true }, body.version)).body
    expect(ended).toMatchObject({ state: 'ended', version: 2 })
    expect(await listTexts(seller)).toEqual([])
    expect((await undoEdit(portal, admin, ended.undoId)).status).toBe(200)
    expect(await listTexts(seller)).toEqual([body.text])
    const removed = (await send(portal, 'DELETE', `/api/admin/notices/${body.id}`, admin)).body
    expect(await listTexts(seller)).toEqual([])
    expect((await change(body.id, { ended: true })).body.detail).toBe(noticeMessages.gone)
    expect((await undoEdit(portal, admin, removed.undoId)).status).toBe(200)
    expect((await undoEdit(portal, admin, removed.undoId)).status).toBe(404)
    expect(await listTexts(seller)).toEqual([body.text])
    const entries = (await readTrail(portal)).slice(before)
    expect(entries.map(({ action }) => action)).toEqual([
      'notice-changed',
      'notice-changed',
      'notice-removed',
      'notice-added',
    ])
    expect(entries[0]).toMatchObject({ actor_id: admin.user_id, before: { ends_at: null, text: body.text } })
  })

  test('are not restored where they were changed since', async () => {
    const { body } = await add()
    const { undoId } = (await change(body.id, { ...SOME_NOTICE_FORM, text: 'Às 22h' })).body
    await change(body.id, { ...SOME_NOTICE_FORM, text: 'Às 23h' })
    expect((await undoEdit(portal, admin, undoId)).status).toBe(409)
    expect(await listTexts(seller)).toEqual(['Às 23h'])
  })

  test('refuse a stale change', async () => {
    const { body } = await add()
    await change(body.id, { ended: true }, 1)
    const { status, body: problem } = await change(body.id, SOME_NOTICE_FORM, 1)
    expect([status, problem.detail]).toEqual([409, noticeMessages.changedMeanwhile])
  })

  const FAULTS: [what: string, form: Partial<NoticeForm>, field: string][] = [
    ['an empty text', { text: ' ' }, 'text'],
    ['a text that reverses', { text: 'a\u202eb' }, 'text'],
    ['a long text', { text: 'a'.repeat(301) }, 'text'],
    ['an unknown area', { types: ['Nenhuma'] }, 'types.0'],
    ['no area', { types: [] }, 'types'],
    [
      'an end before the start',
      { starts_at: '2099-01-02T00:00:00.000Z', ends_at: '2099-01-01T00:00:00.000Z' },
      'ends_at',
    ],
    ['an end that has passed', { ends_at: '2020-01-01T00:00:00.000Z' }, 'ends_at'],
    ['an address at /login', { text: 'Veja https://exemplo.com', on_login: true }, 'text'],
    [
      'an address without a scheme at /login',
      { text: 'Entre em portal.exemplo.com', on_login: true },
      'text',
    ],
    ['a long text at /login', { text: 'a'.repeat(101), on_login: true }, 'text'],
    ['areas at /login', { types: ['Vendas'], on_login: true }, 'types'],
  ]
  test.each(FAULTS)('refuse %s', async (_, form, field) => {
    const { status, body } = await add(form)
    expect([status, body.fields?.[0].path]).toEqual([400, field])
    expect(await portal.database.db.selectFrom('notices').selectAll().execute()).toEqual([])
  })

  test('are limited in number', async () => {
    const row = { ...SOME_NOTICE_FORM, updated_at: new Date(portal.clock()) }
    await portal.database.db.insertInto('notices').values(Array(MAX_NOTICES).fill(row)).execute()
    expect((await add()).body.code).toBe('limit-reached')
  })

  test('with a link need a recent password', async () => {
    const token = await ageAuthentication(portal, (await openAdmin(portal)).token, 121 * MINUTE)
    const text = 'Veja https://exemplo.com'
    expect((await add({ text }, token)).body.code).toBe('reauthentication-needed')
    const { body } = await add({}, token)
    const form = { ...SOME_NOTICE_FORM, text }
    expect((await change(body.id, form, undefined, token)).body.code).toBe('reauthentication-needed')
    expect((await add({ text })).body.text).toBe(text)
  })

  test('at /login need a recent password', async () => {
    const other = await openAdmin(portal)
    const token = await ageAuthentication(portal, other.token, 121 * MINUTE)
    const { body } = await add({}, token)
    expect(body.state).toBe('active')
    expect((await add({ on_login: true }, token)).body.code).toBe('reauthentication-needed')
    const form = { ...SOME_NOTICE_FORM, on_login: true }
    expect((await change(body.id, form, undefined, token)).body.code).toBe('reauthentication-needed')
    const { body: shown } = await add({ on_login: true })
    const { undoId } = (await send(portal, 'DELETE', `/api/admin/notices/${shown.id}`, { token })).body
    const stale = await undoEdit(portal, { ...other, token }, undoId)
    expect(stale.body.code).toBe('reauthentication-needed')
    portal.clock.advance(5_000)
    expect(await listTexts()).toEqual([])
    await undoEdit(portal, { ...other, token: (await openTestSession(portal, other)).access_token }, undoId)
    portal.clock.advance(5_000)
    expect(await listTexts()).toEqual([shown.text])
  })

  test('keep their areas when one is renamed', async () => {
    await add({ types: ['Vendas'] })
    await send(portal, 'PATCH', '/api/catalogue/types/vendas', {
      token: admin.token,
      body: { label: 'Negócios' },
    })
    expect((await send(portal, 'GET', '/api/admin/notices', admin)).body.items[0].types).toEqual(['Negócios'])
    expect(await listTexts(seller)).toHaveLength(1)
    await send(portal, 'PATCH', '/api/catalogue/types/vendas', {
      token: admin.token,
      body: { label: 'Vendas' },
    })
  })

  describe('are live', () => {
    const follow = async (token: string) => {
      const follower = await followEvents(portal, token)
      await waitFor(() => expect(follower.events()).not.toEqual([]))
      return follower
    }

    test('for those whom they concern, from start to end, and when closed elsewhere', async () => {
      const mechanic = await openPerson({ types: ['Oficina'] })
      const colleague = await addPerson(portal, { types: ['Vendas'] })
      const followers = await Promise.all(
        [admin.token, seller, mechanic, (await openTestSession(portal, colleague)).access_token].map(follow),
      )
      const [ofAdmin, ofSeller, ofMechanic, ofColleague] = followers as [
        Awaited<ReturnType<typeof follow>>,
        Awaited<ReturnType<typeof follow>>,
        Awaited<ReturnType<typeof follow>>,
        Awaited<ReturnType<typeof follow>>,
      ]
      const count = ({ events }: typeof ofAdmin) =>
        events().filter(({ notices }) => notices !== undefined).length
      const { body } = await add({
        types: ['Vendas'],
        starts_at: toInstant(MINUTE),
        ends_at: toInstant(2 * MINUTE),
      })
      await waitFor(() => expect(count(ofAdmin)).toBe(2))
      expect(followers.map(count)).toEqual([2, 1, 1, 1])
      portal.clock.advance(MINUTE)
      await waitFor(() => expect(followers.map(count)).toEqual([3, 2, 1, 2]))
      await send(portal, 'POST', `/api/notices/${body.id}/close`, { token: seller })
      await waitFor(() => expect(followers.map(count)).toEqual([3, 3, 1, 2]))
      portal.clock.advance(MINUTE)
      await waitFor(() => expect(followers.map(count)).toEqual([4, 4, 1, 3]))
      expect(ofSeller.topics()).toEqual(['notices'])
      expect(ofAdmin.topics()).toEqual(['notices'])
      // Another area brings its notices.
      await add({ types: ['Oficina'] })
      await waitFor(() => expect(count(ofMechanic)).toBe(2))
      await patchProfile(portal, admin, colleague.user_id, { types: ['Oficina'] })
      await waitFor(() => expect(count(ofColleague)).toBe(4))
      for (const follower of followers) follower.stop()
    })
  })
})
