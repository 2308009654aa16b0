import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { quoteForeignWords } from '#contract/foreign-words.ts'
import type { Config } from '#server/config.ts'
import { listMailChecks } from '#server/doctor/check-mail.ts'
import { runChecks } from '#server/doctor/run-checks.ts'
import { createLog } from '#server/log.ts'
import { type SmtpInbox, type SmtpStep, startSmtpInbox } from '#server/testing/smtp-inbox.ts'
import { describeOnEachDatabase, setUpDatabase } from '#server/testing/test-database.ts'
import { createOutbox, retryMails } from './outbox.ts'
import { createSmtpMailer, type Mailer } from './smtp-mailer.ts'
import { type Blame, classifyFailure } from './smtp-outcomes.ts'

const NDR =
  'https://learn.microsoft.com/exchange/troubleshoot/email-delivery/ndr/non-delivery-reports-in-exchange-online'
const SUBMISSION =
  'MicrosoftDocs: Message storage and concurrent connection throttling for SMTP Authenticated Submission'
const SEND_AS = 'https://github.com/gophish/gophish/issues/2900'
const GMAIL = 'https://support.google.com/a/answer/3726730'
const SES = 'https://docs.aws.amazon.com/ses/latest/dg/troubleshoot-smtp.html'
const SES_ERRORS = 'https://docs.aws.amazon.com/ses/latest/dg/troubleshoot-error-messages.html'
const POSTFIX = 'https://www.postfix.org/postconf.5.html'
const RFC_3463 = 'https://www.rfc-editor.org/rfc/rfc3463'
const RFC_5321 = 'https://www.rfc-editor.org/rfc/rfc5321#section-4.2'
const RFC_6531 = 'https://www.rfc-editor.org/rfc/rfc6531#section-3.5'

type End = 'ends' | 'retries'

/**
 * What mail servers answer, at which step, whom it concerns, whether it ends at once, and where it was
 * read. Words that a page leaves to the server are ours.
 */
