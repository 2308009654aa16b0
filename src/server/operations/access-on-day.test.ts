import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { toSaoPauloDay } from '#contract/user-rules.ts'
import type { Profile } from '#contract/users.ts'
import { editMany, openAdmin, patchProfile, removeAllPeople } from '#server/testing/admin-calls.ts'
import { addPerson, send } from '#server/testing/builders.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const DAY_MS = 86_400_000

describeOnEachDatabase('who sees what', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  let admin: Awaited<ReturnType<typeof openAdmin>>
  let ana: Profile
  beforeEach(async () => {
    await removeAllPeople(portal)
    // Everybody is as old as the portal, whose database has a clock of its own.
    ana = await addPerson(portal, { email: 'ana@grupopatio.com.br', approved: false, types: [] })
    await portal.database.db
      .updateTable('profiles')
      .set({ created_at: new Date('2020-01-01') })
      .execute()
    admin = await openAdmin(portal, { types: [] })
  })
  const pass = async (days: number) => {
    portal.clock.advance(days * DAY_MS)
    admin = await openAdmin(portal, { types: [] })
  }
  const today = () => toSaoPauloDay(portal.clock())
  const readArea = async (on?: string) => {
    const { status, body } = await send(portal, 'GET', `/api/access/hpd${on ? `?on=${on}` : ''}`, admin)
    expect(status, JSON.stringify(body)).toBe(200)
    return { ...body, emails: body.readers.map(({ email }: { email: string }) => email) }
  }
  const readPerson = async (on?: string) =>
    (await send(portal, 'GET', `/api/profiles/${ana.user_id}/access${on ? `?on=${on}` : ''}`, admin)).body
  const scope = { marcas: ['FIAT'], estados: ['RJ'] }

  test('answers as it is and as it was at the end of past days, with since, through, by and until', async () => {
    const before = toSaoPauloDay(portal.clock() - 2 * DAY_MS)
    const given = {
      approved: true,
      types: ['HPD'],
      ...scope,
      valid_until: toSaoPauloDay(portal.clock() + 30 * DAY_MS),
    }
    await patchProfile(portal, admin, ana.user_id, given)
    const giver = admin.email
    const [approvedOn, since] = [today(), new Date(portal.clock()).toISOString()]
    await pass(2)
    await editMany(portal, admin, { userIds: [ana.user_id], action: 'remove', types: ['HPD'] })
    const removedOn = today()
    await pass(2)

    expect((await readPerson('2099-01-01')).fields[0].message).toMatch('Escolha hoje')
    expect((await readArea()).emails).toEqual([])
    expect((await readArea(removedOn)).emails).toEqual([])
    expect((await readArea(approvedOn)).readers).toEqual([
      {
        user_id: ana.user_id,
        email: ana.email,
        full_name: ana.full_name,
        ...scope,
        since,
        through: 'approval-given',
        by: giver,
        until: given.valid_until,
      },
    ])
    expect(await readPerson(approvedOn)).toMatchObject({
      known: true,
      hindrance: null,
      areas: [{ type: 'HPD', since, through: 'approval-given', by: giver, until: given.valid_until }],
    })
    expect(await readPerson()).toMatchObject({ hindrance: 'no-types', areas: [] })
    // Before the trail's reach nothing is known, and today's state never stands in.
    expect(await readArea(before)).toMatchObject({ known: false, readers: [] })
    expect(await readPerson(before)).toMatchObject({ known: false, areas: [] })
  })

  test('names an ended access, a missing scope and a missing approval', async () => {
    expect(await readPerson()).toMatchObject({ hindrance: 'not-approved' })
    await patchProfile(portal, admin, ana.user_id, {
      approved: true,
      types: ['HPD'],
      marcas: [],
      estados: [],
    })
    expect(await readPerson()).toMatchObject({ hindrance: 'no-scope', areas: [{ type: 'HPD' }] })
    expect((await readArea()).emails).toEqual([])
    await patchProfile(portal, admin, ana.user_id, { ...scope, valid_until: today() })
    expect((await readArea()).emails).toEqual([ana.email])
    await pass(1)
    expect(await readPerson()).toMatchObject({ hindrance: 'ended' })
    expect((await readArea()).emails).toEqual([])
  })

  test('follows an area through a rename, and a deleted person under their pseudonym', async () => {
    await patchProfile(portal, admin, ana.user_id, { approved: true, types: ['HPD'], ...scope })
    const then = today()
    await pass(2)
    const rename = (label: string) =>
      send(portal, 'PATCH', '/api/catalogue/types/hpd', { token: admin.token, body: { label } })
    expect((await rename('Peças')).status).toBe(200)
    expect((await readArea()).emails).toEqual([ana.email])
    expect((await readArea(then)).emails).toEqual([ana.email])
    const body = { userIds: [ana.user_id] }
    await send(portal, 'POST', '/api/functions/delete-users', { token: admin.token, body })
    const { readers } = await readArea(then)
    expect(readers).toMatchObject([{ email: null, full_name: null, through: 'approval-given' }])
    expect(readers[0].user_id).not.toBe(ana.user_id)
    expect((await readArea()).emails).toEqual([])
    await rename('HPD')
  })

  test('tells two areas apart that had the same name one after the other', async () => {
    await patchProfile(portal, admin, ana.user_id, { approved: true, types: ['HPD'], ...scope })
    const bia = await addPerson(portal, { types: ['CRM'], created_at: new Date('2020-01-01'), ...scope })
    const then = today()
    await pass(2)
    const rename = async (slug: string, label: string) => {
      const call = { token: admin.token, body: { label } }
      expect((await send(portal, 'PATCH', `/api/catalogue/types/${slug}`, call)).status).toBe(200)
    }
    // The entries tell of the names of their time, the lists of those of now.
    await patchProfile(portal, admin, ana.user_id, { types: ['HPD', 'Vendas'] })
    await rename('hpd', 'Peças')
    await rename('crm', 'HPD')
    await patchProfile(portal, admin, bia.user_id, { types: ['HPD', 'Peças'] })
    const readCrm = async (on: string) =>
      (await send(portal, 'GET', `/api/access/crm?on=${on}`, admin)).body.readers
    expect((await readArea(then)).emails).toEqual([ana.email])
    expect((await readCrm(then)).map(({ email }: Profile) => email)).toEqual([bia.email])
    expect((await readPerson()).areas).toContainEqual(
      expect.objectContaining({ type: 'Peças', through: 'approval-given' }),
    )
    expect((await readArea()).readers).toMatchObject([{ email: ana.email }, { through: 'types-set' }])

    const find = async (area: string) => {
      const { items } = (await send(portal, 'GET', `/api/audit?area=${encodeURIComponent(area)}`, admin)).body
      return items.map(({ action, target_email }: Record<string, string>) => [action, target_email])
    }
    const renamed = ['catalogue-item-changed', null]
    expect(await find('Peças')).toEqual([['types-set', bia.email], renamed, ['approval-given', ana.email]])
    expect(await find('HPD')).toEqual([renamed])
    await rename('crm', 'CRM')
    await rename('hpd', 'HPD')
  })

  test('shows people deleted since whom no entry names, and counts those of whom nothing is kept', async () => {
    const { db } = portal.database
    const addOld = (name: string) =>
      addPerson(portal, {
        email: `${name}@grupopatio.com.br`,
        types: ['HPD'],
        created_at: new Date('2020-01-01'),
        ...scope,
      })
    await patchProfile(portal, admin, ana.user_id, { approved: true })
    const [bia, old, young] = [await addOld('bia'), await addOld('old'), await addOld('young')]
    const then = today()
    await pass(2)
    await db
      .updateTable('profiles')
      .set({ created_at: new Date(portal.clock()) })
      .where('user_id', '=', young.user_id)
      .execute()
    const body = { userIds: [bia.user_id, young.user_id] }
    await send(portal, 'POST', '/api/functions/delete-users', { token: admin.token, body })
    // As earlier versions deleted people.
    await db.deleteFrom('profiles').where('user_id', '=', old.user_id).execute()
    const entry = { at: new Date(portal.clock()), action: 'user-deleted', target_id: randomUUID() }
    await db.insertInto('audit_entries').values(entry).execute()
    expect(await readArea(then)).toMatchObject({
      unknown: 1,
      readers: [{ email: null, through: null, ...scope }],
    })
    expect(await readArea()).toMatchObject({ unknown: 0, readers: [] })
    const { body: file } = await send(portal, 'GET', `/api/access/hpd/export?on=${then}`, admin)
    expect(file.csv).toContain('De 1 conta excluída depois deste dia não há registro')
  })

  test('exports who sees an area as CSV, which is an entry of the trail', async () => {
    await patchProfile(portal, admin, ana.user_id, { approved: true, types: ['HPD'], ...scope })
    const { body } = await send(portal, 'GET', '/api/access/hpd/export', admin)
    expect(body).toMatchObject({ people: 1 })
    expect(body.csv).toContain(`${ana.email};`)
    expect(body.csv).toContain(';Aprovação;')
    const { body: trail } = await send(portal, 'GET', '/api/audit?action=access-exported', admin)
    expect(trail.items).toMatchObject([{ after: { type: 'HPD', people: 1 } }])
    const past = await send(portal, 'GET', '/api/access/hpd/export?on=2001-01-01', admin)
    expect(past.body).toMatchObject({ people: 0, csv: '\ufeffNão há registro deste dia\r\n' })
  })
})
