import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addPerson, configureReports, openTestSession, send } from '#server/testing/builders.ts'
import {
  fetchToken,
  listCalls,
  type Person,
  resetEmulator,
  toTokenBody,
} from '#server/testing/embed-token-calls.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal, type TestPortal } from '#server/testing/test-portal.ts'

const MINUTE = 60_000

describeOnEachDatabase('embed token cache', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  beforeAll(() => configureReports(portal, 'Vendas', 'Oficina'))
  beforeEach(() => resetEmulator(portal))

  const change = (
    person: Person,
    values: Partial<Pick<Person, 'types' | 'marcas' | 'estados' | 'approved'>>,
  ) => portal.database.db.updateTable('profiles').set(values).where('user_id', '=', person.user_id).execute()
  const listGenerated = async (at = portal) => (await listCalls(at)).generateToken

  test('makes one directory and one dataset call for sixty concurrent people', async () => {
    const { database, clock } = portal
    const cold = await startTestPortal({ kind, database, clock, rateLimits: false })
    const people: Person[] = []
    const sessions: Awaited<ReturnType<typeof openTestSession>>[] = []
    // One by one: all at once would exhaust the connections of a busy machine.
    for (let count = 0; count < 60; count++) {
      const person = await addPerson(portal)
      people.push(person)
      sessions.push(await openTestSession(portal, person))
    }
    const body = toTokenBody('Vendas')
    const replies = await Promise.all(
      sessions.map(({ access_token: token }) =>
        send(cold, 'POST', '/api/functions/get-powerbi-token', { token, body }),
      ),
    )
    expect(new Set(replies.map((reply) => reply.status))).toEqual(new Set([200]))
    const calls = await listCalls(cold)
    expect([calls.directory.length, calls.dataset.length]).toEqual([1, 1])
    const usernames = calls.generateToken.map((call) => call.body.identities?.[0]?.username)
    expect(usernames.sort()).toEqual(people.map((person) => person.email).sort())
    await cold.stop()
  })

  test('coalesces twenty concurrent requests of one person and report', async () => {
    const person = await addPerson(portal)
    const replies = await Promise.all(Array.from({ length: 20 }, () => fetchToken(portal, person)))
    expect(new Set(replies.map((reply) => reply.body.embedToken)).size).toBe(1)
    expect(await listGenerated()).toHaveLength(1)
  })

  test('serves a second request without a call; a second report costs one', async () => {
    const person = await addPerson(portal, { types: ['Vendas', 'Oficina'] })
    const first = await fetchToken(portal, person)
    await resetEmulator(portal)
    expect((await fetchToken(portal, person)).body.embedToken).toBe(first.body.embedToken)
    expect((await listCalls(portal)).all).toEqual([])
    expect((await fetchToken(portal, person, toTokenBody('Oficina'))).body.embedToken).not.toBe(
      first.body.embedToken,
    )
    expect(await listGenerated()).toHaveLength(1)
  })

  test('keeps tokens of different people apart', async () => {
    const [one, two] = [await addPerson(portal), await addPerson(portal)]
    const tokens = [await fetchToken(portal, one), await fetchToken(portal, two)].map(
      ({ body }) => body.embedToken,
    )
    expect(new Set(tokens).size).toBe(2)
  })

  test('reuses a token until six of its thirty minutes are left', async () => {
    const person = await addPerson(portal)
    const first = (await fetchToken(portal, person)).body
    portal.clock.advance(23 * MINUTE)
    const later = (await fetchToken(portal, person)).body
    expect(later.embedToken).toBe(first.embedToken)
    expect(first.expiresInSeconds - later.expiresInSeconds).toBe(23 * 60)
    portal.clock.advance(MINUTE)
    const renewed = (await fetchToken(portal, person)).body
    expect(renewed.embedToken).not.toBe(first.embedToken)
    expect(renewed.expiresInSeconds).toBeGreaterThan(29 * 60)
  })

  test('renews a directory token with less than thirty minutes left', async () => {
    portal.clock.advance(60 * MINUTE)
    await fetchToken(portal, await addPerson(portal))
    await resetEmulator(portal)
    portal.clock.advance(29 * MINUTE)
    await fetchToken(portal, await addPerson(portal))
    expect((await listCalls(portal)).directory).toHaveLength(0)
    portal.clock.advance(MINUTE)
    expect((await fetchToken(portal, await addPerson(portal))).body.expiresInSeconds).toBeGreaterThan(1790)
    expect((await listCalls(portal)).directory).toHaveLength(1)
  })

  describe('applies a change at the next request, on every replica', () => {
    let replica: TestPortal
    beforeAll(async () => {
      const { database, clock } = portal
      replica = await startTestPortal({ kind, database, clock, rateLimits: false })
    })
    afterAll(() => replica.stop())
    const readCodes = async (person: Person) =>
      Promise.all([portal, replica].map(async (at) => (await fetchToken(at, person)).body.code ?? 'given'))

    test.each([
      ['the area is removed', { types: ['CRM'] }, 'report-not-found'],
      ['approval is revoked', { approved: false }, 'not-approved'],
      ['the last marca is removed', { marcas: [] }, 'no-scope'],
      ['the last estado is removed', { estados: [] }, 'no-scope'],
    ])('when %s', async (_, values, code) => {
      const person = await addPerson(portal)
      expect(await readCodes(person)).toEqual(['given', 'given'])
      await change(person, values)
      expect(await readCodes(person)).toEqual([code, code])
    })

    test('with a new token when marcas change, and another when they change back', async () => {
      const person = await addPerson(portal, { marcas: ['FIAT', 'GM'] })
      await readCodes(person)
      await change(person, { marcas: ['GM'] })
      expect(await readCodes(person)).toEqual(['given', 'given'])
      await change(person, { marcas: ['FIAT', 'GM'] })
      expect(await readCodes(person)).toEqual(['given', 'given'])
      for (const at of [portal, replica]) {
        const data = (await listGenerated(at))
          .filter((call) => call.body.identities?.[0]?.username === person.email)
          .map((call) => call.body.identities?.[0]?.customData)
        expect(data).toEqual(['M:FIAT|M:GM|U:RJ', 'M:GM|U:RJ', 'M:FIAT|M:GM|U:RJ'])
      }
    })

    test('when the setting changes', async () => {
      const person = await addPerson(portal, { types: ['Oficina'] })
      const readStatuses = async () =>
        Promise.all(
          [portal, replica].map(async (at) => (await fetchToken(at, person, toTokenBody('Oficina'))).status),
        )
      expect(await readStatuses()).toEqual([200, 200])
      await portal.database.db.deleteFrom('global_powerbi_settings').where('type', '=', 'oficina').execute()
      expect(await readStatuses()).toEqual([404, 404])
      await configureReports(portal, 'Oficina')
    })
  })
})
