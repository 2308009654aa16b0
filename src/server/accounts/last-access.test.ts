import { beforeEach, expect, test } from 'vitest'
import {
  NEW_PASSWORD,
  receiveMail,
  refreshSession,
  requestRecovery,
  signIn,
  signUp,
  useLink,
} from '#server/testing/account-calls.ts'
import { addPerson, openTestSession, TEST_PASSWORD } from '#server/testing/builders.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const HOUR = 60 * 60_000

describeOnEachDatabase('the last access', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false, sessionMaxDays: 7 })
  beforeEach(() => portal.clock.advance(HOUR))
  const readLastAccess = async (email: string) => {
    const { db } = portal.database
    const row = await db
      .selectFrom('profiles')
      .select('last_sign_in_at')
      .where('email', '=', email)
      .executeTakeFirst()
    return row?.last_sign_in_at?.getTime()
  }

  test('is updated by a sign-in with the password', async () => {
    const { email } = await addPerson(portal, { password: TEST_PASSWORD })
    expect(await readLastAccess(email)).toBeUndefined()
    await signIn(portal, email, TEST_PASSWORD)
    expect(await readLastAccess(email)).toBe(portal.clock())
  })

  test('is updated by a verification link', async () => {
    const email = 'nova.pessoa@grupopatio.com.br'
    const { confirmation_mark: mark } = (await signUp(portal, email)).body
    const { link } = (await receiveMail(portal, email, 'verification')) ?? {}
    const { body } = await useLink(portal, 'signup', link, { mark })
    expect(body.user.last_sign_in_at).toBe(new Date(portal.clock()).toISOString())
    expect(await readLastAccess(email)).toBe(portal.clock())
  })

  test.each([
    ['that opens a session', {}],
    ['used with the new password', { password: NEW_PASSWORD }],
  ])('is updated by a reset link %s', async (_, use) => {
    const { email } = await addPerson(portal, { password: TEST_PASSWORD })
    await requestRecovery(portal, email)
    const { link } = (await receiveMail(portal, email, 'recovery')) ?? {}
    expect((await useLink(portal, 'recovery', link, use)).status).toBe(200)
    expect(await readLastAccess(email)).toBe(portal.clock())
  })

  test('is updated once per day in São Paulo while a session is refreshed', async () => {
    const person = await addPerson(portal)
    let { refresh_token } = await openTestSession(portal, person)
    const renewedAt: number[] = []
    const written = new Set<number | undefined>()
    // A day and a half.
    for (let half = 0; half < 72; half++) {
      portal.clock.advance(HOUR / 2)
      renewedAt.push(portal.clock())
      refresh_token = (await refreshSession(portal, refresh_token)).body.refresh_token
      written.add(await readLastAccess(person.email))
    }
    const { format } = new Intl.DateTimeFormat('pt-BR', { timeZone: 'America/Sao_Paulo' })
    const firstOfEachDay = renewedAt.filter(
      (at, index) => index === 0 || format(at) !== format(renewedAt[index - 1]),
    )
    expect([...written]).toEqual(firstOfEachDay)
  })
})
