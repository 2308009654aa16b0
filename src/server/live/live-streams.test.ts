import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { LiveTopic } from '#contract/live.ts'
import { toSaoPauloDay } from '#contract/user-rules.ts'
import type { Actor } from '#server/http/context.ts'
import type { EventStream } from '#server/http/event-stream.ts'
import { createLog } from '#server/log.ts'
import { openAdmin, patchProfile } from '#server/testing/admin-calls.ts'
import {
  addPerson,
  configureReports,
  getEmulatedReport,
  openTestSession,
  send,
  TEST_PASSWORD,
} from '#server/testing/builders.ts'
import { type EventFollower, followEvents } from '#server/testing/follow-events.ts'
import { addMessages } from '#server/testing/inbox-calls.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal, type TestPortal } from '#server/testing/test-portal.ts'
import { waitFor } from '#server/testing/wait-for.ts'
import { createLiveStreams } from './live-streams.ts'

const NO_ID = '00000000-0000-0000-0000-000000000000'

describeOnEachDatabase('stream of changes', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  /** Behind a pooler, which swallows notifications. */
  let pooled: TestPortal
  beforeAll(async () => {
    const database = { ...portal.database, listen: () => async () => {} }
    pooled = await startTestPortal({ kind, database, clock: portal.clock, rateLimits: false })
    await configureReports(portal, 'Vendas', 'Oficina')
  })
  afterAll(() => pooled.stop())

  const open: EventFollower[] = []
  afterEach(() => {
    for (const follower of open.splice(0)) follower.stop()
  })
  const follow = async (token: string, from: { url: string } = portal, path?: string) => {
    const follower = await followEvents(from, token, path)
    open.push(follower)
    if (follower.status === 200) await waitFor(() => expect(follower.events()).not.toEqual([]))
    return follower
  }
  const openPerson = async (profile: Parameters<typeof addPerson>[1]) => {
    const person = await addPerson(portal, profile)
    return { ...person, token: (await openTestSession(portal, person)).access_token }
  }

  /** The streams of a person that any replica has open. */
  const listOpen = (userId: string) =>
    portal.database.db.selectFrom('open_streams').select('id').where('user_id', '=', userId).execute()

  test('is an event stream that proxies do not buffer, with the security headers', async () => {
    const { status, headers } = await follow((await openPerson({})).token)
    expect(status).toBe(200)
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-request-id': expect.stringMatching(/^[\w-]{36}$/),
    })
  })

  test('starts with the versions of all topics, those of administrators for them alone', async () => {
    const pending = await openPerson({ approved: false })
    for (const from of [portal, pooled]) {
      const [first] = (await follow(pending.token, from)).events()
      expect(Object.keys(first ?? {})).toEqual(['me', 'catalogue', 'settings', 'notices', 'views'])
      expect(first?.settings).toBe('')
      const [ofAdmin] = (await follow((await openAdmin(portal)).token, from)).events()
      expect(Object.keys(ofAdmin ?? {})).toEqual([
        'me',
        'catalogue',
        'settings',
        'notices',
        'views',
        'people',
        'messages',
        'health',
      ])
    }
  })

  test('starts with the same versions on every replica while nothing changes', async () => {
    const { token } = await openPerson({})
    const [here] = (await follow(token)).events()
    expect((await follow(token)).events()).toEqual([here])
    expect((await follow(token, pooled)).events()).toEqual([here])
  })

  describe('notifies whom it concerns, on every replica', () => {
    const openPeople = async () => ({
      admin: await openAdmin(portal),
      seller: await openPerson({ types: ['Vendas'] }),
      mechanic: await openPerson({ types: ['Oficina'] }),
      pending: await openPerson({ approved: false, types: [] }),
    })
    type People = Awaited<ReturnType<typeof openPeople>>
    type Heard = Partial<Record<keyof People, LiveTopic[]>>
    const updateSettings = (type: string) =>
      sql`update global_powerbi_settings set updated_at = clock_timestamp() where type = ${type}`.execute(
        portal.database.db,
      )
    /** @returns the version */
    const bumpCatalogue = async () => {
      const { db } = portal.database
      const { rows } = await sql<{ value: string }>`update portal_facts set value = (value::integer + 1)::text
        where name = 'catalogue-version' returning value`.execute(db)
      await sql`insert into changes (kind, subject_id) values ('settings', ${NO_ID})`.execute(db)
      return rows[0]?.value
    }
    const CASES: Record<string, [change: (people: People) => Promise<unknown>, heard: Heard]> = {
      'an approval': [
        ({ admin, pending }) => patchProfile(portal, admin, pending.user_id, { approved: true }),
        { admin: ['people'], pending: ['me'] },
      ],
      'a withdrawn approval': [
        ({ admin, seller }) => patchProfile(portal, admin, seller.user_id, { approved: false }),
        { admin: ['people'], seller: ['me', 'settings'] },
      ],
      'a revoked brand': [
        ({ admin, seller }) => patchProfile(portal, admin, seller.user_id, { marcas: [], estados: ['RJ'] }),
        { admin: ['people'], seller: ['me'] },
      ],
      'another area': [
        ({ admin, mechanic }) => patchProfile(portal, admin, mechanic.user_id, { types: ['Vendas'] }),
        { admin: ['people'], mechanic: ['me', 'settings'] },
      ],
      'a name': [
        ({ admin, seller }) => patchProfile(portal, admin, seller.user_id, { full_name: 'Rita Prado' }),
        { admin: ['people'], seller: ['me'] },
      ],
      'a role': [
        ({ seller: { user_id } }) =>
          portal.database.db.insertInto('user_roles').values({ user_id, role: 'admin' }).execute(),
        { admin: ['people'], seller: ['me', 'settings', 'notices', 'people', 'messages', 'health'] },
      ],
      'a report setting': [() => updateSettings('vendas'), { admin: ['settings'], seller: ['settings'] }],
      'the catalogue': [
        async ({ admin: { token } }) => {
          const { body } = await send(portal, 'GET', '/api/catalogue', { token })
          const estados = body.estados.map(({ code }: { code: string }) => code).reverse()
          expect((await send(portal, 'PUT', '/api/catalogue', { token, body: { estados } })).status).toBe(200)
        },
        {
          admin: ['catalogue', 'people'],
          seller: ['catalogue'],
          mechanic: ['catalogue'],
          pending: ['catalogue'],
        },
      ],
      'a message': [() => addMessages(portal, {}), { admin: ['messages'] }],
      'a request for access': [
        ({ pending: { token } }) =>
          send(portal, 'PUT', '/api/access-requests/me', { token, body: { full_name: 'Rita Prado' } }),
        { admin: ['people'], pending: ['me'] },
      ],
      'a deletion': [
        ({ admin: { token }, mechanic: { user_id } }) =>
          send(portal, 'POST', '/api/functions/delete-users', { token, body: { userIds: [user_id] } }),
        { admin: ['people'], mechanic: ['me', 'settings'] },
      ],
      'a sign-in': [
        async ({ seller }) => {
          await openTestSession(portal, seller)
          const seen = portal.database.db.updateTable('profiles').set({ last_sign_in_at: new Date() })
          await seen.where('user_id', '=', seller.user_id).execute()
        },
        {},
      ],
      'a change that is rolled back': [
        () =>
          portal.database.db
            .transaction()
            .execute(async (transaction) => {
              await transaction.updateTable('profiles').set({ approved: false }).execute()
              throw new Error('undo')
            })
            .catch(() => {}),
        {},
      ],
    }

    test.each(Object.keys(CASES))('%s', async (name) => {
      const [change, heard] = CASES[name] as (typeof CASES)[string]
      const people = await openPeople()
      const followers = await Promise.all(
        Object.entries(people).flatMap(([who, { token }]) =>
          [portal, pooled].map(async (from) => ({ who, follower: await follow(token, from) })),
        ),
      )
      await change(people)
      for (const { who, follower } of followers)
        await waitFor(() =>
          expect(follower.topics()).toEqual(expect.arrayContaining(heard[who as never] ?? [])),
        )
      // Notifies everyone once more: what was to be heard until then has been.
      const version = await bumpCatalogue()
      for (const { who, follower } of followers) {
        await waitFor(() =>
          expect(follower.text()).toMatch(new RegExp(`"catalogue":"${version}"|"me":"ended"`)),
        )
        const topics = follower
          .events()
          .slice(1)
          .flatMap(({ catalogue, ...others }) => [
            ...Object.keys(others),
            ...(catalogue === undefined || catalogue === version ? [] : ['catalogue']),
          ])
        expect(new Set(topics), who).toEqual(new Set(heard[who as never]))
        expect(follower.text()).not.toContain('@')
      }
    })
  })

  test('notifies a person of each change of their saved views, on every replica', async () => {
    const [owner, reader] = [await openPerson({}), await openPerson({})]
    const followers = await Promise.all([portal, pooled].map((from) => follow(owner.token, from)))
    const ofReader = await follow(reader.token)
    const call = (method: string, path = '', body?: object, { token } = owner) =>
      send(portal, method, `/api/report-views${path}`, { token, body })
    const { reportId } = getEmulatedReport('Vendas')
    const { id } = (await call('POST', '', { area: 'Vendas', reportId, name: 'Mês', state: 'H4sI' })).body
    const changes = [
      () => call('PATCH', `/${id}`, { name: 'Ano' }),
      () => call('DELETE', `/${id}`),
      () => call('POST', `/${id}/restore`),
      () => call('PATCH', `/${id}`, { shared: true }),
    ]
    const heard = ({ events }: EventFollower) => events().filter(({ views }) => views !== undefined).length
    // The first event has all topics.
    for (const [index, change] of [undefined, ...changes].entries()) {
      expect((await change?.())?.status ?? 200).toBeLessThan(300)
      for (const each of followers) await waitFor(() => expect(heard(each)).toBe(index + 2))
    }
    expect(ofReader.topics()).toEqual([])
    const setOwner = (values: object) =>
      portal.database.db
        .updateTable('profiles')
        .set(values)
        .where('user_id', '=', owner.user_id)
        .executeTakeFirst()
    const heardByReader = [
      () => call('GET', `/${id}`, undefined, reader),
      () => call('PATCH', `/${id}`, { name: 'Trimestre' }),
      () => call('PATCH', `/${id}`, { state: 'H4sJ' }),
      () => call('DELETE', `/${id}`),
      () => call('POST', `/${id}/restore`),
      () => call('PATCH', `/${id}`, { shared: false }),
      () => call('PATCH', `/${id}`, { shared: true }),
      () => setOwner({ types: ['Oficina'] }),
      () => setOwner({ types: owner.types }),
      () => setOwner({ approved: false }),
      () => setOwner({ approved: true }),
      () => call('DELETE', `/${id}`, undefined, reader),
    ]
    for (const [index, change] of heardByReader.entries()) {
      await change()
      await waitFor(() => expect(heard(ofReader)).toBe(index + 2))
    }
    await call('PATCH', `/${id}`, { name: 'Semana' })
    await waitFor(() => expect(heard(followers[0] as EventFollower)).toBe(changes.length + 8))
    expect(heard(ofReader)).toBe(heardByReader.length + 1)
    expect(ofReader.topics()).not.toContain('me')
  })

  test('notifies of an access that ends at midnight, without anything being written', async () => {
    const own = await startTestPortal({ kind, rateLimits: false })
    const { clock } = own
    const today = toSaoPauloDay(clock())
    const midnight = Date.parse(`${today}T00:00:00-03:00`) + 24 * 60 * 60_000
    clock.advance(midnight - 5_000 - clock())
    const person = await addPerson(own, { valid_until: today })
    const { id: view_id } = await own.database.db
      .insertInto('report_views')
      .values({
        user_id: person.user_id,
        type: 'vendas',
        report_id: 'x',
        name: 'Mês',
        state: 'H4sI',
        shared: true,
        updated_at: new Date(clock()),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const follower = await follow((await openTestSession(own, person)).access_token, own)
    const reader = await addPerson(own, {})
    await own.database.db
      .insertInto('opened_report_views')
      .values({ user_id: reader.user_id, view_id, opened_at: new Date(clock()) })
      .execute()
    const ofReader = await follow((await openTestSession(own, reader)).access_token, own)
    clock.advance(4_000)
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(follower.topics()).toEqual([])
    expect(ofReader.topics()).toEqual([])
    clock.advance(2_000)
    await waitFor(() => expect(follower.topics()).toEqual(['me']))
    // And what that person shared.
    await waitFor(() => expect(ofReader.topics()).toEqual(['views']))
    expect(follower.events().at(-1)?.me).toBe(`${follower.events()[0]?.me}-ended`)
    await own.stop()
  })

  describe('ends, after an event of me,', () => {
    const endings: Record<string, (user: { user_id: string; token: string }) => Promise<unknown>> = {
      'of sign-out': ({ token }) => send(portal, 'POST', '/api/auth/logout', { token }),
      'of a password changed elsewhere': async ({ user_id }) => {
        const person = await portal.database.db
          .selectFrom('profiles')
          .selectAll()
          .where('user_id', '=', user_id)
          .executeTakeFirstOrThrow()
        const { access_token: token } = await openTestSession(portal, person as never)
        const body = { newPassword: 'Outra-Senha-Longa-2026!' }
        expect(
          (await send(portal, 'POST', '/api/functions/change-password', { token, body })).body,
        ).toMatchObject({
          success: true,
        })
      },
      'of demotion': ({ user_id }) =>
        portal.database.db
          .updateTable('user_roles')
          .set({ role: 'user' })
          .where('user_id', '=', user_id)
          .execute(),
      'of a removed role': ({ user_id }) =>
        portal.database.db.deleteFrom('user_roles').where('user_id', '=', user_id).execute(),
      'of deletion': ({ user_id }) =>
        portal.database.db.deleteFrom('profiles').where('user_id', '=', user_id).execute(),
    }
    test.each(Object.keys(endings))('%s, and for no other session', async (name) => {
      const person = await addPerson(portal, { role: 'admin', password: TEST_PASSWORD })
      const { access_token: token } = await openTestSession(portal, person)
      const followers = await Promise.all([portal, pooled].map((from) => follow(token, from)))
      const other = await follow((await openAdmin(portal)).token)
      await endings[name]?.({ ...person, token })
      await Promise.all(followers.map(({ closed }) => closed))
      for (const follower of followers) expect(follower.topics()).toContain('me')
      const before = other.events().length
      await addMessages(portal, {})
      await waitFor(() =>
        expect(other.events().slice(before)).toContainEqual({ messages: expect.any(String) }),
      )
      for (const follower of followers) expect(follower.topics()).not.toContain('messages')
    })

    test('of an idle session, without anything being written', async () => {
      const { token, user_id } = await openPerson({})
      const refreshed_at = new Date(portal.clock() - 40 * 60_000 + 2_000)
      await portal.database.db
        .updateTable('sessions')
        .set({ refreshed_at })
        .where('user_id', '=', user_id)
        .execute()
      const follower = await follow(token)
      portal.clock.advance(2_001)
      await follower.closed
      expect(follower.topics()).toContain('me')
    })
  })

  test('ends the oldest stream of a person who opens a sixth, with a time to return at', async () => {
    const person = await openPerson({})
    const oldest = await follow(person.token)
    const others: EventFollower[] = []
    for (let more = 0; more < 5; more++) others.push(await follow(person.token))
    const colleague = await follow((await openPerson({})).token)
    await oldest.closed
    expect(oldest.text()).toMatch(/\nretry: 60000\n\n$/)
    await patchProfile(portal, await openAdmin(portal), person.user_id, { full_name: 'Rita Prado' })
    for (const follower of others) await waitFor(() => expect(follower.topics()).toEqual(['me']))
    expect(oldest.topics()).toEqual([])
    expect(colleague.topics()).toEqual([])
  })

  test('ends the oldest stream of a person who has six over two replicas', async () => {
    const person = await openPerson({})
    const oldest = await follow(person.token, pooled)
    const others: EventFollower[] = []
    for (let more = 0; more < 4; more++) others.push(await follow(person.token, more % 2 ? pooled : portal))
    await waitFor(async () => expect(await listOpen(person.user_id)).toHaveLength(5))
    others.push(await follow(person.token))
    await oldest.closed
    expect(oldest.text()).toMatch(/\nretry: 60000\n\n$/)
    await patchProfile(portal, await openAdmin(portal), person.user_id, { full_name: 'Rita Prado' })
    for (const follower of others) await waitFor(() => expect(follower.topics()).toEqual(['me']))
    for (const follower of others) follower.stop()
    await waitFor(async () => expect(await listOpen(person.user_id)).toEqual([]))
  })

  test('ends the streams of a replica that crashed before those of one that lives', async () => {
    const person = await openPerson({})
    const first = await follow(person.token)
    const now = portal.clock()
    const crashed = Array.from({ length: 5 }, () => ({
      id: randomUUID(),
      user_id: person.user_id,
      seen_at: new Date(now - 10 * 60_000),
    }))
    await portal.database.db.insertInto('open_streams').values(crashed).execute()
    const second = await follow(person.token, pooled)
    await waitFor(async () => expect(await listOpen(person.user_id)).toHaveLength(5))
    await patchProfile(portal, await openAdmin(portal), person.user_id, { full_name: 'Rita Prado' })
    for (const follower of [first, second]) await waitFor(() => expect(follower.topics()).toEqual(['me']))
  })

  test('sends pages of 0.2 stale for messages, people and the catalogue, and nothing else', async () => {
    const admin = await openAdmin(portal)
    const follower = await follow(admin.token, portal, '/api/support-messages/changes')
    const waitForStale = (times: number) =>
      waitFor(() => expect(follower.events()).toEqual(Array(times).fill({ kind: 'stale' })))
    await waitForStale(1)
    await addMessages(portal, {})
    await waitForStale(2)
    await sql`update global_powerbi_settings set updated_at = clock_timestamp()`.execute(portal.database.db)
    const { user_id } = await addPerson(portal)
    await waitForStale(3)
    await portal.database.db.deleteFrom('profiles').where('user_id', '=', user_id).execute()
    await waitForStale(4)
    await portal.database.db.deleteFrom('user_roles').where('user_id', '=', admin.user_id).execute()
    await follower.closed
  })

  describe('of a process', () => {
    type Fake = { [K in keyof EventStream]: ReturnType<typeof vi.fn<EventStream[K]>> }
    const createStreams = (changed: object = {}) =>
      createLiveStreams({
        database: portal.database,
        log: createLog('silent'),
        metrics: portal.metrics,
        serviceStatus: { read: () => ({}) },
        clock: portal.clock,
        sessionMaxDays: 7,
        ...changed,
      })
    const createFake = (): Fake => ({ write: vi.fn(), close: vi.fn() })
    const openActor = async () => {
      const person = await addPerson(portal, { role: 'admin' })
      await openTestSession(portal, person)
      const row = await portal.database.db
        .selectFrom('sessions')
        .select('id')
        .where('user_id', '=', person.user_id)
        .executeTakeFirstOrThrow()
      return { sessionId: row.id, profile: person } as Actor
    }
    const listWritten = ({ write }: Fake) => write.mock.calls.map(([event]) => Buffer.from(event).toString())

    test('tells administrators of a service that fails, also while the database is away', async () => {
      let [status, isAway] = ['good', false]
      const { runPrepared } = portal.database
      const streams = createStreams({
        serviceStatus: { read: () => ({ status }) },
        database: {
          ...portal.database,
          runPrepared: (...args: Parameters<typeof runPrepared>) =>
            isAway ? Promise.reject(new Error('away')) : runPrepared(...args),
        },
      })
      const stream = createFake()
      streams.follow(await openActor())(stream)
      await waitFor(() => expect(listWritten(stream)).toHaveLength(1))
      isAway = true
      status = 'bad'
      await waitFor(() =>
        expect(listWritten(stream)[1]).toBe(`data: ${JSON.stringify({ health: '{"status":"bad"}' })}\n\n`),
      )
      await addMessages(portal, {})
      isAway = false
      await waitFor(() => expect(listWritten(stream)[2]).toMatch('"messages"'))
      await streams.stop()
    })

    test('are closed when it stops, with a time to reconnect at, and it accepts no new ones', async () => {
      const streams = createStreams()
      const [inside, late] = [createFake(), createFake()]
      const actor = await openActor()
      const accept = streams.follow(actor)
      accept(inside)
      const list = () => listOpen(actor.profile.user_id)
      await waitFor(async () => expect(await list()).toHaveLength(1))
      await streams.stop()
      expect(await list()).toEqual([])
      expect(listWritten(inside).at(-1)).toMatch(/^retry: \d+\n\n$/)
      expect(inside.close).toHaveBeenCalledOnce()
      expect(() => accept(late)).toThrow(expect.objectContaining({ code: 'too-busy' }))
      expect(late.write).not.toHaveBeenCalled()
    })
  })
})
