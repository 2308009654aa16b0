import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { contactMessages } from '#contract/support.ts'
import { parseProxies } from '#server/http/client-ip.ts'
import { readEveryTable } from '#server/testing/canaries.ts'
import { issuePass } from '#server/testing/human-passes.ts'
import { CONTACT_FORM, sendContactForm } from '#server/testing/inbox-calls.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal, type TestPortal } from '#server/testing/test-portal.ts'

const DAY = 86_400_000

describeOnEachDatabase('contact form', (kind) => {
  const portal = setUpPortal({ kind, trustedProxies: parseProxies(['127.0.0.1']) })
  // After all rate limit windows.
  beforeEach(() => portal.clock.advance(2 * DAY))
  afterEach(() => portal.database.db.deleteFrom('support_messages').execute())

  const readStored = () =>
    portal.database.db
      .selectFrom('support_messages')
      .select(['name', 'email', 'phone', 'message', 'is_read'])
      .execute()
  const createHeaders = (ip: string) => ({ 'x-forwarded-for': ip })

  test('stores the message, trimmed and unread', async () => {
    const reply = await sendContactForm(portal, {
      name: '  Rita Prado ',
      email: ' rita.prado@exemplo.com.br\n',
    })
    expect(reply).toMatchObject({ status: 201, body: { success: true } })
    expect(await readStored()).toEqual([{ ...CONTACT_FORM, is_read: false }])
  })

  test.each([
    ['name', '   ', contactMessages.nameRequired],
    ['name', 'x'.repeat(101), contactMessages.nameTooLong],
    ['email', '', contactMessages.emailInvalid],
    ['email', 'a@b', contactMessages.emailInvalid],
    ['email', 'a@exemplo.com\r\nBcc: b@exemplo.com', contactMessages.emailInvalid],
    ['email', `${'x'.repeat(250)}@b.com`, contactMessages.emailTooLong],
    ['phone', '', contactMessages.phoneRequired],
    ['phone', '1'.repeat(21), contactMessages.phoneTooLong],
    ['message', '\n\n', contactMessages.messageRequired],
    ['message', 'x'.repeat(1001), contactMessages.messageTooLong],
    ['name', '\u0007\u200b', contactMessages.nameRequired],
    ['phone', '\u0001', contactMessages.phoneRequired],
    ['message', '\u200b\u0008', contactMessages.messageRequired],
  ])('rejects %s %j', async (field, value, message) => {
    const { status, body } = await sendContactForm(portal, { [field]: value })
    expect(status).toBe(400)
    expect(body.fields).toContainEqual({ path: field, message })
    expect(await readStored()).toEqual([])
  })

  test('reports all failing fields at once', async () => {
    const { body } = await sendContactForm(portal, { name: '', email: 'x', phone: '', message: '' })
    expect(body.fields.map(({ path }: { path: string }) => path)).toEqual([
      'name',
      'email',
      'phone',
      'message',
    ])
  })

  test('keeps line breaks of the message and removes other control characters', async () => {
    await sendContactForm(portal, {
      name: 'Rita\r\nBcc: todos@exemplo.com\u2028x',
      phone: '21\t9999\u0007',
      message: 'um\r\ndois\rtr\u0008ês\u2028quatro\n\n\u001b[31mcinco\t<b>\u202e🙂',
    })
    expect(await readStored()).toMatchObject([
      {
        name: 'Rita Bcc: todos@exemplo.com x',
        phone: '21 9999',
        message: 'um\ndois\ntrês\nquatro\n\n[31mcinco\t<b>🙂',
      },
    ])
  })

  test('files a message with a filled honeypot under suspects, with the same limits and no notice', async () => {
    const send = () => sendContactForm(portal, { website: 'https://spam.example' })
    const readTables = async () => {
      const { rate_limits: _, ...tables } = await readEveryTable(portal.database.db)
      return tables
    }
    const { suspect_messages: none, ...before } = await readTables()
    expect(none).toEqual([])
    expect(await send()).toMatchObject({ status: 201, body: { success: true } })
    const { suspect_messages: suspects, ...after } = await readTables()
    expect(after).toEqual(before)
    expect(suspects?.map((row) => JSON.parse(row))).toMatchObject([CONTACT_FORM])

    expect((await sendContactForm(portal, { website: 'x', name: ' ' })).status).toBe(400)
    for (const expected of [201, 201, 429]) expect((await send()).status).toBe(expected)
    expect((await sendContactForm(portal, { website: '' })).status).toBe(429)
    await portal.database.db.deleteFrom('suspect_messages').execute()
  })

  test('rejects a form filled too fast, with the remaining wait', async () => {
    const reply = await sendContactForm(portal, { fill_ms: 900 })
    expect(reply).toMatchObject({ status: 429, body: { code: 'rate-limited' } })
    expect(reply.headers.get('retry-after')).toBe('3')
    expect(await readStored()).toEqual([])
    expect((await sendContactForm(portal, { fill_ms: 3000 })).status).toBe(201)
  })

  test('is rate-limited to three in ten minutes and twenty a day per address', async () => {
    const statuses = async (count: number, ip: string) => {
      const replies = []
      for (let sent = 0; sent < count; sent++)
        replies.push(await sendContactForm(portal, {}, createHeaders(ip)))
      return replies.map(({ status }) => status)
    }
    expect(await statuses(4, '203.0.113.1')).toEqual([201, 201, 201, 429])
    expect(await statuses(1, '203.0.113.2')).toEqual([201])
    for (let round = 0; round < 5; round++) {
      portal.clock.advance(600_000)
      expect(await statuses(3, '203.0.113.1')).toEqual([201, 201, 201])
    }
    portal.clock.advance(600_000)
    const limited = await statuses(3, '203.0.113.1')
    expect(limited).toEqual([201, 201, 429])
    expect(await readStored()).toHaveLength(21)
  })

  test('counts an IPv6 /64 as one address', async () => {
    const replies = []
    for (const host of [1, 2, 3, 4])
      replies.push(await sendContactForm(portal, {}, createHeaders(`2001:db8:1:2::${host}`)))
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 429])
  })

  describe('with CONTACT_CAPTCHA', () => {
    let guarded: TestPortal
    beforeAll(async () => {
      guarded = await startTestPortal({
        kind,
        database: portal.database,
        contactCaptcha: true,
        clock: portal.clock,
      })
    })
    afterAll(() => guarded.stop())

    test('requires a single-use pass', async () => {
      const outcome = async (changes: object) => {
        const { status, body } = await sendContactForm(guarded, changes)
        return body.code ?? status
      }
      expect(await outcome({})).toBe('human-check-required')
      expect(await outcome({ captcha: 'x' })).toBe('human-check-failed')
      const captcha = await issuePass(guarded)
      expect(await outcome({ captcha })).toBe(201)
      expect(await outcome({ captcha })).toBe('human-check-failed')
      // Failed requests do not consume quota.
      for (const expected of [201, 201, 'rate-limited'])
        expect(await outcome({ captcha: await issuePass(guarded) })).toBe(expected)
      expect(await readStored()).toHaveLength(3)
    })
  })
})
