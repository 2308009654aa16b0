import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import type { BulkEdit, Profile } from '#contract/users.ts'
import { editMany, patchProfile, readPerson, readTrail, undoEdit } from '#server/testing/admin-calls.ts'
import { addPerson, UNKNOWN_ID } from '#server/testing/builders.ts'
import { setUpAdmin, setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

describeOnEachDatabase('bulk edit of all matches', (kind) => {
  const portal = setUpPortal({ kind })
  const admin = setUpAdmin(portal)
  let person: Profile
  let bystander: Profile
  beforeEach(async () => {
    person = await addPerson(portal, { types: ['Compras', 'CRM'] })
    bystander = await addPerson(portal, { types: ['CRM'] })
  })
  const setLastAccess = (userId: string, daysAgo: number) =>
    sql`update profiles set last_sign_in_at = now() - make_interval(days => ${sql.lit(daysAgo)})
      where user_id = ${userId}`.execute(portal.database.db)
  const editMatching = (matching: object, body: object = { types: ['Slack'] }, dryRun = false) =>
    editMany(
      portal,
      admin,
      {
        allMatching: { filter: {}, except: [], count: 3, ...matching },
        action: 'add',
        ...body,
      } as BulkEdit,
      dryRun,
    )

  test('skips the exceptions', async () => {
    const filter = { type: 'CRM' }
    const preview = await editMatching({ filter, count: 2 }, {}, true)
    expect(preview).toMatchObject({ status: 400 })
    expect((await editMatching({ filter, count: 2 }, { types: ['Slack'] }, true)).body).toMatchObject({
      selected: 2,
    })
    const except = [person.user_id.toUpperCase(), UNKNOWN_ID]
    const { body } = await editMatching({ filter, count: 2, except })
    expect(body).toMatchObject({ selected: 1, gaining: 1 })
    expect((await readPerson(portal, admin, bystander.user_id)).types).toEqual(['CRM', 'Slack'])
    expect((await readPerson(portal, admin, person.user_id)).version).toBe(1)
  })

  test('mails everybody, a thousand a minute, and nobody once it is undone', async () => {
    const { db } = portal.database
    await sql`insert into profiles (email, approved, types)
      select 'pessoa' || n || '@x.br', true, '{CRM}' from generate_series(1, 1200) as n`.execute(db)
    const { body } = await editMatching({ filter: { type: 'CRM' }, count: 1202 })
    expect(body).toMatchObject({ gaining: 1202 })
    const readMinutes = async () =>
      (
        await sql<{ minutes: number; mails: number }>`select
          round(extract(epoch from due_at - min(due_at) over ()) / 60)::int as minutes, count(*)::int as mails
          from (select due_at from mail_outbox where kind = 'access-changed') as queued
          group by due_at order by due_at`.execute(db)
      ).rows
    expect(await readMinutes()).toEqual([
      { minutes: 0, mails: 1000 },
      { minutes: 1, mails: 202 },
    ])
    // One more change of somebody whose mail waits: its undo leaves the mail of the first.
    const ids = { userIds: [bystander.user_id], action: 'add', types: ['HPD'] } as BulkEdit
    const again = await editMany(portal, admin, ids)
    await undoEdit(portal, admin, again.body.undoId ?? '')
    expect((await readMinutes()).reduce((sum, { mails }) => sum + mails, 0)).toBe(1202)
    await sql`delete from mail_outbox where recipient = ${bystander.email}`.execute(db)
    await undoEdit(portal, admin, body.undoId ?? '')
    expect(await readMinutes()).toEqual([])
  })

  test('reports that the caller loses something too', async () => {
    const readIncludesSelf = async (body: object, except: string[] = []) =>
      (await editMatching({ except }, body, true)).body.includesSelf
    expect(await readIncludesSelf({ action: 'remove', marcas: ['FIAT'] })).toBe(true)
    expect(await readIncludesSelf({ action: 'remove', marcas: ['FIAT'] }, [admin.user_id])).toBe(false)
    expect(await readIncludesSelf({ action: 'remove', types: ['CRM'] })).toBe(false)
    expect(await readIncludesSelf({ action: 'validity', valid_until: '2999-12-31' })).toBe(true)
    expect(await readIncludesSelf({ action: 'add', types: ['CRM'] })).toBe(false)
  })

  test('filters by last access', async () => {
    await setLastAccess(person.user_id, 200)
    const filter = { lastAccess: 'idle' }
    const { fingerprint } = (await editMatching({ filter, count: 1 }, undefined, true)).body
    await setLastAccess(person.user_id, 0)
    await setLastAccess(bystander.user_id, 200)
    expect((await editMatching({ filter, count: 1, fingerprint })).status).toBe(409)
    expect((await editMatching({ filter, count: 1 })).body).toMatchObject({ selected: 1, gaining: 1 })
    expect((await readPerson(portal, admin, bystander.user_id)).types).toEqual(['CRM', 'Slack'])
  })

  test.each([true, false])('requires the count that the administrator saw (dry run: %s)', async (dryRun) => {
    const reply = await editMatching({ count: 4 }, undefined, dryRun)
    expect(reply).toMatchObject({ status: 409, body: { code: 'conflict' } })
    expect(reply.body.detail).toContain('havia 4 na lista, agora há 3')
    expect(await readTrail(portal)).toEqual([])
    expect((await editMatching({ count: 3 }, undefined, dryRun)).status).toBe(200)
  })

  test.each([true, false])(
    'requires the people of the dry run, not just their count (dry run: %s)',
    async (dryRun) => {
      const filter = { type: 'CRM' }
      const { fingerprint } = (await editMatching({ filter, count: 2 }, undefined, true)).body
      await patchProfile(portal, admin, person.user_id, { types: ['HPD'] })
      const newcomer = await addPerson(portal, { types: ['CRM'] })
      const reply = await editMatching({ filter, count: 2, fingerprint }, undefined, dryRun)
      expect(reply).toMatchObject({ status: 409, body: { code: 'conflict' } })
      expect(reply.body.detail).toContain('o número é o mesmo, mas as pessoas não')
      expect((await readPerson(portal, admin, newcomer.user_id)).types).toEqual(['CRM'])
      expect((await editMatching({ filter, count: 2 }, undefined, dryRun)).status).toBe(200)
    },
  )

  test('ignores other changes to the people of the dry run', async () => {
    const matching = { filter: {}, count: 3, except: [admin.user_id] }
    const { fingerprint } = (await editMatching(matching, undefined, true)).body
    await patchProfile(portal, admin, person.user_id, { types: ['HPD'] })
    expect(await editMatching({ ...matching, except: [], fingerprint })).toMatchObject({ status: 409 })
    const reply = await editMatching({ ...matching, fingerprint })
    expect(reply).toMatchObject({ status: 200, body: { selected: 2, fingerprint } })
  })

  test('formats large numbers with separators', async () => {
    const { detail } = (await editMatching({ count: 10_000 })).body
    expect(detail).toContain('havia 10.000 na lista, agora há 3')
  })

  test('edits thousands, also when the edit removes them from the filter', async () => {
    await sql`insert into profiles (email, types) select 'p' || n || '@x.br', '{HPD}' from generate_series(1, 4500) n`.execute(
      portal.database.db,
    )
    const body = { action: 'remove', types: ['HPD'] }
    const matching = { filter: { type: 'HPD', q: 'x.br' }, count: 4500 }
    expect((await editMatching(matching, body, true)).body).toMatchObject({ selected: 4500, losing: 4500 })
    expect((await editMatching(matching, body)).body).toMatchObject({ selected: 4500, losing: 4500 })
    const { count } = await portal.database.db
      .selectFrom('audit_entries')
      .select((query) => query.fn.count<number>('target_id').distinct().as('count'))
      .executeTakeFirstOrThrow()
    expect(count).toBe(4500)
  })
})
