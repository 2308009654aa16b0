import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { beforeEach, expect, test } from 'vitest'
import { addPerson, openTestSession, send } from '#server/testing/builders.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const HOUR_MS = 60 * 60_000

describeOnEachDatabase('verification mail', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false, publicUrl: 'https://portal.example' })
  beforeEach(() => {
    portal.mails.length = 0
  })

  const addUnverified = () => addPerson(portal, { email_verified_at: null })
  const resend = (email: string) =>
    send(portal, 'POST', '/api/auth/resend', { body: { type: 'signup', email } })
  const findMail = async (email: string) => {
    await resend(email)
    await portal.outbox.deliverDue()
    return portal.mails.at(-1)
  }
  const parseToken = (link: string | null | undefined) =>
    new URLSearchParams(new URL(link ?? '').hash.slice(1)).get('token_hash') ?? ''
  const verify = (link: string, token = '') =>
    send(portal, 'POST', '/api/auth/verify', { token, body: { type: 'signup', token_hash: link } })

  test('has a link that verifies its owner and signs in, once', async () => {
    const person = await addUnverified()
    const { access_token } = await openTestSession(portal, person)
    const mail = await findMail(person.email)
    expect(mail).toMatchObject({ to: person.email, kind: 'verification' })
    expect(mail?.link).toMatch(/^https:\/\/portal\.example\/auth\/callback#token_hash=[\w-]{43}&type=signup$/)
    expect(mail?.text).toContain(mail?.link)
    expect(mail?.html).toContain(`href="${mail?.link?.replace('&', '&amp;')}"`)

    const used = await verify(parseToken(mail?.link), access_token)
    expect(used.status).toBe(200)
    expect(used.body.user).toMatchObject({ email: person.email, email_confirmed_at: expect.any(String) })
    const me = await send(portal, 'GET', '/api/profiles/me', { token: used.body.access_token })
    expect(me.body.email_verified_at).not.toBeNull()
    expect((await verify(parseToken(mail?.link))).status).toBe(400)
  })

  test('has a link that works once when used twice at the same time', async () => {
    const token = parseToken((await findMail((await addUnverified()).email))?.link)
    const replies = await Promise.all([verify(token), verify(token)])
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400])
  })

  test('leaves only the hash of the token in the database', async () => {
    const mail = await findMail((await addUnverified()).email)
    const token = parseToken(mail?.link)
    const links = await portal.database.db.selectFrom('email_links').select('token_hash').execute()
    const hash = createHash('sha256').update(token).digest('hex')
    expect(links.map((link) => Buffer.from(link.token_hash).toString('hex'))).toContain(hash)
    expect(
      JSON.stringify(await portal.database.db.selectFrom('mail_outbox').selectAll().execute()),
    ).not.toContain(token)
  })

  test('is sent only to unverified addresses; others get the same answer', async () => {
    const unverified = await addUnverified()
    const verified = await addPerson(portal)
    const replies = []
    for (const email of [unverified.email, verified.email, 'ninguem@grupopatio.com.br'])
      replies.push(await resend(email))
    expect(replies.map(({ status, body }) => ({ status, body }))).toEqual(
      Array(3).fill({ status: 200, body: {} }),
    )
    await portal.outbox.deliverDue()
    expect(portal.mails.map(({ to }) => to)).toEqual([unverified.email])
    const waiting = await portal.database.db
      .selectFrom('mail_outbox')
      .select('id')
      .where('sent_at', 'is', null)
      .execute()
    expect(waiting).toEqual([])
  })

  test('is sent however the address is typed', async () => {
    const { email } = await addUnverified()
    expect((await findMail(`  ${email.toUpperCase()} `))?.to).toBe(email)
  })

  test('leaves links of other people and for other purposes valid', async () => {
    const { email, user_id } = await addUnverified()
    const other = parseToken((await findMail((await addUnverified()).email))?.link)
    const recovery = { token_hash: new Uint8Array([1]), user_id, purpose: 'recovery' as const }
    await portal.database.db
      .insertInto('email_links')
      .values({ ...recovery, expires_at: new Date(portal.clock() + HOUR_MS) })
      .execute()
    await findMail(email)
    const left = await portal.database.db
      .selectFrom('email_links')
      .select('purpose')
      .where('user_id', '=', user_id)
      .execute()
    expect(left.map(({ purpose }) => purpose).toSorted()).toEqual(['disown-account', 'recovery', 'signup'])
    expect((await verify(other)).status).toBe(200)
  })

  test('ends every earlier session at the first verification', async () => {
    const person = await addUnverified()
    const earlier = await openTestSession(portal, person)
    const token = parseToken((await findMail(person.email))?.link)
    expect((await send(portal, 'GET', '/api/profiles/me', { token: earlier.access_token })).status).toBe(200)
    expect((await verify(token)).status).toBe(200)
    expect((await send(portal, 'GET', '/api/profiles/me', { token: earlier.access_token })).status).toBe(401)
  })

  test('has a link that a GET does not use', async () => {
    const mail = await findMail((await addUnverified()).email)
    const token = parseToken(mail?.link)
    for (const path of ['/auth/callback', '/api/auth/verify'])
      await fetch(`${portal.url}${path}?type=signup&token_hash=${token}`)
    expect((await verify(token)).status).toBe(200)
  })

  test('has links that no header or redirect parameter changes', async () => {
    const { email } = await addUnverified()
    // fetch would set the Host header itself.
    const hostile = request(`${portal.url}/api/auth/resend?redirect_to=https%3A%2F%2Fevil.example`, {
      method: 'POST',
      headers: {
        host: 'evil.example',
        'x-forwarded-host': 'evil.example',
        origin: 'https://evil.example',
        'content-type': 'application/json',
      },
    })
    hostile.end(JSON.stringify({ type: 'signup', email }))
    const [reply] = await once(hostile, 'response')
    reply.resume()
    expect(reply.statusCode).toBe(200)
    await portal.outbox.deliverDue()
    expect(portal.mails).toHaveLength(1)
    expect(portal.mails[0]?.link).toMatch(/^https:\/\/portal\.example\/auth\/callback#/)
    expect(JSON.stringify(portal.mails)).not.toContain('evil.example')
  })

  test('has a link that is valid for 24 hours', async () => {
    const person = await addUnverified()
    const onTime = parseToken((await findMail(person.email))?.link)
    const late = parseToken((await findMail((await addUnverified()).email))?.link)
    portal.clock.advance(24 * HOUR_MS - 1_000)
    const { access_token } = await openTestSession(portal, person)
    expect((await verify(onTime, access_token)).status).toBe(200)
    portal.clock.advance(1_001)
    expect((await verify(late)).status).toBe(400)
  })
})
