import { describe, expect, test } from 'vitest'
import { addPerson, openTestSession, send, UNKNOWN_ID } from '#server/testing/builders.ts'
import { followEvents } from '#server/testing/follow-events.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

// One test per entry of the abuse list. Entries that are tested elsewhere:
//   report outside types, unknown report, mixed workspace, report and dataset → the same 404, no call
//     of Power BI; marcas superset, another's userEmail → the identity of the database; empty marcas or
//     estados → no token: reports/issue-embed-token.test.ts
//   two administrators who delete each other at once → one remains: users/delete-users.test.ts
//   the last administrator: also operations/admin-commands.test.ts (revoke)
//   bulk edit with one bad id → nothing changes: users/bulk-edit.test.ts

const CHANGES: Record<string, object> = {
  approved: { approved: true },
  types: { types: ['Vendas', 'CRM'] },
  'marcas and estados': { marcas: ['FIAT', 'VW'], estados: ['RJ', 'ES'] },
}
const UNKNOWN_KEYS: [string, string][] = [
  ['role', '"role":"admin"'],
  ['email', '"email":"outra@grupopatio.com.br"'],
  ['id', `"id":"${UNKNOWN_ID}"`],
  ['user_id', `"user_id":"${UNKNOWN_ID}"`],
  ['version', '"version":99'],
  ['email_verified_at', '"email_verified_at":"2026-01-01T00:00:00Z"'],
  ['__proto__', '"__proto__":{"role":"admin","approved":true}'],
  ['constructor', '"constructor":{"prototype":{"role":"admin"}}'],
]

describeOnEachDatabase('an abusive request', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })

  const open = async (profile: Parameters<typeof addPerson>[1] = {}) => {
    const person = await addPerson(portal, profile)
    const { access_token: token } = await openTestSession(portal, person)
    return { userId: person.user_id, token }
  }
  const openAll = async () => ({
    pending: await open({ approved: false }),
    approved: await open(),
    admin: await open({ role: 'admin' }),
  })
  /** Returns a person's row and role from the database. */
  const readRow = async (userId: string) => {
    const { db } = portal.database
    return [
      await db.selectFrom('profiles').selectAll().where('user_id', '=', userId).execute(),
      await db.selectFrom('user_roles').select('role').where('user_id', '=', userId).execute(),
    ]
  }
  const patch = async (token: string, userId: string, body: string) => {
    const reply = await fetch(`${portal.url}/api/profiles/${userId}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body,
    })
    const { requestId: _, ...problem } = (await reply.json()) as { requestId: string; code: string }
    return { status: reply.status, problem }
  }

  describe('to patch a profile without the admin role', () => {
    test.each(Object.keys(CHANGES))('with %s changes no row, own or other', async (what) => {
      const { pending, approved } = await openAll()
      for (const caller of [pending, approved])
        for (const target of [caller, await open({ approved: false, types: [] })]) {
          const before = await readRow(target.userId)
          const { status, problem } = await patch(caller.token, target.userId, JSON.stringify(CHANGES[what]))
          expect([status, problem.code]).toEqual([403, 'forbidden'])
          expect(await readRow(target.userId)).toEqual(before)
        }
    })

    test('is refused alike for existing, unknown and malformed ids', async () => {
      const { approved } = await openAll()
      const person = await open()
      const known = await patch(approved.token, person.userId, '{"approved":true}')
      expect(known.status).toBe(403)
      for (const id of [UNKNOWN_ID, approved.userId, 'abc', '..%2f..', '%00'])
        expect(await patch(approved.token, id, '{"approved":true}'), id).toEqual(known)
      for (const path of ['', '/history', '/export'])
        for (const id of [UNKNOWN_ID, person.userId, 'abc']) {
          const reply = await send(portal, 'GET', `/api/profiles/${id}${path}`, approved)
          expect([reply.status, reply.body.code], `${id}${path}`).toEqual([403, 'forbidden'])
        }
    })
  })

  test.each(UNKNOWN_KEYS)('to patch a profile with the key %s is refused for everyone', async (_, entry) => {
    const target = await open({ approved: false })
    const before = await readRow(target.userId)
    for (const [name, { token }] of Object.entries(await openAll()))
      for (const body of [`{${entry}}`, `{"approved":true,${entry}}`]) {
        const { status, problem } = await patch(token, target.userId, body)
        const refusal = name === 'admin' ? [400, 'invalid-input'] : [403, 'forbidden']
        expect([status, problem.code], name).toEqual(refusal)
        expect(await readRow(target.userId)).toEqual(before)
      }
    const plain = {} as { role?: string; approved?: boolean }
    expect([plain.role, plain.approved]).toEqual([undefined, undefined])
  })

  test('to delete the own account is refused for administrators, even the last one', async () => {
    await portal.database.db.deleteFrom('user_roles').execute()
    const admin = await open({ role: 'admin' })
    for (const round of ['the last one', 'one of two']) {
      const { status, body } = await send(portal, 'POST', '/api/functions/delete-users', {
        token: admin.token,
        body: { userIds: [admin.userId, admin.userId.toUpperCase()] },
      })
      expect([status, body.success], round).toEqual([200, []])
      expect(body.errors, round).toMatchObject([{ userId: admin.userId }])
      expect((await send(portal, 'GET', '/api/user-roles/me', admin)).body).toEqual({ role: 'admin' })
      await open({ role: 'admin' })
    }
  })

  test('by a demoted administrator gets 403, and the stream closes', async () => {
    const admin = await open({ role: 'admin' })
    const stream = await followEvents(portal, admin.token)
    expect([stream.status, (await send(portal, 'GET', '/api/profiles', admin)).status]).toEqual([200, 200])
    const { db } = portal.database
    await db.updateTable('user_roles').set({ role: 'user' }).where('user_id', '=', admin.userId).execute()
    for (const path of ['/api/profiles', '/api/support-messages', '/api/support-messages/changes'])
      expect((await send(portal, 'GET', path, admin)).status, path).toBe(403)
    await stream.closed
  })

  test('from another site gets no CORS header', async () => {
    const { token } = await open({ role: 'admin' })
    const origins = ['https://evil.example', 'null', portal.url]
    for (const origin of origins)
      for (const [method, path] of [
        ['OPTIONS', '/api/profiles'],
        ['GET', '/api/profiles'],
        ['GET', '/api/health/live'],
        ['POST', '/api/auth/token?grant_type=password'],
      ] as const) {
        const headers = {
          origin,
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'authorization',
        }
        const reply = await send(portal, method, path, { token, headers })
        const allowing = [...reply.headers.keys()].filter((name) => name.startsWith('access-control-'))
        expect(allowing, `${method} ${path} from ${origin}`).toEqual([])
      }
  })
})
