import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import type { Profile } from '#contract/users.ts'
import { NEW_PASSWORD, refreshSession } from '#server/testing/account-calls.ts'
import {
  addPerson,
  ageAuthentication,
  openTestSession,
  send,
  TEST_PASSWORD,
} from '#server/testing/builders.ts'
import { readEveryTable } from '#server/testing/canaries.ts'
import { setUpAdmin, setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal } from '#server/testing/test-portal.ts'

const LISTS = { types: ['Vendas'], marcas: ['FIAT'], estados: ['RJ'] }
const MANY = 21

interface Attack {
  method: string
  path: string
  body?: object
}

describeOnEachDatabase('a stolen access token, three hours after the password,', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  const admin = setUpAdmin(portal, { password: TEST_PASSWORD })
  let people: Profile[]
  let stolen: string
  let refreshToken: string
  beforeEach(async () => {
    const { db } = portal.database
    await db.deleteFrom('invitations').execute()
    people = []
    for (let n = 0; n < MANY; n++) people.push(await addPerson(portal, { approved: false }))
    await db.deleteFrom('sessions').execute()
    const session = await openTestSession(portal, admin)
    refreshToken = session.refresh_token
    stolen = await ageAuthentication(portal, session.access_token, 180 * 60_000)
    await openTestSession(portal, admin)
    await openTestSession(portal, people[0] as Profile)
  })
  const attack = ({ method, path, body }: Attack, token: string, at = portal, headers = {}) =>
    send(at, method, path, { token, ...(body && { body }), headers })
  const takeSnapshot = async () => {
    const { rate_limits: _, ...content } = await readEveryTable(portal.database.db)
    return content
  }
  const getId = (n = 0) => people[n]?.user_id as string
  const userIds = () => people.map(({ user_id }) => user_id)
  const findOtherSession = async () => {
    const { sessions } = (await send(portal, 'GET', '/api/sessions/me', { token: stolen })).body
    return sessions.find(({ current }: { current: boolean }) => !current).id as string
  }
  const help = (action: string) => ({
    method: 'POST',
    path: `/api/profiles/${getId()}/account`,
    body: { action },
  })

  test.each<[string, () => Attack | Promise<Attack>]>([
    [
      'changes no password',
      () => ({
        method: 'POST',
        path: '/api/functions/change-password',
        body: { newPassword: NEW_PASSWORD },
      }),
    ],
    [
      'ends no other sessions of the person',
      () => ({ method: 'POST', path: '/api/auth/logout?scope=others' }),
    ],
    [
      'ends no single session of the person',
      async () => ({ method: 'DELETE', path: `/api/sessions/me/${await findOtherSession()}` }),
    ],
    ["ends nobody's sessions", () => help('end-sessions')],
    ['mails no reset link', () => help('send-reset')],
    ['unlocks nobody', () => help('unlock')],
    [
      'makes no administrator',
      () => ({ method: 'PUT', path: `/api/profiles/${getId()}/role`, body: { role: 'admin' } }),
    ],
    [
      'deletes nobody',
      () => ({ method: 'POST', path: '/api/functions/delete-users', body: { userIds: [getId()] } }),
    ],
    ['exports no list of people', () => ({ method: 'GET', path: '/api/profiles/export' })],
    ['exports nobody', () => ({ method: 'GET', path: `/api/profiles/${getId()}/export` })],
    [
      'changes no 21 people',
      () => ({
        method: 'POST',
        path: '/api/profiles/bulk-edit',
        body: { userIds: userIds(), action: 'add', types: ['HPD'] },
      }),
    ],
    [
      'approves no 21 people',
      () => ({
        method: 'POST',
        path: '/api/profiles/approve',
        body: { items: userIds().map((userId) => ({ userId, ...LISTS })) },
      }),
    ],
    [
      'invites no 21 people',
      () => ({
        method: 'POST',
        path: '/api/invitations',
        body: {
          addresses: people.map((_, n) => `nova${n}@grupopatio.com.br`).join('\n'),
          defaults: LISTS,
        },
      }),
    ],
  ])('%s, by no replica, key, refresh or proof of its owner', async (_, describeAttack) => {
    const replica = await startTestPortal({ kind, database: portal.database, clock: portal.clock })
    const wanted = await describeAttack()
    const headers = { 'idempotency-key': randomUUID() }
    const expectRefused = async () => {
      const before = await takeSnapshot()
      for (const [at, given] of [
        [portal, {}],
        [replica, {}],
        [portal, headers],
        [replica, headers],
      ] as const) {
        const { status, body } = await attack(wanted, stolen, at, given)
        expect([status, body?.code]).toEqual([403, 'reauthentication-needed'])
      }
      expect(await takeSnapshot()).toEqual(before)
    }
    await expectRefused()
    const refreshed = (await refreshSession(portal, refreshToken)).body.access_token
    expect((await attack(wanted, refreshed)).body.code).toBe('reauthentication-needed')
    const body = { password: TEST_PASSWORD }
    const proof = await send(portal, 'POST', '/api/auth/reauthenticate', { token: refreshed, body })
    await expectRefused()
    // With the same key: a refusal was not stored.
    const { status } = await attack(wanted, proof.body.access_token, replica, headers)
    expect([200, 201, 204]).toContain(status)
    await replica.stop()
  })
})
