import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { catalogueMessages } from '#contract/catalogue.ts'
import type { ListName } from '#contract/entitlement-lists.ts'
import { SEEDED_CATALOGUE } from '#contract/seeded-catalogue.ts'
import {
  type Admin,
  editMany,
  openAdmin,
  patchProfile,
  readPerson,
  readTrail,
  removeAllPeople,
  undoEdit,
} from '#server/testing/admin-calls.ts'
import { addPerson, getEmulatedReport, openTestSession, send } from '#server/testing/builders.ts'
import { listCalls } from '#server/testing/embed-token-calls.ts'
import { toSetting } from '#server/testing/report-setting-calls.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal } from '#server/testing/test-portal.ts'
import { COLUMNS_WITH_TYPES } from './change-catalogue.ts'

describeOnEachDatabase('the catalogue', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  let admin: Admin
  beforeEach(async () => {
    const { db } = portal.database
    await removeAllPeople(portal)
    await db.deleteFrom('global_powerbi_settings').execute()
    await db.deleteFrom('catalogue_items').execute()
    const rows = (['types', 'marcas', 'estados'] as const).flatMap((list) =>
      SEEDED_CATALOGUE[list].map((item) => ({ kind: list, ...item })),
    )
    await db.insertInto('catalogue_items').values(rows).execute()
    admin = await openAdmin(portal, { types: [], marcas: [], estados: [] })
  })

  const call = (method: string, path: string, body?: unknown, ifMatch?: number, by = admin) =>
    send(portal, method, `/api/catalogue${path}`, {
      token: by.token,
      body,
      ...(ifMatch !== undefined && { headers: { 'if-match': `"${ifMatch}"` } }),
    })
  const add = (list: ListName, label: string, code?: string) =>
    call('POST', `/${list}`, { label, ...(code && { code }) })
  const read = async () => (await call('GET', '')).body
  const getNames = async (list: ListName) => (await read())[list].map(({ label }: { label: string }) => label)
  const readUse = async (code: string) => {
    const { items } = (await call('GET', '/use')).body
    return items.find((item: { code: string }) => item.code === code)
  }
  const getAreas = async (person: Awaited<ReturnType<typeof addPerson>>) => {
    const { access_token: token } = await openTestSession(portal, person)
    return (await send(portal, 'GET', '/api/reports/me', { token })).body.areas
  }

  test('takes back a name, a place in the archive and an order, unless changed since', async () => {
    const person = await addPerson(portal, { types: ['CRM'] })
    const before = await read()
    const { types } = before
    const order = types.map(({ code }: { code: string }) => code).toReversed()
    const changes = [
      () => call('PATCH', '/types/crm', { label: 'Clientes' }),
      () => call('PATCH', '/marcas/GAC', { archived: true }),
      () => call('PUT', '', { types: order }),
    ]
    for (const change of changes) {
      const { undoId } = (await change()).body
      expect((await undoEdit(portal, admin, undoId)).status).toBe(200)
      expect({ ...(await read()), version: 0 }).toEqual({ ...before, version: 0 })
      expect((await undoEdit(portal, admin, undoId)).status).toBe(404)
    }
    expect((await readPerson(portal, admin, person.user_id)).types).toEqual(['CRM'])
    const { undoId } = (await call('PATCH', '/types/crm', { label: 'Clientes' })).body
    await call('PATCH', '/types/crm', { label: 'Compradores' })
    expect((await undoEdit(portal, admin, undoId)).status).toBe(409)
    const ordered = (await call('PUT', '', { types: order })).body.undoId
    await call('PUT', '', { types: types.map(({ code }: { code: string }) => code) })
    expect((await undoEdit(portal, admin, ordered)).status).toBe(409)
    expect(await getNames('types')).toContain('Compradores')
  })

  test('has the specified items in a new portal', async () => {
    const fresh = await startTestPortal({ kind, rateLimits: false })
    const person = await addPerson(fresh)
    const { access_token: token } = await openTestSession(fresh, person)
    expect((await send(fresh, 'GET', '/api/catalogue', { token })).body).toEqual(SEEDED_CATALOGUE)
    await fresh.stop()
  })

  test('accepts BYD, SP and an area with a report, visible at once on every replica', async () => {
    const replica = await startTestPortal({ kind, rateLimits: false, database: portal.database })
    expect((await add('marcas', 'BYD', 'BYD')).status).toBe(201)
    expect((await add('estados', 'São Paulo', 'SP')).status).toBe(201)
    const { types } = (await add('types', 'Peças & Acessórios')).body
    expect(types.at(-1)).toEqual({
      code: 'pecas-acessorios',
      label: 'Peças & Acessórios',
      position: 10,
      archived: false,
    })

    const setting = await send(replica, 'PUT', '/api/global-powerbi-settings/pecas-acessorios', {
      token: admin.token,
      body: toSetting('Oficina'),
    })
    expect(setting).toMatchObject({ status: 200, body: { type: 'Peças & Acessórios' } })
    const person = await addPerson(portal, { types: [], marcas: [], estados: [] })
    for (const change of [
      { types: ['Peças & Acessórios', 'Vendas'] },
      { marcas: ['BYD', 'FIAT'], estados: ['SP'] },
    ])
      expect((await patchProfile(replica, admin, person.user_id, change)).status).toBe(200)
    expect(await readPerson(portal, admin, person.user_id)).toMatchObject({
      types: ['Vendas', 'Peças & Acessórios'],
      marcas: ['FIAT', 'BYD'],
    })
    expect((await getAreas(person)).map(({ type }: { type: string }) => type)).toEqual(['Peças & Acessórios'])

    const { access_token: token } = await openTestSession(portal, person)
    const { workspaceId, reportId, datasetId } = getEmulatedReport('Oficina')
    const reply = await send(portal, 'POST', '/api/functions/get-powerbi-token', {
      token,
      body: { workspaceId, reportId, datasetId },
    })
    expect(reply.status).toBe(200)
    const { generateToken } = await listCalls(portal)
    expect(generateToken.at(-1)?.body.identities?.[0]?.customData).toBe('M:FIAT|M:BYD|U:SP')
    const codes = (await read()).types.map((item: { code: string }) => item.code)
    await call('PUT', '', { types: codes.toReversed() })
    const again = await send(portal, 'POST', '/api/functions/get-powerbi-token', {
      token,
      body: { workspaceId, reportId, datasetId },
    })
    expect(again.body.embedToken, 'no token outlives a change').not.toBe(reply.body.embedToken)
    const sums = await fetch(`${portal.emulatorUrl}/data?area=Oficina&marcas=BYD&estados=SP`)
    expect((await sums.json()).cards[0].value).toBeGreaterThan(0)

    for (const filter of ['type=Peças %26 Acessórios', 'marca=BYD', 'estado=SP'])
      expect((await send(replica, 'GET', `/api/profiles/count?${filter}`, admin)).body.total).toBe(1)
    expect(await readUse('pecas-acessorios')).toMatchObject({ people: 1, reports: 1 })
    expect(await readUse('BYD')).toMatchObject({ people: 1, reports: 0 })
    await replica.stop()
  })

  test('renames an area in every list, tab and setting', async () => {
    await send(portal, 'PUT', '/api/global-powerbi-settings/administrativo', {
      token: admin.token,
      body: toSetting('CRM'),
    })
    const person = await addPerson(portal, { types: ['CRM', 'administrativo', 'Compras', 'Administrativo'] })
    const other = await addPerson(portal, { types: ['Vendas'] })
    const reply = await call('PATCH', '/types/administrativo', { label: 'Backoffice' })
    expect(reply.status).toBe(200)
    expect(reply.body.types[7]).toMatchObject({ code: 'administrativo', label: 'Backoffice' })

    expect(await readPerson(portal, admin, person.user_id)).toMatchObject({
      types: ['CRM', 'Backoffice', 'Compras'],
    })
    expect(await readPerson(portal, admin, other.user_id)).toMatchObject({ types: ['Vendas'], version: 1 })
    expect((await getAreas(person)).map(({ type }: { type: string }) => type)).toEqual(['Backoffice'])
    const { items } = (await send(portal, 'GET', '/api/global-powerbi-settings', admin)).body
    expect(items).toMatchObject([{ type: 'Backoffice' }])
    expect(await patchProfile(portal, admin, other.user_id, { types: ['Administrativo'] })).toMatchObject({
      status: 400,
      body: { fields: [{ path: 'types.0' }] },
    })
    expect((await readTrail(portal)).at(-1)).toMatchObject({
      action: 'catalogue-item-changed',
      actor_email: admin.email,
      before: { kind: 'types', code: 'administrativo', label: 'Administrativo' },
      after: { kind: 'types', code: 'administrativo', label: 'Backoffice', people: 1 },
    })
    // The old name may return, but never the slug.
    expect((await add('types', 'Administrativo')).body.types.at(-1)).toMatchObject({
      code: 'administrativo-2',
      label: 'Administrativo',
    })
  })

  test('knows every column with area labels', async () => {
    const { rows } =
      await sql`select table_name as table, column_name as column from information_schema.columns
      where table_schema = 'public' and data_type = 'ARRAY' and column_name like '%types%'`.execute(
        portal.database.db,
      )
    // The order is the database's choice.
    expect(new Set(rows)).toEqual(new Set(COLUMNS_WITH_TYPES.map(({ table, column }) => ({ table, column }))))
  })

  describe('a new item for the holders of the whole list', () => {
    const all = SEEDED_CATALOGUE.marcas.map(({ code }) => code)
    const addBrand = () => call('POST', '/marcas', { label: 'BYD', code: 'BYD', giveToHolders: true })

    test('is theirs in the same transaction, audited one by one, and can be undone', async () => {
      await call('PATCH', '/marcas/OMJA', { archived: true })
      const holders = await Promise.all([
        addPerson(portal, { marcas: all }),
        addPerson(portal, { marcas: all.filter((code) => code !== 'OMJA') }),
      ])
      const other = await addPerson(portal, { marcas: ['FIAT', 'OMJA'] })
      await addPerson(portal, { marcas: all.filter((code) => code !== 'FIAT') })
      const { items } = (await call('GET', '/use')).body
      const lacking = items.filter(({ holdersOfOthers }: { holdersOfOthers: number }) => holdersOfOthers > 0)
      expect(lacking).toMatchObject([{ kind: 'marcas', code: 'FIAT', holdersOfOthers: 1 }])
      expect((await call('GET', '/use')).body.holdersOfAll).toEqual({ types: 0, marcas: 2, estados: 0 })
      const reply = await addBrand()
      expect(reply).toMatchObject({ status: 201, body: { given: 2, undoSeconds: 30 } })
      for (const { user_id } of holders)
        expect((await readPerson(portal, admin, user_id)).marcas.at(-1)).toBe('BYD')
      expect((await readPerson(portal, admin, other.user_id)).marcas).toEqual(['FIAT', 'OMJA'])
      const entries = (await readTrail(portal)).filter(({ action }) => action === 'entitlements-added')
      expect(entries.map(({ batch_id, target_id }) => [batch_id, target_id]).toSorted()).toEqual(
        holders.map(({ user_id }) => [reply.body.undoId, user_id]).toSorted(),
      )

      const undo = `/api/profiles/bulk-edit/${reply.body.undoId}/undo`
      expect((await send(portal, 'POST', undo, admin)).body).toEqual({ restored: 2, changed: [] })
      expect((await readPerson(portal, admin, holders[0]?.user_id ?? '')).marcas).toEqual(all)
      expect(await getNames('marcas')).toContain('BYD')
    })

    test('counts the old spelling of Administrativo as the area', async () => {
      const types = SEEDED_CATALOGUE.types.map(({ label }) => label)
      const old = types.map((label) => (label === 'Administrativo' ? 'administrativo' : label))
      const person = await addPerson(portal, { types: old })
      const reply = await call('POST', '/types', { label: 'Seminovos', giveToHolders: true })
      expect(reply.body.given).toBe(1)
      expect((await readPerson(portal, admin, person.user_id)).types).toEqual([...types, 'Seminovos'])
    })

    test('gives it to nobody unless asked, and nothing is left of it when the code is taken', async () => {
      const person = await addPerson(portal, { marcas: all })
      expect((await add('marcas', 'BYD', 'BYD')).body).toMatchObject({ given: 0, undoId: null })
      expect((await addBrand()).status).toBe(400)
      expect(await readPerson(portal, admin, person.user_id)).toMatchObject({ marcas: all, version: 1 })
    })
  })

  describe('removal', () => {
    const remove = (path: string, ifMatch?: number) => call('DELETE', path, undefined, ifMatch)

    test('removes a mistyped code, which may return', async () => {
      await add('marcas', 'BYDD', 'BYDD')
      // An order names every code, but gives none to anybody.
      const codes = (await read()).marcas.map(({ code }: { code: string }) => code)
      await call('PUT', '', { marcas: codes.toReversed() })
      const { version } = await read()
      expect((await remove('/marcas/BYDD', version - 1)).status).toBe(409)
      const reply = await remove('/marcas/BYDD', version)
      expect(reply.status).toBe(200)
      expect(reply.body.marcas.map(({ code }: { code: string }) => code)).not.toContain('BYDD')
      expect((await readTrail(portal)).at(-1)).toMatchObject({
        action: 'catalogue-item-removed',
        before: { kind: 'marcas', code: 'BYDD', label: 'BYDD' },
      })
      expect((await remove('/marcas/BYDD')).status).toBe(404)
      expect((await add('marcas', 'BYDD', 'BYDD')).status).toBe(201)
    })

    const uses: Record<string, () => Promise<unknown>> = {
      'a person holds': () => addPerson(portal, { marcas: ['BYD'] }),
      'a person held': async () => {
        const { user_id } = await addPerson(portal, { marcas: [], estados: [] })
        for (const marcas of [['BYD'], []])
          await patchProfile(portal, admin, user_id, { marcas, estados: [] })
      },
      'an invitation has': () =>
        send(portal, 'POST', '/api/invitations', {
          token: admin.token,
          body: {
            addresses: 'Rita Prado <rita.prado@grupopatio.com.br>',
            defaults: { types: ['CRM'], marcas: ['BYD'], estados: ['RJ'] },
          },
        }),
      'a template has': () =>
        send(portal, 'POST', '/api/access-templates', {
          token: admin.token,
          body: { name: `Modelo ${Math.random()}`, types: [], marcas: ['BYD'], estados: [] },
        }),
    }
    test.each(Object.keys(uses))('refuses one that %s', async (use) => {
      await add('marcas', 'BYD', 'BYD')
      await uses[use]?.()
      expect(await remove('/marcas/BYD')).toMatchObject({
        status: 409,
        body: { detail: catalogueMessages.codeUsed },
      })
      for (const table of ['invitations', 'access_templates'] as const)
        await portal.database.db.deleteFrom(table).execute()
    })

    test('refuses an area with a report, or that somebody held under its old name', async () => {
      const person = await addPerson(portal, { types: [] })
      await add('types', 'Seminovos')
      for (const types of [['Seminovos'], []]) await patchProfile(portal, admin, person.user_id, { types })
      await call('PATCH', '/types/seminovos', { label: 'Usados' })
      expect((await remove('/types/seminovos')).status).toBe(409)
      await add('types', 'Frotas')
      await portal.database.db
        .insertInto('global_powerbi_settings')
        .values({ type: 'frotas', embed_mode: 'secure_sso', report_url: 'https://app.powerbi.com/x' })
        .execute()
      expect((await remove('/types/frotas')).status).toBe(409)
      await portal.database.db.deleteFrom('global_powerbi_settings').execute()
      expect((await remove('/types/frotas')).status).toBe(200)
    })
  })

  describe('with archived items', () => {
    beforeEach(async () => {
      for (const path of ['/types/vendas', '/marcas/FIAT', '/estados/RJ'])
        expect((await call('PATCH', path, { archived: true })).status).toBe(200)
    })

    test('shows and filters them as before, and accepts changes of lists that contain them', async () => {
      await portal.database.db
        .insertInto('global_powerbi_settings')
        .values({ type: 'vendas', embed_mode: 'secure_sso', report_url: 'https://app.powerbi.com/x' })
        .execute()
      const person = await addPerson(portal)
      expect(await getAreas(person)).toMatchObject([
        { type: 'Vendas', reportUrl: 'https://app.powerbi.com/x' },
      ])
      expect((await send(portal, 'GET', '/api/profiles/count?marca=FIAT', admin)).body.total).toBe(1)
      for (const change of [{ types: ['CRM', 'Vendas'] }, { marcas: ['FIAT', 'VW'], estados: ['RJ'] }])
        expect((await patchProfile(portal, admin, person.user_id, change)).status).toBe(200)
      const saved = await send(portal, 'PUT', '/api/global-powerbi-settings/vendas', {
        token: admin.token,
        body: toSetting('Vendas'),
      })
      expect(saved.status).toBe(200)
      const taken = await editMany(portal, admin, {
        userIds: [person.user_id],
        action: 'remove',
        marcas: ['FIAT'],
      })
      expect(taken).toMatchObject({ status: 200, body: { losing: 1 } })
    })

    test('shows them only to administrators, approved people and people who have them', async () => {
      const shown = async (extra: object) => {
        const { access_token: token } = await openTestSession(portal, await addPerson(portal, extra))
        const { body } = await send(portal, 'GET', '/api/catalogue', { token })
        return [body.types, body.marcas, body.estados].flatMap(
          (items: { code: string; archived: boolean }[]) =>
            items.flatMap(({ code, archived }) => (archived ? [code] : [])),
        )
      }
      const stranger = { approved: false, email_verified_at: null, types: [], marcas: [], estados: [] }
      expect(await shown(stranger)).toEqual([])
      expect(await shown({ ...stranger, marcas: ['FIAT'] })).toEqual(['FIAT'])
      expect(await shown({ ...stranger, approved: true })).toEqual(['vendas', 'FIAT', 'RJ'])
    })

    test('refuses to grant them', async () => {
      const person = await addPerson(portal, { types: ['CRM'], marcas: ['VW'], estados: ['ES'] })
      for (const [change, path] of [
        [{ types: ['CRM', 'Vendas'] }, 'types.1'],
        [{ marcas: ['FIAT'], estados: ['ES'] }, 'marcas.0'],
        [{ marcas: ['VW'], estados: ['RJ'] }, 'estados.0'],
      ] as const)
        expect(await patchProfile(portal, admin, person.user_id, change)).toMatchObject({
          status: 400,
          body: { code: 'invalid-input', fields: [{ path }] },
        })
      const given = await editMany(portal, admin, {
        userIds: [person.user_id],
        action: 'add',
        types: ['Vendas'],
      })
      expect(given).toMatchObject({ status: 400, body: { fields: [{ path: 'types.0' }] } })
      const setting = await send(portal, 'PUT', '/api/global-powerbi-settings/vendas', {
        token: admin.token,
        body: toSetting('Vendas'),
      })
      expect(setting.status).toBe(400)
      expect(await readPerson(portal, admin, person.user_id)).toMatchObject({ version: 1 })
      expect((await call('PATCH', '/types/vendas', { archived: false })).status).toBe(200)
      expect((await patchProfile(portal, admin, person.user_id, { types: ['Vendas'] })).status).toBe(200)
    })

    test('never reuses their codes', async () => {
      expect(await add('marcas', 'Fiat nova', 'FIAT')).toMatchObject({
        status: 400,
        body: { fields: [{ path: 'code', message: catalogueMessages.codeTaken }] },
      })
    })
  })

  test('can be sorted, and all lists follow', async () => {
    const marcas = SEEDED_CATALOGUE.marcas.map(({ code }) => code).toReversed()
    const types = [
      'slack',
      ...SEEDED_CATALOGUE.types.map(({ code }) => code).filter((code) => code !== 'slack'),
    ]
    expect((await call('PUT', '', { marcas, types })).status).toBe(200)
    expect(await getNames('marcas')).toEqual(marcas)
    expect((await getNames('types')).slice(0, 2)).toEqual(['Slack', 'Vendas'])
    const person = await addPerson(portal)
    await patchProfile(portal, admin, person.user_id, {
      marcas: ['FIAT', 'VW', 'LADA'].slice(0, 2),
      estados: [],
    })
    expect(await readPerson(portal, admin, person.user_id)).toMatchObject({ marcas: ['VW', 'FIAT'] })
    expect((await readTrail(portal)).map(({ action }) => action)).toEqual(['catalogue-ordered', 'scope-set'])
    for (const wrong of [['VW'], [...marcas, 'VW'], [...marcas.slice(1), 'BYD']])
      expect(await call('PUT', '', { marcas: wrong })).toMatchObject({
        status: 400,
        body: { fields: [{ path: 'marcas' }] },
      })
  })

  test.each([
    ['an existing code', 'marcas', { label: 'Outra', code: 'VW' }, 'code'],
    ['no code', 'estados', { label: 'São Paulo' }, 'code'],
    ['a code that would break out of an identity', 'estados', { label: 'SP', code: 'SP|M:VW' }, 'code'],
    ['an existing name in another case', 'types', { label: 'VENDAS' }, 'label'],
    ['no name', 'types', { label: '' }, 'label'],
    ['an unknown list', 'cidades', { label: 'x' }, 'kind'],
  ])('rejects %s', async (_, list, body, path) => {
    const before = await read()
    expect(await call('POST', `/${list}`, body)).toMatchObject({ status: 400, body: { fields: [{ path }] } })
    expect(await read()).toEqual(before)
  })

  test('accepts one of two concurrent changes, and refuses the other', async () => {
    const other = await openAdmin(portal)
    const { version } = await read()
    const replies = await Promise.all([
      call('PATCH', '/types/crm', { label: 'Clientes' }, version),
      call('PATCH', '/types/crm', { label: 'Relacionamento' }, version, other),
      call('PATCH', '/marcas/VW', { archived: true }, version, other),
    ])
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
    expect((await read()).version).toBe(version + 1)
    expect((await call('PATCH', '/types/crm', { label: 'Nova' }, version)).status).toBe(409)
    expect((await call('PATCH', '/types/none', { label: 'Nova' })).status).toBe(404)
  })

  test('removes the old name everywhere when people change during a rename', async () => {
    const people = await Promise.all(Array.from({ length: 5 }, () => addPerson(portal, { types: [] })))
    const replies = await Promise.all([
      ...people.slice(0, 2).map(({ user_id }) => patchProfile(portal, admin, user_id, { types: ['CRM'] })),
      call('PATCH', '/types/crm', { label: 'Clientes' }),
      ...people.slice(2).map(({ user_id }) => patchProfile(portal, admin, user_id, { types: ['CRM'] })),
    ])
    for (const { status } of replies) expect([200, 400]).toContain(status)
    for (const { user_id } of people)
      expect((await readPerson(portal, admin, user_id)).types).not.toContain('CRM')
  })

  test('refuses to undo a bulk edit that would restore a renamed area', async () => {
    const person = await addPerson(portal, { types: ['Vendas', 'CRM'] })
    const edited = await editMany(portal, admin, {
      userIds: [person.user_id],
      action: 'remove',
      types: ['CRM'],
    })
    await call('PATCH', '/types/crm', { label: 'Clientes' })
    const undo = `/api/profiles/bulk-edit/${edited.body.undoId}/undo`
    expect((await send(portal, 'POST', undo, admin)).status).toBe(409)
    expect(await readPerson(portal, admin, person.user_id)).toMatchObject({ types: ['Vendas'] })
  })
})
