import { beforeEach, expect, test } from 'vitest'
import type { Profile } from '#contract/users.ts'
import { editMany, patchProfile, readUserHistory, undoEdit } from '#server/testing/admin-calls.ts'
import { addPerson, send } from '#server/testing/builders.ts'
import { setUpAdmin, setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

describeOnEachDatabase('the history of a user', (kind) => {
  const portal = setUpPortal({ kind })
  const admin = setUpAdmin(portal)
  let person: Profile
  beforeEach(async () => {
    person = await addPerson(portal, { approved: false })
  })

  test('lists every change to this user, newest first', async () => {
    const other = await addPerson(portal)
    await patchProfile(portal, admin, person.user_id, { approved: true })
    await patchProfile(portal, admin, other.user_id, { approved: false })
    portal.clock.advance(1000)
    const { body } = await editMany(portal, admin, {
      userIds: [person.user_id, other.user_id],
      action: 'add',
      marcas: ['VW'],
    })
    await undoEdit(portal, admin, body.undoId)
    const { items, next } = await readUserHistory(portal, admin, person.user_id)
    expect(next).toBeNull()
    const [was, is] = [{ marcas: ['FIAT'] }, { marcas: ['FIAT', 'VW'] }]
    const now = new Date(portal.clock()).toISOString()
    const entry = { id: expect.any(Number), at: now, actor_email: admin.email }
    expect(items).toEqual([
      { ...entry, action: 'bulk-edit-undone', before: is, after: was },
      { ...entry, action: 'entitlements-added', before: was, after: is },
      {
        ...entry,
        at: new Date(portal.clock() - 1000).toISOString(),
        action: 'approval-given',
        before: { approved: false },
        after: { approved: true },
        undo_id: expect.any(String),
      },
    ])
  })

  test('is paged by fifty', async () => {
    await portal.database.db
      .insertInto('audit_entries')
      .values(
        Array.from({ length: 120 }, (_, index) => ({
          at: new Date(index * 1000),
          action: `n${index}`,
          target_id: person.user_id,
        })),
      )
      .execute()
    const pages = []
    let cursor: string | undefined
    do {
      const page = await readUserHistory(portal, admin, person.user_id, cursor)
      pages.push(page.items.map(({ action }) => action))
      cursor = page.next ?? undefined
      // New entries appear before the first page.
      await patchProfile(portal, admin, person.user_id, { approved: pages.length % 2 > 0 })
    } while (cursor)
    expect(pages.map((page) => page.length)).toEqual([50, 50, 20])
    expect(pages.flat()).toEqual(Array.from({ length: 120 }, (_, index) => `n${119 - index}`))
  })

  test('fails with not-found for an unknown user, and rejects invalid cursors', async () => {
    const path = (id: string, cursor = '1') => `/api/profiles/${id}/history?cursor=${cursor}`
    expect((await send(portal, 'GET', path(crypto.randomUUID()), admin)).status).toBe(404)
    for (const cursor of ['x', '-1', '1e3', '9'.repeat(19)])
      expect((await send(portal, 'GET', path(person.user_id, cursor), admin)).status, cursor).toBe(400)
    expect((await send(portal, 'GET', path(person.user_id, '9'.repeat(18)), admin)).status).toBe(200)
  })
})
