import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { type Invitation, type InviteForm, invitationMessages } from '#contract/invitations.ts'
import { adminMessages, toSaoPauloDay } from '#contract/user-rules.ts'
import { NEW_PASSWORD, receiveMail, useLink } from '#server/testing/account-calls.ts'
import {
  type Admin,
  approveMany,
  listPage,
  openAdmin,
  readPerson,
  readTrail,
  removeAllPeople,
} from '#server/testing/admin-calls.ts'
import { addPerson, openTestSession, send } from '#server/testing/builders.ts'
import { searchDatabase } from '#server/testing/canaries.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const GIVEN = { types: ['Vendas'], marcas: ['FIAT'], estados: ['RJ'] }
const DAY = 24 * 60 * 60_000
const at = (name: string) => `${name}@grupopatio.com.br`

describeOnEachDatabase('open invitations', (kind) => {
  const portal = setUpPortal({ kind })
  let admin: Admin
  beforeEach(async () => {
    for (const table of ['invitations', 'rate_limits', 'email_links', 'mail_outbox'] as const)
      await portal.database.db.deleteFrom(table).execute()
    await removeAllPeople(portal)
    admin = await openAdmin(portal, { email: at('chefe') })
  })

  const call = (method: string, path = '', body?: object, by = admin) =>
    send(portal, method, `/api/invitations${path}`, { token: by.token, body })
  const invite = (names: string[], form: Partial<InviteForm> = {}) =>
    call('POST', '', { addresses: names.map(at).join('\n'), defaults: GIVEN, ...form })
  const list = async () => (await call('GET')).body.items as Invitation[]
  const toItems = (invitations: Invitation[]) => invitations.map(({ id, version }) => ({ id, version }))
  const change = (invitations: Invitation[], body: object, by = admin) =>
    call('POST', '/change', { items: toItems(invitations), action: 'add', ...GIVEN, ...body }, by)
  const toIds = (invitations: Invitation[]) => ({ ids: invitations.map(({ id }) => id) })
  const accept = async (name: string) => {
    const { link } = (await receiveMail(portal, at(name), 'invitation')) ?? {}
    return useLink(portal, 'invite', link, { password: NEW_PASSWORD })
  }
  const day = (days: number) => toSaoPauloDay(portal.clock() + days * DAY)

  test('are changed together; each gives what it says when it is accepted', async () => {
    await invite(['ana', 'rui'])
    const shown = await list()
    expect(
      await change(shown, { types: ['CRM'], marcas: [], estados: [], valid_until: day(9) }),
    ).toMatchObject({ status: 200, body: { changed: 2 } })
    const given = { ...GIVEN, types: ['Vendas', 'CRM'], valid_until: day(9) }
    expect(await list()).toMatchObject([
      { ...given, version: 1 },
      { ...given, version: 1 },
    ])
    expect((await change(await list(), { types: ['CRM'], marcas: [], estados: [] })).body).toEqual({
      changed: 0,
    })
    const [last] = (await list()).filter(({ email }) => email === at('rui'))
    const replaced = { types: ['HPD'], marcas: ['GM'], estados: [] }
    await change([last as Invitation], { action: 'replace', ...replaced, valid_until: null })
    await accept('ana')
    await accept('rui')
    const people = (await listPage(portal, admin, { sort: 'email' })).items
    expect(people.map(({ email, types, valid_until }) => [email, types, valid_until])).toEqual([
      [at('ana'), ['Vendas', 'CRM'], day(9)],
      [admin.email, expect.anything(), null],
      [at('rui'), ['HPD'], null],
    ])
    const entries = (await readTrail(portal)).filter(({ action }) => action === 'invitation-changed')
    expect(entries).toHaveLength(3)
    expect(entries.at(-1)).toMatchObject({
      before: { email: at('rui'), types: ['Vendas', 'CRM'], valid_until: day(9) },
      after: { email: at('rui'), ...replaced, valid_until: null },
    })
  })

  test('of which one was changed, accepted or withdrawn meanwhile are not changed at all', async () => {
    await invite(['ana', 'rui', 'leo'])
    const shown = await list()
    const other = await openAdmin(portal)
    const [first, second] = shown as [Invitation, Invitation]
    expect((await change([first], { types: ['CRM'] }, other)).status).toBe(200)
    const conflict = { status: 409, body: { detail: invitationMessages.editedMeanwhile } }
    expect(await change(shown, { types: ['HPD'] })).toMatchObject(conflict)
    expect((await list()).filter(({ types }) => types.includes('HPD'))).toEqual([])
    await call('DELETE', `/${second.id}`)
    expect(await change([second], { types: ['HPD'] })).toMatchObject(conflict)
    const both = await Promise.all(
      [admin, other].map((by) => change([shown[2] as Invitation], { types: ['HPD'] }, by)),
    )
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
  })

  test('take neither unknown nor archived items, nor a day that has passed', async () => {
    await invite(['ana', 'rui'])
    const shown = await list()
    expect((await change(shown, { types: ['Nada'] })).status).toBe(400)
    await portal.database.db
      .updateTable('catalogue_items')
      .set({ archived: true })
      .where('code', '=', 'FIAT')
      .execute()
    expect((await change(shown, {})).status).toBe(400)
    // One that has it already keeps it.
    expect((await change(shown.slice(0, 1), { types: ['CRM'] })).status).toBe(200)
    await portal.database.db.updateTable('catalogue_items').set({ archived: false }).execute()
    const passed = { valid_until: day(-1) }
    for (const reply of [await change(shown, passed), await invite(['leo'], passed)])
      expect(reply).toMatchObject({
        status: 400,
        body: { fields: [{ path: 'valid_until', message: adminMessages.dayPassed }] },
      })
  })

  test('give nothing once the last day of their access has passed', async () => {
    await invite(['ana'], { valid_until: day(0) })
    const { link, text } = (await receiveMail(portal, at('ana'), 'invitation')) ?? {}
    expect(text).toContain(`O acesso vale até ${day(0).split('-').reverse().join('/')}.`)
    portal.clock.advance(DAY)
    admin = { ...admin, token: (await openTestSession(portal, admin)).access_token }
    expect((await useLink(portal, 'invite', link, { password: NEW_PASSWORD })).status).toBe(400)
    const [ended] = (await list()) as [Invitation]
    expect(ended).toMatchObject({ expired: true })
    expect(await call('POST', `/${ended.id}/resend`)).toMatchObject({
      status: 409,
      body: { detail: invitationMessages.endPassed },
    })
    expect((await call('POST', '/resend', toIds([ended]))).body).toEqual({ sent: 0, left: 1, gone: 0 })
    await change([ended], { valid_until: null })
    expect((await call('POST', '/resend', toIds([ended]))).body).toEqual({ sent: 1, left: 0, gone: 0 })
    expect((await accept('ana')).status).toBe(200)
  })

  test('are sent again together, at most once a minute, and are then the sender’s', async () => {
    await invite(['ana', 'rui'])
    const shown = await list()
    await portal.outbox.deliverDue()
    expect((await call('POST', '/resend', toIds(shown))).body).toEqual({ sent: 0, left: 2, gone: 0 })
    portal.clock.advance(60_000)
    const other = await openAdmin(portal)
    const both = await Promise.all([admin, other].map((by) => call('POST', '/resend', toIds(shown), by)))
    expect(both.map(({ body }) => body.sent).toSorted()).toEqual([0, 2])
    await portal.outbox.deliverDue()
    expect(portal.mails.filter(({ to, kind }) => kind === 'invitation' && to === at('ana'))).toHaveLength(2)
  })

  test('are withdrawn together, and their addresses erased; an import counts what is left', async () => {
    await invite(['ana', 'rui', 'leo'])
    const shown = (await list()).filter(({ email }) => email !== at('leo'))
    const count = async () =>
      (await send(portal, 'GET', '/api/profiles/tasks', { token: admin.token })).body.invitations
    expect(await count()).toBe(3)
    expect((await call('POST', '/withdraw', toIds(shown))).body).toEqual({ withdrawn: 2, gone: 0 })
    expect((await call('POST', '/withdraw', toIds(shown))).body).toEqual({ withdrawn: 0, gone: 2 })
    expect(await searchDatabase(portal.database.db, at('ana'))).toEqual([])
    expect(await searchDatabase(portal.database.db, at('leo'))).not.toEqual([])
    expect(await count()).toBe(1)
  })

  test('lose their effect when an administrator approves several accounts', async () => {
    await invite(['ana', 'rui'])
    const waiting = await addPerson(portal, { email: at('ana'), approved: false })
    const item = { userId: waiting.user_id, version: 1, ...GIVEN }
    expect((await approveMany(portal, admin, [item])).status).toBe(200)
    expect((await list()).map(({ email }) => email)).toEqual([at('rui')])
    const lost = (await readTrail(portal)).filter(({ action }) => action === 'invitation-lost')
    expect(lost).toMatchObject([{ target_id: waiting.user_id, before: { email: at('ana') } }])
  })

  // 0.2 knows no last day: it writes none, and names none in the entry.
  test.each(['before', 'after'])('give their last day also by 0.2, deleted %s its entry', async (order) => {
    await invite(['ana'], { valid_until: day(9) })
    const { user_id, email } = await addPerson(portal, { email: at('ana'), approved: true })
    await portal.database.db.transaction().execute(async (db) => {
      const remove = () => db.deleteFrom('invitations').where('email', '=', email).execute()
      if (order === 'before') await remove()
      await sql`insert into audit_entries (at, action, target_id, target_email, after)
        values (now(), 'invitation-accepted', ${user_id}, ${email}, '{"approved": true, "valid_until": null}')`.execute(
        db,
      )
      if (order === 'after') await remove()
    })
    expect((await readPerson(portal, admin, user_id)).valid_until).toBe(day(9))
  })
})
