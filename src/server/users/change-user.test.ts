import { beforeEach, describe, expect, test } from 'vitest'
import type { Profile } from '#contract/users.ts'
import { receiveMail } from '#server/testing/account-calls.ts'
import { openAdmin, patchProfile, readPerson, readTrail, withRowLock } from '#server/testing/admin-calls.ts'
import { addPerson, openTestSession, send, UNKNOWN_ID } from '#server/testing/builders.ts'
import { setUpAdmin, setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

describeOnEachDatabase('changing a user', (kind) => {
  const portal = setUpPortal({ kind })
  const admin = setUpAdmin(portal)
  let person: Profile
  beforeEach(async () => {
    person = await addPerson(portal, { approved: false, types: [] })
  })
  const patch = (body: unknown, version?: number) =>
    patchProfile(portal, admin, person.user_id, body, version)
  const listQueued = () => portal.database.db.selectFrom('mail_outbox').select('kind').execute()

  test('approves, queues a mail, and writes an audit entry', async () => {
    const { status, body } = await patch({ approved: true })
    expect(status).toBe(200)
    expect(body).toMatchObject({ user_id: person.user_id, approved: true, version: 2 })
    // The mail waits for the undo.
    await portal.outbox.deliverDue()
    expect(portal.mails).toEqual([])
    await portal.database.db
      .updateTable('mail_outbox')
      .set({ due_at: new Date(0) })
      .execute()
    expect(await receiveMail(portal, person.email)).toMatchObject({
      kind: 'account-approved',
      text: expect.stringContaining('mas ainda não há relatórios liberados para você'),
    })
    expect(await readTrail(portal)).toMatchObject([
      {
        at: new Date(portal.clock()),
        actor_id: admin.user_id,
        actor_email: admin.email,
        action: 'approval-given',
        target_id: person.user_id,
        target_email: person.email,
        before: { approved: false },
        after: { approved: true },
        ip: '127.0.0.1',
        batch_id: body.undoId,
      },
    ])
  })

  test('approves with entitlements: one version, one audit entry, one mail', async () => {
    const wanted = { approved: true, types: ['CRM', 'Vendas'], marcas: ['VW'], estados: ['RJ', 'ES'] }
    const lists = { types: ['Vendas', 'CRM'], marcas: ['VW'], estados: ['RJ', 'ES'] }
    expect((await patch(wanted, 1)).body).toMatchObject({ approved: true, ...lists, version: 2 })
    expect(await readTrail(portal)).toMatchObject([
      {
        action: 'approval-given',
        before: { approved: false, types: [], marcas: ['FIAT'], estados: ['RJ'] },
        after: { approved: true, ...lists },
      },
    ])
    expect(await listQueued()).toEqual([{ kind: 'account-approved' }])
    // Repeated, it changes nothing; with other lists it conflicts.
    expect((await patch(wanted)).body).toMatchObject({ version: 2 })
    expect(await patch({ ...wanted, types: [] })).toMatchObject({ status: 409, body: { code: 'conflict' } })
    expect(await readPerson(portal, admin, person.user_id)).toMatchObject({ ...lists, version: 2 })
    expect(await readTrail(portal)).toHaveLength(1)
  })

  test('audits that the address is unverified', async () => {
    const stranger = await addPerson(portal, { approved: false, email_verified_at: null })
    await patchProfile(portal, admin, stranger.user_id, { approved: true })
    expect((await readTrail(portal)).at(-1)).toMatchObject({
      action: 'approval-given',
      after: { approved: true, email_verified: false },
    })
  })

  test('accepts one of two concurrent approvals with entitlements', async () => {
    const others = [admin, await openAdmin(portal)]
    const replies = await withRowLock(portal, person.user_id, () =>
      others.map((each, index) => {
        const types = [index === 0 ? 'CRM' : 'HPD']
        return patchProfile(portal, each, person.user_id, {
          approved: true,
          types,
          marcas: ['VW'],
          estados: ['RJ'],
        })
      }),
    )
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(await listQueued()).toHaveLength(1)
    expect(await readTrail(portal)).toHaveLength(1)
  })

  test('withdraws the approval without a mail, from the next request on', async () => {
    await patch({ approved: true })
    const { access_token: token } = await openTestSession(portal, person)
    expect((await send(portal, 'GET', '/api/reports/me', { token })).body).toMatchObject({ approved: true })
    expect((await patch({ approved: false })).body).toMatchObject({ approved: false, version: 3 })
    expect((await send(portal, 'GET', '/api/reports/me', { token })).body).toMatchObject({ approved: false })
    expect(await listQueued()).toHaveLength(1)
    expect((await readTrail(portal)).map(({ action }) => action)).toEqual([
      'approval-given',
      'approval-removed',
    ])
  })

  test('stores types in tab order, marcas and estados in contract order, deduplicated', async () => {
    expect((await patch({ types: ['CRM', 'Vendas', 'CRM', 'Oficina'] })).body).toMatchObject({
      types: ['Vendas', 'Oficina', 'CRM'],
      marcas: ['FIAT'],
      version: 2,
    })
    expect((await patch({ marcas: ['VW', 'GM'], estados: [] })).body).toMatchObject({
      types: ['Vendas', 'Oficina', 'CRM'],
      marcas: ['GM', 'VW'],
      estados: [],
      version: 3,
    })
    expect(await readTrail(portal)).toMatchObject([
      { action: 'types-set', before: { types: [] }, after: { types: ['Vendas', 'Oficina', 'CRM'] } },
      {
        action: 'scope-set',
        before: { marcas: ['FIAT'], estados: ['RJ'] },
        after: { marcas: ['GM', 'VW'], estados: [] },
      },
    ])
    expect(await readPerson(portal, admin, person.user_id)).toMatchObject({
      marcas: ['GM', 'VW'],
      version: 3,
    })
  })

  test.each([{ approved: false }, { types: [] }, { marcas: ['FIAT'], estados: ['RJ', 'RJ'] }])(
    '%j has no effect and no audit entry',
    async (body) => {
      expect((await patch(body)).body).toMatchObject({ version: 1 })
      expect(await readTrail(portal)).toEqual([])
      expect(await listQueued()).toEqual([])
    },
  )

  test('rejects a stale If-Match', async () => {
    const { version } = await readPerson(portal, admin, person.user_id)
    const other = await openAdmin(portal)
    await patchProfile(portal, other, person.user_id, { types: ['CRM'] }, version)
    const late = await patch({ types: ['Vendas'] }, version)
    expect(late).toMatchObject({ status: 409, body: { code: 'conflict' } })
    expect(late.body.detail).toContain('Outra pessoa alterou este usuário')
    expect((await readPerson(portal, admin, person.user_id)).types).toEqual(['CRM'])
    expect(await readTrail(portal)).toHaveLength(1)
    // The current version succeeds; without If-Match there is no check.
    expect((await patch({ types: ['Vendas'] }, version + 1)).status).toBe(200)
    expect((await patch({ types: ['HPD'] })).status).toBe(200)
  })

  test('accepts one of two concurrent changes with If-Match', async () => {
    const others = [admin, await openAdmin(portal)]
    const replies = await withRowLock(portal, person.user_id, () =>
      others.map((each) => patchProfile(portal, each, person.user_id, { approved: true }, 1)),
    )
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const bothWays = await withRowLock(portal, person.user_id, () => [
      patchProfile(portal, admin, person.user_id, { types: ['Vendas'] }, 2),
      patchProfile(portal, admin, person.user_id, { marcas: ['VW'], estados: ['ES'] }, 2),
    ])
    expect(bothWays.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(await readTrail(portal)).toHaveLength(2)
    expect((await readPerson(portal, admin, person.user_id)).version).toBe(3)
  })

  test('sends one mail for two concurrent approvals without If-Match', async () => {
    await withRowLock(portal, person.user_id, () => [patch({ approved: true }), patch({ approved: true })])
    expect(await listQueued()).toHaveLength(1)
    expect(await readTrail(portal)).toHaveLength(1)
  })

  test('fails with not-found for a deleted user', async () => {
    const reply = await patchProfile(portal, admin, UNKNOWN_ID, { approved: true })
    expect(reply).toMatchObject({ status: 404, body: { code: 'not-found' } })
    expect((await send(portal, 'GET', `/api/profiles/${UNKNOWN_ID}`, admin)).status).toBe(404)
  })

  describe('refuses', () => {
    test.each([
      ['nothing', {}],
      ['two at once', { types: [], approved: true }],
      ['an approval with types alone', { approved: true, types: [] }],
      ['entitlements with an approval taken', { approved: false, types: [], marcas: [], estados: [] }],
      ['marcas without estados', { marcas: ['FIAT'] }],
      ['estados without marcas', { estados: ['RJ'] }],
      ['a type that does not exist', { types: ['Compras'] }],
      ['a type in lower case', { types: ['vendas'] }],
      ['an older spelling', { types: ['administrativo'] }],
      ['a marca that does not exist', { marcas: ['FIAT', 'BYD'], estados: [] }],
      ['what would break out of an identity', { marcas: ['FIAT|U:SP'], estados: [] }],
      ['an estado that does not exist', { marcas: [], estados: ['SP'] }],
      ['more than a list may hold', { marcas: Array(101).fill('VW'), estados: [] }],
      ['a word for a truth value', { approved: 'true' }],
      ['null', { approved: null }],
      ['another column', { approved: true, email: 'x@grupopatio.com.br' }],
      ['the role', { role: 'admin' }],
    ])('%s', async (_, body) => {
      expect(await patch(body)).toMatchObject({ status: 400, body: { code: 'invalid-input' } })
      expect(await readPerson(portal, admin, person.user_id)).toMatchObject({
        version: 1,
        email: person.email,
      })
    })

    test('a prototype as a key', async () => {
      const reply = await fetch(`${portal.url}/api/profiles/${person.user_id}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${admin.token}` },
        body: '{"approved":true,"__proto__":{"email":"x@grupopatio.com.br"}}',
      })
      expect(reply.status).toBe(400)
    })

    test('a malformed If-Match, and a version that never existed', async () => {
      for (const [tag, status] of [
        ['1', 400],
        ['W/"1"', 400],
        ['"0"', 409],
        ['"01"', 409],
        ['"x"', 409],
      ] as const) {
        const reply = await send(portal, 'PATCH', `/api/profiles/${person.user_id}`, {
          token: admin.token,
          body: { approved: true },
          headers: { 'if-match': tag },
        })
        expect(reply.status, tag).toBe(status)
      }
    })
  })
})
