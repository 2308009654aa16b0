import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type RawBuilder, sql } from 'kysely'
import pino from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { accountMails } from '#server/accounts/mails.ts'
import type { Database } from '#server/database/database.ts'
import type { LinkPurpose } from '#server/database/schema.ts'
import { createLog, type Log } from '#server/log.ts'
import { type SmtpInbox, startSmtpInbox } from '#server/testing/smtp-inbox.ts'
import { describeOnEachDatabase, setUpDatabase } from '#server/testing/test-database.ts'
import { waitFor } from '#server/testing/wait-for.ts'
import { AWAITED_HOURS, queueMail } from './mails.ts'
import { createOutbox, retryMails } from './outbox.ts'
import { createSmtpMailer, type Mail, type Mailer } from './smtp-mailer.ts'

const FROM = 'Pátio <portal@grupopatio.com.br>'
const silent = createLog('silent')

interface OutboxOptions {
  log?: Log
  listen?: Database['listen']
  pollMs?: number
  renewMs?: number
  stopMs?: number
}

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

  const openOutbox = (
    mailer: Mailer,
    { log = silent, listen = database.listen, ...times }: OutboxOptions = {},
  ) =>
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
      { pollMs: 60_000, ...times },
    )
  const addUnverified = async (email: string) => {
    await database.db.insertInto('profiles').values({ email }).execute()
    return email
  }
  const addPerson = async (email: string) => {
    await database.db.insertInto('profiles').values({ email, email_verified_at: new Date() }).execute()
    return email
  }
  /** To an unverified address goes only what proves it. */
  const addRecipient = (kindOfMail: string, email: string) =>
    kindOfMail === 'verification' ? addUnverified(email) : addPerson(email)
  const queueMailTo = async (email: string) => queueMail(database, 'verification', await addUnverified(email))
  const rows = () =>
    database.db
      .selectFrom('mail_outbox')
      .select(({ fn }) => ['id', 'attempts', 'sent_at', 'due_at', fn<Date>('now', []).as('now')])
      .execute()
  const links = (purpose: LinkPurpose = 'signup') =>
    database.db.selectFrom('email_links').selectAll().where('purpose', '=', purpose).execute()
  const makeDue = () =>
    database.db.updateTable('mail_outbox').set({ due_at: sql`now() - interval '1 second'` }).execute()

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

  test('retries after 10 s, doubling to an hour', async () => {
    const outbox = openOutbox({ deliver: async () => Promise.reject(new Error('down')) })
    await queueMailTo('nara@grupopatio.com.br')
    const waits: number[] = []
    for (let attempt = 0; attempt < 11; attempt++) {
      await makeDue()
      await outbox.deliverDue()
      const [row] = await rows()
      waits.push(Math.round(((row?.due_at.getTime() ?? 0) - (row?.now.getTime() ?? 0)) / 10_000) * 10)
    }
    expect(waits).toEqual([10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600])
  })

  test('retries what waits or was given up at once, but nothing that is claimed, held or not yet due', async () => {
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
    await add(inSeconds(3_599), 7)
    await add(inSeconds(320), 6)
    expect(await retryMails(database.db)).toBe(3)
    const delivered: string[] = []
    await openOutbox({ deliver: async ({ to }) => void delivered.push(to) }).deliverDue()
    expect(delivered.toSorted()).toEqual([2, 6, 7].map((attempts) => `nara${attempts}@grupopatio.com.br`))
    expect(await retryMails(database.db)).toBe(0)
  })

  test.each([
    ['recovery', '59 minutes', 60],
    ['recovery', '1 hour', null],
    ['verification', '23 hours', 3_600],
    ['verification', '1 day', null],
    ['password-changed', '1 day', 3_600],
    ['password-changed', '2 days', null],
  ] as const)(
    'gives up a %s mail with its link or after two days: after %s',
    async (kindOfMail, age, seconds) => {
      await queueMail(database, kindOfMail, await addRecipient(kindOfMail, 'nara@grupopatio.com.br'))
      const first_due_at = sql<Date>`now() - ${age}::interval`
      await database.db.updateTable('mail_outbox').set({ attempts: 20, first_due_at }).execute()
      await openOutbox({ deliver: async () => Promise.reject(new Error('down')) }).deliverDue()
      const due = sql<number>`extract(epoch from nullif(due_at, 'infinity') - now())::float8`.as('seconds')
      const row = await database.db.selectFrom('mail_outbox').select(due).executeTakeFirst()
      if (seconds === null) expect(row?.seconds).toBeNull()
      else expect(Math.abs((row?.seconds ?? 0) - seconds)).toBeLessThan(5)
    },
  )

  test('knows for how long the links of awaited mails are good', async () => {
    for (const [kindOfMail, purpose] of [
      ['verification', 'signup'],
      ['recovery', 'recovery'],
    ] as const) {
      await queueMail(database, kindOfMail, await addRecipient(kindOfMail, `${purpose}@grupopatio.com.br`))
      await openOutbox({ deliver: async () => undefined }).deliverDue()
      const hours =
        ((await links(purpose))[0]?.expires_at.getTime() ?? 0) / 3_600_000 - Date.now() / 3_600_000
      expect(Math.round(hours)).toBe(AWAITED_HOURS[kindOfMail])
    }
  })

  test('waits ten minutes before sending what may have arrived again', async () => {
    const unanswered = Object.assign(new Error('Timeout'), { isUnanswered: true })
    await queueMailTo('nara@grupopatio.com.br')
    await openOutbox({ deliver: async () => Promise.reject(unanswered) }).deliverDue()
    const [row] = await rows()
    expect((row?.due_at.getTime() ?? 0) - (row?.now.getTime() ?? 0)).toBeGreaterThan(590_000)
  })

  test('sends mails that somebody waits for first, and beside those that a server does not answer', async () => {
    const started: string[] = []
    const ends: (() => void)[] = []
    const mailer: Mailer = {
      async deliver({ to, kind: sent }) {
        started.push(to)
        if (sent === 'password-changed') await new Promise<void>((resolve) => void ends.push(resolve))
      },
    }
    const addMail = async (kindOfMail: 'password-changed' | 'recovery', name: string) =>
      queueMail(database, kindOfMail, await addPerson(`${name}@x.br`))
    for (const name of ['a', 'b', 'c', 'd']) await addMail('password-changed', name)
    await addMail('recovery', 'first')
    const outbox = openOutbox(mailer)
    outbox.start()
    await waitFor(() => expect(started).toHaveLength(4))
    expect(started[0]).toBe('first@x.br')
    await addMail('recovery', 'beside')
    await waitFor(() => expect(started).toHaveLength(5))
    expect(started[4]).toBe('beside@x.br')
    ends.shift()?.()
    await waitFor(() => expect(started).toHaveLength(6))
    expect(started.toSorted()).toEqual(['a', 'b', 'beside', 'c', 'd', 'first'].map((name) => `${name}@x.br`))
    for (const end of ends) end()
    await outbox.stop()
  })

  test('renews the claim of a mail that waits for its answer', async () => {
    const sent: string[] = []
    let answer: (() => void) | undefined
    const mute: Mailer = { deliver: () => new Promise((resolve) => (answer = resolve)) }
    const outbox = openOutbox(mute, { renewMs: 10 })
    outbox.start()
    await queueMailTo('nara@grupopatio.com.br')
    await waitFor(() => expect(answer).toBeDefined())
    await makeDue()
    await waitFor(async () => {
      const [row] = await rows()
      expect((row?.due_at.getTime() ?? 0) - (row?.now.getTime() ?? 0)).toBeGreaterThan(55_000)
    })
    await openOutbox({ deliver: async ({ to }) => void sent.push(to) }).deliverDue()
    expect(sent).toEqual([])
    answer?.()
    await outbox.stop()
    expect((await rows())[0]).toMatchObject({ attempts: 1, sent_at: expect.any(Date) })
  })

  test('leaves a mail without an answer to its claim when it stops', async () => {
    const mails: Mail[] = []
    const mute: Mailer = { deliver: (mail) => new Promise(() => void mails.push(mail)) }
    const outbox = openOutbox(mute, { renewMs: 10, stopMs: 10 })
    outbox.start()
    await queueMailTo('nara@grupopatio.com.br')
    await waitFor(() => expect(mails).toHaveLength(1))
    await outbox.stop()
    await makeDue()
    await openOutbox({ deliver: async (mail) => void mails.push(mail) }).deliverDue()
    expect(mails[1]?.messageId).toBe(mails[0]?.messageId)
  })

  test('leaves a row alone that another replica has claimed since', async () => {
    await queueMailTo('nara@grupopatio.com.br')
    const late: Mailer = {
      async deliver() {
        await database.db.updateTable('mail_outbox').set({ attempts: 2 }).execute()
        throw Object.assign(new Error('Message failed'), {
          command: 'RCPT TO',
          response: '550 5.1.1 unknown',
        })
      },
    }
    await openOutbox(late).deliverDue()
    const row = await database.db.selectFrom('mail_outbox').select(['answer', 'attempts']).executeTakeFirst()
    expect(row).toEqual({ answer: null, attempts: 2 })
    expect((await rows())[0]?.due_at).toBeInstanceOf(Date)
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
