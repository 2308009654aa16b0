import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type SmtpInbox, startSmtpInbox } from '#server/testing/smtp-inbox.ts'
import { canSendUnencrypted, createSmtpMailer } from './smtp-mailer.ts'

const FROM = 'Pátio <portal@grupopatio.com.br>'
const MAIL = {
  messageId: '<1@portal.example>',
  to: 'nara@grupopatio.com.br',
  kind: 'verification',
  subject: 'Confirme seu e-mail no portal Grupo Pátio',
  text: 'Olá! ação',
  html: '<p>Olá! ação</p>',
  link: null,
}

let inbox: SmtpInbox
afterEach(() => inbox?.stop())

test('createSmtpMailer sends sender, subject, both bodies and the Message-ID', async () => {
  inbox = await startSmtpInbox()
  await createSmtpMailer({ url: inbox.url, from: FROM }).deliver(MAIL)
  const [mail] = inbox.mails
  expect(mail).toMatchObject({ from: 'portal@grupopatio.com.br', to: [MAIL.to], messageId: MAIL.messageId })
  expect(mail?.raw).toMatch(/^From: =\?UTF-8\?Q\?P=C3=A1tio\?= <portal@grupopatio.com.br>/m)
  expect(mail?.raw).toMatch(/^Subject: .*=\?UTF-8\?/m)
  expect(mail?.raw).toMatch(/^Auto-Submitted: auto-generated/m)
  expect(mail?.raw).toContain('Content-Type: text/plain; charset=utf-8')
  expect(mail?.raw).toContain('Content-Type: text/html; charset=utf-8')
})

test('createSmtpMailer lets mail programs end what a mail belongs to by one click', async () => {
  inbox = await startSmtpInbox()
  const mailer = createSmtpMailer({ url: inbox.url, from: FROM })
  await mailer.deliver({ ...MAIL, unsubscribeUrl: 'https://portal.example/parar?token=a' })
  await mailer.deliver(MAIL)
  const [mail, without] = inbox.mails
  expect(mail?.raw).toMatch(/^List-Unsubscribe: <https:\/\/portal\.example\/parar\?token=a>\r$/m)
  expect(mail?.raw).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m)
  expect(without?.raw).not.toMatch(/^List-Unsubscribe/m)
})

test('createSmtpMailer allows no second recipient or header in an address', async () => {
  inbox = await startSmtpInbox()
  const mailer = createSmtpMailer({ url: inbox.url, from: FROM })
  for (const to of ['a@x.com,b@y.com', 'a@x.com\r\nBcc: b@y.com', 'A <b@y.com>'])
    await mailer.deliver({ ...MAIL, to }).catch(() => undefined)
  for (const { raw, to } of inbox.mails) {
    expect(to).toHaveLength(1)
    expect(raw).not.toMatch(/^Bcc:/im)
  }
})

test('createSmtpMailer waits for a server that scans an attachment', { timeout: 30_000 }, async () => {
  inbox = await startSmtpInbox({ answerAfterMs: 11_000 })
  const attachment = { filename: 'a.pdf', contentType: 'application/pdf', content: Buffer.from('%PDF') }
  await createSmtpMailer({ url: inbox.url, from: FROM }).deliver({ ...MAIL, attachment })
  expect(inbox.mails).toHaveLength(1)
})

test('createSmtpMailer times out if the server does not respond', async () => {
  const sockets: Socket[] = []
  const silent = createServer((socket) => void sockets.push(socket))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const url = `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const sent = createSmtpMailer({ url, from: FROM, sendTimeoutMs: 300 }).deliver(MAIL)
  await expect(sent).rejects.toThrow('Message sending aborted')
  for (const socket of sockets) socket.destroy()
  silent.close()
})

test.each([
  ['smtp://mail.example.com', true],
  ['smtp://user:pa55@10.0.0.7:587?requireTLS=false', true],
  ['smtp://localhost.example.com', true],
  ['smtp://mail.example.com?requireTLS=true', false],
  ['smtps://mail.example.com', false],
  ['smtp://localhost:2525', false],
  ['smtp://[::1]', false],
])('canSendUnencrypted(%s) is %s', (url, expected) => {
  expect(canSendUnencrypted(url)).toBe(expected)
})
