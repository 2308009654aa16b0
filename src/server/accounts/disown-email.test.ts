import { beforeEach, describe, expect, test } from 'vitest'
import {
  changePassword,
  disown,
  findNotMeLink,
  isSignedIn,
  NEW_PASSWORD,
  receiveMail,
  requestRecovery,
  setPassword,
  signIn,
  signUp,
  useLink,
} from '#server/testing/account-calls.ts'
import { readTrail } from '#server/testing/admin-calls.ts'
import { addPerson, openTestSession, TEST_PASSWORD } from '#server/testing/builders.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const DAY = 24 * 60 * 60_000

describeOnEachDatabase('disowning an e-mail', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false, publicUrl: 'https://portal.example' })
  let made = 0
  beforeEach(() => {
    portal.mails.length = 0
  })
  const db = () => portal.database.db
  const exists = async (email: string) =>
    (await db().selectFrom('profiles').select('id').where('email', '=', email).execute()).length > 0
  const expectInvalid = async (link: string | null | undefined) => {
    const { status, body } = await disown(portal, link)
    expect([status, body.code]).toEqual([400, 'invalid-link'])
  }

  describe('with the link of a verification mail', () => {
    const signedUp = async () => {
      const email = `alguem${++made}@grupopatio.com.br`
      await signUp(portal, email)
      const mail = await receiveMail(portal, email)
      return { email, mail, link: findNotMeLink(mail) }
    }

    test('removes the account and all its data', async () => {
      const { email, mail, link } = await signedUp()
      const session = (await signIn(portal, email, NEW_PASSWORD)).body
      expect(link).toMatch(/^https:\/\/portal\.example\/nao-fui-eu#token_hash=[\w-]{43}$/)
      expect(mail?.html).toContain(`href="${link}"`)
      const { status, body } = await disown(portal, link)
      expect([status, body]).toEqual([200, { outcome: 'account-removed' }])
      expect(await exists(email)).toBe(false)
      expect(await isSignedIn(portal, session.access_token)).toBe(false)
      expect((await useLink(portal, 'signup', mail?.link)).status).toBe(400)
      const trail = await readTrail(portal)
      expect(trail.map(({ action }) => action)).toContain('account-disowned')
      expect(JSON.stringify(trail)).not.toContain(email)
      await expectInvalid(link)
    })

    test('fails once the address is verified', async () => {
      const { email, mail, link } = await signedUp()
      await useLink(portal, 'signup', mail?.link)
      await expectInvalid(link)
      expect(await exists(email)).toBe(true)
    })

    test('verifies nothing and opens no session', async () => {
      const { link } = await signedUp()
      for (const type of ['signup', 'recovery'] as const)
        expect((await useLink(portal, type, link)).body.code).toBe('invalid-link')
    })

    test('fails with a verification or reset link', async () => {
      const { email, mail } = await signedUp()
      await expectInvalid(mail?.link)
      await requestRecovery(portal, email)
      await expectInvalid((await receiveMail(portal, email, 'recovery'))?.link)
    })

    test('works for seven days', async () => {
      const late = await signedUp()
      portal.clock.advance(7 * DAY)
      await expectInvalid(late.link)
      const onTime = await signedUp()
      portal.clock.advance(7 * DAY - 1000)
      expect((await disown(portal, onTime.link)).status).toBe(200)
    })
  })

  describe('with the link of a password notice', () => {
    const changed = async () => {
      const person = await addPerson(portal, { password: TEST_PASSWORD })
      const { access_token } = await openTestSession(portal, person)
      await changePassword(portal, access_token)
      const mail = await receiveMail(portal, person.email, 'password-changed')
      return { person, access_token, link: mail?.link }
    }

    test('ends all sessions, retires the password and mails a reset link', async () => {
      const { person, access_token, link } = await changed()
      const { status, body } = await disown(portal, link)
      expect([status, body]).toEqual([200, { outcome: 'sessions-ended' }])
      expect(await isSignedIn(portal, access_token)).toBe(false)
      for (const password of [NEW_PASSWORD, TEST_PASSWORD])
        expect((await signIn(portal, person.email, password)).status).toBe(400)
      const reset = await receiveMail(portal, person.email, 'recovery')
      const { body: session } = await useLink(portal, 'recovery', reset?.link)
      for (const password of [NEW_PASSWORD, TEST_PASSWORD])
        expect((await setPassword(portal, session.access_token, password)).status).toBe(422)
      expect((await setPassword(portal, session.access_token, 'Outra-Lunar-77!')).status).toBe(200)
      expect((await signIn(portal, person.email, 'Outra-Lunar-77!')).status).toBe(200)
      await expectInvalid(link)
    })

    test('works once when used twice at the same time', async () => {
      const { link } = await changed()
      const replies = await Promise.all([disown(portal, link), disown(portal, link)])
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400])
    })

    test('cancels a reset requested before', async () => {
      const { person, link } = await changed()
      await requestRecovery(portal, person.email)
      const theirs = await receiveMail(portal, person.email, 'recovery')
      await disown(portal, link)
      expect((await useLink(portal, 'recovery', theirs?.link)).status).toBe(400)
    })
  })
})
