import { beforeEach, expect, test } from 'vitest'
import type { Profile } from '#contract/users.ts'
import {
  approveMany,
  openAdmin,
  patchProfile,
  readPerson,
  readTrail,
  undoEdit,
  withRowLock,
} from '#server/testing/admin-calls.ts'
import { addPerson, UNKNOWN_ID } from '#server/testing/builders.ts'
import { setUpAdmin, setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const ALL_LISTS = { types: ['Vendas'], marcas: ['FIAT'], estados: ['RJ'] } as const
type Lists = { types: string[]; marcas: string[]; estados: string[] }

describeOnEachDatabase('approving several users', (kind) => {
  const portal = setUpPortal({ kind })
  const admin = setUpAdmin(portal)
  let people: Profile[]
  beforeEach(async () => {
    const waiting = { approved: false, types: [], marcas: [], estados: [] }
    people = [
      await addPerson(portal, waiting),
      await addPerson(portal, { ...waiting, types: ['CRM'] }),
      await addPerson(portal, waiting),
    ]
  })
  const item = ({ user_id }: Pick<Profile, 'user_id'>, lists: Partial<Lists> = {}, version = 1) =>
    ({ userId: user_id, version, ...ALL_LISTS, ...lists }) as never
  const approve = (items: object[], dryRun = false, by = admin) =>
    approveMany(portal, by, items as never, dryRun)
  const readStates = () =>
    Promise.all(
      people.map(async ({ user_id }) => {
        const { approved, types, marcas, estados } = await readPerson(portal, admin, user_id)
        return { approved, types, marcas, estados }
      }),
    )
  const readQueue = () => portal.database.db.selectFrom('mail_outbox').select('recipient').execute()
  const [nothing, all] = [{ types: [], marcas: [], estados: [] }, { ...ALL_LISTS }]

  test('previews, then approves each with one change, one audit entry and one mail', async () => {
    const [first, second, third] = people as [Profile, Profile, Profile]
    const items = [item(third), item(first, { types: ['CRM', 'Vendas'] }), item(second, nothing)]
    const effect = { approved: 3, withoutReports: 1 }
    const before = await readStates()
    expect(await approve(items, true)).toMatchObject({ status: 200, body: { ...effect, undoId: null } })
    expect([await readStates(), await readTrail(portal), await readQueue()]).toEqual([before, [], []])

    const { status, body } = await approve(items)
    expect([status, body]).toMatchObject([200, effect])
    expect(await readStates()).toEqual([
      { approved: true, ...all, types: ['Vendas', 'CRM'] },
      { approved: true, ...nothing },
      { approved: true, ...all },
    ])
    const trail = await readTrail(portal)
    expect(trail).toHaveLength(3)
    expect(trail.find(({ target_id }) => target_id === second.user_id)).toMatchObject({
      actor_id: admin.user_id,
      action: 'approval-given',
      batch_id: body.undoId,
      before: { approved: false, types: ['CRM'] },
      after: { approved: true, ...nothing },
    })
    expect(await readQueue()).toHaveLength(3)
    // No mail leaves during the undo window.
    await portal.outbox.deliverDue()
    expect(portal.mails).toEqual([])
    await portal.database.db
      .updateTable('mail_outbox')
      .set({ due_at: new Date(0) })
      .execute()
    await portal.outbox.deliverDue()
    expect(portal.mails.map(({ kind, to }) => [kind, to]).toSorted()).toEqual(
      people.map(({ email }) => ['account-approved', email]).toSorted(),
    )
  })

  test('can be undone: restores approval and lists, and cancels the mails', async () => {
    const before = await readStates()
    const { body } = await approve(people.map((person) => item(person)))
    expect(await undoEdit(portal, admin, body.undoId)).toMatchObject({ status: 200, body: { restored: 3 } })
    expect(await readStates()).toEqual(before)
    expect(await readQueue()).toEqual([])
    const undone = (await readTrail(portal)).filter(({ action }) => action === 'bulk-edit-undone')
    expect(undone).toHaveLength(3)
    expect(undone[0]).toMatchObject({ before: { approved: true }, after: { approved: false } })
    expect((await approve(people.map((person) => item(person, {}, 3)))).status).toBe(200)
    expect(await readQueue()).toHaveLength(3)
  })

  test('is not undone for people changed since', async () => {
    const [first, second] = people as [Profile, Profile, Profile]
    const one = await approve([item(first), item(second)])
    await patchProfile(portal, admin, first.user_id, { types: ['HPD'] })
    const undone = await undoEdit(portal, admin, one.body.undoId)
    expect(undone.body).toEqual({ restored: 1, changed: [first.email] })
    expect((await readStates()).map(({ approved }) => approved)).toEqual([true, false, false])
    // People who stay approved are notified.
    expect(await readQueue()).toEqual([{ recipient: first.email }])
  })

  test.each<[string, number, string, () => Promise<Profile | { user_id: string }>]>([
    ['is gone', 409, 'já não existe', async () => ({ user_id: UNKNOWN_ID })],
    ['is approved', 409, 'já foi aprovado', () => addPerson(portal)],
    [
      'was changed meanwhile',
      409,
      'foi alterado',
      async () => {
        const person = await addPerson(portal, { approved: false })
        await patchProfile(portal, admin, person.user_id, { types: ['HPD'] })
        return person
      },
    ],
    [
      'has not verified the e-mail',
      400,
      'não foi verificado',
      () => addPerson(portal, { approved: false, email_verified_at: null }),
    ],
    ['is listed twice', 400, 'duas vezes', async () => people[0] as Profile],
  ])('approves nobody when one of them %s', async (_, status, words, make) => {
    const items = [...people.map((person) => item(person)), item(await make())]
    const before = [await readStates(), await readTrail(portal)]
    for (const dryRun of [true, false]) {
      const reply = await approve(items, dryRun)
      expect(reply).toMatchObject({ status, body: { fields: [{ path: 'items.3' }] } })
      expect(reply.body.detail).toContain(words)
      expect(reply.body.detail).toContain('Ninguém foi aprovado.')
    }
    expect([await readStates(), await readTrail(portal)]).toEqual(before)
    expect(await readQueue()).toEqual([])
  })

  test('succeeds once when two administrators overlap; the conflict names the user', async () => {
    const other = await openAdmin(portal)
    const [first, second, third] = people as [Profile, Profile, Profile]
    const replies = await withRowLock(portal, second.user_id, () => [
      approve([item(first), item(second)]),
      approve([item(second, { types: ['HPD'] }), item(third)], false, other),
    ])
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const late = replies.find(({ status }) => status === 409)
    expect(late?.body.fields).toHaveLength(1)
    expect((await readStates()).filter(({ approved }) => approved)).toHaveLength(2)
    expect(await readQueue()).toHaveLength(2)
  })

  test('accepts a thousand, and skips the version check without versions', async () => {
    const { db } = portal.database
    const rows = await db
      .insertInto('profiles')
      .values(
        Array.from({ length: 1_000 }, (_, n) => ({ email: `m${n}@x.br`, email_verified_at: new Date() })),
      )
      .returning('user_id')
      .execute()
    const items = rows.map(({ user_id }) => ({ userId: user_id, ...ALL_LISTS }))
    expect(await approve(items)).toMatchObject({ status: 200, body: { approved: 1_000 } })
    expect((await approve([...items, item(people[0] as Profile)])).status).toBe(400)
  })
})
