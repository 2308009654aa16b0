import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { isSignedIn, refreshSession } from '#server/testing/account-calls.ts'
import { addPerson, configureReports, openTestSession, send } from '#server/testing/builders.ts'
import { countQueries } from '#server/testing/count-queries.ts'
import { fetchToken } from '#server/testing/embed-token-calls.ts'
import { setUpAdmin, setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal, type TestPortal } from '#server/testing/test-portal.ts'

type Person = Awaited<ReturnType<typeof addPerson>>

const SELF = 'Você não pode excluir a própria conta.'
const UNKNOWN = 'Usuário não encontrado.'

describeOnEachDatabase('delete-users', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  const admin = setUpAdmin(portal)

  const deleteUsers = (userIds: unknown, as = admin.token, from: TestPortal = portal) =>
    send(from, 'POST', '/api/functions/delete-users', { token: as, body: { userIds } })
  const listIds = (people: Person[]) => people.map((person) => person.user_id)
  const listRemaining = async (people: Person[]) => {
    const rows = await portal.database.db
      .selectFrom('profiles')
      .select('user_id')
      .where('user_id', 'in', listIds(people))
      .execute()
    return rows.map((row) => row.user_id)
  }

  test('deletes exactly the given users', async () => {
    const people = [await addPerson(portal), await addPerson(portal), await addPerson(portal)]
    const { status, body } = await deleteUsers(listIds(people.slice(0, 2)))
    expect([status, body]).toEqual([200, { success: listIds(people.slice(0, 2)), errors: [] }])
    expect(await listRemaining(people)).toEqual([people[2]?.user_id])
  })

  test('reports those who cannot be deleted and deletes the others', async () => {
    const person = await addPerson(portal)
    const unknown = randomUUID()
    const { status, body } = await deleteUsers([unknown, admin.user_id, person.user_id])
    expect(status).toBe(200)
    expect(body.success).toEqual([person.user_id])
    expect(body.errors).toEqual([
      { userId: unknown, error: UNKNOWN },
      { userId: admin.user_id, error: SELF },
    ])
    expect(await listRemaining([admin, person])).toEqual([admin.user_id])
    expect(await isSignedIn(portal, admin.token)).toBe(true)
  })

  test('deduplicates ids in any letter case', async () => {
    const person = await addPerson(portal)
    const { body } = await deleteUsers([person.user_id.toUpperCase(), person.user_id])
    expect(body).toEqual({ success: [person.user_id], errors: [] })
    expect((await deleteUsers([admin.user_id.toUpperCase()])).body.errors).toEqual([
      { userId: admin.user_id, error: SELF },
    ])
  })

  test('deletes other administrators', async () => {
    const other = await addPerson(portal, { role: 'admin' })
    expect((await deleteUsers([other.user_id])).body.success).toEqual([other.user_id])
  })

  test('ends every session at once: access token and refresh fail', async () => {
    await configureReports(portal, 'Vendas')
    const person = await addPerson(portal)
    const session = await openTestSession(portal, person)
    const recovery = await openTestSession(portal, person, 'recovery')
    expect(await isSignedIn(portal, session.access_token)).toBe(true)
    expect((await fetchToken(portal, person)).status).toBe(200)

    await deleteUsers([person.user_id])
    for (const path of ['/api/profiles/me', '/api/reports/me', '/api/auth/user'])
      for (const { access_token } of [session, recovery])
        expect((await send(portal, 'GET', path, { token: access_token })).status).toBe(401)
    const refreshed = await refreshSession(portal, session.refresh_token)
    expect([refreshed.status, refreshed.body.code]).toEqual([400, 'invalid-refresh-token'])
  })

  test('lets the same address sign up as a new user', async () => {
    const person = await addPerson(portal, { email: 'volta@grupopatio.com.br' })
    await deleteUsers([person.user_id])
    const again = await addPerson(portal, { email: 'volta@grupopatio.com.br' })
    expect(again.user_id).not.toBe(person.user_id)
  })

  test('keeps one of two administrators who delete each other', async () => {
    for (let round = 0; round < 5; round++) {
      await portal.database.db.deleteFrom('user_roles').execute()
      const pair = [await addPerson(portal, { role: 'admin' }), await addPerson(portal, { role: 'admin' })]
      const [a, b] = pair as [Person, Person]
      const tokens = await Promise.all(
        pair.map(async (one) => (await openTestSession(portal, one)).access_token),
      )
      const replies = await Promise.all([
        deleteUsers([b.user_id], tokens[0]),
        deleteUsers([a.user_id], tokens[1]),
      ])
      expect(replies.map((reply) => reply.status).sort()).toEqual([200, 401])
      expect(await listRemaining(pair)).toHaveLength(1)
    }
  })

  test('leaves no later write of a deleted administrator, with twenty of them under way', async () => {
    const leaver = await addPerson(portal, { role: 'admin' })
    const { access_token: token } = await openTestSession(portal, leaver)
    const people = await Promise.all(Array.from({ length: 20 }, () => addPerson(portal)))
    const writes = people.map(({ user_id }) =>
      send(portal, 'PATCH', `/api/profiles/${user_id}`, { token, body: { types: ['CRM'] } }),
    )
    await writes[0]
    expect((await deleteUsers([leaver.user_id])).status).toBe(200)
    const written = (await Promise.all(writes)).filter(({ status }) => status === 200)
    const rows = await portal.database.db.selectFrom('audit_entries').selectAll().orderBy('id').execute()
    const deletion = rows.findLast(({ action }) => action === 'user-deleted')
    const ofLeaver = rows.filter(({ actor_id }) =>
      [leaver.user_id, deletion?.target_id].includes(actor_id ?? ''),
    )
    expect(ofLeaver).toHaveLength(written.length)
    expect(ofLeaver.filter(({ id }) => Number(id) > Number(deletion?.id))).toEqual([])
  })

  test('accepts at most a thousand users, in about as many queries as two', async () => {
    const emails = Array.from({ length: 1000 }, (_, index) => `mil${index}-${randomUUID()}@grupopatio.com.br`)
    const rows = await portal.database.db
      .insertInto('profiles')
      .values(emails.map((email) => ({ email })))
      .returning('user_id')
      .execute()
    const ids = rows.map((row) => row.user_id)
    const tooMany = await deleteUsers([...ids, randomUUID()])
    expect([tooMany.status, tooMany.body.code]).toEqual([400, 'invalid-input'])
    const { seen, database } = countQueries(portal.database)
    const counted = await startTestPortal({ kind, database, clock: portal.clock, rateLimits: false })
    const countQueriesOf = async (userIds: string[]) => {
      const before = seen.queries
      const { status, body } = await deleteUsers(userIds, admin.token, counted)
      expect([status, body.success.length, body.errors]).toEqual([200, userIds.length, []])
      return seen.queries - before
    }
    const ofTwo = await countQueriesOf(listIds([await addPerson(portal), await addPerson(portal)]))
    // The portal's own jobs may add some meanwhile.
    expect(await countQueriesOf(ids)).toBeLessThan(2 * ofTwo)
    await counted.stop()
    const left = await portal.database.db
      .selectFrom('profiles')
      .select('email')
      .where('email', 'in', emails)
      .execute()
    expect(left).toEqual([])
  })

  describe('refuses', () => {
    test.each([
      ['no ids', []],
      ['what is no id', ['x']],
      ['a number', [1]],
      ['no list', 'x'],
      ['null', null],
    ])('%s', async (_, userIds) => {
      const { status, body } = await deleteUsers(userIds)
      expect([status, body.code]).toEqual([400, 'invalid-input'])
      if (Array.isArray(userIds) && userIds.length === 0)
        expect(body.detail).toBe('Nenhum usuário selecionado')
    })
  })
})
