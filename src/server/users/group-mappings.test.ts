import { beforeEach, expect, test } from 'vitest'
import type { Profile } from '#contract/users.ts'
import { EMULATED_GROUPS } from '#emulators/directory/directory-accounts.ts'
import { readPerson, readTrail, undoEdit } from '#server/testing/admin-calls.ts'
import { addPerson, send } from '#server/testing/builders.ts'
import { enterWithMicrosoft, startDirectory } from '#server/testing/directory-calls.ts'
import { setUpAdmin, setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal } from '#server/testing/test-portal.ts'

const { vendas, oficina } = EMULATED_GROUPS
const UNMAPPED = '1a2b3c4d-0000-4000-8000-00000000ffff'

describeOnEachDatabase('groups of the directory', (kind) => {
  const portal = setUpPortal({ kind })
  const admin = setUpAdmin(portal)
  let templates: Record<'vendas' | 'oficina', string>
  beforeEach(async () => {
    const { db } = portal.database
    await db.deleteFrom('access_templates').execute()
    const add = async (name: string, types: string[], marcas: string[]) =>
      (
        await db
          .insertInto('access_templates')
          .values({ name, types, marcas, estados: ['RJ'] })
          .returning('id')
          .executeTakeFirstOrThrow()
      ).id
    templates = {
      vendas: await add('Vendas RJ', ['Vendas'], ['FIAT']),
      oficina: await add('Oficina RJ', ['Oficina'], ['JEEP']),
    }
  })

  const call = (method: string, path: string, body?: unknown) =>
    send(portal, method, `/api/group-mappings${path}`, { token: admin.token, ...(body ? { body } : {}) })
  const map = (...items: [string, 'vendas' | 'oficina'][]) =>
    call('PUT', '', {
      items: items.map(([group_id, name]) => ({ group_id, name, template_id: templates[name] })),
    })
  let identities = 0
  const addMember = async (groups: string[] | null, profile: Parameters<typeof addPerson>[1] = {}) => {
    const person = await addPerson(portal, { types: ['CRM'], marcas: ['FIAT'], estados: ['RJ'], ...profile })
    const at = new Date(portal.clock())
    await portal.database.db
      .insertInto('identities')
      .values({
        tenant_id: 'tenant',
        object_id: String(++identities),
        user_id: person.user_id,
        email: person.email,
        linked_at: at,
        last_used_at: at,
        ...(groups && { groups, groups_at: at }),
      })
      .execute()
    return person
  }
  const readLists = async ({ user_id }: Pick<Profile, 'user_id'>) => {
    const { types, marcas, estados } = await readPerson(portal, admin, user_id)
    return { types, marcas, estados }
  }

  test('are shown before they are applied, with gains and losses, and undone', async () => {
    const person = await addMember([vendas, oficina, UNMAPPED])
    await map([vendas, 'vendas'], [oficina, 'oficina'])
    const before = await readLists(person)
    const preview = await call('GET', '/effects')
    expect(preview.body.items).toMatchObject([
      {
        email: person.email,
        gains: { types: ['Vendas', 'Oficina'], marcas: ['JEEP'], estados: [] },
        loses: { types: ['CRM'], marcas: [], estados: [] },
      },
    ])
    expect(await readLists(person)).toEqual(before)
    const { fingerprint } = preview.body
    const applied = await call('POST', '/apply', { fingerprint })
    expect(applied).toMatchObject({ status: 200, body: { changed: 1, undoSeconds: 30 } })
    expect(await readLists(person)).toEqual({
      types: ['Vendas', 'Oficina'],
      marcas: ['FIAT', 'JEEP'],
      estados: ['RJ'],
    })
    expect((await undoEdit(portal, admin, applied.body.undoId)).status).toBe(200)
    expect(await readLists(person)).toEqual(before)
  })

  test('take nothing from people whose groups are unknown, unmapped or of nobody', async () => {
    const people = [await addMember(null), await addMember([UNMAPPED]), await addMember([])]
    people.push(await addPerson(portal))
    await map([vendas, 'vendas'])
    expect((await call('GET', '/effects')).body.items).toEqual([])
    expect((await call('GET', '')).body).toMatchObject({ known: 2, unknown: 1 })
  })

  test('are listed with those with which nobody has signed in yet', async () => {
    await addMember([oficina, UNMAPPED])
    await addMember(null)
    await map([vendas, 'vendas'], [oficina, 'oficina'])
    expect((await call('GET', '')).body).toMatchObject({ unseen: [vendas] })
    await addMember([vendas])
    expect((await call('GET', '')).body).toMatchObject({ unseen: [] })
  })

  test('are not applied when anything has changed since the preview', async () => {
    const person = await addMember([vendas])
    await map([vendas, 'vendas'])
    const { fingerprint } = (await call('GET', '/effects')).body
    await map([vendas, 'oficina'])
    expect(await call('POST', '/apply', { fingerprint })).toMatchObject({ status: 409 })
    expect((await readLists(person)).types).toEqual(['CRM'])
  })

  test('give nothing that was archived, and leave it to whoever has it', async () => {
    const { db } = portal.database
    const archive = (archived: boolean) =>
      db.updateTable('catalogue_items').set({ archived }).where('code', '=', 'FIAT').execute()
    await archive(true)
    const [has, lacks] = [await addMember([vendas]), await addMember([vendas], { marcas: [] })]
    await map([vendas, 'vendas'])
    const { fingerprint } = (await call('GET', '/effects')).body
    await call('POST', '/apply', { fingerprint })
    await archive(false)
    expect([(await readLists(has)).marcas, (await readLists(lacks)).marcas]).toEqual([['FIAT'], []])
  })

  test('name what is wrong with a mapping, and record the change', async () => {
    expect((await map(['vendas' as never, 'vendas'])).body.fields[0].path).toBe('items.0.group_id')
    expect((await map([vendas, 'vendas'], [vendas.toUpperCase(), 'oficina'])).body.fields[0].path).toBe(
      'items.1.group_id',
    )
    await portal.database.db.deleteFrom('access_templates').where('id', '=', templates.oficina).execute()
    expect((await map([oficina, 'oficina'])).status).toBe(400)
    expect((await map([vendas, 'vendas'])).status).toBe(200)
    expect((await readTrail(portal)).map(({ action }) => action)).toEqual(['group-mappings-set'])
  })

  test('keep the template that they give from being deleted', async () => {
    await map([vendas, 'vendas'], [oficina, 'vendas'])
    const remove = () =>
      send(portal, 'DELETE', `/api/access-templates/${templates.vendas}`, { token: admin.token })
    const refused = await remove()
    expect(refused).toMatchObject({ status: 409, body: { detail: expect.stringContaining('“vendas”') } })
    expect((await call('GET', '')).body.items).toHaveLength(2)
    await map([vendas, 'oficina'])
    expect((await remove()).status).toBe(204)
    expect((await call('GET', '')).body.items).toHaveLength(1)
    // A mapping that is saved at the same time is neither lost nor left behind.
    const both = await Promise.all([
      map([vendas, 'oficina'], [oficina, 'oficina']),
      send(portal, 'DELETE', `/api/access-templates/${templates.oficina}`, { token: admin.token }),
    ])
    expect(both.map(({ status }) => status)).toEqual([200, 409])
  })

  test('wait, marked, for the first approval of whoever comes with Microsoft', async () => {
    await map([vendas, 'vendas'], [oficina, 'oficina'])
    const directory = await startDirectory()
    const replica = await startTestPortal({
      kind,
      database: portal.database,
      clock: portal.clock,
      microsoft: directory.createClient(),
    })
    const { body } = await enterWithMicrosoft(replica, directory, 'novata')
    expect(await readPerson(portal, admin, body.user.id)).toMatchObject({
      approved: false,
      types: ['Vendas', 'Oficina'],
      marcas: ['FIAT', 'JEEP'],
    })
    // What the administrator took away meanwhile does not come back.
    const { db } = portal.database
    await db.updateTable('profiles').set({ approved: true, types: [], marcas: [], estados: [] }).execute()
    await enterWithMicrosoft(replica, directory, 'novata')
    expect((await readPerson(portal, admin, body.user.id)).types).toEqual([])
    // A claim that is missing leaves the groups of the last complete one.
    directory.find('novata').claims.groups = undefined
    await enterWithMicrosoft(replica, directory, 'novata')
    directory.find('novata').claims.groups = [vendas]
    directory.find('novata').claims.hasgroups = true
    await enterWithMicrosoft(replica, directory, 'novata')
    const identity = await db.selectFrom('identities').select('groups').executeTakeFirstOrThrow()
    expect(identity.groups).toEqual([vendas, oficina])
    await replica.stop()
    await directory.stop()
  })
})
