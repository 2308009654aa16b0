import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { toSaoPauloDay } from '#contract/user-rules.ts'
import { receiveMail } from '#server/testing/account-calls.ts'
import {
  type Admin,
  editMany,
  openAdmin,
  patchProfile,
  readPerson,
  readTrail,
  requestPage,
  undoEdit,
} from '#server/testing/admin-calls.ts'
import { addPerson, configureReports, openTestSession, send } from '#server/testing/builders.ts'
import { searchDatabase } from '#server/testing/canaries.ts'
import { setUpDigest } from '#server/testing/set-up-digest.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const DAY_MS = 24 * 60 * 60_000
const HELD = { types: ['Vendas'], marcas: ['FIAT'], estados: ['RJ'] }
const ASKED = { types: ['Vendas', 'CRM'], marcas: ['VW'], estados: ['RJ'], note: 'Cubro as férias da Ana.' }
const MISSING = { types: ['CRM'], marcas: ['VW'], estados: [] }
const GRANTED = { types: ['Vendas', 'CRM'], marcas: ['FIAT', 'VW'], estados: ['RJ'] }

describeOnEachDatabase('request for more of an approved person', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false, publicUrl: 'https://portal.example' })
  const { admins, listQueued, makeDue } = setUpDigest(portal, 'waiting-digest')
  let admin: Admin
  let person: Awaited<ReturnType<typeof addPerson>>
  let token: string
  beforeEach(async () => {
    admin = await openAdmin(portal)
    admins.push(admin.email)
    person = await addPerson(portal, { ...HELD, full_name: 'Rita Prado' })
    token = (await openTestSession(portal, person)).access_token
  })
  const ask = (body: object = ASKED) => send(portal, 'PUT', '/api/access-requests/me', { token, body })
  const readOwn = async () => (await send(portal, 'GET', '/api/access-requests/me', { token })).body
  const readAs = (by = admin) => readPerson(portal, by, person.user_id)
  const countRequests = async () => (await send(portal, 'GET', '/api/profiles/count', admin)).body.requests
  const listRequests = async () => {
    const { items } = (await requestPage(portal, admin, { requesting: 'true' })).body
    return items.map(({ email }: { email: string }) => email)
  }
  const answer = async (what: 'grant' | 'refuse', wanted: Answer = {}) => {
    const { by = admin, reason = 'Fale com o gerente.' } = wanted
    const {
      requested_at = '2026-11-22T12:00:00.000Z',
      types,
      marcas,
      estados,
    } = wanted.seen ?? (await readSeen())
    return send(portal, 'POST', `/api/access-requests/${person.user_id}/${what}`, {
      token: by.token,
      body: { requested_at, ...(what === 'refuse' ? { reason } : { types, marcas, estados }) },
    })
  }
  type Seen = typeof MISSING & { requested_at?: string }
  type Answer = { seen?: Seen; reason?: string; by?: Admin }
  const readSeen = async () => ((await readAs()).request ?? MISSING) as Seen
  const expectGone = async () => {
    expect(await countRequests()).toBe(0)
    expect(await listRequests()).toEqual([])
    expect((await readAs()).request).toBeNull()
    expect(await readOwn()).toMatchObject({ request: null })
  }
  const change = (body: object) => patchProfile(portal, admin, person.user_id, body)

  test('holds what is missing and the reason, and stands in the queue', async () => {
    expect(await readOwn()).toEqual({ full_name: 'Rita Prado', held: HELD, request: null })
    const { status, body } = await ask()
    expect([status, body]).toMatchObject([
      200,
      { held: HELD, request: { ...MISSING, note: ASKED.note, workplace: null, refused_at: null } },
    ])
    expect(await readOwn()).toEqual(body)
    expect(await countRequests()).toBe(1)
    expect(await listRequests()).toEqual([person.email])
    expect(await readAs()).toMatchObject({ approved: true, version: 1, request: MISSING })
    expect((await send(portal, 'GET', '/api/profiles/count', admin)).body).toMatchObject({ waiting: 0 })
    expect((await readTrail(portal)).at(-1)).toMatchObject({ action: 'access-requested', after: MISSING })
  })

  test('is told in the digest once, apart from people who wait for approval', async () => {
    await ask()
    await portal.outbox.deliverDue()
    await ask({ ...ASKED, marcas: ['GM'] })
    const digests = () => portal.mails.filter((mail) => mail.kind === 'waiting-digest')
    expect(digests().map(({ to }) => to)).toEqual(admins.toSorted())
    expect(digests()[0]).toMatchObject({
      subject: '1 pedido de acesso no portal Grupo Pátio',
      link: 'https://portal.example/admin#pedidos',
    })
    expect(digests()[0]?.text).toContain(person.email)
    expect(await listQueued()).toEqual([])

    const waiting = await addPerson(portal, { approved: false })
    const other = await addPerson(portal, HELD)
    const session = await openTestSession(portal, other)
    await send(portal, 'PUT', '/api/access-requests/me', { token: session.access_token, body: ASKED })
    await makeDue()
    await portal.outbox.deliverDue()
    const last = digests().at(-1)
    expect(last?.subject).toBe('1 pessoa aguarda aprovação e 2 pedidos de acesso no portal Grupo Pátio')
    expect(last?.text).toContain(`${waiting.email}\n`)
    expect(last?.text).toContain(`${other.email} (já tem acesso e pede mais)`)
  })

  test('is refused without a reason, or when nothing is missing', async () => {
    expect((await ask({ types: ['CRM'] })).body.fields).toMatchObject([{ path: 'note' }])
    expect((await ask({ ...HELD, note: 'Preciso.' })).body.fields).toMatchObject([{ path: 'types' }])
    expect((await ask({ types: ['Nada'], note: 'Preciso.' })).status).toBe(400)
    expect(await ask({ ...ASKED, full_name: 'Rita' })).toMatchObject({ status: 409 })
  })

  test('needs a verified e-mail and an access that has not ended', async () => {
    const set = (values: object) =>
      portal.database.db.updateTable('profiles').set(values).where('user_id', '=', person.user_id).execute()
    await set({ email_verified_at: null })
    expect((await ask()).body.detail).toContain('Confirme primeiro o seu e-mail')
    await set({ email_verified_at: new Date(), valid_until: toSaoPauloDay(portal.clock() - DAY_MS) })
    expect((await ask()).body.detail).toContain('Seu acesso terminou')
    expect(await readOwn()).toMatchObject({ held: null })
  })

  describe('granted', () => {
    test('adds what is missing in one audited edit with the reason', async () => {
      await ask()
      const { status, body } = await answer('grant')
      expect([status, body]).toMatchObject([200, { undoSeconds: 30 }])
      expect(await readAs()).toMatchObject({ ...GRANTED, version: 2 })
      await expectGone()
      const { estados: _, ...changed } = GRANTED
      expect((await readTrail(portal)).at(-1)).toMatchObject({
        action: 'access-granted',
        actor_id: admin.user_id,
        batch_id: body.undoId,
        before: { types: ['Vendas'], marcas: ['FIAT'] },
        after: { ...changed, reason: ASKED.note },
      })
    })

    test('mails the new access with links, but not before the undo has expired', async () => {
      await configureReports(portal, 'CRM')
      await ask()
      await answer('grant')
      await portal.outbox.deliverDue()
      expect(portal.mails.filter(({ to }) => to === person.email)).toEqual([])
      await makeDue()
      const mail = await receiveMail(portal, person.email)
      expect(mail).toMatchObject({
        kind: 'access-changed',
        subject: 'Seu acesso no portal Grupo Pátio mudou',
        link: 'https://portal.example/power-bi',
      })
      expect(mail?.text).toContain('- Área CRM: https://portal.example/power-bi?area=CRM')
      expect(mail?.text).toContain('- Área Vendas, ainda sem relatório')
      expect(mail?.text).toContain('- Marcas: FIAT, VW\n- Estados: RJ')
    })

    test('is undone with its mail: the request is back', async () => {
      await ask()
      const { undoId } = (await answer('grant')).body
      expect((await undoEdit(portal, admin, undoId)).body).toMatchObject({ restored: 1, changed: [] })
      expect(await readAs()).toMatchObject({ ...HELD, request: MISSING })
      expect((await readTrail(portal)).at(-1)).toMatchObject({
        action: 'bulk-edit-undone',
        after: { marcas: ['FIAT'] },
      })
      await makeDue()
      await portal.outbox.deliverDue()
      expect(portal.mails.filter(({ to }) => to === person.email)).toEqual([])
      expect((await answer('grant')).status).toBe(200)
    })

    test('twice is a clear conflict, and gives once', async () => {
      await ask()
      const other = await openAdmin(portal)
      const seen = await readSeen()
      const replies = await Promise.all([admin, other].map((by) => answer('grant', { by, seen })))
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409])
      expect(replies.find(({ status }) => status === 409)?.body.detail).toContain('já foi liberado')
      expect((await readAs()).version).toBe(2)
      expect((await answer('refuse', { seen })).body.detail).toContain('já foi liberado')
    })

    test('gives nothing where the request was changed since it was seen', async () => {
      await ask()
      const seen = await readSeen()
      await ask({ ...ASKED, types: ['HPD'] })
      const { status, body } = await answer('grant', { seen })
      expect([status, body.detail]).toEqual([409, expect.stringContaining('Este pedido mudou')])
      expect(await readAs()).toMatchObject(HELD)
    })

    test('gives nothing where more is missing than was seen', async () => {
      await ask()
      await change({ types: ['Vendas', 'CRM'] })
      const seen = await readSeen()
      expect(seen).toMatchObject({ types: [], marcas: ['VW'] })
      await change({ types: ['Vendas'] })
      const { status, body } = await answer('grant', { seen })
      expect([status, body.detail]).toEqual([409, expect.stringContaining('mudou desde que você leu')])
      expect(await readAs()).toMatchObject({ ...HELD, request: MISSING })
      expect((await answer('grant')).status).toBe(200)
    })

    test('gives no item that was archived meanwhile', async () => {
      await ask()
      await send(portal, 'PATCH', '/api/catalogue/marcas/VW', {
        token: admin.token,
        body: { archived: true },
      })
      expect((await readAs()).request).toMatchObject({ types: ['CRM'], marcas: [] })
      expect((await answer('grant')).status).toBe(200)
      expect(await readAs()).toMatchObject({ types: ['Vendas', 'CRM'], marcas: ['FIAT'] })
      await send(portal, 'PATCH', '/api/catalogue/marcas/VW', {
        token: admin.token,
        body: { archived: false },
      })
      await expectGone()
    })
  })

  describe('refused', () => {
    test('is audited, mailed with the reason and shown to the person until they ask again', async () => {
      await ask()
      expect((await answer('refuse', { reason: ' ' })).status).toBe(400)
      expect((await answer('refuse')).status).toBe(204)
      expect(await readAs()).toMatchObject({ ...HELD, request: null, version: 1 })
      expect(await countRequests()).toBe(0)
      expect(await readOwn()).toMatchObject({
        request: {
          ...MISSING,
          note: ASKED.note,
          refused_at: expect.any(String),
          refusal: 'Fale com o gerente.',
        },
      })
      expect((await readTrail(portal)).at(-1)).toMatchObject({
        action: 'access-refused',
        before: MISSING,
        after: { reason: 'Fale com o gerente.' },
      })
      expect((await answer('refuse')).status).toBe(409)
      const mail = await receiveMail(portal, person.email)
      expect(mail).toMatchObject({ kind: 'access-refused', link: 'https://portal.example/pedir-acesso' })
      expect(mail?.text).toContain('Você pediu CRM, VW.')
      expect(mail?.text).toContain('Fale com o gerente.')
      expect((await ask()).body).toMatchObject({ request: { refusal: null, refused_at: null } })
      expect(await countRequests()).toBe(1)
    })

    test('is not mailed once the person asks again or has it', async () => {
      await ask()
      await answer('refuse')
      await ask()
      await portal.outbox.deliverDue()
      expect(portal.mails.filter(({ to }) => to === person.email)).toEqual([])
    })
  })

  describe('disappears', () => {
    test('when it was given otherwise, in part or in full', async () => {
      await ask()
      await change({ types: ['Vendas', 'CRM'] })
      expect((await readAs()).request).toMatchObject({ types: [], marcas: ['VW'] })
      await editMany(portal, admin, { userIds: [person.user_id], action: 'add', marcas: ['VW'] })
      await expectGone()
      expect((await answer('grant')).status).toBe(409)
      // Also when it is taken away again.
      await change({ types: ['Vendas'] })
      await expectGone()
    })

    test('until the edit that gave it is undone', async () => {
      await ask()
      const edit = { userIds: [person.user_id], action: 'add' as const, types: ['CRM'], marcas: ['VW'] }
      const { undoId } = (await editMany(portal, admin, edit)).body
      await expectGone()
      await undoEdit(portal, admin, undoId)
      expect((await readAs()).request).toMatchObject(MISSING)
    })

    test('with the approval, and does not come back with a new one', async () => {
      await ask()
      await change({ approved: false })
      await expectGone()
      await change({ approved: true })
      await expectGone()
    })

    test('with the end of the access', async () => {
      await ask()
      await portal.database.db
        .updateTable('profiles')
        .set({ valid_until: toSaoPauloDay(portal.clock() - DAY_MS) })
        .where('user_id', '=', person.user_id)
        .execute()
      await expectGone()
    })

    test('with the person, whose reasons leave the trail too', async () => {
      await ask({ ...ASKED, note: 'palavra-rara' })
      await answer('grant')
      await ask({ types: ['HPD'], note: 'outra-palavra' })
      await answer('refuse', { reason: 'terceira-palavra' })
      const { db } = portal.database
      expect(await searchDatabase(db, 'palavra-rara')).not.toEqual([])
      const exported = await send(portal, 'GET', `/api/profiles/${person.user_id}/export`, admin)
      expect(exported.body.access_requests).toMatchObject([{ refusal: 'terceira-palavra' }])
      // As 0.2 deletes: by the row, then by the trail's references.
      await send(portal, 'POST', '/api/functions/delete-users', {
        token: admin.token,
        body: { userIds: [person.user_id] },
      })
      for (const word of ['palavra-rara', 'outra-palavra', 'terceira-palavra'])
        expect(await searchDatabase(db, word)).toEqual([])
      expect(await countRequests()).toBe(0)
    })
  })
})