const ANSWERS: readonly [step: SmtpStep, answer: string, blame: Blame, end: End, page: string][] = [
  // Exchange Online
  [
    'END',
    '554 5.2.252 SendAsDenied; portal@a.example not allowed to send as no-reply@a.example; STOREDRV.Submission.Exception:SendAsDeniedException.MapiExceptionSendAsDenied',
    'sender',
    'retries',
    SEND_AS,
  ],
  [
    'END',
    '554 5.2.0 STOREDRV.Submission.Exception:SendAsDeniedException.MapiExceptionSendAsDenied; Failed to process message due to a permanent exception with message Cannot submit message.',
    'sender',
    'retries',
    'https://github.com/MicrosoftDocs/OfficeDocs-Support/issues/1187',
  ],
  [
    'END',
    '554 5.2.0 STOREDRV.Submission.Exception:SubmissionQuotaExceededException',
    'limit',
    'retries',
    SUBMISSION,
  ],
  [
    'END',
    '554 5.2.2 mailbox full; STOREDRV.Submission.Exception:QuotaExceededException.MapiExceptionQuotaExceeded',
    'limit',
    'retries',
    SUBMISSION,
  ],
  ['MAIL', '432 4.3.2 Concurrent connections limit exceeded.', 'limit', 'retries', SUBMISSION],
  ['END', '550 5.1.8 Access denied, bad outbound sender', 'sender', 'retries', NDR],
  [
    'RCPT',
    '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup',
    'recipient',
    'ends',
    NDR,
  ],
  ['END', '550 5.1.10 Recipient not found', 'recipient', 'ends', NDR],
  ['RCPT', '550 5.4.1 Recipient address rejected: Access denied', 'recipient', 'ends', NDR],
  [
    'END',
    '550 5.2.121 Recipient’s per hour message receive limit from this sender exceeded',
    'recipient',
    'retries',
    NDR,
  ],
  [
    'END',
    '550 5.7.60 SMTP; Client does not have permissions to send as this sender',
    'sender',
    'retries',
    NDR,
  ],
  [
    'MAIL',
    '530 5.7.57 SMTP; Client was not authenticated to send anonymous mail during MAIL FROM',
    'sender',
    'retries',
    NDR,
  ],
  [
    'END',
    '550 5.2.3 RESOLVER.RST.RecipSizeLimit; message too large for this recipient',
    'message',
    'ends',
    NDR,
  ],
  ['END', '550 5.6.11 Invalid characters', 'message', 'ends', NDR],
  // Gmail
  ['END', '550 5.4.5 Daily user sending limit exceeded.', 'limit', 'retries', GMAIL],
  ['MAIL', '550 5.4.5 Daily SMTP relay limit exceeded for customer.', 'limit', 'retries', GMAIL],
  [
    'RCPT',
    '550 5.1.1 The email account that you tried to reach does not exist. Please try double-checking the recipient’s email address for typos or unnecessary spaces.',
    'recipient',
    'ends',
    GMAIL,
  ],
  [
    'RCPT',
    '550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered.',
    'recipient',
    'retries',
    GMAIL,
  ],
  [
    'RCPT',
    '452 4.2.2 The email account that you tried to reach is over quota.',
    'recipient',
    'retries',
    GMAIL,
  ],
  [
    'RCPT',
    '552 5.2.2 The email account that you tried to reach is over quota.',
    'recipient',
    'retries',
    GMAIL,
  ],
  [
    'END',
    '552 5.2.2 The email account that you tried to reach is over quota.',
    'recipient',
    'retries',
    GMAIL,
  ],
  ['END', '552 5.2.3 Your message exceeded Google’s message size limits.', 'message', 'ends', GMAIL],
  ['MAIL', '530 5.7.0 Must issue a STARTTLS command first.', 'sender', 'retries', GMAIL],
  ['AUTH', '535 5.7.8 Username and Password not accepted.', 'sender', 'retries', GMAIL],
  [
    'AUTH',
    '454 4.7.0 Cannot authenticate due to a temporary system problem. Try again later.',
    'server',
    'retries',
    GMAIL,
  ],
  [
    'END',
    '552 5.7.0 This message was blocked because its content presents a potential security issue.',
    'message',
    'ends',
    GMAIL,
  ],
  [
    'END',
    '550 5.7.1 Our system has detected that this message is likely unsolicited mail. To reduce the amount of spam, this message has been blocked.',
    'sender',
    'retries',
    GMAIL,
  ],
  [
    'END',
    '550 5.7.26 This mail has been blocked because the sender is unauthenticated.',
    'sender',
    'retries',
    GMAIL,
  ],
  ['CONN', '421 4.7.0 Try again later, closing connection.', 'server', 'retries', GMAIL],
  ['END', '421 4.3.0 Temporary System Problem. Try again later.', 'server', 'retries', GMAIL],
  // Amazon SES
  [
    'END',
    '554 Message rejected: Email address is not verified. The following identities failed the check in region US-EAST-1: no-reply@a.example',
    'sender',
    'retries',
    SES_ERRORS,
  ],
  ['AUTH', '535 Authentication Credentials Invalid', 'sender', 'retries', SES],
  ['END', '454 Throttling failure: Maximum sending rate exceeded.', 'limit', 'retries', SES],
  ['CONN', '421 Too many concurrent SMTP connections', 'limit', 'retries', SES],
  ['END', '451 Temporary service failure', 'server', 'retries', SES],
  // Postfix
  [
    'RCPT',
    '550 5.1.1 <nara@a.example>: Recipient address rejected: User unknown in local recipient table',
    'recipient',
    'ends',
    POSTFIX,
  ],
  [
    'RCPT',
    '550 5.1.0 <portal@a.example>: Sender address rejected: User unknown in local recipient table',
    'sender',
    'retries',
    POSTFIX,
  ],
  [
    'RCPT',
    '553 5.7.1 <portal@a.example>: Sender address rejected: not owned by user portal',
    'sender',
    'retries',
    POSTFIX,
  ],
  [
    'RCPT',
    '550 5.1.8 <portal@a.example>: Sender address rejected: Domain not found',
    'sender',
    'retries',
    POSTFIX,
  ],
  ['RCPT', '554 5.7.1 <nara@b.example>: Relay access denied', 'sender', 'retries', POSTFIX],
  [
    'RCPT',
    '450 4.2.0 <nara@a.example>: Recipient address rejected: Greylisted',
    'recipient',
    'retries',
    POSTFIX,
  ],
  ['RCPT', '452 4.3.1 Insufficient system storage', 'server', 'retries', POSTFIX],
  ['MAIL', '552 5.3.4 Message size exceeds fixed limit', 'message', 'ends', POSTFIX],
  ['END', '552 5.3.4 Error: message file too big', 'message', 'ends', POSTFIX],
  ['END', '550 5.7.1 Message content rejected', 'message', 'ends', POSTFIX],
  ['MAIL', '421 4.3.2 All server ports are busy', 'server', 'retries', POSTFIX],
  // The standards, and servers without status codes
  ['RCPT', '550 5.1.2 Bad destination system address', 'recipient', 'ends', RFC_3463],
  ['RCPT', '553 5.1.3 Bad destination mailbox address syntax', 'recipient', 'ends', RFC_3463],
  ['RCPT', '551 5.1.6 Mailbox has moved', 'recipient', 'ends', RFC_3463],
  ['MAIL', '553 5.1.7 Bad sender’s mailbox address syntax', 'sender', 'retries', RFC_3463],
  ['MAIL', '501 5.1.3 Bad address syntax', 'sender', 'retries', RFC_3463],
  ['RCPT', '550 5.2.1 Mailbox disabled, not accepting messages', 'recipient', 'retries', RFC_3463],
  ['RCPT', '553 5.6.7 Non-ASCII addresses not permitted for that recipient', 'recipient', 'ends', RFC_6531],
  ['MAIL', '550 5.6.7 Non-ASCII addresses not permitted for that sender', 'sender', 'retries', RFC_6531],
  ['RCPT', '550 No such user here', 'recipient', 'ends', RFC_5321],
  ['RCPT', '550 Usuário desconhecido', 'recipient', 'ends', RFC_5321],
  ['RCPT', '550 mailbox unavailable', 'recipient', 'retries', RFC_5321],
  [
    'RCPT',
    '550 Requested action not taken: mailbox unavailable. Failure sending mail. Try again later.',
    'recipient',
    'retries',
    'https://github.com/nodemailer/nodemailer/issues/1555',
  ],
  ['RCPT', '550 User unknown, temporarily; try again in 30 minutes', 'recipient', 'retries', RFC_5321],
  [
    'RCPT',
    '553 sorry, that domain isn’t in my list of allowed rcpthosts (#5.7.1)',
    'sender',
    'retries',
    RFC_5321,
  ],
  [
    'END',
    '552 Message exceeds fixed maximum message size',
    'message',
    'ends',
    'https://www.rfc-editor.org/rfc/rfc1870',
  ],
  ['END', '554 Transaction failed', 'sender', 'retries', RFC_5321],
  ['END', '452 Insufficient system storage', 'server', 'retries', RFC_5321],
  ['CONN', '554 No SMTP service here', 'sender', 'retries', RFC_5321],
]

