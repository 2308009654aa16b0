import { beforeEach, expect, test } from 'vitest'
import { type AccessTemplate, accessTemplateMessages, MAX_TEMPLATES } from '#contract/access-templates.ts'
import {
  type Admin,
  editMany,
  listPage,
  openAdmin,
  patchProfile,
  readTrail,
  removeAllPeople,
  undoEdit,
} from '#server/testing/admin-calls.ts'
import { addPerson, send } from '#server/testing/builders.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const SELLER = { name: 'Vendedor FIAT RJ', types: ['Vendas', 'CRM'], marcas: ['FIAT'], estados: ['RJ'] }

describeOnEachDatabase('access templates', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  let admin: Admin
  beforeEach(async () => {
    const { db } = portal.database
    await removeAllPeople(portal)
    await db.deleteFrom('access_templates').execute()
    await db.updateTable('catalogue_items').set({ archived: false }).execute()
    admin = await openAdmin(portal, { types: [], marcas: [], estados: [] })
  })
  const call = (method: string, path = '', body?: object, version?: number, by = admin) =>
    send(portal, method, `/api/access-templates${path}`, {
      token: by.token,
      body,
      ...(version !== undefined && { headers: { 'if-match': `"${version}"` } }),
    })
  const add = async (change: object = {}): Promise<AccessTemplate> => {
    const { status, body } = await call('POST', '', { ...SELLER, ...change })
    expect(status, JSON.stringify(body)).toBe(201)
    return body
  }
  const list = async (): Promise<AccessTemplate[]> => (await call('GET')).body.items
  const readTemplates = async (userId: string) => {
    const entry = (await readTrail(portal)).findLast(({ target_id }) => target_id === userId)
    return (entry?.after as { templates?: string[] } | undefined)?.templates
  }
  const archive = (list: string, code: string) =>
    send(portal, 'PATCH', `/api/catalogue/${list}/${code}`, { token: admin.token, body: { archived: true } })

  test('are named in the trail where a change gives what is theirs, and only there', async () => {
    await add()
    await add({ name: 'Só o RJ', types: [], marcas: [], estados: ['RJ'] })
    await add({ name: 'Oficina', types: ['Oficina'], marcas: ['VW'], estados: [] })
    const { name: _, ...lists } = SELLER
    const give = async (wanted: object, profile: object = {}) => {
      const person = await addPerson(portal, {
        approved: true,
        types: [],
        marcas: [],
        estados: [],
        ...profile,
      })
      const { body } = await patchProfile(portal, admin, person.user_id, wanted)
      return { ...person, undoId: body.undoId, templates: await readTemplates(person.user_id) }
    }
    const stranger = { approved: false, email_verified_at: null }
    const approved = await give({ approved: true, ...lists }, stranger)
    expect(approved.templates).toEqual([SELLER.name])
    expect((await undoEdit(portal, admin, approved.undoId)).body).toMatchObject({ restored: 1 })
    expect(await readTemplates(approved.user_id)).toBeUndefined()
    const had = { types: ['HPD'], marcas: ['VW'], estados: ['ES'] }
    const more = {
      types: ['Vendas', 'Oficina', 'HPD', 'CRM'],
      marcas: ['FIAT', 'VW'],
      estados: ['RJ', 'ES'],
    }
    const reader = await give(more, had)
    expect(reader.templates).toEqual(['Oficina', SELLER.name])
    expect((await give({ ...more, marcas: ['FIAT', 'GM', 'VW'] }, had)).templates).toBeUndefined()
    expect((await give({ ...lists, types: ['Vendas'] })).templates).toBeUndefined()
    expect((await give({ ...lists, estados: [] }, lists)).templates).toBeUndefined()

    const person = await addPerson(portal, { types: [], marcas: [], estados: [] })
    await editMany(portal, admin, { action: 'add', userIds: [person.user_id], ...lists })
    expect(await readTemplates(person.user_id)).toEqual([SELLER.name])
    const { body } = await send(portal, 'GET', '/api/access/oficina', { token: admin.token })
    expect(body.readers).toContainEqual(
      expect.objectContaining({ email: reader.email, templates: ['Oficina', SELLER.name] }),
    )
  })

  test('are listed by name, and every change is audited', async () => {
    const seller = await add({ types: ['CRM', 'Vendas', 'CRM'] })
    expect(seller).toEqual({ id: expect.any(String), version: 1, ...SELLER })
    const other = await add({ name: 'Áreas do Zé', types: [], marcas: ['VW'], estados: [] })
    expect((await list()).map(({ name }) => name)).toEqual(['Áreas do Zé', 'Vendedor FIAT RJ'])

    const changed = await call('PATCH', `/${seller.id}`, { marcas: ['JEEP', 'FIAT'] }, 1)
    expect(changed.body).toEqual({ ...seller, marcas: ['FIAT', 'JEEP'], version: 2 })
    // A change without effect leaves no audit entry.
    expect((await call('PATCH', `/${seller.id}`, { name: SELLER.name }, 2)).body.version).toBe(2)
    expect((await call('DELETE', `/${other.id}`, undefined, 1)).status).toBe(204)
    expect(await list()).toEqual([changed.body])
    expect((await readTrail(portal)).map(({ action, before, after }) => ({ action, before, after }))).toEqual(
      [
        { action: 'access-template-added', before: null, after: SELLER },
        expect.objectContaining({ action: 'access-template-added' }),
        { action: 'access-template-changed', before: SELLER, after: { ...SELLER, marcas: ['FIAT', 'JEEP'] } },
        expect.objectContaining({ action: 'access-template-removed', after: null }),
      ],
    )
  })

  test('reject unknown items, taken names and empty lists', async () => {
    const { id } = await add()
    const { id: otherId } = await add({ name: 'Outro' })
    const refusals: [object, string, string?][] = [
      [{ types: ['Compras'] }, 'types.0'],
      [{ marcas: ['FIAT', 'LADA'] }, 'marcas.1'],
      [{ name: 'VENDEDOR  FIAT RJ'.replace('  ', ' ') }, 'name', accessTemplateMessages.nameTaken],
      [{ types: [], marcas: [], estados: [] }, 'types', accessTemplateMessages.nothing],
      [{ name: '' }, 'name'],
      [{ name: 'x'.repeat(41) }, 'name'],
    ]
    for (const [change, path, message] of refusals)
      for (const reply of [
        await call('POST', '', { ...SELLER, name: 'Novo', ...change }),
        await call('PATCH', `/${otherId}`, change, 1),
      ])
        expect(reply, JSON.stringify(change)).toMatchObject({
          status: 400,
          body: { fields: [{ path, ...(message && { message }) }] },
        })
    expect((await call('POST', '', { ...SELLER, name: 'Novo', id })).status).toBe(400)
    expect((await call('PATCH', `/${id}`, {}, 1)).status).toBe(400)
    for (const method of ['PATCH', 'DELETE'])
      expect(
        await call(method, '/7b0c3a52-5c0e-4f5e-9d6e-0d6f3f1f2a11', method === 'PATCH' ? SELLER : undefined),
      ).toMatchObject({ status: 404, body: { detail: accessTemplateMessages.gone } })
    expect(await list()).toHaveLength(2)

    const values = Array.from({ length: MAX_TEMPLATES - 2 }, (_, index) => ({ ...SELLER, name: `M${index}` }))
    await portal.database.db.insertInto('access_templates').values(values).execute()
    expect((await call('POST', '', { ...SELLER, name: 'Novo' })).body.detail).toBe(
      accessTemplateMessages.tooMany,
    )
  })

  test('accept one of two concurrent additions, changes or removals', async () => {
    const other = await openAdmin(portal)
    const both = (send: (by: Admin) => ReturnType<typeof call>) => Promise.all([admin, other].map(send))
    const added = await both((by) => call('POST', '', SELLER, undefined, by))
    expect(added.map(({ status }) => status).toSorted()).toEqual([201, 400])
    const [{ id } = { id: '' }] = await list()
    const changed = await both((by) =>
      call('PATCH', `/${id}`, { name: `De ${by.email}`.slice(0, 40) }, 1, by),
    )
    expect(changed.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(changed.find(({ status }) => status === 409)?.body.detail).toBe(
      accessTemplateMessages.changedMeanwhile,
    )
    expect((await call('DELETE', `/${id}`, undefined, 1)).status).toBe(409)
    expect(await list()).toMatchObject([{ id, version: 2 }])
    const gone = await both((by) => call('DELETE', `/${id}`, undefined, 2, by))
    expect(gone.map(({ status }) => status).toSorted()).toEqual([204, 404])
  })

  test('keep archived items, reject adding them, and follow a renamed area', async () => {
    const { id } = await add()
    await archive('marcas', 'FIAT')
    await archive('marcas', 'VW')
    expect((await call('PATCH', `/${id}`, { marcas: ['FIAT', 'GM'] }, 1)).body.marcas).toEqual(['FIAT', 'GM'])
    expect((await call('PATCH', `/${id}`, { marcas: ['FIAT', 'VW'] }, 2)).status).toBe(400)
    expect((await call('POST', '', { ...SELLER, name: 'Novo' })).body.fields).toMatchObject([
      { path: 'marcas.0' },
    ])
    const rename = (label: string) =>
      send(portal, 'PATCH', '/api/catalogue/types/crm', { token: admin.token, body: { label } })
    expect((await rename('Relacionamento')).status).toBe(200)
    expect((await list())[0]?.types).toEqual(['Vendas', 'Relacionamento'])
    expect((await readTrail(portal)).at(-1)?.after).toMatchObject({ people: 0 })
    await rename('CRM')
  })

  test('filter people with exactly their entitlements, also for a bulk edit', async () => {
    const { id } = await add({ types: ['Vendas', 'Administrativo'], marcas: ['FIAT', 'GM'] })
    const has = { types: ['Vendas', 'Administrativo'], marcas: ['FIAT', 'GM'], estados: ['RJ'] }
    await addPerson(portal, { ...has, email: 'igual@grupopatio.com.br' })
    const old = { ...has, types: ['administrativo', 'Vendas'], marcas: ['GM', 'FIAT'] }
    await addPerson(portal, { ...old, email: 'antiga@grupopatio.com.br' })
    for (const other of [{ marcas: ['GM'] }, { types: [...has.types, 'CRM'] }, { estados: [] }])
      await addPerson(portal, { ...has, ...other })
    const found = async (template = id) =>
      (await listPage(portal, admin, { template, sort: 'email' })).items.map(
        ({ email }) => email.split('@')[0],
      )
    expect(await found()).toEqual(['antiga', 'igual'])
    expect((await send(portal, 'GET', `/api/profiles/count?template=${id}`, admin)).body.total).toBe(2)
    const allMatching = { filter: { template: id }, except: [], count: 2 }
    const edit = await editMany(portal, admin, { allMatching, action: 'add', types: ['HPD'] })
    expect(edit).toMatchObject({ status: 200, body: { gaining: 2 } })
    expect(await found()).toEqual([])

    // Archived items are no longer granted: the remaining items suffice for a match.
    await archive('marcas', 'GM')
    const late = await addPerson(portal, { ...has, marcas: ['FIAT'], email: 'nova@grupopatio.com.br' })
    await addPerson(portal, { ...has, email: 'velha@grupopatio.com.br' })
    await addPerson(portal, { ...has, marcas: ['FIAT', 'VW'] })
    expect(await found()).toEqual(['nova', 'velha'])
    await call('PATCH', `/${id}`, { estados: ['ES'] }, 1)
    expect(await found()).toEqual([])
    expect((await patchProfile(portal, admin, late.user_id, { types: ['CRM'] })).status).toBe(200)
    await call('DELETE', `/${id}`)
    expect(await found()).toEqual([])
    expect((await send(portal, 'GET', '/api/profiles?template=x', admin)).status).toBe(400)
  })
})
