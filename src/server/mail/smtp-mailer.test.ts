import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { type SmtpInbox, startSmtpInbox } from '#server/testing/smtp-inbox.ts'
import { waitFor } from '#server/testing/wait-for.ts'
import { canSendUnencrypted, createSmtpMailer } from './smtp-mailer.ts'
import { classifyFailure } from './smtp-outcomes.ts'

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

test('createSmtpMailer returns the words of the server, and waits for them after the content alone', async () => {
  inbox = await startSmtpInbox({ answerAfterMs: 400 })
  const attachment = { filename: 'a.pdf', contentType: 'application/pdf', content: Buffer.alloc(2_000_000) }
  // Shorter than the answer takes: connecting and commands have ended before.
  const mailer = createSmtpMailer({ url: inbox.url, from: FROM, commandsTimeoutMs: 300 })
  for (const mail of [MAIL, { ...MAIL, attachment }]) expect(await mailer.deliver(mail)).toMatch(/^250 /)
  expect(inbox.mails).toHaveLength(2)
})

async function startSilentServer() {
  const sockets: Socket[] = []
  const silent = createServer((socket) => void sockets.push(socket))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
  return `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`
}

test('createSmtpMailer gives up a server that does not greet: the mail has not arrived', async () => {
  const url = await startSilentServer()
  const sent = createSmtpMailer({ url, from: FROM, commandsTimeoutMs: 300 }).deliver(MAIL)
  const error = await sent.catch((err) => err)
  expect(error).toMatchObject({ code: 'EABORT', host: new URL(url).host, isUnanswered: false })
  expect(classifyFailure(error)).toEqual({
    blame: 'server',
    isFinal: false,
    mayHaveArrived: false,
    words: 'Timeout',
  })
})

test('createSmtpMailer tells a mail that may have arrived when no answer follows its end', async () => {
  inbox = await startSmtpInbox({ isMute: true })
  const mute = createSmtpMailer({ url: inbox.url, from: FROM, answerTimeoutMs: 300 }).deliver(MAIL)
  const outcome = { blame: 'server', isFinal: false, mayHaveArrived: true }
  const expected = { ...outcome, words: 'Timeout' }
  expect(classifyFailure(await mute.catch((error) => error))).toEqual(expected)

  const cut = createSmtpMailer({ url: inbox.url, from: FROM }).deliver(MAIL)
  const caught = cut.catch((error) => error)
  await waitFor(() => expect(inbox.mails).toHaveLength(2))
  inbox.cut()
  expect(classifyFailure(await caught)).toMatchObject(outcome)
})

test('createSmtpMailer tells a mail that has not arrived when the connection ends before its content', async () => {
  inbox = await startSmtpInbox({ answers: { RCPT: '421 4.4.2 mx.example.com Error: timeout exceeded' } })
  const sent = createSmtpMailer({ url: inbox.url, from: FROM }).deliver(MAIL)
  const expected = { blame: 'server', isFinal: false, mayHaveArrived: false }
  expect(classifyFailure(await sent.catch((error) => error))).toMatchObject(expected)
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
