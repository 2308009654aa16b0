import { expect, test } from 'vitest'
import { createSmtpMailer } from '#server/mail/smtp-mailer.ts'
import { addMessages, sendContactForm } from '#server/testing/inbox-calls.ts'
import { setUpDigest } from '#server/testing/set-up-digest.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { startSmtpInbox } from '#server/testing/smtp-inbox.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal } from '#server/testing/test-portal.ts'

describeOnEachDatabase('message digest', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false, publicUrl: 'https://portal.example' })
  const { admins, listQueued, makeDue } = setUpDigest(portal, 'message-digest')

  test('is sent at once, only to administrators', async () => {
    await sendContactForm(portal)
    expect((await listQueued()).map(({ recipient }) => recipient)).toEqual(admins)
    await portal.outbox.deliverDue()
    expect(portal.mails.map(({ to }) => to)).toEqual(admins)
    expect(portal.mails[0]).toMatchObject({
      kind: 'message-digest',
      subject: '1 mensagem não lida no portal Grupo Pátio',
      link: 'https://portal.example/mensagens',
    })
    expect(portal.mails[0]?.text).toContain('- Rita Prado\n')
    // The text of messages stays in the portal.
    expect(portal.mails[0]?.text).not.toMatch(/Vendas|exemplo\.com|98765/)
  })

  test('is throttled to one every ten minutes over all replicas', async () => {
    const replica = await startTestPortal({ kind, database: portal.database, rateLimits: false })
    await sendContactForm(portal)
    await portal.outbox.deliverDue()
    const names = ['Ana', 'Bia', 'Caio', 'Davi']
    await Promise.all(names.map((name, index) => sendContactForm(index % 2 ? portal : replica, { name })))
    await portal.outbox.deliverDue()
    await replica.outbox.deliverDue()
    expect(portal.mails).toHaveLength(2)
    const rows = await listQueued()
    expect(rows.map(({ recipient }) => recipient)).toEqual(admins)
    for (const { minutesLeft } of rows) {
      expect(minutesLeft).toBeGreaterThan(9.5)
      expect(minutesLeft).toBeLessThanOrEqual(10)
    }
    await makeDue()
    await portal.outbox.deliverDue()
    expect(portal.mails).toHaveLength(4)
    expect(portal.mails.at(-1)?.subject).toContain('5 mensagens não lidas')
    for (const name of names) expect(portal.mails.at(-1)?.text).toContain(`- ${name}\n`)
    await replica.stop()
  })

  test('is sent in addition to the waiting digest', async () => {
    await portal.database.db
      .insertInto('mail_outbox')
      .values(admins.map((recipient) => ({ kind: 'waiting-digest', recipient })))
      .execute()
    await sendContactForm(portal)
    expect(await listQueued()).toHaveLength(2)
  })

  test('is dropped when the new messages were read or deleted, despite older unread ones', async () => {
    await addMessages(portal, { created_at: new Date(Date.now() - 3_600_000) })
    await sendContactForm(portal)
    await portal.database.db
      .updateTable('support_messages')
      .set({ is_read: true })
      .where('created_at', '>', new Date(Date.now() - 60_000))
      .execute()
    await portal.outbox.deliverDue()
    expect(portal.mails).toEqual([])
    expect(await listQueued()).toEqual([])
  })

  test('is not sent to a demoted administrator', async () => {
    await sendContactForm(portal)
    await portal.database.db.deleteFrom('user_roles').execute()
    await portal.outbox.deliverDue()
    expect(portal.mails).toEqual([])
  })

  test('lists up to ten truncated names and counts the rest', async () => {
    await addMessages(portal, ...Array.from({ length: 12 }, () => ({})))
    await sendContactForm(portal, { name: 'N'.repeat(100) })
    await portal.outbox.deliverDue()
    const text = portal.mails[0]?.text ?? ''
    expect(text.match(/^- /gm)).toHaveLength(11)
    expect(text).toContain('- e mais 3')
    expect(text).toContain(`- ${'N'.repeat(39)}…\n`)
  })

  test('defangs links in names', async () => {
    await addMessages(portal, {})
    await sendContactForm(portal, { name: 'https://www.mal.example/entrar J.R. Sá' })
    await makeDue()
    await portal.outbox.deliverDue()
    expect(portal.mails[0]?.text).toContain('- https: //www. mal. example/entrar J. R. Sá\n')
    expect(portal.mails[0]?.html).not.toMatch(/mal\.example|https:\/\/www/)
  })

  test('has no user input in headers and no markup in the body', async () => {
    const inbox = await startSmtpInbox()
    const mailer = createSmtpMailer({ url: inbox.url, from: 'Pátio <portal@exemplo.com.br>' })
    const replica = await startTestPortal({ kind, database: portal.database, rateLimits: false, mailer })
    const name = 'Eva\r\nBcc: x@exemplo.com\r\n\r\n<img src=x>\u202e'
    expect((await sendContactForm(replica, { name, email: ' eva@exemplo.com.br\r\n' })).status).toBe(201)
    await replica.outbox.deliverDue()
    expect(inbox.mails.flatMap(({ to }) => to).toSorted()).toEqual(admins)
    for (const { raw } of inbox.mails) {
      const headers = raw.slice(0, raw.indexOf('\r\n\r\n'))
      expect(headers).not.toMatch(/^(bcc|reply-to):/im)
      expect(headers).not.toMatch(/eva/i)
    }
    await addMessages(portal, {})
    await sendContactForm(portal, { name })
    await makeDue()
    await portal.outbox.deliverDue()
    expect(portal.mails[0]?.html).toContain('&lt;img src=x&gt;')
    expect(portal.mails[0]?.html).not.toMatch(/<img|\u202e/)
    await replica.stop()
    await inbox.stop()
  })
})
