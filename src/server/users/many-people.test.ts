import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import type { Profile } from '#contract/users.ts'
import { type Admin, readTrail } from '#server/testing/admin-calls.ts'
import { addPerson, ageAuthentication, openTestSession, send } from '#server/testing/builders.ts'
import { setUpAdmin, setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal } from '#server/testing/test-portal.ts'

const MINUTE = 60_000
const LIMIT = 20
const LISTS = { types: ['Vendas'], marcas: ['FIAT'], estados: ['RJ'] }

describeOnEachDatabase('more than twenty people changed within ten minutes', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  const admin = setUpAdmin(portal)
  let people: Profile[]
  beforeEach(async () => {
    await portal.database.db.deleteFrom('invitations').execute()
    people = []
    for (let n = 0; n <= LIMIT; n++)
      people.push(await addPerson(portal, { approved: n % 2 === 0, types: ['CRM'], marcas: ['VW'] }))
    await makeStale()
  })
  const makeStale = async () => {
    admin.token = await ageAuthentication(portal, admin.token, 121 * MINUTE)
  }
  const makeRecent = async () => {
    admin.token = await ageAuthentication(portal, admin.token, 119 * MINUTE)
  }
  const call = (path: string, body: object, headers = {}, at = portal, by: Admin = admin) =>
    send(at, 'POST', path, { token: by.token, body, headers })
  const edit = (some: readonly Profile[], headers = {}, at = portal, by = admin) =>
    call(
      '/api/profiles/bulk-edit',
      { userIds: some.map(({ user_id }) => user_id), action: 'add', types: ['HPD'] },
      headers,
      at,
      by,
    )
  const approve = (some: readonly Profile[]) =>
    call('/api/profiles/approve', { items: some.map(({ user_id }) => ({ userId: user_id, ...LISTS })) })
  const patch = ({ user_id }: Profile, body: object = { types: ['Oficina'] }) =>
    send(portal, 'PATCH', `/api/profiles/${user_id}`, { token: admin.token, body })
  const invite = (count: number) => {
    const addresses = Array.from({ length: count }, (_, n) => `nova${n}@grupopatio.com.br`).join('\n')
    return call('/api/invitations', { addresses, defaults: LISTS })
  }
  const review = async () => {
    const path = '/api/access-reviews/types/crm'
    const { fingerprint } = (await send(portal, 'GET', path, admin)).body
    return call(path, { fingerprint, remove: people.map(({ user_id }) => user_id) })
  }
  const approveAll = async () => {
    await portal.database.db.updateTable('profiles').set({ approved: false }).execute()
    return approve(people)
  }
  const undo = async () => {
    await makeRecent()
    const { undoId } = (await edit(people)).body
    await makeStale()
    return call(`/api/profiles/bulk-edit/${undoId}/undo`, {})
  }
  const patchAll = async () => {
    const replies = []
    for (const person of people) replies.push(await patch(person))
    expect(replies.slice(0, -1).map(({ status }) => status)).toEqual(Array(LIMIT).fill(200))
    return replies.at(-1) as (typeof replies)[number]
  }
  const count = async () =>
    (await portal.database.db.selectFrom('invitations').select('email').execute()).length
  const readState = async () => [
    await portal.database.db.selectFrom('profiles').selectAll().orderBy('user_id').execute(),
    await count(),
    (await readTrail(portal)).length,
  ]

  test.each<[string, () => ReturnType<typeof send>]>([
    ['a bulk edit', () => edit(people)],
    ['approvals', approveAll],
    ['an undo', undo],
    ['an import', () => invite(LIMIT + 1)],
    ['a review', review],
    ['changes one by one', patchAll],
  ])('by %s need a recent password, and then work', async (_, change) => {
    const { status, body } = await change()
    expect([status, body.code]).toEqual([403, 'reauthentication-needed'])
    await makeRecent()
    expect((await edit(people)).status).toBe(200)
  })

  test('change nothing when they are refused', async () => {
    const before = await readState()
    expect((await edit(people)).status).toBe(403)
    expect((await invite(LIMIT + 1)).status).toBe(403)
    expect(await readState()).toEqual(before)
  })

  test('are counted over routes, replicas and sessions of one administrator, and each person once', async () => {
    const replica = await startTestPortal({ kind, database: portal.database, clock: portal.clock })
    const { access_token } = await openTestSession(portal, admin)
    const elsewhere = { ...admin, token: await ageAuthentication(portal, access_token, 121 * MINUTE) }
    expect((await edit(people.slice(0, 12))).status).toBe(200)
    expect((await edit(people.slice(0, 12), {}, replica, elsewhere)).status).toBe(200)
    expect((await invite(8)).status).toBe(200)
    expect((await patch(people[0] as Profile)).status).toBe(200)
    expect((await edit(people.slice(12, 13), {}, replica, elsewhere)).status).toBe(403)
    expect((await patch(people[13] as Profile)).status).toBe(403)
    // Who changes nobody is not asked.
    const template = { name: 'Gerente', ...LISTS }
    expect((await call('/api/access-templates', template)).status).toBe(201)
    await replica.stop()
  })

  test('are counted when the requests come at once', async () => {
    const replies = await Promise.all(people.map((person) => edit([person])))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(LIMIT)
  })

  test('are forgotten after ten minutes', async () => {
    expect((await edit(people.slice(0, LIMIT))).status).toBe(200)
    expect((await edit(people.slice(LIMIT))).status).toBe(403)
    portal.clock.advance(10 * MINUTE + 1)
    const { access_token } = await openTestSession(portal, admin)
    admin.token = await ageAuthentication(portal, access_token, 121 * MINUTE)
    expect((await edit(people.slice(LIMIT))).status).toBe(200)
  })

  test('are not let through by an idempotency key, whose refusal is not stored', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    for (let again = 0; again < 2; again++) expect((await edit(people, headers)).status).toBe(403)
    await makeRecent()
    const first = await edit(people, headers)
    expect(first.status).toBe(200)
    await makeStale()
    const trail = (await readTrail(portal)).length
    expect((await edit(people, headers)).body).toEqual(first.body)
    expect(await readTrail(portal)).toHaveLength(trail)
  })
})
