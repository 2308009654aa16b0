import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import type { SupportMessage } from '#contract/support.ts'
import { openAdmin } from '#server/testing/admin-calls.ts'
import { send } from '#server/testing/builders.ts'
import { countQueries } from '#server/testing/count-queries.ts'
import { addMessages, CONTACT_FORM } from '#server/testing/inbox-calls.ts'
import { setUpAdmin, setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { listMessages } from './inbox.ts'

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000'

describeOnEachDatabase('inbox', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  const admin = setUpAdmin(portal)

  const call = (method: string, path: string, body?: object) =>
    send(portal, method, `/api/support-messages${path}`, { token: admin.token, ...(body && { body }) })
  const list = async (query: Record<string, string> = {}) => {
    const { status, body } = await call('GET', `?${new URLSearchParams(query)}`)
    expect(status, JSON.stringify(body)).toBe(200)
    return body as { items: SupportMessage[]; total: number; next: string | null }
  }
  const listNames = async (query: Record<string, string>) => (await list(query)).items.map(({ name }) => name)
  const countUnread = async () => (await call('GET', '/unread-count')).body.count
  const readAudits = () =>
    portal.database.db
      .selectFrom('audit_entries')
      .select(['action', 'actor_id', 'target_id', 'before', 'after', 'request_id'])
      .execute()

  test('lists complete messages, newest first', async () => {
    const at = new Date('2026-11-20T12:00:00.500Z')
    const [id] = await addMessages(portal, { created_at: at })
    await addMessages(portal, { name: 'Nova', created_at: new Date(at.getTime() + 1) })
    const { items, total, next } = await list()
    expect(items.map(({ name }) => name)).toEqual(['Nova', 'Rita Prado'])
    expect(items[1]).toEqual({
      ...CONTACT_FORM,
      id,
      is_read: false,
      created_at: at.toISOString(),
      handled: null,
    })
    expect({ total, next }).toEqual({ total: 2, next: null })
  })

  describe('searches', () => {
    beforeEach(() =>
      addMessages(
        portal,
        { name: 'JOÃO Conceição', email: 'jc@exemplo.com', message: '100% certo', created_at: new Date(3) },
        {
          name: 'Íris',
          phone: '+55 11 91234-0000',
          message: 'Olá,\ncoração',
          is_read: true,
          created_at: new Date(2),
        },
        { name: 'Zé', message: 'sob_linha \\ ﬁm', created_at: new Date(1) },
      ),
    )
    test.each([
      ['joao', ['JOÃO Conceição']],
      ['conceicao  JOÃO', ['JOÃO Conceição']],
      ['conceic\u0327a\u0303o', ['JOÃO Conceição']],
      ['joão íris', []],
      ['exemplo.com', ['JOÃO Conceição', 'Íris', 'Zé']],
      ['JC@EXEMPLO', ['JOÃO Conceição']],
      ['91234', ['Íris']],
      ['IRIS CORACAO', ['Íris']],
      ['%', ['JOÃO Conceição']],
      ['_', ['Zé']],
      ['\\', ['Zé']],
      ['fim', ['Zé']],
      ["'; drop table support_messages; --", []],
      ['   ', ['JOÃO Conceição', 'Íris', 'Zé']],
    ])('%j', async (q, expected) => {
      const found = await list({ q })
      expect(found.items.map(({ name }) => name)).toEqual(expected)
      expect(found.total).toBe(expected.length)
    })

    test('within unread, read or all messages', async () => {
      expect(await listNames({ unread: 'true' })).toEqual(['JOÃO Conceição', 'Zé'])
      expect(await listNames({ unread: 'false' })).toEqual(['Íris'])
      expect(await listNames({ unread: 'true', q: 'ze' })).toEqual(['Zé'])
    })
  })

  describe('of 10,000', () => {
    beforeEach(async () => {
      // Microseconds apart, twenty per instant: cursors must not rely on milliseconds.
      await sql`insert into support_messages (name, email, phone, message, created_at)
        select 'Pessoa ' || n, 'p' || n || '@exemplo.com', '1', repeat('é uma mensagem comprida ', 20) || n,
          timestamptz '2026-01-01' + (n / 20) * interval '1 microsecond'
        from generate_series(1, 10000) n`.execute(portal.database.db)
      // The insert blocks the embedded database: connections that timed out must be closed.
      await wait(200)
    })

    test('returns each message once under concurrent changes', async () => {
      const seen: string[] = []
      let next: string | null = ''
      while (next !== null) {
        const page = await list({ limit: '100', ...(next && { cursor: next }) })
        seen.push(...page.items.map(({ name }) => name))
        next = page.next
        if (seen.length === 300) {
          await addMessages(portal, { name: 'Nova' })
          await portal.database.db
            .deleteFrom('support_messages')
            .where('name', '=', seen.at(-1) as string)
            .execute()
        }
      }
      expect(seen).toHaveLength(10_000)
      expect(new Set(seen).size).toBe(10_000)
      expect(seen).not.toContain('Nova')
    }, 60_000)

    test('loads only the page', async () => {
      const { seen, database } = countQueries(portal.database)
      for (const [query, total] of [
        [{}, 10_000],
        [{ unread: 'true', q: 'E UMA' }, 10_000],
        [{ q: 'pessoa 9999' }, 1],
      ] as const) {
        seen.rows = 0
        const page = await listMessages(database.db, query)
        expect([page.total, page.items.length]).toEqual([total, Math.min(total, 50)])
        // The total, and one more than the page.
        expect(seen.rows).toBe(1 + Math.min(total, 51))
      }
    })
  })

  const createCursor = (...parts: string[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')
  test.each([
    'x',
    'e30',
    'A'.repeat(256),
    createCursor('2026-01-01T00:00:00.000000Z', 'x'),
    createCursor('2026-13-01T00:00:00.000000Z', UNKNOWN_ID),
    createCursor('2026-02-31T00:00:00.000000Z', UNKNOWN_ID),
    createCursor('0000-01-01T00:00:00.000000Z', UNKNOWN_ID),
    createCursor('2026-01-01T00:00:00.000000Z', UNKNOWN_ID, 'x'),
  ])('rejects the cursor %j', async (cursor) => {
    const { status, body } = await call('GET', `?cursor=${cursor}`)
    expect([status, body.code]).toEqual([400, 'invalid-input'])
  })

  test.each(['limit=0', 'limit=101', 'limit=x', 'unread=1', 'unread=', 'order=asc', `q=${'x'.repeat(101)}`])(
    'refuses %s',
    async (query) => expect((await call('GET', `?${query}`)).status).toBe(400),
  )

  test('marks as read once, with an audit entry', async () => {
    const [id] = await addMessages(portal, {}, {})
    expect(await countUnread()).toBe(2)
    const reply = await call('PATCH', `/${id}`, { is_read: true })
    expect(reply).toMatchObject({ status: 200, body: { id, is_read: true, name: CONTACT_FORM.name } })
    expect(await call('PATCH', `/${id}`, { is_read: true })).toMatchObject({
      status: 200,
      body: { is_read: true },
    })
    expect(await countUnread()).toBe(1)
    expect(await readAudits()).toEqual([
      {
        action: 'message-read',
        actor_id: admin.user_id,
        target_id: null,
        before: { id, is_read: false },
        after: { id, is_read: true },
        request_id: reply.headers.get('x-request-id'),
      },
    ])
  })

  test('marks as unread once, with an audit entry', async () => {
    const [id] = await addMessages(portal, { is_read: true })
    const wanted = { status: 200, body: { id, is_read: false } }
    for (const _ of [1, 2]) expect(await call('PATCH', `/${id}`, { is_read: false })).toMatchObject(wanted)
    expect(await countUnread()).toBe(1)
    expect(await readAudits()).toMatchObject([
      { action: 'message-unread', before: { id, is_read: true }, after: { id, is_read: false } },
    ])
  })

  test('marks all or matching messages as read, and as unread again, with one audit entry', async () => {
    await addMessages(portal, { name: 'Zoé' }, { name: 'ZOE' }, { name: 'Zoe', is_read: true }, {})
    const found = await call('PATCH', '', { is_read: true, q: 'zoe' })
    expect(found).toMatchObject({ status: 200, body: { marked: 2 } })
    expect(await countUnread()).toBe(1)
    expect((await call('PATCH', '', { is_read: true })).body).toMatchObject({ marked: 1 })
    expect((await call('PATCH', '', { is_read: true })).body).toEqual({ marked: 0, ids: [] })
    expect((await call('PATCH', '', { is_read: false })).status).toBe(400)
    const { ids } = found.body
    expect((await call('PATCH', '', { is_read: false, ids })).body).toMatchObject({ marked: 2 })
    expect((await call('PATCH', '', { is_read: false, ids })).body).toEqual({ marked: 0, ids: [] })
    expect((await list()).items.flatMap(({ id, is_read }) => (is_read ? [] : [id])).toSorted()).toEqual(
      ids.toSorted(),
    )
    expect(await readAudits()).toMatchObject([
      { action: 'messages-read', after: { count: 2 } },
      { action: 'messages-read', after: { count: 1 } },
      { action: 'messages-unread', after: { count: 2 } },
    ])
  })

  test('returns the last handler and instant; an answer outranks a mark', async () => {
    const other = await openAdmin(portal, { full_name: null })
    await portal.database.db
      .updateTable('profiles')
      .set({ full_name: 'Ana Prado' })
      .where('user_id', '=', admin.user_id)
      .execute()
    const [id] = await addMessages(portal, {}, {})
    const answer = { is_read: true, answered: true }
    const mark = async (body: object, token = admin.token) =>
      (await send(portal, 'PATCH', `/api/support-messages/${id}`, { token, body })).body.handled
    const at = new Date(portal.clock()).toISOString()
    const marked = await mark({ is_read: true })
    expect(marked).toEqual({ by: 'Ana Prado', at: expect.any(String), answered: false })
    expect(marked.at >= at).toBe(true)
    expect(await mark({ is_read: true }, other.token)).toEqual(marked)
    expect(await mark({ is_read: false }, other.token)).toBeNull()
    const answered = await mark(answer, other.token)
    expect(answered).toMatchObject({ by: other.email, answered: true })
    expect(await mark({ is_read: false })).toEqual(answered)
    expect((await call('PATCH', '', { is_read: true })).body).toMatchObject({ marked: 2 })
    const listHandlers = async () => (await list()).items.map((message) => message.handled?.by)
    expect((await listHandlers()).toSorted()).toEqual(['Ana Prado', other.email].toSorted())
    expect((await call('PATCH', `/${id}`, { ...answer, is_read: false })).status).toBe(400)
    expect(await readAudits()).toContainEqual(
      expect.objectContaining({ action: 'message-answered', actor_id: other.user_id }),
    )

    const { body } = await send(portal, 'GET', `/api/profiles/${other.user_id}/export`, admin)
    expect(body.messages_handled).toEqual([{ id, handled_at: answered.at, answered: true }])
    const wanted = { token: admin.token, body: { userIds: [other.user_id] } }
    expect((await send(portal, 'POST', '/api/functions/delete-users', wanted)).body.errors).toEqual([])
    expect((await list()).items.find((message) => message.id === id)?.handled).toEqual({
      ...answered,
      by: null,
    })
  })

  test('deletes with an audit entry without the text', async () => {
    const [id] = await addMessages(portal, {}, {})
    expect((await call('DELETE', `/${id}`)).status).toBe(204)
    expect((await list()).total).toBe(1)
    const [entry] = await readAudits()
    expect(entry).toMatchObject({ action: 'message-deleted', actor_id: admin.user_id, after: null })
    expect(entry?.before).toEqual({ id, is_read: false })
  })

  describe('of suspect messages', () => {
    let id: string
    beforeEach(async () => {
      await portal.database.db.deleteFrom('suspect_messages').execute()
      await addMessages(portal, { name: 'Ana' })
      const at = new Date('2026-11-20T12:00:00.500Z')
      const { db } = portal.database
      const values = [
        { ...CONTACT_FORM, created_at: at },
        { ...CONTACT_FORM, name: 'Zoé' },
      ]
      const rows = await db.insertInto('suspect_messages').values(values).returning('id').execute()
      id = rows[0]?.id as string
    })

    test('lists and finds them only where they are asked for', async () => {
      for (const query of [{}, { unread: 'true' }, { q: 'ana' }])
        expect(await listNames(query)).toEqual(['Ana'])
      expect(await countUnread()).toBe(1)
      expect((await list({ suspect: 'true' })).items).toMatchObject([
        { name: 'Zoé', is_suspect: true },
        { ...CONTACT_FORM, id, is_read: false, handled: null, is_suspect: true },
      ])
      expect(await list({ suspect: 'true', limit: '1' })).toMatchObject({
        total: 2,
        next: expect.any(String),
      })
      expect(await listNames({ suspect: 'true', q: 'zoe' })).toEqual(['Zoé'])
      expect((await call('PATCH', '', { is_read: true })).body.marked).toBe(1)
      expect((await call('PATCH', `/${id}`, { is_read: true })).status).toBe(404)
      expect(await listNames({ suspect: 'true' })).toEqual(['Zoé', CONTACT_FORM.name])
    })

    test('moves one to the inbox once, unread, with an audit entry', async () => {
      const moved = { id, ...CONTACT_FORM, is_read: false, created_at: '2026-11-20T12:00:00.500Z' }
      for (const _ of [1, 2]) {
        const reply = await call('PATCH', `/${id}`, { is_suspect: false })
        expect(reply).toMatchObject({ status: 200, body: moved })
        expect(reply.body).not.toHaveProperty('is_suspect')
      }
      expect(await listNames({})).toEqual(['Ana', CONTACT_FORM.name])
      expect(await listNames({ suspect: 'true' })).toEqual(['Zoé'])
      expect(await countUnread()).toBe(2)
      expect(await readAudits()).toMatchObject([{ action: 'message-accepted', after: { id } }])
      expect((await call('PATCH', `/${UNKNOWN_ID}`, { is_suspect: false })).status).toBe(404)
    })

    test('deletes one, with an audit entry', async () => {
      expect((await call('DELETE', `/${id}`)).status).toBe(204)
      expect((await call('DELETE', `/${id}`)).status).toBe(404)
      expect(await listNames({ suspect: 'true' })).toEqual(['Zoé'])
      expect(await readAudits()).toMatchObject([{ action: 'message-deleted', before: { id } }])
    })
  })

  test('fails with not-found for a deleted message', async () => {
    for (const [method, body] of [['PATCH', { is_read: true }], ['DELETE']] as const) {
      const reply = await call(method, `/${UNKNOWN_ID}`, body)
      expect(reply).toMatchObject({ status: 404, body: { detail: 'Esta mensagem não existe mais.' } })
      expect((await call(method, '/x', body)).status).toBe(400)
    }
    expect((await call('PATCH', `/${UNKNOWN_ID}`, { is_read: false })).status).toBe(404)
    expect(await readAudits()).toEqual([])
  })

  test('accepts one of two concurrent deletions', async () => {
    const [id] = await addMessages(portal, {})
    const replies = await Promise.all([call('DELETE', `/${id}`), call('DELETE', `/${id}`)])
    expect(replies.map(({ status }) => status).sort()).toEqual([204, 404])
    expect(await readAudits()).toHaveLength(1)
  })
})
