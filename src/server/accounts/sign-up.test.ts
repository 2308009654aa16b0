import { beforeEach, describe, expect, test, vi } from 'vitest'
import { NEW_PASSWORD, receiveMail, signIn, signUp, useLink } from '#server/testing/account-calls.ts'
import { addPerson, send, TEST_PASSWORD } from '#server/testing/builders.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal } from '#server/testing/test-portal.ts'

const work = vi.hoisted(() => ({ hashed: 0, verified: 0 }))
// The amount of work is not observable otherwise.
vi.mock('@node-rs/argon2', async (original) => {
  const real = await original<typeof import('@node-rs/argon2')>()
  const hash: typeof real.hash = (...args) => {
    work.hashed++
    return real.hash(...args)
  }
  const verify: typeof real.verify = (...args) => {
    work.verified++
    return real.verify(...args)
  }
  return { ...real, hash, verify }
})

const BUILTIN = 'admin@grupopatio.com.br'

describeOnEachDatabase('signing up', (kind) => {
  const portal = setUpPortal({ kind, publicUrl: 'https://portal.example' })
  let made = 0
  const newAddress = () => `nova${++made}@grupopatio.com.br`
  beforeEach(() => {
    portal.clock.advance(61 * 60_000)
    portal.mails.length = 0
    work.hashed = 0
    work.verified = 0
  })
  const readProfile = (email: string) =>
    portal.database.db.selectFrom('profiles').selectAll().where('email', '=', email).executeTakeFirst()
  const readPassword = (email: string) =>
    portal.database.db
      .selectFrom('passwords')
      .innerJoin('profiles', 'profiles.user_id', 'passwords.user_id')
      .select('hash')
      .where('email', '=', email)
      .executeTakeFirst()
  const isAdmin = async (email: string) =>
    (await portal.database.db
      .selectFrom('user_roles')
      .innerJoin('profiles', 'profiles.user_id', 'user_roles.user_id')
      .select('role')
      .where('email', '=', email)
      .executeTakeFirst()) !== undefined

  test('creates an empty account that waits for verification and approval', async () => {
    const email = newAddress()
    const { status, body } = await signUp(portal, `  ${email.toUpperCase()} `)
    expect(status).toBe(200)
    expect(body).toEqual({
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      aud: 'authenticated',
      role: 'authenticated',
      email,
      confirmation_sent_at: new Date(portal.clock()).toISOString(),
      created_at: new Date(portal.clock()).toISOString(),
      confirmation_mark: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(await readProfile(email)).toMatchObject({
      approved: false,
      email_verified_at: null,
      types: [],
      marcas: [],
      estados: [],
      created_at: new Date(portal.clock()),
    })
    const { body: session } = await signIn(portal, email, NEW_PASSWORD)
    const me = await send(portal, 'GET', '/api/reports/me', { token: session.access_token })
    expect(me.body).toMatchObject({ approved: false, emailVerified: false, areas: [] })
  })

  test('is recorded, also when repeated', async () => {
    const email = newAddress()
    await signUp(portal, email)
    portal.clock.advance(60_000)
    await signUp(portal, email)
    const { user_id } = (await readProfile(email)) as { user_id: string }
    const rows = await portal.database.db
      .selectFrom('audit_entries')
      .select(['action', 'target_email', 'ip'])
      .where('target_id', '=', user_id)
      .orderBy('id')
      .execute()
    expect(rows).toEqual([
      { action: 'account-created', target_email: email, ip: '127.0.0.1' },
      { action: 'sign-up-repeated', target_email: email, ip: '127.0.0.1' },
    ])
  })

  test('answers a known and an unknown address alike, after the same work', async () => {
    const verified = await addPerson(portal, { password: TEST_PASSWORD })
    const unverified = await addPerson(portal, { password: TEST_PASSWORD, email_verified_at: null })
    const replies = []
    for (const email of [newAddress(), verified.email, unverified.email]) {
      work.hashed = 0
      const { status, headers, body } = await signUp(portal, email)
      const { id: _, email: echoed, confirmation_mark: mark, ...rest } = body
      expect([echoed, mark.length]).toEqual([email, 43])
      replies.push({ status, rest, ...work, names: [...headers.keys()].sort() })
    }
    expect(replies[0]).toMatchObject({ status: 200, hashed: 1, verified: 0 })
    expect(replies[1]).toEqual(replies[0])
    expect(replies[2]).toEqual(replies[0])
  })

  test('mails a known address that it has an account, and changes nothing', async () => {
    const { email } = await addPerson(portal, { password: TEST_PASSWORD })
    const before = [await readProfile(email), await readPassword(email)]
    await signUp(portal, email)
    expect([await readProfile(email), await readPassword(email)]).toEqual(before)
    const mail = await receiveMail(portal, email)
    expect(mail).toMatchObject({ kind: 'account-exists', link: 'https://portal.example/login' })
    expect(portal.mails.filter(({ to }) => to === email)).toHaveLength(1)
    expect((await signIn(portal, email, NEW_PASSWORD)).status).toBe(400)
  })

  test('sends an unverified address a new link, and keeps its password', async () => {
    const { email } = await addPerson(portal, { password: TEST_PASSWORD, email_verified_at: null })
    const before = await readPassword(email)
    await signUp(portal, email)
    expect(await readPassword(email)).toEqual(before)
    const mail = await receiveMail(portal, email)
    expect(mail?.kind).toBe('verification')
    expect((await useLink(portal, 'signup', mail?.link)).status).toBe(200)
  })

  test('creates one account when sent twice at the same time', async () => {
    const email = newAddress()
    const own = await startTestPortal({ kind, database: portal.database, rateLimits: false })
    const replies = await Promise.all([signUp(own, email), signUp(own, email), signUp(own, email)])
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
    await own.stop()
  })

  describe('with the address of the built-in administrator', () => {
    test('promotes to administrator only when the verification link is used', async () => {
      await signUp(portal, BUILTIN)
      const { access_token: early } = (await signIn(portal, BUILTIN, NEW_PASSWORD)).body
      expect(await isAdmin(BUILTIN)).toBe(false)
      expect((await send(portal, 'GET', '/api/openapi.json', { token: early })).status).toBe(403)
      const { link } = (await receiveMail(portal, BUILTIN)) ?? {}
      const { body } = await useLink(portal, 'signup', link, { password: NEW_PASSWORD })
      expect(await isAdmin(BUILTIN)).toBe(true)
      expect((await send(portal, 'GET', '/api/openapi.json', { token: body.access_token })).status).toBe(200)
      expect((await send(portal, 'GET', '/api/openapi.json', { token: early })).status).toBe(401)
      expect((await readProfile(BUILTIN))?.approved).toBe(true)
    })

    test('changes no other person', async () => {
      const email = newAddress()
      await signUp(portal, email)
      await useLink(portal, 'signup', (await receiveMail(portal, email))?.link)
      expect(await isAdmin(email)).toBe(false)
      expect((await readProfile(email))?.approved).toBe(false)
    })
  })
})
