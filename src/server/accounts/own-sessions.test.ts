import { beforeEach, expect, test } from 'vitest'
import type { ReplyNamed } from '#contract/index.ts'
import { parseProxies } from '#server/http/client-ip.ts'
import { isSignedIn, refreshSession, signIn } from '#server/testing/account-calls.ts'
import { readTrail } from '#server/testing/admin-calls.ts'
import {
  addFactor,
  addPerson,
  ageAuthentication,
  openTestSession,
  send,
  TEST_PASSWORD,
  UNKNOWN_ID,
} from '#server/testing/builders.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal } from '#server/testing/test-portal.ts'

const MINUTE = 60_000
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'
const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Version/18.1 Mobile Safari/604.1'

describeOnEachDatabase("'Onde estou conectado'", (kind) => {
  const portal = setUpPortal({
    kind,
    trustedProxies: parseProxies(['127.0.0.1', '::1']),
    groupNetworks: parseProxies(['10.1.0.0/16', '2001:db8::/32']),
  })
  let person: Awaited<ReturnType<typeof addPerson>>
  beforeEach(async () => {
    portal.clock.advance(61 * MINUTE)
    person = await addPerson(portal, { password: TEST_PASSWORD })
  })
  const from = (ip: string, userAgent = FIREFOX) => ({ 'x-forwarded-for': ip, 'user-agent': userAgent })
  const enter = async (headers: Record<string, string>, password = TEST_PASSWORD) =>
    (await signIn(portal, person.email, password, { headers })).body
  const list = async (token: string, at = portal) => {
    const { status, body } = await send(at, 'GET', '/api/sessions/me', { token })
    expect(status, JSON.stringify(body)).toBe(200)
    return body as ReplyNamed<'GET /api/sessions/me'>
  }
  const end = (token: string, id: string) => send(portal, 'DELETE', `/api/sessions/me/${id}`, { token })
  const instant = () => new Date(portal.clock()).toISOString()

  test('lists the open sessions with device, times and network, the own first', async () => {
    const openedAt = instant()
    const own = await enter(from('10.1.2.3'))
    portal.clock.advance(MINUTE)
    const phone = await enter(from('203.0.113.9', IPHONE))
    portal.clock.advance(2 * MINUTE)
    await refreshSession(portal, phone.refresh_token)
    await openTestSession(portal, person, 'recovery')
    await openTestSession(portal, await addPerson(portal))
    const { sessions } = await list(own.access_token)
    expect(sessions).toEqual([
      {
        id: expect.any(String),
        current: true,
        device: 'Firefox no Linux',
        opened_at: openedAt,
        last_used_at: openedAt,
        in_group_network: true,
      },
      expect.objectContaining({ current: false, last_used_at: instant() }),
    ])
    portal.clock.advance(38 * MINUTE)
    const fresh = await openTestSession(portal, person)
    expect((await list(fresh.access_token)).sessions).toHaveLength(2)
  })

  test('are shown to administrators too, who hold none of them', async () => {
    await enter(from('10.1.2.3'))
    const admin = await addPerson(portal, { role: 'admin' })
    const { access_token: token } = await openTestSession(portal, admin)
    const path = (userId: string) => `/api/profiles/${userId}/sessions`
    const { status, body } = await send(portal, 'GET', path(person.user_id), { token })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      sessions: [{ current: false, device: 'Firefox no Linux', in_group_network: true }],
      sign_ins: [{ refusal: null }],
      factors: 0,
    })
    await addFactor(portal, person.user_id)
    expect((await send(portal, 'GET', path(person.user_id), { token })).body.factors).toBe(1)
    expect((await send(portal, 'GET', path(UNKNOWN_ID), { token })).status).toBe(404)
  })

  test('tell administrators of a lock, until it ends', async () => {
    const admin = await addPerson(portal, { role: 'admin' })
    const { access_token: token } = await openTestSession(portal, admin)
    const readLock = async () =>
      (await send(portal, 'GET', `/api/profiles/${person.user_id}/sessions`, { token })).body.locked_until
    expect(await readLock()).toBe(null)
    for (let n = 0; n < 6; n++) await enter(from('10.1.2.3'), 'errada')
    const until = await readLock()
    expect(Date.parse(until)).toBeGreaterThan(portal.clock())
    portal.clock.advance(Date.parse(until) - portal.clock())
    expect(await readLock()).toBe(null)
  })

  test('tells where a session was used last, not where it was opened', async () => {
    const { refresh_token } = await enter(from('10.1.2.3'))
    const headers = { ...from('203.0.113.9', IPHONE), 'content-type': 'application/json' }
    const reply = await fetch(`${portal.url}/api/auth/token?grant_type=refresh_token`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ refresh_token }),
    })
    const { access_token } = (await reply.json()) as { access_token: string }
    expect((await list(access_token)).sessions).toMatchObject([
      { device: 'Safari no iPhone', in_group_network: false },
    ])
  })

  test('names no network without the setting, and nothing that is unknown', async () => {
    const replica = await startTestPortal({ kind, database: portal.database, clock: portal.clock })
    const { access_token } = await enter(from('10.1.2.3'))
    expect((await list(access_token, replica)).sessions).toMatchObject([{ in_group_network: null }])
    await replica.stop()
    await portal.database.db.updateTable('sessions').set({ ip: null, user_agent: null }).execute()
    expect((await list(access_token)).sessions).toMatchObject([
      { device: 'Navegador desconhecido', in_group_network: null },
    ])
  })

  test('lists the last ten sign-ins and refusals of the person alone, the newest first', async () => {
    await enter(from('2001:db8::1'), 'errada')
    await enter(from('203.0.113.9'), 'errada')
    let token = ''
    for (let n = 0; n < 10; n++) {
      portal.clock.advance(1000)
      token = (await enter(from('10.1.2.3'))).access_token
    }
    await signIn(portal, (await addPerson(portal)).email, 'errada')
    const { sign_ins } = await list(token)
    expect(sign_ins).toHaveLength(10)
    // Refusals have the database's clock, which the test does not move.
    await portal.database.db.deleteFrom('access_records').where('user_id', '=', person.user_id).execute()
    expect((await list(token)).sign_ins).toEqual([
      {
        at: expect.any(String),
        refusal: 'invalid-credentials',
        attempts: 2,
        device: null,
        in_group_network: false,
      },
    ])
    expect(sign_ins[0]).toEqual({
      at: instant(),
      refusal: null,
      attempts: 1,
      device: 'Firefox no Linux',
      in_group_network: true,
    })
  })

  test('ends one of the own sessions or all others, at once on every replica, and records it', async () => {
    const replica = await startTestPortal({ kind, database: portal.database, clock: portal.clock })
    const { access_token: token } = await openTestSession(portal, person)
    const others = [await openTestSession(portal, person), await openTestSession(portal, person)]
    const { sessions } = await list(token)
    const victim = sessions.find(({ current }) => !current)?.id as string
    expect((await end(token, victim)).status).toBe(204)
    const alive = () => Promise.all(others.map(({ access_token }) => isSignedIn(replica, access_token)))
    expect((await alive()).toSorted()).toEqual([false, true])
    expect((await end(token, victim)).status).toBe(404)
    await send(portal, 'POST', '/api/auth/logout?scope=others', { token })
    expect(await alive()).toEqual([false, false])
    expect(await isSignedIn(replica, token)).toBe(true)
    await openTestSession(portal, person)
    await send(portal, 'POST', '/api/auth/logout', { token })
    expect(await isSignedIn(replica, token)).toBe(false)
    const trail = (await readTrail(portal)).filter(({ target_id }) => target_id === person.user_id)
    const ended = { action: 'sessions-ended', actor_id: person.user_id, after: { count: 1 } }
    expect(trail).toMatchObject([ended, ended, ended])
    await replica.stop()
  })

  test("ends nobody else's session, and none without a recent password", async () => {
    const { access_token: token } = await openTestSession(portal, person)
    const stranger = await openTestSession(portal, await addPerson(portal))
    const { sessions } = await list(stranger.access_token)
    expect((await end(token, sessions[0]?.id as string)).status).toBe(404)
    expect(await isSignedIn(portal, stranger.access_token)).toBe(true)
    await openTestSession(portal, person)
    const other = (await list(token)).sessions.find(({ current }) => !current)?.id as string
    const stale = await ageAuthentication(portal, token, 11 * MINUTE)
    expect((await end(stale, other)).body.code).toBe('reauthentication-needed')
    expect((await list(token)).sessions).toHaveLength(2)
  })
})
