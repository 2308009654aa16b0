import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Profile } from '#contract/users.ts'
import {
  disown,
  findNotMeLink,
  getLinkToken,
  isSignedIn,
  NEW_PASSWORD,
  receiveMail,
  refreshSession,
  requestRecovery,
  signIn,
  signUp,
  useLink,
} from '#server/testing/account-calls.ts'
import { readTrail, removeAllPeople } from '#server/testing/admin-calls.ts'
import {
  addPerson,
  ageAuthentication,
  openTestSession,
  send,
  TEST_PASSWORD,
} from '#server/testing/builders.ts'
import {
  comeBack,
  enterWithMicrosoft,
  goToMicrosoft,
  redeemTrip,
  startDirectory,
} from '#server/testing/directory-calls.ts'
import { setUpDirectory } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal } from '#server/testing/test-portal.ts'
import { endLeaversSessions } from './microsoft-leavers.ts'
import { createTokens } from './tokens.ts'

const EMAIL = 'novata@grupopatio.com.br'
const HOUR_MS = 60 * 60_000

describeOnEachDatabase('Microsoft accounts', (kind) => {
  const { directory, portal } = setUpDirectory(kind, 1)
  beforeEach(async () => {
    await removeAllPeople(portal)
    const { db } = portal.database
    await db.deleteFrom('rate_limits').execute()
    await db.deleteFrom('mail_outbox').execute()
    await db.deleteFrom('microsoft_sign_ins').execute()
    portal.mails.length = 0
  })
  afterEach(() => {
    directory.hooks.intercept = undefined
    directory.find('novata').isDisabled = false
  })

  const readIdentities = () => portal.database.db.selectFrom('identities').selectAll().execute()
  const readPerson = () =>
    portal.database.db.selectFrom('profiles').selectAll().where('email', '=', EMAIL).executeTakeFirst()
  const readActions = async () => (await readTrail(portal)).map(({ action }) => action)

  /** Begins linking in a session, and goes to Microsoft. */
  const goToLink = (token: string, account = 'novata') =>
    goToMicrosoft(portal, directory, account, async (mark_hash) => {
      const path = `/api/auth/microsoft/link?mark_hash=${mark_hash}`
      return (await send(portal, 'GET', path, { token })).body.location
    })

  describe('of an address that is not proved', () => {
    test('waits for a mailed link, which completes in the browser that began, and nowhere else', async () => {
      const entered = await enterWithMicrosoft(portal, directory, 'sem.confirmar')
      const email = 'sem.confirmar@grupopatio.com.br'
      expect(entered).toMatchObject({ status: 200, body: { email, state: 'mailed' } })
      expect(await portal.database.db.selectFrom('profiles').select('email').execute()).toEqual([])
      const token = getLinkToken((await receiveMail(portal, email, 'microsoft-link'))?.link)
      expect(await redeemTrip(portal, token, 'another mark')).toMatchObject({ status: 400 })
      const { mark } = entered.trip
      expect((await redeemTrip(portal, token, mark)).body.user).toMatchObject({ email })
      expect(await redeemTrip(portal, token, mark)).toMatchObject({ status: 400 })
    })

    test('keeps the mailed link for an hour', async () => {
      const { trip } = await enterWithMicrosoft(portal, directory, 'sem.confirmar')
      const mail = await receiveMail(portal, 'sem.confirmar@grupopatio.com.br')
      portal.clock.advance(HOUR_MS)
      expect(await redeemTrip(portal, getLinkToken(mail?.link), trip.mark)).toMatchObject({ status: 400 })
    })
  })

  describe('of a person with a verified account', () => {
    let person: Profile
    beforeEach(async () => {
      person = await addPerson(portal, { email: EMAIL, password: TEST_PASSWORD })
    })

    test('are linked by a mailed link, not by the word of the directory', async () => {
      const entered = await enterWithMicrosoft(portal, directory, 'novata')
      expect(entered.body).toEqual({ email: EMAIL, state: 'mailed' })
      expect(await readIdentities()).toEqual([])
      const token = getLinkToken((await receiveMail(portal, EMAIL, 'microsoft-link'))?.link)
      const { body } = await redeemTrip(portal, token, entered.trip.mark)
      expect(body.user.id).toBe(person.user_id)
      expect((await readPerson())?.approved).toBe(true)
      expect(await readActions()).toEqual(['microsoft-linked'])
    })

    test('are linked in a session with a recent password, and unlinked', async () => {
      const { access_token: token } = await openTestSession(portal, person)
      const stale = await ageAuthentication(portal, token, 11 * 60_000)
      const path = `/api/auth/microsoft/link?mark_hash=${'a'.repeat(43)}`
      expect(await send(portal, 'GET', path, { token: stale })).toMatchObject({
        body: { code: 'reauthentication-needed' },
      })
      const trip = await goToLink(token)
      const back = await comeBack(portal, trip)
      expect((await redeemTrip(portal, back.token, trip.mark, { token })).body).toEqual({
        email: EMAIL,
        state: 'linked',
      })
      const own = await send(portal, 'GET', '/api/auth/microsoft', { token })
      expect(own.body).toMatchObject({ offered: true, email: EMAIL, has_password: true })
      const byMicrosoft = await enterWithMicrosoft(portal, directory, 'novata')
      expect(byMicrosoft.body.user.id).toBe(person.user_id)
      expect((await send(portal, 'DELETE', '/api/auth/microsoft', { token: stale })).status).toBe(403)
      expect((await send(portal, 'DELETE', '/api/auth/microsoft', { token })).status).toBe(204)
      expect(await isSignedIn(portal, byMicrosoft.body.access_token)).toBe(false)
      expect(await isSignedIn(portal, token)).toBe(true)
      expect(await readIdentities()).toEqual([])
      expect((await send(portal, 'DELETE', '/api/auth/microsoft', { token })).status).toBe(404)
    })

    test('are not linked by another session, an ended one, or with another address', async () => {
      const attacker = await addPerson(portal, { email: 'outra@grupopatio.com.br' })
      const [own, theirs] = [await openTestSession(portal, person), await openTestSession(portal, attacker)]
      // The attacker sends the victim the address of their own link.
      const trip = await goToLink(theirs.access_token)
      const { token } = await comeBack(portal, trip)
      for (const session of [own.access_token, undefined]) {
        const extras = session ? { token: session } : {}
        expect(await redeemTrip(portal, token, trip.mark, extras)).toMatchObject({ status: 400 })
      }
      const differs = await redeemTrip(portal, token, trip.mark, { token: theirs.access_token })
      expect(differs).toMatchObject({ status: 403, body: { code: 'forbidden' } })
      expect(differs.body.detail).toContain('não é o desta conta')
      expect(await readIdentities()).toEqual([])
      expect(await readActions()).toEqual(['microsoft-refused'])
    })

    test('are one a person, and one person each', async () => {
      const { access_token: token } = await openTestSession(portal, person)
      const trip = await goToLink(token)
      await redeemTrip(portal, (await comeBack(portal, trip)).token, trip.mark, { token })
      const again = await goToLink(token)
      const reply = await redeemTrip(portal, (await comeBack(portal, again)).token, again.mark, { token })
      expect(reply.body.detail).toContain('já está ligada')
      expect(await readIdentities()).toHaveLength(1)
    })

    test('are unlinked with sessions and password by ‘não fui eu’', async () => {
      const entered = await enterWithMicrosoft(portal, directory, 'novata')
      const token = getLinkToken((await receiveMail(portal, EMAIL, 'microsoft-link'))?.link)
      const { body } = await redeemTrip(portal, token, entered.trip.mark)
      const mail = await receiveMail(portal, EMAIL, 'microsoft-linked')
      expect((await disown(portal, findNotMeLink(mail))).status).toBe(200)
      expect(await isSignedIn(portal, body.access_token)).toBe(false)
      expect(await readIdentities()).toEqual([])
    })
  })

  test('are not unlinked from a person without a password', async () => {
    const { body } = await enterWithMicrosoft(portal, directory, 'novata')
    const reply = await send(portal, 'DELETE', '/api/auth/microsoft', { token: body.access_token })
    expect(reply).toMatchObject({ status: 409 })
    expect(await readIdentities()).toHaveLength(1)
  })

  describe('of leavers', () => {
    const runJob = () => {
      const { clock, keyring } = portal
      const { db } = portal.database
      const log = { error() {}, warn() {}, info() {} } as never
      const tokens = createTokens(keyring, clock)
      const microsoft = directory.createClient()
      return endLeaversSessions({ db, log, clock, tokens, microsoft, entraSessionHours: 12 })
    }

    test('lose every session within the hour in which the directory disables them', async () => {
      const { body } = await enterWithMicrosoft(portal, directory, 'novata')
      directory.find('novata').isDisabled = true
      expect(await runJob()).toBe(0)
      portal.clock.advance(31 * 60_000)
      const { body: next } = await refreshSession(portal, body.refresh_token, body.device_token)
      portal.clock.advance(30 * 60_000)
      expect(
        await isSignedIn(portal, (await refreshSession(portal, next.refresh_token)).body.access_token),
      ).toBe(true)
      expect(await runJob()).toBe(1)
      expect(await portal.database.db.selectFrom('sessions').select('id').execute()).toEqual([])
      expect(await readActions()).toContain('microsoft-disabled')
    })

    const askWith = async (status: number, type: string, body: string) => {
      const past = { asked_at: new Date(0) }
      await portal.database.db.updateTable('identities').set(past).execute()
      directory.hooks.intercept = (path) => (path.includes('/token') ? { status, type, body } : undefined)
      expect(await runJob()).toBe(0)
      directory.hooks.intercept = undefined
      return (await readIdentities())[0]?.refresh_token
    }
    const readEnds = async () =>
      (await portal.database.db.selectFrom('sessions').select('ends_at').execute()).map(({ ends_at }) =>
        ends_at?.getTime(),
      )
    const json = 'application/json'

    test.each([
      ['is down', 503, 'text/plain', ''],
      ['sends a page', 200, 'text/html', '<p>'],
      ['refuses the portal', 400, json, '{"error":"invalid_client"}'],
      ['asks for a second step', 400, json, '{"error":"invalid_grant","error_codes":[50076]}'],
      ['holds the place back', 400, json, '{"error":"invalid_grant","error_codes":[53003]}'],
      ['gives no further token', 200, json, '{"access_token":"a","token_type":"Bearer","expires_in":3600}'],
    ])('is nobody, and is asked about again, when the directory %s', async (_, status, type, body) => {
      await enterWithMicrosoft(portal, directory, 'novata')
      const [ends] = [await readEnds()]
      expect(await askWith(status, type, body)).not.toBeNull()
      expect(await readEnds()).toEqual(ends)
      directory.find('novata').isDisabled = true
      portal.clock.advance(61 * 60_000)
      const refreshed_at = new Date(portal.clock())
      await portal.database.db
        .updateTable('sessions')
        .set({ refreshed_at, renewed_at: refreshed_at })
        .execute()
      expect(await runJob()).toBe(1)
    })

    test.each([
      ['expired', '{"error":"invalid_grant","error_codes":[700082]}'],
      ['was revoked', '{"error":"invalid_grant","error_codes":[50173]}'],
      ['ended, as the standard says it', '{"error":"invalid_grant"}'],
    ])('is nobody whose token %s, but no session outlives ENTRA_SESSION_HOURS then', async (_, body) => {
      const entered = await enterWithMicrosoft(portal, directory, 'novata')
      const { user } = entered.body
      const profile = (await readPerson()) as unknown as Profile
      await openTestSession(portal, profile)
      const [bound] = (await readEnds()).filter((at) => at !== undefined)
      portal.clock.advance(HOUR_MS / 2)
      expect(await askWith(400, json, body)).toBeNull()
      const until = portal.clock() + 12 * HOUR_MS
      expect((await readEnds()).sort()).toEqual([bound, until].sort())
      // A sign-in gives another token to ask with.
      expect((await enterWithMicrosoft(portal, directory, 'novata')).body.user.id).toBe(user.id)
      expect((await readIdentities())[0]?.refresh_token).not.toBeNull()
    })

    test('ends a session of Microsoft after ENTRA_SESSION_HOURS, refreshed or not', async () => {
      let { body } = await enterWithMicrosoft(portal, directory, 'novata')
      for (let half = 0; half < 23; half++) {
        portal.clock.advance(30 * 60_000)
        ;({ body } = await refreshSession(portal, body.refresh_token))
      }
      expect(await isSignedIn(portal, body.access_token)).toBe(true)
      portal.clock.advance(9 * 60_000)
      expect(await isSignedIn(portal, body.access_token)).toBe(true)
      portal.clock.advance(21 * 60_000)
      expect((await refreshSession(portal, body.refresh_token)).status).toBe(400)
      const fresh = await enterWithMicrosoft(portal, directory, 'novata')
      const ends_at = new Date(portal.clock())
      await portal.database.db.updateTable('sessions').set({ ends_at }).execute()
      expect(await isSignedIn(portal, fresh.body.access_token)).toBe(false)
    })
  })
})

describeOnEachDatabase('SIGN_IN=microsoft', (kind) => {
  test('lets passwords and mailed links open nothing, but for the built-in administrator', async () => {
    const directory = await startDirectory()
    const portal = await startTestPortal({ kind, microsoft: directory.createClient(), onlyMicrosoft: true })
    const email = 'admin@grupopatio.com.br'
    await addPerson(portal, { email: EMAIL, password: TEST_PASSWORD })
    await addPerson(portal, { email, password: TEST_PASSWORD })
    expect(await signIn(portal, EMAIL, TEST_PASSWORD)).toMatchObject({ status: 403 })
    expect(await signIn(portal, email, TEST_PASSWORD)).toMatchObject({ status: 200 })
    expect(await signUp(portal, 'mais.uma@grupopatio.com.br')).toMatchObject({ status: 403 })
    await requestRecovery(portal, EMAIL)
    const link = (await receiveMail(portal, EMAIL, 'recovery'))?.link
    expect(await useLink(portal, 'recovery', link)).toMatchObject({ status: 403 })
    expect(await useLink(portal, 'recovery', link, { password: NEW_PASSWORD })).toMatchObject({ status: 403 })
    await portal.stop()
    await directory.stop()
  })
})