const SAYS: Record<Blame, RegExp> = {
  recipient: /^o servidor não aceitou o destinatário/,
  message: /^o servidor não aceitou o tamanho ou o conteúdo/,
  sender: /^o servidor não aceitou o remetente ou a conta/,
  limit: /^a conta do portal chegou a um limite/,
  server: /^o servidor não respondeu, ou pediu para esperar/,
}

describeOnEachDatabase('the answers of mail servers', (kind) => {
  const database = setUpDatabase(kind)
  let inbox: SmtpInbox
  beforeEach(() => database.db.deleteFrom('mail_outbox').execute())
  afterEach(() => inbox?.stop())

  const deliverDue = async (mailer: Mailer) => {
    await database.db
      .updateTable('mail_outbox')
      .set({ due_at: sql`now()` })
      .where('due_at', '<', sql<Date>`'infinity'::timestamptz`)
      .execute()
    const compose = async () => ({
      subject: 'Assunto',
      heading: 'Título',
      paragraphs: ['Texto'],
      button: { label: 'Abrir', link: 'https://portal.example' },
      notes: [],
    })
    await createOutbox({
      ...database,
      mails: { 'access-changed': compose },
      mailer,
      log: createLog('silent'),
      clock: Date.now,
      publicUrl: 'https://portal.example',
      groupName: 'Grupo',
      signUnsubscribe: (id) => id,
    }).deliverDue()
  }
  const queue = () =>
    database.db
      .insertInto('mail_outbox')
      .values({ kind: 'access-changed', recipient: 'nara@a.example' })
      .execute()
  const readRow = () =>
    database.db
      .selectFrom('mail_outbox')
      .select(['answer', 'blame', sql<boolean>`due_at = 'infinity'`.as('isGivenUp')])
      .executeTakeFirstOrThrow()
  const check = async (name: string) => {
    const config = { smtpUrl: 'smtp://127.0.0.1:1', mailFrom: 'portal@a.example', group: {} } as Config
    const checks = listMailChecks(config, { db: database.db })
    const [finding] = await runChecks(checks.filter((each) => each.name === name))
    return finding
  }

  test.each(ANSWERS)('%s %s: %s, %s', async (step, answer, blame, end) => {
    inbox = await startSmtpInbox({ answers: { [step]: answer } })
    const login = step === 'AUTH' ? 'portal:secret@' : ''
    const url = `smtp://${login}127.0.0.1:${inbox.port}`
    const mailer = createSmtpMailer({ url, from: 'Pátio <portal@a.example>' })
    await queue()
    await deliverDue(mailer)
    const quoted = quoteForeignWords(answer)
    expect(await readRow()).toEqual({ answer: quoted, blame, isGivenUp: end === 'ends' })
    const last = await check('mail-answer')
    expect(last?.grade).toBe(blame === 'recipient' ? 'good' : 'fault')
    const said = last?.says.replace(/^Último e-mail, há [^:]+: /, '') ?? ''
    expect(said).toMatch(SAYS[blame])
    expect(said).toContain(`(“${quoted}”)`)
    if (end === 'retries') {
      expect(await check('mail-given-up')).toMatchObject({
        grade: 'good',
        says: expect.stringContaining('nenhum'),
      })
      await database.db
        .updateTable('mail_outbox')
        .set({ first_due_at: sql`now() - interval '48 hours'` })
        .execute()
      await deliverDue(mailer)
    }
    const givenUp = await check('mail-given-up')
    expect(givenUp?.grade).toBe(blame === 'recipient' ? 'good' : 'fault')
    expect(givenUp?.says.replace('E-mails sem entrega: 1 em 7 dias; o último: ', '')).toBe(said)
    if (blame !== 'recipient') expect(givenUp?.todo).toMatch(/mail -- retry os envia de novo\.$/)
    await deliverDue(mailer)
    expect(await retryMails(database.db)).toBe(1)
    await inbox.stop()

    inbox = await startSmtpInbox({ port: inbox.port })
    await deliverDue(createSmtpMailer({ url: inbox.url, from: 'Pátio <portal@a.example>' }))
    expect(inbox.mails).toHaveLength(1)
    expect(await check('mail-given-up')).toMatchObject({
      grade: 'good',
      says: expect.stringContaining('nenhum'),
    })
    expect(await check('mail-answer')).toMatchObject({
      grade: 'good',
      says: expect.stringMatching(/^Último e-mail, há \d+ segundos?: o servidor o aceitou \(“250 .*”\)\.$/),
    })
  })

  test('name mails that 0.2 gave up, without their words', async () => {
    await queue()
    await database.db.updateTable('mail_outbox').set({ attempts: 1, due_at: sql`'infinity'` }).execute()
    expect(await check('mail-answer')).toMatchObject({
      grade: 'good',
      says: expect.stringContaining('nenhum'),
    })
    expect(await check('mail-given-up')).toMatchObject({
      grade: 'fault',
      says: expect.stringContaining(': 1 em 7 dias'),
    })
    expect(await retryMails(database.db)).toBe(1)
  })
})

test.each([
  [
    'an address that would be a command',
    { code: 'EENVELOPE', command: 'API', message: 'Invalid recipient "a\\nb"' },
    'recipient',
    true,
  ],
  [
    'an account without its password',
    { code: 'EAUTH', command: 'API', message: 'Missing credentials for "PLAIN"' },
    'sender',
    false,
  ],
  [
    'a certificate of another name',
    { code: 'ESOCKET', command: 'CONN', message: "Hostname/IP does not match certificate's altnames" },
    'server',
    false,
  ],
  [
    'a refused STARTTLS',
    { code: 'ETLS', command: 'STARTTLS', response: '502 5.5.1 Not implemented' },
    'sender',
    false,
  ],
  [
    'an answer over several lines',
    { code: 'EENVELOPE', command: 'RCPT TO', response: '550-5.1.1 The account\n550 5.1.1 does not exist' },
    'recipient',
    true,
  ],
  ['something that is no error of a server', new Error('down'), 'server', false],
])('classifyFailure: %s', (_, error, blame, isFinal) => {
  expect(classifyFailure(error)).toMatchObject({ blame, isFinal, mayHaveArrived: false })
})
