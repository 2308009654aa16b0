import { beforeEach, describe, expect, test } from 'vitest'
import { createKeyring } from '#server/keyring.ts'
import { ADMIN_COMMANDS, createCliRequest } from '#server/operations/admin-commands.ts'
import {
  isSignedIn,
  receiveMail,
  refreshSession,
  signIn,
  signUp,
  useLink,
} from '#server/testing/account-calls.ts'
import { openAdmin, readTrail } from '#server/testing/admin-calls.ts'
import {
  addFactor,
  addPerson,
  ageAuthentication,
  openTestSession,
  send,
  TEST_PASSWORD,
} from '#server/testing/builders.ts'
import { enrolTotp, showCode, verifyCode } from '#server/testing/factor-calls.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal, TEST_SECRET } from '#server/testing/test-portal.ts'
import { countUnreadableFactors, resealFactors } from './tokens.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const SECRET = 'a secret of 20 bytes'

describeOnEachDatabase('a required second factor', (kind) => {
  const portal = setUpPortal({ kind, secondFactor: { requiredOf: 'admins', graceDays: 7 } })
  beforeEach(() => portal.clock.advance(61 * MINUTE))
  const enter = async (email: string) => (await signIn(portal, email, TEST_PASSWORD)).body

  test('may be missing for the period after the first sign-in, then opens nothing but setting it up', async () => {
    const { email } = await addPerson(portal, { role: 'admin', password: TEST_PASSWORD })
    const due = new Date(portal.clock() + 7 * DAY).toISOString()
    const first = await enter(email)
    expect(first.user.app_metadata).toMatchObject({ second_factor: null, second_factor_due: due })
    expect(await isSignedIn(portal, first.access_token)).toBe(true)
    portal.clock.advance(6 * DAY)
    expect((await enter(email)).user.app_metadata).toMatchObject({
      second_factor: null,
      second_factor_due: due,
    })
    portal.clock.advance(DAY)
    const late = await enter(email)
    expect(late.user.app_metadata.second_factor).toBe('set-up')
    expect(await isSignedIn(portal, late.access_token)).toBe(false)
    const { session } = await enrolTotp(portal, late.access_token, email)
    expect(session.user.app_metadata).toMatchObject({ second_factor: null, second_factor_due: null })
    expect(await isSignedIn(portal, session.access_token)).toBe(true)
  })

  test('ends a session at its first refresh after the period, which nobody outlives by refreshing', async () => {
    const { email } = await addPerson(portal, { role: 'admin', password: TEST_PASSWORD })
    let session = await enter(email)
    portal.clock.advance(7 * DAY - 35 * MINUTE)
    session = await enter(email)
    portal.clock.advance(30 * MINUTE)
    session = (await refreshSession(portal, session.refresh_token)).body
    expect(await isSignedIn(portal, session.access_token)).toBe(true)
    portal.clock.advance(6 * MINUTE)
    const { refresh_token, access_token } = session
    const refused = await send(portal, 'POST', '/api/auth/token?grant_type=refresh_token', {
      body: { refresh_token, access_token },
    })
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid-refresh-token' } })
    expect(refused.body.detail).toBe(
      'Sua conta agora precisa de uma segunda etapa. Entre de novo para configurá-la.',
    )
    expect((await enter(email)).user.app_metadata.second_factor).toBe('set-up')
    portal.clock.advance(10 * MINUTE)
    expect(await isSignedIn(portal, access_token)).toBe(false)
  })

  test('keeps nobody out while 0.2 is at work, since nobody could set one up', async () => {
    const { email } = await addPerson(portal, { role: 'admin', password: TEST_PASSWORD })
    await enter(email)
    portal.clock.advance(8 * DAY)
    const { access_token } = await openTestSession(portal, await addPerson(portal))
    const { sid } = JSON.parse(Buffer.from(access_token.split('.')[1] as string, 'base64url').toString())
    const { db } = portal.database
    await db.updateTable('sessions').set({ renewed_at: null }).where('id', '=', sid).execute()
    expect((await enter(email)).user.app_metadata.second_factor).toBeNull()
    await db.deleteFrom('sessions').where('id', '=', sid).execute()
    expect((await enter(email)).user.app_metadata.second_factor).toBe('set-up')
  })

  test('is required of administrators alone, as the setting says', async () => {
    const { email } = await addPerson(portal, { password: TEST_PASSWORD })
    expect((await enter(email)).user.app_metadata.second_factor_due).toBeNull()
    const everyone = await startTestPortal({
      kind,
      database: portal.database,
      clock: portal.clock,
      secondFactor: { requiredOf: 'everyone', graceDays: 0 },
    })
    const { body } = await signIn(everyone, email, TEST_PASSWORD)
    expect(body.user.app_metadata.second_factor).toBe('set-up')
    await everyone.stop()
  })
})