describeOnEachDatabase('mail about a change of access', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  const { listQueued, makeDue } = setUpDigest(portal, 'access-changed')
  let admin: Admin
  beforeEach(async () => {
    admin = await openAdmin(portal)
  })

  test('covers several changes, and is queued for approved people alone', async () => {
    const person = await addPerson(portal, HELD)
    const waiting = await addPerson(portal, { ...HELD, approved: false })
    for (const { user_id } of [person, waiting]) {
      await patchProfile(portal, admin, user_id, { types: ['CRM'] })
      await patchProfile(portal, admin, user_id, { marcas: ['VW'], estados: ['ES'] })
      await patchProfile(portal, admin, user_id, { valid_until: '2999-12-31' })
    }
    const rows = await listQueued()
    expect(rows.map(({ recipient }) => recipient)).toEqual([person.email])
    expect(rows[0]?.minutesLeft).toBeGreaterThan(0.7)
    await makeDue()
    const mail = await receiveMail(portal, person.email)
    for (const part of ['Área CRM', 'Marcas: VW', 'Estados: ES', 'vale até 31/12/2999'])
      expect(mail?.text).toContain(part)
    await patchProfile(portal, admin, person.user_id, { types: ['CRM'] })
    expect(await listQueued()).toEqual([])
  })

  test('of a bulk edit is withdrawn by its undo', async () => {
    const people = [await addPerson(portal, HELD), await addPerson(portal, GRANTED)]
    const edit = { userIds: people.map(({ user_id }) => user_id), action: 'add', types: ['CRM'] } as const
    const { undoId } = (
      await editMany(portal, admin, { ...edit, userIds: [...edit.userIds], types: ['CRM'] })
    ).body
    expect((await listQueued()).map(({ recipient }) => recipient)).toEqual([people[0]?.email])
    await undoEdit(portal, admin, undoId)
    expect(await listQueued()).toEqual([])
  })

  describe('of several changes', () => {
    const age = (interval: string) =>
      sql`update mail_outbox set created_at = created_at - ${interval}::interval,
        due_at = due_at - ${interval}::interval`.execute(portal.database.db)
    const changeTwice = async (interval: string) => {
      const { user_id } = await addPerson(portal, HELD)
      await patchProfile(portal, admin, user_id, { types: ['CRM'] })
      await age(interval)
      const edit = { userIds: [user_id], action: 'add' as const, marcas: ['VW'] }
      return (await editMany(portal, admin, edit)).body
    }

    test('waits until the last one’s undo has expired', async () => {
      await changeTwice('50 seconds')
      const rows = await listQueued()
      expect(rows).toHaveLength(1)
      expect(rows[0]?.minutesLeft).toBeGreaterThan(0.7)
    })

    test('stays when one of them is undone', async () => {
      const { undoId } = await changeTwice('10 seconds')
      await undoEdit(portal, admin, undoId)
      expect(await listQueued()).toHaveLength(1)
    })

    test('is not covered by one that a restore holds', async () => {
      await changeTwice('-1 year')
      expect(await listQueued()).toHaveLength(2)
    })
  })

  test('is dropped once the access has ended', async () => {
    const person = await addPerson(portal, HELD)
    await patchProfile(portal, admin, person.user_id, { types: ['CRM'] })
    await patchProfile(portal, admin, person.user_id, { approved: false })
    await makeDue()
    await portal.outbox.deliverDue()
    expect(portal.mails).toEqual([])
  })
})
