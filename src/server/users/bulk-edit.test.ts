import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import type { BulkEdit, Profile } from '#contract/users.ts'
import {
  editMany,
  openAdmin,
  patchProfile,
  readPerson,
  readTrail,
  undoEdit,
  withRowLock,
} from '#server/testing/admin-calls.ts'
import { addPerson, send, UNKNOWN_ID } from '#server/testing/builders.ts'
import { setUpAdmin, setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

describeOnEachDatabase('bulk edit', (kind) => {
  const portal = setUpPortal({ kind })
  const admin = setUpAdmin(portal)
  let people: Profile[]
  let bystander: Profile
  beforeEach(async () => {
    people = [
      await addPerson(portal, { full_name: 'Um', types: ['Vendas'], marcas: ['FIAT'], estados: ['RJ'] }),
      await addPerson(portal, { full_name: 'Dois', types: [], marcas: [], estados: [] }),
      await addPerson(portal, {
        full_name: 'Três',
        types: ['Compras', 'CRM', 'administrativo'],
        marcas: ['VW'],
      }),
    ]
    bystander = await addPerson(portal, { full_name: 'Quatro', types: ['CRM'] })
  })

  const ids = () => people.map(({ user_id }) => user_id)
  const edit = (body: object, dryRun = false) =>
    editMany(portal, admin, { userIds: ids(), action: 'add', ...body } as BulkEdit, dryRun)
  const readLists = async (each: Profile) => {
    const { types, marcas, estados, version } = await readPerson(portal, admin, each.user_id)
    return { types, marcas, estados, version }
  }
  const readAllLists = () => Promise.all([...people, bystander].map(readLists))

  test('adds missing items and keeps the others', async () => {
    const { status, body } = await edit({ types: ['CRM', 'Vendas'], marcas: ['GM'] })
    expect(status).toBe(200)
    const [undoId, fingerprint] = [expect.any(String), expect.any(String)]
    const counts = { selected: 3, gaining: 3, losing: 0, unchanged: 0, includesSelf: false }
    const effects = [
      { list: 'types', item: 'Vendas', gaining: 2, losing: 0 },
      { list: 'types', item: 'CRM', gaining: 2, losing: 0 },
      { list: 'marcas', item: 'GM', gaining: 3, losing: 0 },
    ]
    const notes = { emptied: [], includesSelf: false, admins: 0, unapproved: 0 }
    expect(body).toEqual({ ...counts, effects, ending: 0, notes, fingerprint, undoId, undoSeconds: 30 })
    expect(await readAllLists()).toEqual([
      { types: ['Vendas', 'CRM'], marcas: ['FIAT', 'GM'], estados: ['RJ'], version: 2 },
      { types: ['Vendas', 'CRM'], marcas: ['GM'], estados: [], version: 2 },
      {
        types: ['Vendas', 'CRM', 'Administrativo', 'Compras'],
        marcas: ['GM', 'VW'],
        estados: ['RJ'],
        version: 2,
      },
      { types: ['CRM'], marcas: ['FIAT'], estados: ['RJ'], version: 1 },
    ])
  })

  test('names who would be left with nothing, and counts whom one may not mean', async () => {
    const { db } = portal.database
    const colleague = await addPerson(portal, { full_name: 'Cinco', types: ['CRM'], estados: ['MG'] })
    await db.insertInto('user_roles').values({ user_id: colleague.user_id, role: 'admin' }).execute()
    await db
      .updateTable('profiles')
      .set({ approved: false })
      .where('user_id', '=', bystander.user_id)
      .execute()
    const userIds = [...ids(), bystander.user_id, colleague.user_id, admin.user_id]
    const remove = { userIds, action: 'remove', types: ['CRM'], estados: ['RJ', 'MG'] }
    const { body } = await edit(remove, true)
    expect(body.notes).toEqual({
      emptied: [
        { lists: ['types', 'estados'], count: 2, names: ['Cinco', 'Quatro'] },
        { lists: ['estados'], count: 3, names: ['Três', 'Um', admin.email] },
      ],
      includesSelf: true,
      admins: 1,
      unapproved: 1,
    })
    // An area without a report is none to be left with.
    await db
      .insertInto('global_powerbi_settings')
      .values({ type: 'crm', embed_mode: 'secure_sso', report_url: 'https://app.powerbi.com/x' })
      .execute()
    const [, , third] = people
    expect(
      (await edit({ userIds: [third?.user_id], action: 'remove', types: ['CRM'] }, true)).body.notes,
    ).toEqual({
      emptied: [{ lists: ['types'], count: 1, names: ['Três'] }],
      includesSelf: false,
      admins: 0,
      unapproved: 0,
    })
    expect((await edit(remove)).body.notes?.emptied).toHaveLength(2)
  })

  test('removes present items', async () => {
    const { body } = await edit({
      action: 'remove',
      types: ['Administrativo', 'Vendas', 'Slack'],
      estados: ['RJ'],
    })
    expect(body).toMatchObject({ selected: 3, gaining: 0, losing: 2, unchanged: 1 })
    expect(await readAllLists()).toEqual([
      { types: [], marcas: ['FIAT'], estados: [], version: 2 },
      { types: [], marcas: [], estados: [], version: 1 },
      { types: ['CRM', 'Compras'], marcas: ['VW'], estados: [], version: 2 },
      { types: ['CRM'], marcas: ['FIAT'], estados: ['RJ'], version: 1 },
    ])
  })

  test('changes no indexed column of profiles', async () => {
    const { rows } = await sql<{ indexdef: string }>`
      select indexdef from pg_indexes where tablename = 'profiles'
        and indexdef ~ 'types|marcas|estados|valid_until|entitlement_version'`.execute(portal.database.db)
    expect(rows).toEqual([])
  })

  test('replaces all three lists and the last day at once, and counts who gains and loses what', async () => {
    const lists = { types: ['CRM'], marcas: ['GM'], estados: ['RJ'] }
    const wanted = { action: 'replace', ...lists, valid_until: '2099-12-31' } as const
    const before = await readAllLists()
    const preview = await edit(wanted, true)
    expect(await readAllLists()).toEqual(before)
    const { body } = await edit(wanted)
    expect(body).toMatchObject({ selected: 3, unchanged: 0, ending: 3 })
    expect(body.effects).toEqual([
      { list: 'types', item: 'Vendas', gaining: 0, losing: 1 },
      { list: 'types', item: 'CRM', gaining: 2, losing: 0 },
      { list: 'types', item: 'Administrativo', gaining: 0, losing: 1 },
      { list: 'types', item: 'Compras', gaining: 0, losing: 1 },
      { list: 'marcas', item: 'FIAT', gaining: 0, losing: 1 },
      { list: 'marcas', item: 'GM', gaining: 3, losing: 0 },
      { list: 'marcas', item: 'VW', gaining: 0, losing: 1 },
      { list: 'estados', item: 'RJ', gaining: 1, losing: 0 },
    ])
    expect(preview.body).toEqual({ ...body, undoId: null, undoSeconds: 0 })
    expect((await readAllLists()).slice(0, 3)).toEqual(
      people.slice(0, 3).map(() => ({ ...lists, version: 2 })),
    )
    expect(await readTrail(portal)).toMatchObject(
      ids().map(() => ({ action: 'access-set', after: { ...lists, valid_until: '2099-12-31' } })),
    )
    expect((await edit(wanted)).body).toMatchObject({ unchanged: 3, undoId: null })
    await undoEdit(portal, admin, body.undoId)
    const restored = (await readAllLists()).map((each) => ({ ...each, version: 0 }))
    expect(restored).toEqual(before.map((each) => ({ ...each, version: 0 })))
  })

  test('replaces no list that is not named', async () => {
    const { status, body } = await edit({ action: 'replace', types: ['CRM'], marcas: ['GM'] })
    expect({ status, body }).toMatchObject({ status: 400, body: { fields: [{ path: 'types' }] } })
  })

  test('writes an audit entry per changed person, all with the id of the edit', async () => {
    const { body } = await edit({ types: ['Vendas'] })
    expect(body).toMatchObject({ gaining: 2, unchanged: 1 })
    const rows = await readTrail(portal)
    expect(rows.map(({ target_id }) => target_id).toSorted()).toEqual(ids().slice(1).toSorted())
    expect(rows.find(({ target_id }) => target_id === ids()[2])).toMatchObject({
      at: new Date(portal.clock()),
      actor_id: admin.user_id,
      actor_email: admin.email,
      action: 'entitlements-added',
      target_email: people[2]?.email,
      before: { types: ['Compras', 'CRM', 'administrativo'] },
      after: { types: ['Vendas', 'CRM', 'Administrativo', 'Compras'] },
      batch_id: body.undoId,
      ip: '127.0.0.1',
    })
    await edit({ action: 'remove', types: ['Vendas'] })
    expect((await readTrail(portal)).at(-1)).toMatchObject({ action: 'entitlements-removed' })
  })

  test('without effect leaves no audit entry and no undo', async () => {
    const { status, body } = await edit({ action: 'remove', types: ['Slack'] })
    expect(status).toBe(200)
    expect(body).toMatchObject({ selected: 3, gaining: 0, losing: 0, unchanged: 3, undoId: null })
    expect(await readTrail(portal)).toEqual([])
  })

  test.each(['add', 'remove'] as const)(
    'the dry run of %s counts the same and writes nothing',
    async (action) => {
      const before = await readAllLists()
      const body = { action, types: ['CRM'], marcas: ['VW'], estados: ['RJ'] }
      const preview = await edit(body, true)
      expect(await readAllLists()).toEqual(before)
      expect(await readTrail(portal)).toEqual([])
      expect(preview.body.undoId).toBeNull()
      const { body: done } = await edit(body)
      expect({ ...done, undoId: null, undoSeconds: 0 }).toEqual(preview.body)
    },
  )

  test.each([true, false])('fails for unknown ids and names them (dry run: %s)', async (dryRun) => {
    const before = await readAllLists()
    const gone = (index: number) => ({ path: `userIds.${index}`, message: 'Este usuário já não existe.' })
    const one = await edit({ userIds: [...ids(), UNKNOWN_ID], types: ['Slack'] }, dryRun)
    expect(one).toMatchObject({ status: 409, body: { code: 'conflict', fields: [gone(3)] } })
    expect(one.body.detail).toBe('1 dos usuários selecionados já não existe. Nada foi alterado.')
    const userIds = [UNKNOWN_ID.toUpperCase(), ...ids(), crypto.randomUUID(), UNKNOWN_ID]
    const more = await edit({ userIds, types: ['Slack'] }, dryRun)
    expect(more).toMatchObject({ status: 409, body: { fields: [gone(0), gone(4), gone(5)] } })
    expect(more.body.detail).toBe('2 dos usuários selecionados já não existem. Nada foi alterado.')
    expect(await readAllLists()).toEqual(before)
    expect(await readTrail(portal)).toEqual([])
  })

  test('deduplicates ids in any letter case', async () => {
    const id = ids()[1] as string
    const { body } = await edit({ userIds: [id, id, id.toUpperCase()], types: ['Slack'] })
    expect(body).toMatchObject({ selected: 1, gaining: 1 })
    expect(await readTrail(portal)).toHaveLength(1)
  })

  test('keeps both of two concurrent edits', async () => {
    const other = await openAdmin(portal)
    const many = await withRowLock<{ status: number }>(portal, ids()[1] as string, () => [
      edit({ types: ['Slack'] }),
      edit({ userIds: ids().toReversed(), marcas: ['GWM'] }),
      editMany(portal, other, { userIds: ids(), action: 'remove', estados: ['RJ'] }),
      editMany(portal, other, { userIds: ids().toReversed(), action: 'add', types: ['HPD'] }),
      patchProfile(portal, other, ids()[1] as string, { approved: false }),
    ])
    expect(many.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    for (const each of people) {
      const lists = await readLists(each)
      expect(lists.types).toEqual(expect.arrayContaining(['Slack', 'HPD']))
      expect(lists.marcas).toContain('GWM')
      expect(lists.estados).toEqual([])
    }
  })

  test('requires at least one item', async () => {
    for (const body of [{}, { types: [] }, { types: [], marcas: [], estados: [] }])
      for (const dryRun of [true, false]) {
        const reply = await edit(body, dryRun)
        expect(reply).toMatchObject({ status: 400, body: { code: 'invalid-input' } })
        expect(reply.body.detail).toBe('Selecione pelo menos um item para alterar')
      }
  })

  test.each([
    ['no ids', { userIds: [] }],
    ['more than a thousand', { userIds: Array.from({ length: 1001 }, () => UNKNOWN_ID) }],
    ['another action', { action: 'set' }],
    ['a brand that does not exist', { marcas: ['SEAT'] }],
    ['both ways of naming people', { allMatching: { filter: {}, except: [], count: 1 } }],
    ['an unknown key', { approved: true }],
  ])('refuses %s', async (_, body) => {
    expect(await edit({ types: ['CRM'], ...body })).toMatchObject({ status: 400 })
    expect(await readTrail(portal)).toEqual([])
  })

  test('accepts a thousand ids, more than the body limit of other routes', async () => {
    await sql`insert into profiles (email) select 'p' || n || '@x.br' from generate_series(1, 997) n`.execute(
      portal.database.db,
    )
    const rows = await portal.database.db.selectFrom('profiles').select('user_id').limit(1000).execute()
    const { body } = await edit({ userIds: rows.map(({ user_id }) => user_id), types: ['Slack'] })
    expect(body).toMatchObject({ selected: 1000, gaining: 1000 })
    expect((await send(portal, 'GET', '/api/profiles/count?type=Slack', admin)).body.total).toBe(1000)
  })
})