describeOnEachDatabase('a lost second factor', (kind) => {
  const portal = setUpPortal({ kind })
  let person: Awaited<ReturnType<typeof addPerson>>
  beforeEach(async () => {
    portal.clock.advance(61 * MINUTE)
    person = await addPerson(portal, { password: TEST_PASSWORD })
    await addFactor(portal, person.user_id)
  })
  const enter = async () => (await signIn(portal, person.email, TEST_PASSWORD)).body
  const expectReset = async (token: string) => {
    expect(await isSignedIn(portal, token)).toBe(false)
    expect((await receiveMail(portal, person.email, 'factor-reset'))?.text).toContain(
      'um administrador removeu',
    )
    const { access_token, user } = await enter()
    expect(user).toMatchObject({ factors: [], app_metadata: { second_factor: null } })
    // Even in a browser that the account has long known.
    const { db } = portal.database
    await db.updateTable('sessions').set({ known_device: crypto.randomUUID() }).execute()
    const enrolled = await send(portal, 'POST', '/api/auth/factors', {
      token: access_token,
      body: { factor_type: 'totp' },
    })
    expect(enrolled.body.code).toBe('factor-link-needed')
    const { session } = await enrolTotp(portal, access_token, person.email)
    expect(session.user.factors).toHaveLength(1)
  }

  test('is reset by another administrator with a recent password', async () => {
    const admin = await openAdmin(portal)
    const { access_token } = await openTestSession(portal, person, 'full', 'passkey')
    const reset = (token: string, userId = person.user_id) =>
      send(portal, 'POST', `/api/profiles/${userId}/account`, { token, body: { action: 'reset-factor' } })
    const stale = await ageAuthentication(portal, admin.token, 11 * MINUTE)
    expect((await reset(stale)).body.code).toBe('reauthentication-needed')
    expect((await reset(admin.token, admin.user_id)).status).toBe(409)
    expect(await isSignedIn(portal, access_token)).toBe(true)
    expect((await reset(admin.token)).status).toBe(204)
    expect((await readTrail(portal)).at(0)).toMatchObject({
      action: 'factor-reset',
      actor_id: admin.user_id,
      target_id: person.user_id,
    })
    await expectReset(access_token)
    const other = await addPerson(portal)
    expect((await reset(admin.token, other.user_id)).body.detail).toBe(
      'Esta pessoa não usa a verificação em duas etapas.',
    )
  })

  test('is reset by the command on the server', async () => {
    const { access_token } = await openTestSession(portal, person, 'full', 'passkey')
    const context = {
      db: portal.database.db,
      clock: portal.clock,
      request: createCliRequest(),
      publicUrl: 'http://localhost',
      companyEmailDomain: 'grupopatio.com.br',
    }
    const run = () => ADMIN_COMMANDS['reset-factor']?.(context, person.email)
    expect(await run()).toContain(`A verificação em duas etapas de ${person.email} foi retirada`)
    await expect(run()).rejects.toThrow('não usa a verificação em duas etapas')
    await expectReset(access_token)
  })

  test('is unlocked by an administrator, as the password is', async () => {
    const admin = await openAdmin(portal)
    const { access_token } = await enter()
    const { id } = await addFactor(portal, person.user_id)
    for (let guess = 0; guess < 4; guess++) await verifyCode(portal, access_token, id, '000000')
    expect((await verifyCode(portal, access_token, id, showCode(portal, SECRET))).status).toBe(429)
    await send(portal, 'POST', `/api/profiles/${person.user_id}/account`, {
      token: admin.token,
      body: { action: 'unlock' },
    })
    expect((await verifyCode(portal, access_token, id, showCode(portal, SECRET))).status).toBe(200)
  })

  describe('after a change of SESSION_SECRET', () => {
    test('is none: a start seals it anew, and the old secret may go', async () => {
      const { db } = portal.database
      await db.deleteFrom('factors').where('user_id', '!=', person.user_id).execute()
      const newest = 'another secret of the test-suite, long'
      expect(await countUnreadableFactors(db, createKeyring([newest]))).toBe(1)
      await resealFactors(db, createKeyring([newest, TEST_SECRET]))
      expect(await countUnreadableFactors(db, createKeyring([newest]))).toBe(0)
      const replica = await startTestPortal({
        kind,
        database: portal.database,
        clock: portal.clock,
        secrets: [newest],
      })
      const { body } = await signIn(replica, person.email, TEST_PASSWORD)
      const code = showCode(portal, SECRET)
      expect((await verifyCode(replica, body.access_token, body.user.factors[0].id, code)).status).toBe(200)
      await replica.stop()
    })
  })
})

describeOnEachDatabase("a stranger's second factor", (kind) => {
  const portal = setUpPortal({ kind })
  beforeEach(() => portal.clock.advance(61 * MINUTE))

  test.each(['signup', 'recovery'] as const)(
    'goes with the first verification, by a %s link',
    async (type) => {
      const email = `vitima.${type}@grupopatio.com.br`
      await signUp(portal, email, TEST_PASSWORD)
      const { db } = portal.database
      const { user_id } = await db
        .selectFrom('profiles')
        .select('user_id')
        .where('email', '=', email)
        .executeTakeFirstOrThrow()
      // Enrolling refuses an unverified address; a row of another origin must not survive either.
      await addFactor(portal, user_id)
      if (type === 'recovery') await send(portal, 'POST', '/api/auth/recover', { body: { email } })
      const link = (await receiveMail(portal, email, type === 'signup' ? 'verification' : 'recovery'))?.link
      expect((await useLink(portal, type, link, { password: 'Travessia-Lunar-88!' })).status).toBe(200)
      expect(await db.selectFrom('factors').selectAll().where('user_id', '=', user_id).execute()).toEqual([])
      const { body } = await signIn(portal, email, 'Travessia-Lunar-88!')
      expect(body.user.app_metadata.second_factor).toBeNull()
    },
  )
})
