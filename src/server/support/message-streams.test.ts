import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Actor } from '#server/http/context.ts'
import type { EventStream } from '#server/http/event-stream.ts'
import { createLog } from '#server/log.ts'
import { type Admin, openAdmin, patchProfile } from '#server/testing/admin-calls.ts'
import { addPerson, openTestSession, send } from '#server/testing/builders.ts'
import {
  addMessages,
  type EventFollower,
  followEvents,
  sendContactForm,
} from '#server/testing/inbox-calls.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal } from '#server/testing/test-portal.ts'
import { waitFor } from '#server/testing/wait-for.ts'
import { createMessageStreams } from './message-streams.ts'

type Fake = { [K in keyof EventStream]: ReturnType<typeof vi.fn<EventStream[K]>> }

/** Waits long enough for a busy machine. */
const eventually = <T>(check: () => T) => waitFor(check, { timeout: 8000, interval: 10 })

describeOnEachDatabase('stream of message changes', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  const open: EventFollower[] = []
  afterEach(() => {
    for (const follower of open.splice(0)) follower.stop()
  })

  const follow = async (token: string, from: { url: string } = portal, headers = {}) => {
    const follower = await followEvents(from, token, headers)
    open.push(follower)
    return follower
  }
  const followAsAdmin = async (from: { url: string } = portal) =>
    follow((await openAdmin(portal)).token, from)
  /** Lists the received ids, with duplicates. */
  const listIds = (follower: EventFollower) =>
    follower.events().flatMap(({ data }) => (data.kind === 'changed' ? data.ids : []))
  const waitForIds = (follower: EventFollower, ids: string[]) =>
    eventually(() => expect(listIds(follower)).toEqual(expect.arrayContaining(ids)))

  test('is an event stream that proxies do not buffer, with the security headers', async () => {
    const { status, headers } = await followAsAdmin()
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

  test('starts with stale for new and returning clients', async () => {
    const { token } = await openAdmin(portal)
    for (const headers of [{}, { 'last-event-id': '3' }]) {
      const follower = await follow(token, portal, headers)
      await eventually(() =>
        expect(follower.events()[0]).toEqual({ id: expect.any(String), data: { kind: 'stale' } }),
      )
      expect(follower.text()).toMatch(/^retry: 1000\n\n/)
    }
  })

  test('sends the ids of new, changed and waiting people, but no sign-ins', async () => {
    const admin = await openAdmin(portal)
    const follower = await follow(admin.token)
    const person = await addPerson(portal, { approved: false })
    const { user_id } = person
    const listPeople = () =>
      follower
        .events()
        .flatMap(({ data }) => (data.kind === 'changed' ? data.people.filter((id) => id === user_id) : []))
    await eventually(() => expect(listPeople()).toEqual([user_id]))
    const { access_token: token } = await openTestSession(portal, person)
    await portal.database.db
      .updateTable('profiles')
      .set({ last_sign_in_at: new Date() })
      .where('user_id', '=', user_id)
      .execute()
    const body = { full_name: 'Rita Prado' }
    await send(portal, 'PUT', '/api/access-requests/me', { token, body })
    await eventually(() => expect(listPeople()).toEqual([user_id, user_id]))
    await patchProfile(portal, admin, user_id, { approved: true })
    await eventually(() => expect(listPeople()).toEqual([user_id, user_id, user_id]))
    // Deleted people are not named.
    const before = follower.events().length
    await send(portal, 'POST', '/api/functions/delete-users', {
      token: admin.token,
      body: { userIds: [user_id] },
    })
    await eventually(() =>
      expect(follower.events().slice(before)).toMatchObject([{ data: { kind: 'stale' } }]),
    )
    expect(follower.text()).not.toContain('Rita')
  })

  test('sends stale for many changes at once', async () => {
    const admin = await openAdmin(portal)
    const follower = await follow(admin.token)
    const waitForStale = (times: number) =>
      eventually(() =>
        expect(follower.events().filter(({ data }) => data.kind === 'stale')).toHaveLength(times),
      )
    await waitForStale(1)
    await sql`insert into profiles (email) select 'm' || n || '@x.br' from generate_series(1, 300) n`.execute(
      portal.database.db,
    )
    await waitForStale(2)
    await portal.database.db.deleteFrom('profiles').where('email', 'like', '%@x.br').execute()
    // Waits, because together with the next test's changes this would send stale.
    await waitForStale(3)
  })

  test('sends only the ids of new, read and deleted messages', async () => {
    const admin = await openAdmin(portal)
    const follower = await follow(admin.token)
    expect((await sendContactForm(portal)).status).toBe(201)
    const { body } = await send(portal, 'GET', '/api/support-messages?limit=1', { token: admin.token })
    const { id } = body.items[0]
    await waitForIds(follower, [id])
    const path = `/api/support-messages/${id}`
    await send(portal, 'PATCH', path, { token: admin.token, body: { is_read: true } })
    await eventually(() => expect(listIds(follower)).toEqual([id, id]))
    await send(portal, 'DELETE', path, { token: admin.token })
    await eventually(() => expect(listIds(follower)).toEqual([id, id, id]))
    const numbers = follower.events().map((event) => Number(event.id))
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    expect(new Set(numbers.slice(1)).size).toBeGreaterThanOrEqual(3)
    expect(follower.text()).not.toContain('Rita')
  })

  test('sends each change once to every client on every replica', async () => {
    const replica = await startTestPortal({ kind, database: portal.database, rateLimits: false })
    const here = await followAsAdmin()
    const there = await followAsAdmin(replica)
    await sendContactForm(portal)
    const ids = (await portal.database.db.selectFrom('support_messages').select('id').execute()).map(
      ({ id }) => id,
    )
    for (const follower of [here, there]) await waitForIds(follower, ids.slice(-1))
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(listIds(there)).toEqual(listIds(here))
    expect(listIds(here)).toHaveLength(1)
    there.stop()
    await replica.stop()
  })

  test('coalesces a burst, and sends stale for a flood or a catalogue change', async () => {
    const { token } = await openAdmin(portal)
    const follower = await followAsAdmin()
    const start = performance.now()
    const sent = await Promise.all(Array.from({ length: 60 }, () => addMessages(portal, {})))
    await waitForIds(follower, sent.flat())
    expect(listIds(follower)).toHaveLength(60)
    expect(follower.events().length).toBeLessThan((performance.now() - start) / 20 + 3)
    const before = follower.events().length
    await addMessages(portal, ...Array.from({ length: 201 }, () => ({})))
    await eventually(() =>
      expect(
        follower
          .events()
          .slice(before)
          .map(({ data }) => data),
      ).toEqual([{ kind: 'stale' }]),
    )
    const known = follower.events().length
    const estados = ['PR', 'MG', 'ES', 'RJ']
    expect((await send(portal, 'PUT', '/api/catalogue', { token, body: { estados } })).status).toBe(200)
    await eventually(() =>
      expect(follower.events().slice(known)).toContainEqual(
        expect.objectContaining({ data: { kind: 'stale' } }),
      ),
    )
  })

  test('sends nothing for a rolled back transaction', async () => {
    const follower = await followAsAdmin()
    const undone = portal.database.db.transaction().execute(async (transaction) => {
      await transaction
        .insertInto('support_messages')
        .values({ name: 'x', email: 'x', phone: 'x', message: 'x' })
        .execute()
      throw new Error('undo')
    })
    await expect(undone).rejects.toThrow('undo')
    const ids = await addMessages(portal, {})
    await waitForIds(follower, ids)
    expect(listIds(follower)).toEqual(ids)
  })

  test('rejects a sixth stream per person until one is closed', async () => {
    const { token } = await openAdmin(portal)
    const tabs = await Promise.all(Array.from({ length: 6 }, () => follow(token)))
    expect(tabs.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 429])
    const refused = tabs.find(({ status }) => status === 429) as EventFollower
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.headers.get('content-type')).toBe('application/problem+json')
    await followAsAdmin()
    tabs.find(({ status }) => status === 200)?.stop()
    await eventually(async () => expect((await follow(token)).status).toBe(200))
  })

  describe('ends within five seconds', () => {
    const endings: Record<string, (admin: Admin) => Promise<unknown>> = {
      'sign-out': ({ token }) => send(portal, 'POST', '/api/auth/logout', { token }),
      demotion: ({ user_id }) =>
        portal.database.db
          .updateTable('user_roles')
          .set({ role: 'user' })
          .where('user_id', '=', user_id)
          .execute(),
      'a removed role': ({ user_id }) =>
        portal.database.db.deleteFrom('user_roles').where('user_id', '=', user_id).execute(),
      deletion: ({ user_id }) =>
        portal.database.db.deleteFrom('profiles').where('user_id', '=', user_id).execute(),
      'an expired session': ({ user_id }) =>
        portal.database.db
          .updateTable('sessions')
          .set({ refreshed_at: new Date(portal.clock() - 41 * 60_000) })
          .where('user_id', '=', user_id)
          .execute(),
    }
    test.concurrent.each(Object.keys(endings))('of %s, and for no other session', async (name) => {
      const admin = await openAdmin(portal)
      const [ended, other] = [
        await followEvents(portal, admin.token),
        await followEvents(portal, (await openAdmin(portal)).token),
      ]
      await endings[name]?.(admin)
      const start = performance.now()
      await ended.closed
      expect(performance.now() - start).toBeLessThan(5000)
      const ids = await addMessages(portal, {})
      await waitForIds(other, ids)
      expect(listIds(ended)).not.toContain(ids[0])
      other.stop()
    })
  })

  test('closes all streams and accepts no new ones when the portal stops', async () => {
    const log = createLog('silent')
    const streams = createMessageStreams({
      database: portal.database,
      log,
      metrics: portal.metrics,
      clock: portal.clock,
      sessionMaxDays: 7,
    })
    const { user_id } = await openAdmin(portal)
    const actor = { sessionId: randomUUID(), profile: { user_id } } as Actor
    const [inside, late] = [0, 1].map(() => ({ write: vi.fn(), close: vi.fn() })) as [Fake, Fake]
    const accept = await streams.follow(actor)
    accept(inside)
    await streams.stop()
    expect(inside.close).toHaveBeenCalledOnce()
    expect(() => accept(late)).toThrow(expect.objectContaining({ code: 'too-busy' }))
    expect(late.write).not.toHaveBeenCalled()
  })
})
