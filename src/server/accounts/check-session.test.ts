import { connect } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { profileSchema, roleSchema } from '#contract/users.ts'
import { isSignedIn, refreshSession } from '#server/testing/account-calls.ts'
import { openAdmin } from '#server/testing/admin-calls.ts'
import { addPerson, openTestSession, send } from '#server/testing/builders.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal, TEST_SECRET } from '#server/testing/test-portal.ts'
import { waitFor } from '#server/testing/wait-for.ts'
import { findProfile } from '#server/users/user-queries.ts'
import { createAuthenticate } from './sessions.ts'
import { createTokens } from './tokens.ts'

const MINUTE = 60_000
const NEW_SECRET = 'the next secret of the test-suite, just as long'

describeOnEachDatabase('a session', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  const replica = (secrets?: string[]) =>
    startTestPortal({ kind, database: portal.database, clock: portal.clock, ...(secrets && { secrets }) })

  test('has an access token that lives ten minutes', async () => {
    const { access_token } = await openTestSession(portal, await addPerson(portal))
    portal.clock.advance(10 * MINUTE - 1000)
    expect(await isSignedIn(portal, access_token)).toBe(true)
    portal.clock.advance(1000)
    expect(await isSignedIn(portal, access_token)).toBe(false)
  })

  test('reads an actor with exactly the expected fields', async () => {
    const actorSchema = z.strictObject({
      sessionId: z.uuid(),
      sessionKind: z.literal('full'),
      refreshCounter: z.literal(0),
      authenticationAgeMs: z.number().min(0).max(MINUTE),
      role: roleSchema,
      approved: z.boolean(),
      accessEnded: z.boolean(),
      accessEndsAt: z.number().nullable(),
      entitlementVersion: z.int(),
      profile: z.strictObject(profileSchema.shape),
    })
    const { database, keyring, clock } = portal
    const person = await addPerson(portal)
    const { access_token } = await openTestSession(portal, person)
    const authenticate = createAuthenticate(database, createTokens(keyring, clock), clock, 7)
    const actor = await authenticate(`Bearer ${access_token}`)
    expect(actorSchema.parse(actor)).toEqual(actor)
    expect(actor?.profile).toEqual(person)
  })

  test('expires forty minutes after its last refresh, even with a valid access token', async () => {
    const { access_token } = await openTestSession(portal, await addPerson(portal))
    const refreshed = async (agoMs: number) => {
      const refreshed_at = new Date(portal.clock() - agoMs)
      await portal.database.db.updateTable('sessions').set({ refreshed_at }).execute()
    }
    await refreshed(40 * MINUTE - 1)
    expect(await isSignedIn(portal, access_token)).toBe(true)
    await refreshed(40 * MINUTE)
    expect(await isSignedIn(portal, access_token)).toBe(false)
  })

  test('expires after fifteen minutes when opened by a reset link', async () => {
    const { access_token: token } = await openTestSession(portal, await addPerson(portal), 'recovery')
    const read = async () => (await send(portal, 'GET', '/api/auth/user', { token })).status
    expect(await read()).toBe(200)
    const created_at = new Date(portal.clock() - 15 * MINUTE)
    await portal.database.db.updateTable('sessions').set({ created_at }).execute()
    expect(await read()).toBe(401)
  })

  test('reflects changed role, approval and entitlements at the next request, on every replica', async () => {
    const person = await addPerson(portal, { role: 'admin' })
    const { access_token: token } = await openTestSession(portal, person)
    const other = await replica()
    const { db } = portal.database
    expect((await send(other, 'GET', '/api/user-roles/me', { token })).body).toEqual({ role: 'admin' })
    await db.deleteFrom('user_roles').where('user_id', '=', person.user_id).execute()
    await db
      .updateTable('profiles')
      .set({ approved: false, types: ['CRM'] })
      .where('user_id', '=', person.user_id)
      .execute()
    for (const at of [other, portal]) {
      expect((await send(at, 'GET', '/api/user-roles/me', { token })).body).toEqual({ role: 'user' })
      expect((await send(at, 'GET', '/api/openapi.json', { token })).status).toBe(403)
      const profile = (await send(at, 'GET', '/api/profiles/me', { token })).body
      expect(profile).toMatchObject({ approved: false, types: ['CRM'] })
    }
    await other.stop()
  })

  test('ends at the next request on every replica when its person is deleted', async () => {
    const person = await addPerson(portal)
    const { access_token } = await openTestSession(portal, person)
    const other = await replica()
    expect(await isSignedIn(other, access_token)).toBe(true)
    await portal.database.db.deleteFrom('profiles').where('user_id', '=', person.user_id).execute()
    for (const at of [other, portal]) expect(await isSignedIn(at, access_token)).toBe(false)
    await other.stop()
  })

  test('is checked again when a delayed body arrives after it ended', async () => {
    const admin = await openAdmin(portal)
    const person = await addPerson(portal, { approved: false })
    const body = JSON.stringify({ approved: true })
    const asked = vi.spyOn(portal.database, 'runPrepared')
    const socket = connect(Number(new URL(portal.url).port), '127.0.0.1')
    const replied = new Promise((resolve) => socket.on('data', (data) => resolve(String(data).slice(0, 12))))
    socket.write(
      `PATCH /api/profiles/${person.user_id} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer ${admin.token}\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 1)}`,
    )
    await waitFor(() => expect(asked.mock.settledResults).toMatchObject([{ type: 'fulfilled' }]))
    await portal.database.db.deleteFrom('user_roles').where('user_id', '=', admin.user_id).execute()
    socket.write(body.slice(1))
    expect(await replied).toBe('HTTP/1.1 403')
    asked.mockRestore()
    socket.destroy()
    expect(await findProfile(portal.database.db, person.user_id)).toEqual(person)
  })

  describe('survives a rotation of SESSION_SECRET', () => {
    test('while the old secret is still listed after the new one', async () => {
      const session = await openTestSession(portal, await addPerson(portal))
      const rotated = await replica([NEW_SECRET, TEST_SECRET])
      expect(await isSignedIn(rotated, session.access_token)).toBe(true)
      const { status, body } = await refreshSession(rotated, session.refresh_token)
      expect(status).toBe(200)
      expect(await isSignedIn(rotated, body.access_token)).toBe(true)
      // The new one signs: a replica without it cannot read the token.
      expect(await isSignedIn(portal, body.access_token)).toBe(false)
      await rotated.stop()
    })

    test('once refreshed, after the old secret is removed', async () => {
      const stale = await openTestSession(portal, await addPerson(portal))
      const fresh = await openTestSession(portal, await addPerson(portal))
      const rotated = await replica([NEW_SECRET, TEST_SECRET])
      const { body } = await refreshSession(rotated, fresh.refresh_token)
      await rotated.stop()
      const finished = await replica([NEW_SECRET])
      expect(await isSignedIn(finished, stale.access_token)).toBe(false)
      expect((await refreshSession(finished, stale.refresh_token)).status).toBe(400)
      expect(await isSignedIn(finished, body.access_token)).toBe(true)
      expect((await refreshSession(finished, body.refresh_token)).status).toBe(200)
      await finished.stop()
    })
  })
})

