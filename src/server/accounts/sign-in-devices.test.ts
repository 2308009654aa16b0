import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { parseProxies } from '#server/http/client-ip.ts'
import {
  changePassword,
  disown,
  findNotMeLink,
  NEW_PASSWORD,
  openRecovery,
  receiveMail,
  requestRecovery,
  setPassword,
  useLink,
} from '#server/testing/account-calls.ts'
import { addPerson, send, TEST_PASSWORD } from '#server/testing/builders.ts'
import { answerChallenge, encodeAnswer, issuePass } from '#server/testing/human-passes.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal } from '#server/testing/test-portal.ts'

const MINUTE = 60_000
const WRONG = 'Nao-E-Esta-2026!'
const BUILTIN = 'admin@grupopatio.com.br'

describeOnEachDatabase('a known device', (kind) => {
  const portal = setUpPortal({ kind, trustedProxies: parseProxies(['127.0.0.1']) })
  let email: string
  beforeEach(async () => {
    portal.clock.advance(60 * MINUTE)
    email = (await addPerson(portal, { password: TEST_PASSWORD })).email
  })

  const signIn = async (
    password: string,
    {
      device,
      ip = '198.51.100.7',
      at = portal,
      as = email,
      captcha,
    }: Partial<Record<'device' | 'ip' | 'as' | 'captcha', string>> & {
      at?: typeof portal
    } = {},
  ) => {
    const pass = captcha ?? (await issuePass(at))
    const body = { email: as, password, captcha: pass, ...(device && { device_token: device }) }
    const path = '/api/auth/token?grant_type=password'
    return send(at, 'POST', path, { body, headers: { 'x-forwarded-for': ip } })
  }
  const registerDevice = async (as = email) => {
    const { status, body } = await signIn(TEST_PASSWORD, { as })
    expect([status, body.device_token]).toEqual([200, expect.stringMatching(/^[\w-]{43}$/)])
    return body.device_token as string
  }
  const statuses = async (count: number, attempt: (index: number) => ReturnType<typeof signIn>) => {
    const seen: number[] = []
    for (let index = 0; index < count; index++) seen.push((await attempt(index)).status)
    return seen
  }
  const listMails = async (address: string) => {
    await portal.outbox.deliverDue()
    return portal.mails.filter(({ to, kind: mailed }) => to === address && mailed === 'new-device')
  }

  test('is not locked out by failures elsewhere, from its own address or from many', async () => {
    const device = await registerDevice()
    expect((await statuses(6, () => signIn(WRONG))).at(-1)).toBe(429)
    // As if they had failed from many more addresses, and at many more accounts.
    const { db } = portal.database
    await db.updateTable('sign_in_attempts').set({ failures: 49 }).where('key', 'not like', '% %').execute()
    await db.updateTable('rate_limits').set({ taken: 60 }).where('key', '=', 'sign-in 198.51.100.7').execute()
    expect((await signIn(WRONG, { ip: '203.0.113.1' })).status).toBe(400)
    expect((await signIn(TEST_PASSWORD, { ip: '192.0.2.1' })).status).toBe(429)
    expect((await signIn(WRONG, { as: 'outra@grupopatio.com.br' })).status).toBe(429)
    expect((await signIn(TEST_PASSWORD, { device })).status).toBe(200)
    // And does not let them in.
    expect((await signIn(TEST_PASSWORD, { ip: '192.0.2.1' })).status).toBe(429)
  })

  test('is mailed to an address that its owner has proved, and to no other', async () => {
    const { db } = portal.database
    const unproved = { password: TEST_PASSWORD, email_verified_at: null }
    const victim = (await addPerson(portal, unproved)).email
    for (const address of [victim, email])
      for (let entry = 0; entry < 40; entry++)
        expect((await signIn(TEST_PASSWORD, { as: address, ip: `203.0.113.${entry}` })).status).toBe(200)
    expect(await listMails(victim)).toEqual([])
    // 39 after the first: five a day, and one that gathers the others.
    expect(await listMails(email)).toHaveLength(5)
    await db.updateTable('mail_outbox').set({ due_at: sql`now()` }).where('sent_at', 'is', null).execute()
    const [gathered, ...more] = (await listMails(email)).slice(5)
    expect(more).toEqual([])
    expect(gathered?.text).toContain('isto aconteceu 34 vezes')
    expect(findNotMeLink(gathered)).not.toBe('')
    expect((await disown(portal, gathered?.link)).body).toEqual({ outcome: 'sessions-ended' })
  })

  test('has separate rate limits, which a password reset clears', async () => {
    const [device, other] = [await registerDevice(), await registerDevice()]
    const moving = (index: number) => signIn(WRONG, { device, ip: `203.0.113.${index}` })
    expect(await statuses(7, moving)).toEqual([400, 400, 400, 400, 400, 429, 429])
    expect((await signIn(TEST_PASSWORD, { device })).status).toBe(429)
    expect((await signIn(TEST_PASSWORD, { device: other })).status).toBe(200)
    expect((await signIn(TEST_PASSWORD)).status).toBe(200)
    await setPassword(portal, await openRecovery(portal, email))
    expect((await signIn(WRONG, { device })).status).toBe(400)
  })

  test('may fail twenty human checks, regardless of others at its address', async () => {
    const [device, other] = [await registerDevice(), await registerDevice()]
    const resets_at = new Date(portal.clock() + 5 * MINUTE)
    const exhausted = { key: 'human-check 198.51.100.7', taken: 600, resets_at }
    await portal.database.db.insertInto('rate_limits').values(exhausted).execute()
    const answer = async (isRight: boolean) => {
      const { challenge, solution } = await answerChallenge(portal)
      return encodeAnswer({ challenge, solution: isRight ? solution : { ...solution, counter: -1 } })
    }
    const trySignIn = async (token: string | undefined, isRight = true) =>
      (await signIn(TEST_PASSWORD, { ...(token && { device: token }), captcha: await answer(isRight) }))
        .status
    expect(await trySignIn(undefined)).toBe(429)
    expect(await trySignIn('x'.repeat(43))).toBe(429)
    expect(await trySignIn(device)).toBe(200)
    for (let count = 0; count < 20; count++) expect(await trySignIn(device, false)).toBe(400)
    expect(await trySignIn(device)).toBe(429)
    expect([await trySignIn(other), await trySignIn(undefined)]).toEqual([200, 429])
    portal.clock.advance(5 * MINUTE)
    expect(await trySignIn(device)).toBe(200)
  })

  test('has an unforgeable token for one account, valid on every replica', async () => {
    const device = await registerDevice()
    const stranger = (await addPerson(portal, { password: TEST_PASSWORD })).email
    const strangers = await registerDevice(stranger)
    await statuses(6, () => signIn(WRONG))
    const tampered = (device[0] === 'A' ? 'B' : 'A') + device.slice(1)
    for (const token of [strangers, tampered, device.slice(1), 'x'])
      expect((await signIn(TEST_PASSWORD, { device: token })).status, token).toBe(429)
    const { database, clock } = portal
    const replica = await startTestPortal({
      kind,
      database,
      clock,
      trustedProxies: parseProxies(['127.0.0.1']),
    })
    expect((await signIn(TEST_PASSWORD, { device, at: replica })).status).toBe(200)
    await replica.stop()
  })

  test('sends no mail; each new device but the first does', async () => {
    const device = await registerDevice()
    await signIn(TEST_PASSWORD, { device })
    await signIn(WRONG)
    expect(await listMails(email)).toEqual([])
    await registerDevice()
    expect(await listMails(email)).toHaveLength(1)
    await signIn(TEST_PASSWORD, { device })
    expect(await listMails(email)).toHaveLength(1)
  })

  test('is removed when the person disowns the sign-in', async () => {
    await registerDevice()
    const device = await registerDevice()
    const link = findNotMeLink(await receiveMail(portal, email, 'new-device'))
    expect((await disown(portal, link)).body).toEqual({ outcome: 'sessions-ended' })
    await setPassword(portal, await openRecovery(portal, email), TEST_PASSWORD.replace('Uma', 'Outra'))
    await statuses(6, () => signIn(WRONG))
    expect((await signIn(WRONG, { device })).status).toBe(429)
  })

  test.each([
    [
      'resets',
      async (address: string) => {
        await requestRecovery(portal, address)
        const { link } = (await receiveMail(portal, address, 'recovery')) ?? {}
        return useLink(portal, 'recovery', link, { password: NEW_PASSWORD })
      },
    ],
    [
      'resets, in two steps,',
      async (address: string) => setPassword(portal, await openRecovery(portal, address)),
    ],
    [
      'changes',
      async (address: string) => {
        const { body } = await signIn(TEST_PASSWORD, { as: address })
        return changePassword(portal, body.access_token)
      },
    ],
  ])('is removed when the person %s the password, except the one that set it', async (_, setNew) => {
    const before = await registerDevice()
    const { status, body } = await setNew(email)
    expect(status).toBe(200)
    const device = body.device_token as string
    const mailsBefore = (await listMails(email)).length
    expect((await signIn(NEW_PASSWORD)).status).toBe(200)
    expect(await listMails(email)).toHaveLength(mailsBefore + 1)
    expect((await signIn(NEW_PASSWORD, { device })).status).toBe(200)
    await statuses(6, () => signIn(WRONG))
    expect((await signIn(WRONG, { device: before })).status).toBe(429)
    expect((await signIn(NEW_PASSWORD, { device })).status).toBe(200)
    expect(await listMails(email)).toHaveLength(mailsBefore + 1)
  })

  test('is one of at most twenty', async () => {
    const { user_id } = await addPerson(portal, { email: BUILTIN, password: TEST_PASSWORD })
    const first = await registerDevice(BUILTIN)
    for (let count = 0; count < 20; count++) {
      portal.clock.advance(MINUTE)
      await registerDevice(BUILTIN)
    }
    const devices = portal.database.db
      .selectFrom('sign_in_devices')
      .selectAll()
      .where('user_id', '=', user_id)
    expect(await devices.execute()).toHaveLength(20)
    await statuses(4, () => signIn(WRONG, { as: BUILTIN }))
    expect((await signIn(TEST_PASSWORD, { as: BUILTIN, device: first })).status).toBe(429)
  })
})
