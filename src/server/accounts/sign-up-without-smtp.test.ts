import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSmtpMailer } from '#server/mail/smtp-mailer.ts'
import { signUp, useLink } from '#server/testing/account-calls.ts'
import { type SmtpInbox, startSmtpInbox } from '#server/testing/smtp-inbox.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal, type TestPortal } from '#server/testing/test-portal.ts'

const PEOPLE = ['ana', 'bia', 'caio'].map((name) => `${name}@grupopatio.com.br`)

describeOnEachDatabase('an hour without the mail server', (kind) => {
  let portal: TestPortal
  let inbox: SmtpInbox
  beforeAll(async () => {
    inbox = await startSmtpInbox()
    await inbox.stop()
    const mailer = createSmtpMailer({ url: inbox.url, from: 'Pátio <portal@grupopatio.com.br>' })
    portal = await startTestPortal({ kind, mailer, rateLimits: false })
  })
  afterAll(async () => {
    await portal.stop()
    await inbox.stop()
  })
  const outboxRows = () => portal.database.db.selectFrom('mail_outbox').select(['id', 'attempts', 'sent_at'])
  /** Makes all mails due for their next attempt. */
  const makeDue = () => portal.database.db.updateTable('mail_outbox').set({ due_at: new Date(0) })

  test('loses no mail and blocks no sign-up', async () => {
    for (const email of PEOPLE) expect((await signUp(portal, email)).status).toBe(200)
    for (let minute = 0; minute < 60; minute += 10) {
      await portal.outbox.deliverDue()
      await makeDue().execute()
    }
    const waiting = await outboxRows().execute()
    expect(waiting.map(({ sent_at }) => sent_at)).toEqual(PEOPLE.map(() => null))
    expect(Math.min(...waiting.map(({ attempts }) => attempts))).toBeGreaterThanOrEqual(6)

    inbox = await startSmtpInbox({ port: Number(new URL(inbox.url).port) })
    await portal.outbox.deliverDue()
    expect(inbox.mails.flatMap(({ to }) => to).sort()).toEqual(PEOPLE)
    expect(inbox.mails.map(({ messageId }) => messageId).sort()).toEqual(
      waiting.map(({ id }) => `<${id}@localhost>`).sort(),
    )
    for (const { raw } of inbox.mails) {
      const text = raw.replace(/=\r\n/g, '').replaceAll('=3D', '=') // quoted-printable
      const link = /http:\/\/\S+\/auth\/callback#[^\s"]+/.exec(text)?.[0]
      expect((await useLink(portal, 'signup', link)).status).toBe(200)
    }
  })
})
