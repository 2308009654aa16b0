import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type RawBuilder, sql } from 'kysely'
import pino from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { accountMails } from '#server/accounts/mails.ts'
import type { LinkPurpose } from '#server/database/schema.ts'
import { createLog } from '#server/log.ts'
import { type SmtpInbox, startSmtpInbox } from '#server/testing/smtp-inbox.ts'
import { describeOnEachDatabase, setUpDatabase } from '#server/testing/test-database.ts'
import { waitFor } from '#server/testing/wait-for.ts'
import { queueMail } from './mails.ts'
import { createOutbox, retryMails } from './outbox.ts'
import { createSmtpMailer, type Mail, type Mailer } from './smtp-mailer.ts'

const FROM = 'Pátio <portal@grupopatio.com.br>'
const silent = createLog('silent')

describeOnEachDatabase('the outbox', (kind) => {
  const database = setUpDatabase(kind)
  let inbox: SmtpInbox | undefined
  beforeEach(async () => {
    await database.db.deleteFrom('mail_outbox').execute()
    await database.db.deleteFrom('profiles').execute()
  })
  afterEach(async () => {
    await inbox?.stop()
    inbox = undefined
  })

  const openOutbox = (mailer: Mailer, { log = silent, pollMs = 60_000, listen = database.listen } = {}) =>
    createOutbox(
      {
        db: database.db,
        listen,
        mails: accountMails,
        mailer,
        log,
        clock: Date.now,
        publicUrl: 'https://portal.example:8443',
        groupName: 'Grupo',
        signUnsubscribe: (id) => id,
      },
      pollMs,
    )
  const addUnverified = async (email: string) => {
    await database.db.insertInto('profiles').values({ email }).execute()
    return email
  }
  const queueMailTo = async (email: string) => queueMail(database, 'verification', await addUnverified(email))
  const rows = () =>
    database.db
      .selectFrom('mail_outbox')
      .select(({ fn }) => ['id', 'attempts', 'sent_at', 'due_at', fn<Date>('now', []).as('now')])
      .execute()
  const links = (purpose: LinkPurpose = 'signup') =>
    database.db.selectFrom('email_links').selectAll().where('purpose', '=', purpose).execute()
  const makeDue = () =>
    database.db
      .updateTable('mail_outbox')
      .set({ due_at: new Date(0) })
      .execute()

  test('sends a failed mail once the server is back, with the same Message-ID', async () => {
    inbox = await startSmtpInbox({ rejects: 451 })
    const { port, mails: refused } = inbox
    const outbox = openOutbox(createSmtpMailer({ url: inbox.url, from: FROM }))
    await queueMailTo('nara@grupopatio.com.br')
    await outbox.deliverDue()
    await inbox.stop()
    await makeDue()
    await outbox.deliverDue()
    const [waiting] = await rows()
    expect(waiting).toMatchObject({ attempts: 2, sent_at: null })

    inbox = await startSmtpInbox({ port })
    await makeDue()
    await outbox.deliverDue()
    await outbox.deliverDue()
    expect(inbox.mails).toHaveLength(1)
    expect(inbox.mails[0]).toMatchObject({
      to: ['nara@grupopatio.com.br'],
      messageId: `<${waiting?.id}@portal.example>`,
    })
    expect(refused[0]?.messageId).toBe(inbox.mails[0]?.messageId)
    expect((await rows())[0]?.sent_at).toBeInstanceOf(Date)
  })

  test('retries after 10 s, doubling to 10 min', async () => {
    const outbox = openOutbox({ deliver: async () => Promise.reject(new Error('down')) })
    await queueMailTo('nara@grupopatio.com.br')
    const waits: number[] = []
    for (let attempt = 0; attempt < 8; attempt++) {
      await makeDue()
      await outbox.deliverDue()
      const [row] = await rows()
      waits.push(Math.round(((row?.due_at.getTime() ?? 0) - (row?.now.getTime() ?? 0)) / 10_000) * 10)
    }
    expect(waits).toEqual([10, 20, 40, 80, 160, 320, 600, 600])
  })

  test('retries what waits at once, but nothing that is claimed, refused, held or not yet due', async () => {
    const inSeconds = (seconds: number) => sql<Date>`now() + ${seconds} * interval '1 second'`
    const add = async (due_at: RawBuilder<Date>, attempts: number) => {
      const recipient = await addUnverified(`nara${attempts}@grupopatio.com.br`)
      await database.db
        .insertInto('mail_outbox')
        .values({ kind: 'recovery', recipient, due_at, attempts })
        .execute()
    }
    await add(inSeconds(60), 1)
    await add(sql<Date>`'infinity'::timestamptz`, 2)
    await add(sql<Date>`'9000-01-01'::timestamptz`, 3)
    await add(inSeconds(300), 0)
    await add(inSeconds(599), 7)
    await add(inSeconds(320), 6)
    expect(await retryMails(database.db)).toBe(2)
    const delivered: string[] = []
    await openOutbox({ deliver: async ({ to }) => void delivered.push(to) }).deliverDue()
    expect(delivered.toSorted()).toEqual(['nara6@grupopatio.com.br', 'nara7@grupopatio.com.br'])
    expect(await retryMails(database.db)).toBe(0)
  })

  test.each([
    ['an unknown recipient', { rejectsRecipient: 550 }, false],
    ['a mail rejected as spam', { rejects: 554 }, false],
    ['a recipient whose server is down', { rejectsRecipient: 450 }, true],
    ['a server that denies relaying', { rejectsRecipient: 550, reason: '5.7.1 Relaying denied' }, true],
  ])('decides about a retry after %s', async (_, answers, isRetried) => {
    inbox = await startSmtpInbox(answers)
    const outbox = openOutbox(createSmtpMailer({ url: inbox.url, from: FROM }))
    await queueMailTo('nara@grupopatio.com.br')
    await outbox.deliverDue()
    const waits = sql<boolean>`due_at < now() + interval '1 minute'`.as('waits')
    const { attempts, ...row } = await database.db
      .selectFrom('mail_outbox')
      .select(['attempts', 'sent_at', waits])
      .executeTakeFirstOrThrow()
    expect(attempts).toBe(1)
    expect(row).toEqual({ sent_at: null, waits: isRetried })
  })

  test('sends each mail once with two concurrent workers', async () => {
    const sent: string[] = []
    const slow: Mailer = {
      async deliver({ to }) {
        await new Promise((resolve) => setTimeout(resolve, 5))
        sent.push(to)
      },
    }
    const people = Array.from({ length: 20 }, (_, i) => `p${i}@grupopatio.com.br`)
    for (const person of people) await queueMailTo(person)
    await Promise.all([openOutbox(slow).deliverDue(), openOutbox(slow).deliverDue()])
    expect(sent.toSorted()).toEqual(people.toSorted())
  })

  test('sends the mail of a crashed worker after a minute, with the same Message-ID', async () => {
    const mails: Mail[] = []
    const dying: Mailer = { deliver: (mail) => new Promise(() => void mails.push(mail)) }
    const living: Mailer = { deliver: async (mail) => void mails.push(mail) }
    await queueMailTo('nara@grupopatio.com.br')
    void openOutbox(dying).deliverDue()
    await waitFor(() => expect(mails).toHaveLength(1))
    await openOutbox(living).deliverDue()
    expect(mails).toHaveLength(1)
    const [taken] = await rows()
    expect((taken?.due_at.getTime() ?? 0) - (taken?.now.getTime() ?? 0)).toBeGreaterThan(55_000)

    await makeDue()
    await openOutbox(living).deliverDue()
    expect(mails).toHaveLength(2)
    expect(mails[1]?.messageId).toBe(mails[0]?.messageId)
    expect(await links()).toHaveLength(2)
  })

  test.each([
    ['verification', 'signup'],
    ['recovery', 'recovery'],
  ] as const)(
    'keeps the links of earlier mails valid when a %s mail is sent or requested again',
    async (kindOfMail, purpose) => {
      const email = await addUnverified('nara@grupopatio.com.br')
      const mails: Mail[] = []
      const outbox = openOutbox({
        async deliver(mail) {
          mails.push(mail)
          if (mails.length === 1) throw new Error('the reply got lost')
        },
      })
      await queueMail(database, kindOfMail, email)
      await outbox.deliverDue()
      await makeDue()
      await outbox.deliverDue()
      expect(mails).toHaveLength(2)
      expect(mails[0]?.link).not.toBe(mails[1]?.link)
      expect(await links(purpose)).toHaveLength(2)

      await queueMail(database, kindOfMail, email)
      await outbox.deliverDue()
      expect(await links(purpose)).toHaveLength(3)
    },
  )

  test('sends queued mails at once, and stop waits for the current one', async () => {
    const sent: string[] = []
    let arrive: (() => void) | undefined
    const mailer: Mailer = {
      async deliver({ to }) {
        if (to.startsWith('lento'))
          await new Promise<void>((resolve) => {
            arrive = resolve
          })
        sent.push(to)
      },
    }
    const outbox = openOutbox(mailer)
    await queueMailTo('antes@grupopatio.com.br')
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(sent).toEqual([])
    outbox.start()
    await waitFor(() => expect(sent).toEqual(['antes@grupopatio.com.br']))
    // It polls once more after each mail.
    await new Promise((resolve) => setTimeout(resolve, 100))
    await queueMailTo('lento@grupopatio.com.br')
    await waitFor(() => expect(arrive).toBeDefined())
    let hasStopped = false
    const stopped = outbox.stop().then(() => {
      hasStopped = true
    })
    await queueMailTo('depois@grupopatio.com.br')
    expect(hasStopped).toBe(false)
    arrive?.()
    await stopped
    expect(sent).toEqual(['antes@grupopatio.com.br', 'lento@grupopatio.com.br'])
  })

  test('finds mails without a notification by polling', async () => {
    const sent: string[] = []
    const deliver: Mailer['deliver'] = async ({ to }) => void sent.push(to)
    const outbox = openOutbox({ deliver }, { pollMs: 20, listen: () => async () => {} })
    outbox.start()
    await queueMailTo('ultimo@grupopatio.com.br')
    await waitFor(() => expect(sent).toContain('ultimo@grupopatio.com.br'))
    await outbox.stop()
  })

  test('logs a failure without the address', async () => {
    const stream = new PassThrough()
    const outbox = openOutbox(
      {
        deliver: async ({ to }) =>
          Promise.reject(
            Object.assign(new Error(`550 <${to}> unknown`), {
              code: 'EENVELOPE',
              responseCode: 550,
              command: `RCPT TO:<${to}>`,
              response: `550 <${to}>`,
            }),
          ),
      },
      { log: pino({ level: 'debug' }, stream) },
    )
    await queueMailTo('canario@grupopatio.com.br')
    await outbox.deliverDue()
    stream.end()
    const log = await text(stream)
    expect(log).toContain('mail not sent')
    expect(log).toContain('EENVELOPE')
    expect(log).not.toContain('canario')
  })

  test('ignores kinds of a newer version', async () => {
    await database.db
      .insertInto('mail_outbox')
      .values({ kind: 'of-a-later-version', recipient: 'a@b.c' })
      .execute()
    await openOutbox({ deliver: async () => undefined }).deliverDue()
    expect((await rows())[0]).toMatchObject({ attempts: 0, sent_at: null })
  })
})
