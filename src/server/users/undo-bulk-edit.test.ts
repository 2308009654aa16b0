import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import type { BulkEdit, Profile } from '#contract/users.ts'
import type { Actor } from '#server/http/context.ts'
import {
  editMany,
  openAdmin,
  patchProfile,
  readPerson,
  readTrail,
  undoEdit,
  withRowLock,
} from '#server/testing/admin-calls.ts'
import { addPerson, openTestSession, send } from '#server/testing/builders.ts'
import { setUpAdmin, setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { bulkEdit } from './bulk-edit.ts'
import { undoBulkEdit } from './undo-bulk-edit.ts'

const DAY_MS = 24 * 3_600_000

describeOnEachDatabase('undoing a bulk edit', (kind) => {
  const portal = setUpPortal({ kind })
  const admin = setUpAdmin(portal)
  let people: Profile[]
  beforeEach(async () => {
    people = [
      await addPerson(portal, { types: ['CRM', 'Compras', 'Vendas'], marcas: ['VW', 'FIAT'] }),
      await addPerson(portal, { types: [], marcas: [] }),
      await addPerson(portal, { types: ['HPD'] }),
    ]
  })

  const edit = async (body: object = {}) => {
    const userIds = people.map(({ user_id }) => user_id)
    const reply = await editMany(portal, admin, {
      userIds,
      action: 'add',
      types: ['HPD'],
      ...body,
    } as BulkEdit)
    return reply.body.undoId
  }
  const readLists = () =>
    Promise.all(
      people.map(async ({ user_id }) => {
        const { types, marcas, estados } = await readPerson(portal, admin, user_id)
        return { types, marcas, estados }
      }),
    )
  const readEntries = async (action: string) =>
    (await readTrail(portal)).filter((entry) => entry.action === action)

  test.each([
    [{ approved: true }, { approved: false }],
    [{ approved: true, types: ['CRM'], marcas: ['VW'], estados: [] }, { approved: false }],
    [{ approved: false }, {}],
    [{ types: ['HPD'] }, {}],
    [{ marcas: ['GM'], estados: [], valid_until: '2099-12-31' }, {}],
    [{ types: [], marcas: ['VW'], estados: ['ES'] }, {}],
    [{ valid_until: '2099-12-31' }, {}],
    [{ full_name: 'Outro Nome' }, { full_name: null }],
  ])('restores one person after %j, and cancels the mail', async (change, state) => {
    const person = await addPerson(portal, { marcas: ['FIAT'], ...state })
    const read = async () => ({ ...(await readPerson(portal, admin, person.user_id)), version: 0 })
    const before = await read()
    const { body } = await patchProfile(portal, admin, person.user_id, change)
    expect(body).toMatchObject({ ...change, undoSeconds: 30 })
    expect(await undoEdit(portal, admin, body.undoId)).toMatchObject({ status: 200, body: { restored: 1 } })
    expect(await read()).toEqual(before)
    const queued = await portal.database.db
      .selectFrom('mail_outbox')
      .select('kind')
      .where('recipient', '=', person.email)
      .execute()
    expect(queued).toEqual([])
    expect(await readEntries('bulk-edit-undone')).toHaveLength(1)
  })

  test('names whom it leaves with nothing, before and after', async () => {
    const undoId = await edit()
    const emptied = [{ lists: ['types'], count: 1, names: [people[1]?.email] }]
    const path = `/api/profiles/bulk-edit/${undoId}/undo`
    const preview = () => send(portal, 'GET', path, { token: admin.token })
    expect((await preview()).body.notes.emptied).toEqual(emptied)
    expect((await readLists())[1]?.types).toEqual(['HPD'])
    expect((await undoEdit(portal, admin, undoId)).body).toMatchObject({ restored: 2, notes: { emptied } })
    expect((await preview()).status).toBe(404)
  })

  test('is not offered without a change', async () => {
    const person = await addPerson(portal, { full_name: 'Ana Lima' })
    for (const change of [{ full_name: person.full_name }, { types: person.types }, { approved: true }])
      expect((await patchProfile(portal, admin, person.user_id, change)).body.undoId).toBeNull()
  })

  test.each(['add', 'remove'])('restores exactly the previous lists (%s)', async (action) => {
    const before = await readLists()
    const undoId = await edit({ action, marcas: ['FIAT', 'GM'] })
    const edited = await readLists()
    expect(edited).not.toEqual(before)
    const reply = await undoEdit(portal, admin, undoId)
    expect(reply).toMatchObject({ status: 200, body: { restored: action === 'add' ? 3 : 2 } })
    expect(await readLists()).toEqual(before)
    const [entry] = (await readEntries('bulk-edit-undone')).filter(
      ({ target_id }) => target_id === people[0]?.user_id,
    )
    expect(entry).toMatchObject({
      actor_id: admin.user_id,
      batch_id: undoId,
      before: { types: edited[0]?.types, marcas: edited[0]?.marcas },
      after: { types: ['CRM', 'Compras', 'Vendas'], marcas: ['VW', 'FIAT'] },
    })
  })

  test('works once', async () => {
    const undoId = await edit()
    expect((await undoEdit(portal, admin, undoId)).status).toBe(200)
    const again = await undoEdit(portal, admin, undoId)
    expect(again).toMatchObject({ status: 404, body: { code: 'not-found' } })
    expect(again.body.detail).toBe('Esta alteração já foi desfeita.')
  })

  test('works once for two concurrent requests', async () => {
    const undoId = await edit()
    const replies = await withRowLock(portal, people[1]?.user_id as string, () => [
      undoEdit(portal, admin, undoId),
      undoEdit(portal, admin, undoId),
    ])
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 404])
    expect(await readEntries('bulk-edit-undone')).toHaveLength(2)
  })

  test('is only for the author of the edit', async () => {
    const undoId = await edit()
    const edited = await readLists()
    const other = await openAdmin(portal)
    expect(await undoEdit(portal, other, undoId)).toMatchObject({ status: 404 })
    expect(await readLists()).toEqual(edited)
    expect(await undoEdit(portal, admin, crypto.randomUUID())).toMatchObject({ status: 404 })
    expect(await undoEdit(portal, admin, 'abc')).toMatchObject({ status: 400 })
  })

  test('expires after a day, and after half a minute mails what the people have now', async () => {
    const inTime = await edit()
    portal.clock.advance(35_000)
    expect((await undoEdit(portal, admin, inTime)).status).toBe(200)
    const readMails = () =>
      portal.database.db
        .selectFrom('mail_outbox')
        .select('recipient')
        .where('kind', '=', 'access-changed')
        .execute()
    expect(await readMails()).toEqual([])
    const late = await edit()
    const tooLate = await edit({ types: [], marcas: ['GM'] })
    await portal.database.db.deleteFrom('mail_outbox').execute()
    const undoAfter = async (ms: number, undoId: string | null) => {
      portal.clock.advance(ms)
      const { access_token: token } = await openTestSession(portal, admin)
      return undoEdit(portal, { ...admin, token }, undoId)
    }
    expect((await undoAfter(DAY_MS, late)).body.restored).toBe(2)
    expect((await readMails()).length).toBe(2)
    const reply = await undoAfter(1, tooLate)
    expect(reply).toMatchObject({ status: 404 })
    expect(reply.body.detail).toContain('24 horas')
  })

  test('counts from the end of a long edit', async () => {
    const { db } = portal.database
    await sql`insert into profiles (email) select 'p' || n || '@x.br' from generate_series(1, 4500) n`.execute(
      db,
    )
    let now = portal.clock()
    const clock = () => {
      now += 10_000
      return now
    }
    const session = await db
      .selectFrom('sessions')
      .select('id')
      .where('user_id', '=', admin.user_id)
      .executeTakeFirstOrThrow()
    const actor: Actor = {
      profile: admin,
      role: 'admin',
      approved: true,
      sessionId: session.id,
      sessionKind: 'full',
      refreshCounter: 0,
      authenticationAgeMs: 0,
      accessEndsAt: null,
      accessEnded: false,
      entitlementVersion: 1,
    }
    const request = { requestId: 'r', ip: '127.0.0.1', forwarded: 'none' as const, userAgent: null }
    const edit: BulkEdit = {
      allMatching: { filter: { q: 'x.br' }, except: [], count: 4500 },
      action: 'add',
      types: ['HPD'],
    }
    const { undoId } = await bulkEdit({ db, clock, actor, request }, edit)
    expect(now - portal.clock()).toBeGreaterThan(35_000)
    const [gone, kept] = ['p7@x.br', 'p4400@x.br']
    await db.updateTable('profiles').set({ types: [] }).where('email', 'in', [gone, kept]).execute()
    await db.deleteFrom('profiles').where('email', '=', gone).execute()
    const undone = await undoBulkEdit({ db, clock, actor, request }, undoId as string)
    expect(undone).toMatchObject({ restored: 4498, changed: [kept] })
  })

  test('skips people changed meanwhile and names them', async () => {
    const [first, second, third] = await readLists()
    const undoId = await edit()
    const { user_id, email } = people[1] as Profile
    await patchProfile(portal, admin, user_id, { types: ['Slack'] })
    const reply = await undoEdit(portal, admin, undoId)
    expect([reply.status, reply.body]).toEqual([200, { restored: 1, changed: [email] }])
    expect(await readLists()).toEqual([first, { ...second, types: ['Slack'] }, third])
    expect(await readEntries('bulk-edit-undone')).toHaveLength(1)
    expect((await undoEdit(portal, admin, undoId)).status).toBe(404)
  })

  test('conflicts when everyone was changed meanwhile, and names them', async () => {
    const undoId = await edit({ action: 'remove', types: ['CRM'] })
    await patchProfile(portal, admin, people[0]?.user_id as string, { types: ['Slack'] })
    const changed = await readLists()
    const reply = await undoEdit(portal, admin, undoId)
    expect(reply).toMatchObject({ status: 409, body: { code: 'conflict' } })
    expect(reply.body.detail).toContain(`${people[0]?.email} foi alterado depois`)
    expect(await readLists()).toEqual(changed)
    expect(await readEntries('bulk-edit-undone')).toEqual([])
  })

  test('keeps later changes to fields that the edit did not set', async () => {
    const undoId = await edit()
    await patchProfile(portal, admin, people[1]?.user_id as string, { marcas: ['GM'], estados: ['ES'] })
    expect((await undoEdit(portal, admin, undoId)).status).toBe(200)
    expect((await readLists())[1]).toEqual({ types: [], marcas: ['GM'], estados: ['ES'] })
  })

  test('skips deleted people', async () => {
    const undoId = await edit()
    const [gone] = people.splice(1, 1)
    await portal.database.db
      .deleteFrom('profiles')
      .where('user_id', '=', gone?.user_id as string)
      .execute()
    expect(await undoEdit(portal, admin, undoId)).toMatchObject({ status: 200, body: { restored: 1 } })
    expect((await readLists())[0]?.types).toEqual(['CRM', 'Compras', 'Vendas'])
  })
})
