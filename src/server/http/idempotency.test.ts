import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import type { Profile } from '#contract/users.ts'
import { openAdmin, readPerson, readTrail, undoEdit, withRowLock } from '#server/testing/admin-calls.ts'
import { addPerson, send } from '#server/testing/builders.ts'
import { readEveryTable } from '#server/testing/canaries.ts'
import { setUpAdmin, setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

// refused-without-effect.test.ts covers each route with an idempotency key.

describeOnEachDatabase('a change with an idempotency key', (kind) => {
  const portal = setUpPortal({ kind })
  const admin = setUpAdmin(portal)
  let person: Profile
  let key: string
  beforeEach(async () => {
    person = await addPerson(portal, { full_name: 'Rita Prado', types: [] })
    key = randomUUID()
  })
  const edit = (types: string[], by = admin, header = key) =>
    send(portal, 'POST', '/api/profiles/bulk-edit', {
      token: by.token,
      body: { userIds: [person.user_id], action: 'add', types },
      headers: { 'idempotency-key': header },
    })

  test('returns its first answer again with the remaining time to undo', async () => {
    const first = await edit(['CRM'])
    expect(first.body).toMatchObject({ gaining: 1, undoId: expect.any(String) })
    const again = await edit(['CRM'], admin, `"${key}"`)
    expect([again.status, again.body]).toEqual([200, first.body])
    portal.clock.advance(20_500)
    expect((await edit(['CRM'])).body).toEqual({ ...first.body, undoSeconds: 10 })
    expect((await undoEdit(portal, admin, again.body.undoId)).status).toBe(200)
    portal.clock.advance(9_500)
    expect((await edit(['CRM'])).body).toEqual({ ...first.body, undoSeconds: 0 })
    expect(await readPerson(portal, admin, person.user_id)).toMatchObject({ types: [] })
  })

  test('runs once when sent twice at the same time, with the same answer for both', async () => {
    const replies = await withRowLock(portal, person.user_id, () => [edit(['CRM']), edit(['CRM'])])
    expect(replies.map(({ status }) => status)).toEqual([200, 200])
    expect(replies[0]?.body).toEqual(replies[1]?.body)
    expect(await readTrail(portal)).toHaveLength(1)
  })

  test('is refused for another request, and separate per administrator', async () => {
    await edit(['CRM'])
    const other = await edit(['CRM', 'HPD'])
    expect([other.status, other.body.code]).toEqual([422, 'idempotency-key-reused'])
    const { body } = await edit(['CRM', 'HPD'], await openAdmin(portal))
    expect(body).toMatchObject({ gaining: 1 })
    for (const bad of ['curta', `"${key}`, 'x'.repeat(101)])
      expect((await edit(['CRM'], admin, bad)).body).toMatchObject({ code: 'invalid-input' })
  })

  test('is evaluated again after a refusal', async () => {
    const { db } = portal.database
    const { user_id } = person
    await db.deleteFrom('profiles').where('user_id', '=', user_id).execute()
    expect((await edit(['CRM'])).status).toBe(409)
    await addPerson(portal, { user_id, types: [] })
    expect((await edit(['CRM'])).body).toMatchObject({ gaining: 1 })
  })

  test('stores nothing that contains names or that can be read without the key', async () => {
    const path = `/api/profiles/${person.user_id}`
    const headers = { 'idempotency-key': key }
    const body = { full_name: 'Rita Prado Lima' }
    const { status } = await send(portal, 'PATCH', path, { token: admin.token, body, headers })
    expect(status).toBe(200)
    const { idempotency_keys: kept = [] } = await readEveryTable(portal.database.db)
    expect(kept.length).toBeGreaterThan(0)
    const bytes = kept
      .flatMap((row) => Object.values<string>(JSON.parse(row)))
      .map((value) => Buffer.from(value.replace(/^\\x/, ''), 'hex').toString('latin1') + value)
      .join()
    for (const text of [person.user_id, admin.user_id, person.email, 'Prado', key])
      expect(bytes).not.toContain(text)
  })
})
