import { describe, expect, test } from 'vitest'
import { toSaoPauloDay } from '#contract/user-rules.ts'
import {
  approveMany,
  editMany,
  patchProfile,
  readPerson,
  readTrail,
  undoEdit,
} from '#server/testing/admin-calls.ts'
import {
  addPerson,
  configureReports,
  getEmulatedReport,
  openTestSession,
  send,
} from '#server/testing/builders.ts'
import { fetchToken, listCalls, type Person, resetEmulator } from '#server/testing/embed-token-calls.ts'
import { setUpAdmin, setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const LISTS = { types: ['Vendas'], marcas: ['FIAT'], estados: ['RJ'] }

describeOnEachDatabase('last day of access', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  const admin = setUpAdmin(portal)
  const today = () => toSaoPauloDay(portal.clock())
  const addDays = (days: number) => toSaoPauloDay(portal.clock() + days * DAY)
  /** São Paulo has been three hours behind UTC since 2019. */
  const toEndOfDay = (day: string) => Date.parse(`${day}T00:00:00-03:00`) + DAY
  const moveTo = (instant: number) => portal.clock.advance(instant - portal.clock())
  const patch = (person: { user_id: string }, body: object, version?: number) =>
    patchProfile(portal, admin, person.user_id, body, version)
  const readActions = async () => (await readTrail(portal)).map(({ action, after }) => ({ action, after }))

  describe('is set', () => {
    test('alone or with lists, each with one audit entry; null removes it', async () => {
      const person = await addPerson(portal, LISTS)
      const day = addDays(30)
      const replies = [
        await patch(person, { types: ['Vendas'], valid_until: day }),
        await patch(person, { ...LISTS, types: undefined, estados: ['ES'], valid_until: addDays(0) }),
        await patch(person, { types: ['CRM'] }),
        await patch(person, { valid_until: null }),
        await patch(person, { valid_until: null }),
      ]
      expect(replies.map(({ status, body }) => [status, body.valid_until, body.version])).toEqual([
        [200, day, 2],
        [200, today(), 3],
        [200, today(), 4],
        [200, null, 5],
        [200, null, 5],
      ])
      expect(await readActions()).toEqual([
        { action: 'validity-set', after: { valid_until: day } },
        { action: 'scope-set', after: { marcas: ['FIAT'], estados: ['ES'], valid_until: today() } },
        { action: 'types-set', after: { types: ['CRM'] } },
        { action: 'validity-set', after: { valid_until: null } },
      ])
    })

    test.each([
      ['yesterday', () => addDays(-1), 'valid_until'],
      ['a year that no database knows', () => '0000-01-01', 'valid_until'],
      ['a day that is none', () => '2027-02-30', undefined],
      ['an instant', () => '2027-02-28T00:00:00Z', undefined],
    ])('but not to %s', async (_, day, path) => {
      const person = await addPerson(portal)
      const { status, body } = await patch(person, { valid_until: day() })
      expect([status, body.code]).toEqual([400, 'invalid-input'])
      if (path) expect(body.fields[0].path).toBe(path)
      expect(await readPerson(portal, admin, person.user_id)).toMatchObject({ valid_until: null, version: 1 })
    })

    test('by a bulk edit with preview and undo', async () => {
      const day = addDays(30)
      const people = [
        await addPerson(portal, { ...LISTS, valid_until: '2020-01-01' }),
        await addPerson(portal, LISTS),
        await addPerson(portal, { ...LISTS, valid_until: day }),
      ]
      const readEnds = async () =>
        (await Promise.all(people.map(({ user_id }) => readPerson(portal, admin, user_id)))).map(
          ({ valid_until, types }) => [valid_until, types],
        )
      const before = await readEnds()
      const set = (valid_until: string | null, dryRun = false) =>
        editMany(
          portal,
          admin,
          { userIds: people.map(({ user_id }) => user_id), action: 'validity', valid_until },
          dryRun,
        )
      expect((await set(day, true)).body).toMatchObject({ gaining: 1, losing: 1, unchanged: 1, undoId: null })
      const { body } = await set(day)
      expect(body).toMatchObject({ gaining: 1, losing: 1, unchanged: 1 })
      expect(await readEnds()).toEqual(people.map(() => [day, LISTS.types]))
      expect(await readTrail(portal)).toMatchObject([
        { action: 'validity-set', after: { valid_until: day }, batch_id: body.undoId },
        { action: 'validity-set', after: { valid_until: day }, batch_id: body.undoId },
      ])
      expect((await undoEdit(portal, admin, body.undoId)).body).toEqual({ restored: 2, changed: [] })
      expect(await readEnds()).toEqual(before)
      expect((await set(null)).body).toMatchObject({ gaining: 2, losing: 0, unchanged: 1 })
      expect(await readEnds()).toEqual(people.map(() => [null, LISTS.types]))
    })

    test('by a bulk edit only to a valid day and without lists', async () => {
      const userIds = [(await addPerson(portal)).user_id]
      const day = addDays(1)
      for (const [edit, path] of [
        [{ action: 'validity', valid_until: addDays(-1) }, 'valid_until'],
        [{ action: 'validity' }, 'valid_until'],
        [{ action: 'validity', valid_until: day, types: ['CRM'] }, 'valid_until'],
        [{ action: 'remove', valid_until: addDays(-1), types: ['CRM'] }, 'valid_until'],
        [{ action: 'add', valid_until: addDays(-1), types: ['CRM'] }, 'valid_until'],
        [{ action: 'replace', valid_until: day, types: ['CRM'] }, 'types'],
      ] as const) {
        const { status, body } = await send(portal, 'POST', '/api/profiles/bulk-edit', {
          token: admin.token,
          body: { userIds, ...edit },
        })
        expect([status, body.fields[0].path]).toEqual([400, path])
      }
      expect(await readTrail(portal)).toEqual([])
    })

    test('by one of two concurrent administrators; the other conflicts', async () => {
      const person = await addPerson(portal)
      const replies = await Promise.all([
        patch(person, { valid_until: addDays(1) }, 1),
        patch(person, { types: ['CRM'] }, 1),
      ])
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409])
    })
  })

  describe('with an approval', () => {
    test('is set by the approval; without one there is no end', async () => {
      const [one, other] = [
        await addPerson(portal, { approved: false, valid_until: '2020-01-01' }),
        await addPerson(portal, { approved: false, valid_until: '2020-01-01' }),
      ]
      const day = addDays(7)
      const approval = { approved: true, ...LISTS }
      expect((await patch(one, { ...approval, valid_until: day })).body).toMatchObject({ valid_until: day })
      expect((await patch(other, approval)).body).toMatchObject({ approved: true, valid_until: null })
      // Already approved: an omitted field stays.
      expect((await patch(one, { approved: true })).body).toMatchObject({ valid_until: day })
    })

    test('is set by a bulk approval and restored by its undo', async () => {
      const waiting = await addPerson(portal, { approved: false, valid_until: '2020-01-01' })
      const item = { userId: waiting.user_id, ...LISTS }
      const past = await approveMany(portal, admin, [{ ...item, valid_until: addDays(-1) }])
      expect([past.status, past.body.fields?.[0]?.path]).toEqual([400, 'items.0.valid_until'])
      const { body } = await approveMany(portal, admin, [{ ...item, valid_until: today() }])
      const state = () => readPerson(portal, admin, waiting.user_id)
      expect(await state()).toMatchObject({ approved: true, valid_until: today() })
      expect((await undoEdit(portal, admin, body.undoId)).status).toBe(200)
      expect(await state()).toMatchObject({ approved: false, valid_until: '2020-01-01' })
    })

    test('of several is not undone once the day was changed', async () => {
      const waiting = await addPerson(portal, { approved: false })
      const item = { userId: waiting.user_id, ...LISTS, valid_until: addDays(1) }
      const { body } = await approveMany(portal, admin, [item])
      await patch(waiting, { valid_until: addDays(2) })
      expect((await undoEdit(portal, admin, body.undoId)).status).toBe(409)
    })
  })

  describe('when the day is over in São Paulo', () => {
    const readStates = async (person: Person) => {
      const { access_token: token } = await openTestSession(portal, person)
      const reports = await send(portal, 'GET', '/api/reports/me', { token })
      const { reportId } = getEmulatedReport('Vendas')
      const refresh = await send(portal, 'GET', `/api/reports/${reportId}/last-refresh`, { token })
      const { approved, endedOn, areas } = reports.body
      return { approved, endedOn, areas: areas.length, refresh: refresh.body.code ?? 'told' }
    }

    test('denies access with a reason, and grants it again once extended', async () => {
      await configureReports(portal, 'Vendas')
      const day = today()
      const person = await addPerson(portal, { ...LISTS, valid_until: day })
      moveTo(toEndOfDay(day) - 1_000)
      expect(await readStates(person)).toEqual({ approved: true, endedOn: null, areas: 1, refresh: 'told' })
      portal.clock.advance(1_000)
      const ended = { approved: false, endedOn: day, areas: 0, refresh: 'access-ended' }
      expect(await readStates(person)).toEqual(ended)
      expect((await fetchToken(portal, person)).body).toMatchObject({ status: 403, code: 'access-ended' })
      const { db } = portal.database
      await db
        .updateTable('profiles')
        .set({ approved: false })
        .where('user_id', '=', person.user_id)
        .execute()
      expect(await readStates(person)).toMatchObject({
        approved: false,
        endedOn: null,
        refresh: 'not-approved',
      })
      await db
        .updateTable('profiles')
        .set({ approved: true, valid_until: today() })
        .where('user_id', '=', person.user_id)
        .execute()
      expect(await readStates(person)).toMatchObject({ approved: true, endedOn: null, refresh: 'told' })
      expect((await fetchToken(portal, person)).status).toBe(200)
    })

    test('no embed token outlives it, cached or new', async () => {
      await resetEmulator(portal)
      await portal.database.db.deleteFrom('global_powerbi_settings').execute()
      await configureReports(portal, 'Vendas')
      const day = today()
      const end = toEndOfDay(day)
      moveTo(end - 40 * MINUTE)
      const person = await addPerson(portal, LISTS)
      const endless = await fetchToken(portal, person)
      expect(endless.body.expiresInSeconds).toBeGreaterThan(1790)
      await portal.database.db
        .updateTable('profiles')
        .set({ valid_until: day })
        .where('user_id', '=', person.user_id)
        .execute()
      const lives: number[] = []
      for (; portal.clock() < end; portal.clock.advance(30_000)) {
        const { status, body } = await fetchToken(portal, person)
        if (status !== 200) break
        expect(portal.clock() + body.expiresInSeconds * 1000).toBeLessThanOrEqual(end)
        lives.push(body.expiresInSeconds)
      }
      expect(Math.max(...lives)).toBeGreaterThan(1790)
      expect(end - portal.clock()).toBeLessThanOrEqual(75_000)
      expect((await fetchToken(portal, person)).body.code).toBe('access-ended')
      const asked = (await listCalls(portal)).generateToken.map(({ body }) => body.lifetimeInMinutes)
      expect(Math.min(...asked.map(Number))).toBe(1)
    })
  })
})
