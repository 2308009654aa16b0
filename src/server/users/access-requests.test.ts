import { beforeEach, describe, expect, test } from 'vitest'
import {
  type Admin,
  openAdmin,
  patchProfile,
  readPerson,
  readTrail,
  requestPage,
  withRowLock,
} from '#server/testing/admin-calls.ts'
import { addPerson, openTestSession, send } from '#server/testing/builders.ts'
import { searchDatabase } from '#server/testing/canaries.ts'
import { setUpAdmin, setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const REQUEST = {
  full_name: '  Rita Prado ',
  workplace: 'Oficina de Niterói',
  types: ['CRM', 'Oficina'],
  marcas: ['VW'],
  estados: ['RJ'],
  note: 'Cheguei hoje.\n\nFalem com o Joa\u0303o 👩🏽‍🔧 ❤️.',
}

describeOnEachDatabase('access request', (kind) => {
  const portal = setUpPortal({ kind })
  const admin = setUpAdmin(portal)
  let person: Awaited<ReturnType<typeof addPerson>>
  let token: string
  beforeEach(async () => {
    person = await addPerson(portal, { approved: false, types: [], marcas: [], estados: [] })
    token = (await openTestSession(portal, person)).access_token
  })
  const saveRequest = (body: object = REQUEST) =>
    send(portal, 'PUT', '/api/access-requests/me', { token, body })
  const readAs = (by: Admin = admin) => readPerson(portal, by, person.user_id)
  const count = async () => (await send(portal, 'GET', '/api/profiles/count', admin)).body

  test('appears with the name in the profile without raising its version', async () => {
    expect((await send(portal, 'GET', '/api/access-requests/me', { token })).body).toEqual({
      full_name: null,
      held: null,
      request: null,
    })
    const { status, body } = await saveRequest()
    expect(status).toBe(200)
    const { full_name: _, ...request } = REQUEST
    const listed = { ...request, types: ['Oficina', 'CRM'], requested_at: expect.stringMatching(/Z$/) }
    expect(body).toEqual({
      full_name: 'Rita Prado',
      held: null,
      request: { ...listed, refused_at: null, refusal: null },
    })
    expect((await send(portal, 'GET', '/api/access-requests/me', { token })).body).toEqual(body)
    expect(await readAs()).toMatchObject({ full_name: 'Rita Prado', version: 1, types: [], approved: false })
    expect((await readAs()).request).toEqual(listed)
    const { items } = (await requestPage(portal, admin, { q: 'rita prado' })).body
    expect(items).toMatchObject([{ request: listed }])
    // The audit trail outlives people: it holds neither name nor note.
    const [entry] = await readTrail(portal)
    expect(entry).toMatchObject({ action: 'access-requested', target_id: person.user_id, before: null })
    expect(entry?.after).toEqual({ types: ['Oficina', 'CRM'], marcas: ['VW'], estados: ['RJ'] })
  })

  test('replaces the previous request; all fields but the name are optional', async () => {
    await saveRequest()
    expect((await saveRequest({ full_name: 'Rita' })).body).toMatchObject({
      full_name: 'Rita',
      request: { workplace: null, types: [], marcas: [], estados: [], note: null },
    })
  })

  test('ends with an approval, and starts again after a withdrawn one', async () => {
    await saveRequest()
    expect(await count()).toMatchObject({ pending: 1, waiting: 1 })
    await patchProfile(portal, admin, person.user_id, { approved: true })
    expect(await saveRequest()).toMatchObject({ status: 409, body: { code: 'conflict' } })
    expect(await readAs()).toMatchObject({ request: null, full_name: 'Rita Prado' })
    await patchProfile(portal, admin, person.user_id, { approved: false })
    expect(await readAs()).toMatchObject({ request: null })
    // After a withdrawn approval a person does not wait until they request access again.
    expect(await count()).toMatchObject({ pending: 1, waiting: 0 })
    const listWaiting = async () =>
      (await requestPage(portal, admin, { waiting: 'true' })).body.items.map(
        ({ email }: { email: string }) => email,
      )
    expect(await listWaiting()).toEqual([])
    expect((await saveRequest()).status).toBe(200)
    expect(await count()).toMatchObject({ pending: 1, waiting: 1 })
    expect(await listWaiting()).toEqual([person.email])
    expect((await requestPage(portal, admin, { waiting: 'false' })).body.items).toHaveLength(1)
  })

  test('is serialized with a concurrent approval', async () => {
    const replies = await withRowLock(portal, person.user_id, () => [
      saveRequest(),
      patchProfile(portal, admin, person.user_id, { approved: true }),
    ])
    expect(replies[1]?.status).toBe(200)
    expect([200, 409]).toContain(replies[0]?.status)
    expect(await readAs()).toMatchObject({ approved: true, request: null })
  })

  test('is rate-limited per user', async () => {
    const statuses: number[] = []
    for (let times = 0; times < 11; times += 1)
      statuses.push((await saveRequest({ full_name: 'Rita' })).status)
    expect(statuses.at(-1)).toBe(429)
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(200))
  })

  test('is part of the data export and is deleted with the person', async () => {
    await saveRequest({ ...REQUEST, full_name: 'Zuleica Teste', note: 'palavra-rara' })
    await patchProfile(portal, admin, person.user_id, { full_name: 'Zuleica Testes' })
    const exported = await send(portal, 'GET', `/api/profiles/${person.user_id}/export`, admin)
    expect(exported.body.access_requests).toMatchObject([
      { workplace: REQUEST.workplace, note: 'palavra-rara' },
    ])
    const { db } = portal.database
    expect(await searchDatabase(db, 'Zuleica')).not.toEqual([])
    const body = { userIds: [person.user_id] }
    await send(portal, 'POST', '/api/functions/delete-users', { token: admin.token, body })
    for (const word of ['Zuleica', 'palavra-rara']) expect(await searchDatabase(db, word)).toEqual([])
  })

  describe('refuses', () => {
    test.each([
      ['no name', { note: 'Olá' }],
      ['a blank name', { full_name: '  ' }],
      ['a name that is too long', { full_name: 'x'.repeat(101) }],
      ['a name of two lines', { full_name: 'Rita\nPrado' }],
      ['a name with a NUL', { full_name: 'Rita\0' }],
      ['a name with a right-to-left override', { full_name: 'Rita \u202eodarP' }],
      ...[
        '\u115f',
        '\u3164',
        '\u2800',
        'Rita\ufe0f\u034f',
        `R${'\u0301'.repeat(90)}`,
        '123',
        'rita@grupopatio.com.br',
      ].map((full_name): [string, object] => [
        `the name ${JSON.stringify(full_name.slice(0, 25))}`,
        { full_name },
      ]),
      ['a workplace of invisible characters', { full_name: 'R', workplace: '\u2800' }],
      ['a note of line breaks', { full_name: 'R', note: `a${'\n'.repeat(450)}b` }],
      ['a note of blank lines', { full_name: 'R', note: `a${'\n \t'.repeat(3)}b` }],
      ['a note with invisible characters', { full_name: 'R', note: 'a\ufe0f\u034f' }],
      ['a workplace that is too long', { full_name: 'R', workplace: 'x'.repeat(101) }],
      ['a workplace with an escape', { full_name: 'R', workplace: '\u001b[2J' }],
      ['a note that is too long', { full_name: 'R', note: 'x'.repeat(501) }],
      ['a note with a control character', { full_name: 'R', note: 'a\u0007' }],
      ['a type that does not exist', { full_name: 'R', types: ['Compras'] }],
      ['the approval', { full_name: 'R', approved: true }],
    ])('%s', async (_, body) => {
      expect(await saveRequest(body)).toMatchObject({ status: 400, body: { code: 'invalid-input' } })
      expect(await readAs()).toMatchObject({ full_name: null, request: null })
    })
  })

  test('administrators correct a name without overwriting each other', async () => {
    await saveRequest()
    const other = await openAdmin(portal)
    const rename = (by: Admin, full_name: string, version?: number) =>
      patchProfile(portal, by, person.user_id, { full_name }, version)
    expect((await rename(admin, ' Rita do Prado ', 1)).body).toMatchObject({
      full_name: 'Rita do Prado',
      version: 2,
    })
    expect((await rename(other, 'Outra', 1)).status).toBe(409)
    expect((await rename(other, '\u202e', 2)).status).toBe(400)
    // An unchanged name leaves no audit entry.
    expect((await rename(other, 'Rita do Prado', 2)).body).toMatchObject({ version: 2 })
    const trail = (await readTrail(portal)).filter(({ action }) => action === 'name-corrected')
    expect(trail).toMatchObject([
      { before: { full_name: 'Rita Prado' }, after: { full_name: 'Rita do Prado' } },
    ])
  })
})