describeOnEachDatabase('signing out', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })

  test.each([
    ['?scope=local', { own: false, other: true }],
    ['?scope=others', { own: true, other: false }],
    ['?scope=global', { own: false, other: false }],
    ['', { own: false, other: false }],
  ])('with %o ends %o', async (query, left) => {
    const person = await addPerson(portal)
    const [own, other] = [await openTestSession(portal, person), await openTestSession(portal, person)]
    const stranger = await openTestSession(portal, await addPerson(portal))
    const reply = await send(portal, 'POST', `/api/auth/logout${query}`, { token: own.access_token })
    expect([reply.status, reply.body]).toEqual([204, undefined])
    const isAlive = async (session: typeof own) => {
      const isOpen = await isSignedIn(portal, session.access_token)
      expect((await refreshSession(portal, session.refresh_token)).status === 200).toBe(isOpen)
      return isOpen
    }
    expect({ own: await isAlive(own), other: await isAlive(other) }).toEqual(left)
    expect(await isAlive(stranger)).toBe(true)
  })

  test('works in limited sessions', async () => {
    for (const sessionKind of ['recovery', 'forcedChange'] as const) {
      const { access_token: token } = await openTestSession(portal, await addPerson(portal), sessionKind)
      expect((await send(portal, 'POST', '/api/auth/logout?scope=local', { token })).status).toBe(204)
      expect((await send(portal, 'GET', '/api/auth/user', { token })).status).toBe(401)
    }
  })
})
