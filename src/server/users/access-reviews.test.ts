import { beforeEach, expect, test } from 'vitest'
import type { ReplyNamed } from '#contract/index.ts'
import { readConfig } from '#server/config.ts'
import { createRetentionRules } from '#server/operations/retention-rules.ts'
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

type Holders = ReplyNamed<'GET /api/access-reviews/{kind}/{code}'>

describeOnEachDatabase('access review', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  const admin = setUpAdmin(portal, { email: 'admin@grupopatio.com.br', types: [], marcas: [] })
  beforeEach(() => portal.database.db.deleteFrom('access_reviews').execute())
  const add = (name: string, rest: object = {}) =>
    addPerson(portal, { email: `${name}@grupopatio.com.br`, types: ['CRM'], marcas: ['VW'], ...rest })
  const read = async (path = 'types/crm'): Promise<Holders> => {
    const { status, body } = await send(portal, 'GET', `/api/access-reviews/${path}`, admin)
    expect(status, JSON.stringify(body)).toBe(200)
    return body
  }
  const save = (fingerprint: string, remove: string[], path = 'types/crm', by = admin) =>
    send(portal, 'POST', `/api/access-reviews/${path}`, { token: by.token, body: { fingerprint, remove } })
  const list = async () =>
    (await send(portal, 'GET', '/api/access-reviews', admin)).body as ReplyNamed<'GET /api/access-reviews'>
  const listMails = () =>
    portal.database.db
      .selectFrom('mail_outbox')
      .select(['kind', 'recipient'])
      .where('kind', '=', 'access-changed')
      .execute()
  const listNames = ({ people }: Holders) => people.map(({ email }) => email.split('@')[0])

  test('lists the holders of an area or a brand with `since` and their last sign-in', async () => {
    const seen = new Date(portal.clock() - 1000)
    await add('bia', { last_sign_in_at: seen, full_name: 'Bia' })
    const ana = await add('ana', { types: ['Administrativo'], approved: false })
    await add('caio', { types: ['administrativo'], marcas: ['GM'] })
    expect(listNames(await read())).toEqual(['bia'])
    await patchProfile(portal, admin, ana.user_id, { types: ['CRM'] })
    portal.clock.advance(60_000)
    await patchProfile(portal, admin, ana.user_id, { types: ['CRM', 'HPD'] })
    const { people } = await read()
    expect(people).toMatchObject([
      { email: 'ana@grupopatio.com.br', approved: false, last_sign_in_at: null },
      { full_name: 'Bia', since: null, last_sign_in_at: seen.toISOString() },
    ])
    expect(people[0]?.since).toBe(new Date(portal.clock() - 60_000).toISOString())
    expect(people[0]).toMatchObject({ types: ['HPD', 'CRM'], marcas: ['VW'] })
    expect(listNames(await read('types/administrativo'))).toEqual(['caio'])
    expect(listNames(await read('marcas/VW'))).toEqual(['ana', 'bia'])
  })

  test.each([1, 0])(
    'that took it from %i people is undone: they have it, and it is open again',
    async (count) => {
      const ana = await add('ana')
      const removed = count === 1 ? [ana.user_id] : []
      const { body } = await save((await read()).fingerprint, removed)
      expect((await list()).past).toHaveLength(1)
      const undone = await undoEdit(portal, admin, body.undoId)
      expect([undone.status, undone.body]).toEqual([200, { restored: count, changed: [] }])
      expect(await listMails()).toEqual([])
      expect((await list()).past).toEqual([])
      expect(listNames(await read())).toEqual(['ana'])
      expect(await undoEdit(portal, admin, body.undoId)).toMatchObject({ status: 404 })
    },
  )

  test('keeps `since` across renames of an area and ignores access requests', async () => {
    const ana = await add('ana', { types: [] })
    await patchProfile(portal, admin, ana.user_id, { types: ['CRM'] })
    const givenAt = new Date(portal.clock()).toISOString()
    portal.clock.advance(60_000)
    const rename = (label: string) =>
      send(portal, 'PATCH', '/api/catalogue/types/crm', { token: admin.token, body: { label } })
    expect((await rename('Clientes')).status).toBe(200)
    expect(await read()).toMatchObject({ label: 'Clientes', people: [{ since: givenAt }] })
    await rename('CRM')
    await portal.database.db
      .insertInto('audit_entries')
      .values({
        at: new Date(portal.clock()),
        action: 'access-requested',
        target_id: ana.user_id,
        after: JSON.stringify({ types: ['CRM'] }),
      } as never)
      .execute()
    expect((await read()).people[0]?.since).toBe(givenAt)
  })

  test('removes it from the given people, keeps the others, and is audited', async () => {
    const ana = await add('ana', { types: ['CRM', 'HPD'] })
    const bia = await add('bia')
    const { fingerprint } = await read()
    const { status, body } = await save(fingerprint, [ana.user_id.toUpperCase()])
    expect([status, body]).toMatchObject([200, { kept: 1, removed: 1, undoSeconds: 30 }])
    expect(await listMails()).toEqual([{ kind: 'access-changed', recipient: ana.email }])
    expect((await readPerson(portal, admin, ana.user_id)).types).toEqual(['HPD'])
    expect(await readPerson(portal, admin, bia.user_id)).toMatchObject({ types: ['CRM'], version: 1 })
    expect(await readTrail(portal)).toMatchObject([
      {
        action: 'access-review-removed',
        target_id: ana.user_id,
        before: { types: ['CRM', 'HPD'] },
        after: { types: ['HPD'] },
      },
      { action: 'access-reviewed', after: { kind: 'types', code: 'crm', label: 'CRM', kept: 1, removed: 1 } },
    ])
    const { items, past } = await list()
    const result = {
      reviewed_at: new Date(portal.clock()).toISOString(),
      reviewer_email: 'admin@grupopatio.com.br',
      kept: 1,
      removed: 1,
    }
    expect(past).toMatchObject([{ kind: 'types', code: 'crm', label: 'CRM', ...result }])
    expect((await read()).reviewed_at).toBe(result.reviewed_at)
    expect((await read('marcas/VW')).reviewed_at).toBeNull()
    const readNames = async () =>
      (await send(portal, 'GET', `/api/past-access-reviews/${past[0]?.id}`, admin)).body.people
    const kept = { email: bia.email, full_name: null, removed: false }
    expect(await readNames()).toMatchObject([{ email: ana.email, removed: true }, kept])
    await send(portal, 'POST', '/api/functions/delete-users', {
      token: admin.token,
      body: { userIds: [ana.user_id] },
    })
    expect(await readNames()).toMatchObject([kept])
    expect(items.at(-1)).toMatchObject({ code: 'crm', people: 1, last: result })
    expect(items.filter(({ last }) => last)).toHaveLength(1)
  })

  test('fails without effect when the holders have changed', async () => {
    const ana = await add('ana')
    const { fingerprint } = await read()
    await patchProfile(portal, admin, ana.user_id, { types: [] })
    const bia = await add('bia')
    for (const remove of [[], [bia.user_id], [ana.user_id]])
      expect((await save(fingerprint, remove)).status).toBe(409)
    const { fingerprint: fresh } = await read()
    expect((await save(fresh, [UNKNOWN_ID])).status).toBe(409)
    expect((await list()).past).toEqual([])
    expect((await readPerson(portal, admin, bia.user_id)).types).toEqual(['CRM'])
    expect((await save(fresh, [])).body).toMatchObject({ kept: 1, removed: 0 })
    for (const path of ['types/nada', 'marcas/crm']) expect((await save(fresh, [], path)).status).toBe(404)
    expect((await save(fresh, [], 'estados/RJ')).status).toBe(400)
  })

  test('succeeds once when two administrators review concurrently', async () => {
    const [ana, bia] = [await add('ana'), await add('bia')]
    const other = await openAdmin(portal, { types: [], marcas: [] })
    const { fingerprint } = await read()
    const replies = await withRowLock(portal, ana.user_id, () => [
      save(fingerprint, [ana.user_id]),
      save(fingerprint, [bia.user_id], 'types/crm', other),
    ])
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect((await list()).past).toHaveLength(1)
    expect((await read()).people).toHaveLength(1)
  })

  test('outlives its reviewer without the name; retention keeps the newest of each item', async () => {
    const ana = await add('ana')
    const other = await openAdmin(portal, { types: [], marcas: [] })
    await save((await read()).fingerprint, [], 'types/crm', other)
    const mine = await send(portal, 'GET', `/api/profiles/${other.user_id}/export`, admin)
    expect(mine.body.access_reviews).toMatchObject([{ kind: 'types', code: 'crm', kept: 1, removed: 0 }])
    const body = { userIds: [other.user_id] }
    await send(portal, 'POST', '/api/functions/delete-users', { token: admin.token, body })
    expect((await list()).past).toMatchObject([{ reviewer_email: null, kept: 1 }])
    portal.clock.advance(1_000)
    await editMany(portal, admin, { userIds: [ana.user_id], action: 'add', types: ['HPD'] })
    await save((await read()).fingerprint, [])
    await save((await read('types/hpd')).fingerprint, [], 'types/hpd')
    const rule = createRetentionRules({ ...readConfig({}).retention, auditMonths: 1 }).find(
      ({ name }) => name === 'access reviews',
    )
    const later = portal.clock() + 40 * 24 * 60 * 60_000
    expect(await rule?.deleteBatch(portal.database.db, later, 100)).toBe(1)
    expect((await list()).past.map(({ code, reviewer_email }) => [code, reviewer_email])).toEqual(
      expect.arrayContaining([
        ['crm', 'admin@grupopatio.com.br'],
        ['hpd', 'admin@grupopatio.com.br'],
      ]),
    )
  })
})
