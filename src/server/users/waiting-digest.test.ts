import { expect, test } from 'vitest'
import { queueMail } from '#server/mail/mails.ts'
import { NEVER } from '#server/mail/outbox.ts'
import { receiveMail, signUp } from '#server/testing/account-calls.ts'
import { addPerson, openTestSession, send } from '#server/testing/builders.ts'
import { setUpDigest } from '#server/testing/set-up-digest.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal } from '#server/testing/test-portal.ts'
import { queueWaitingDigest } from '#server/users/mails.ts'

describeOnEachDatabase('waiting digest', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false, publicUrl: 'https://portal.example' })
  const { admins, listQueued, makeDue } = setUpDigest(portal, 'waiting-digest')
  let made = 0
  const createAddress = () => `espera${++made}@grupopatio.com.br`
  const listDigests = () => portal.mails.filter((mail) => mail.kind === 'waiting-digest')
  /** Backdates the sent mails. */
  const ageMails = (minutes: number) =>
    portal.database.db
      .updateTable('mail_outbox')
      .set({ sent_at: new Date(Date.now() - minutes * 60_000) })
      .where('sent_at', 'is not', null)
      .execute()

  test('is mailed at once, only to administrators', async () => {
    const email = createAddress()
    await signUp(portal, email)
    await portal.outbox.deliverDue()
    expect(listDigests().map(({ to }) => to)).toEqual(admins)
    const [digest] = listDigests()
    expect(digest).toMatchObject({
      subject: '1 pessoa aguarda aprovação no portal Grupo Pátio',
      link: 'https://portal.example/admin#fila',
    })
    expect(digest?.text).toContain(`${email} (e-mail ainda não verificado)`)
  })

  test('is throttled to one every ten minutes over all replicas', async () => {
    const replica = await startTestPortal({ kind, database: portal.database, rateLimits: false })
    await signUp(portal, createAddress())
    await portal.outbox.deliverDue()
    const later = [createAddress(), createAddress(), createAddress(), createAddress()]
    await Promise.all(later.map((email, index) => signUp(index % 2 ? portal : replica, email)))
    await portal.outbox.deliverDue()
    await replica.outbox.deliverDue()
    expect(listDigests()).toHaveLength(2)
    const rows = await listQueued()
    expect(rows.map(({ recipient }) => recipient)).toEqual(admins)
    for (const { minutesLeft } of rows) {
      expect(minutesLeft).toBeGreaterThan(9.5)
      expect(minutesLeft).toBeLessThanOrEqual(10)
    }

    await makeDue()
    await portal.outbox.deliverDue()
    expect(listDigests()).toHaveLength(4)
    for (const email of later) expect(listDigests().at(-1)?.text).toContain(email)
    expect(listDigests().at(-1)?.subject).toContain('5 pessoas aguardam aprovação')
    await replica.stop()
  })

  test('is sent at once when the last one is older than that', async () => {
    await signUp(portal, createAddress())
    await portal.outbox.deliverDue()
    await ageMails(11)
    await signUp(portal, createAddress())
    await portal.outbox.deliverDue()
    expect(listDigests()).toHaveLength(4)
  })

  test('is sent again after one that was given up', async () => {
    await signUp(portal, createAddress())
    await portal.database.db
      .updateTable('mail_outbox')
      .set({ attempts: 1, due_at: NEVER })
      .where('kind', '=', 'waiting-digest')
      .execute()
    await signUp(portal, createAddress())
    await portal.outbox.deliverDue()
    expect(listDigests().map(({ to }) => to)).toEqual(admins)
  })

  test('includes people who sign up during a delivery in the next one', async () => {
    await signUp(portal, createAddress())
    // A worker has composed it and waits for the mail server.
    await portal.database.db
      .updateTable('mail_outbox')
      .set({ attempts: 1, due_at: new Date(Date.now() + 60_000) })
      .where('kind', '=', 'waiting-digest')
      .execute()
    await signUp(portal, createAddress())
    expect(await listQueued()).toHaveLength(4)
  })

  test('is not repeated for a known address, nor sent once no one waits', async () => {
    const email = createAddress()
    await signUp(portal, email)
    await portal.database.db.updateTable('profiles').set({ approved: true }).execute()
    await portal.outbox.deliverDue()
    expect(listDigests()).toEqual([])
    await ageMails(11)
    await signUp(portal, email)
    expect(await listQueued()).toEqual([])
  })

  test('names up to ten people and counts the rest', async () => {
    for (let count = 0; count < 13; count++) await addPerson(portal, { approved: false })
    await signUp(portal, createAddress())
    await portal.outbox.deliverDue()
    const text = listDigests()[0]?.text ?? ''
    expect(text.match(/^- /gm)).toHaveLength(11)
    expect(text).toContain('e mais 4')
  })

  test('omits people whose approval was withdrawn, until they ask for access again', async () => {
    const person = await addPerson(portal, { approved: false })
    const withdrawn = { approval_removed_at: new Date() }
    const { db } = portal.database
    await db.updateTable('profiles').set(withdrawn).where('user_id', '=', person.user_id).execute()
    await signUp(portal, createAddress())
    await portal.outbox.deliverDue()
    expect(listDigests()[0]?.subject).toContain('1 pessoa aguarda')
    expect(listDigests()[0]?.text).not.toContain(person.email)
    expect(await listQueued()).toEqual([])

    const { access_token: token } = await openTestSession(portal, person)
    const body = { full_name: 'Rita Prado', types: ['Vendas'] }
    expect((await send(portal, 'PUT', '/api/access-requests/me', { token, body })).status).toBe(200)
    await makeDue()
    await portal.outbox.deliverDue()
    expect(listDigests().at(-1)?.text).toContain(person.email)
  })

  test('queues nothing for null or for an approved user', async () => {
    const { user_id } = await addPerson(portal)
    for (const waitingId of [null, user_id]) await queueWaitingDigest(portal.database, waitingId)
    expect(await listQueued()).toEqual([])
  })

  test('is not sent to a demoted administrator', async () => {
    await signUp(portal, createAddress())
    await portal.database.db.deleteFrom('user_roles').execute()
    await portal.outbox.deliverDue()
    expect(listDigests()).toEqual([])
  })

  test('precedes a mail to the approved person, unless the approval was withdrawn', async () => {
    const approved = await addPerson(portal)
    const revoked = await addPerson(portal, { approved: false })
    for (const { email } of [approved, revoked]) await queueMail(portal.database, 'account-approved', email)
    const mail = await receiveMail(portal, approved.email)
    expect(mail).toMatchObject({
      kind: 'account-approved',
      subject: 'Sua conta no portal Grupo Pátio foi aprovada',
      link: 'https://portal.example/power-bi',
    })
    expect(portal.mails).toHaveLength(1)
  })
})
