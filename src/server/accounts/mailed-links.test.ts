import { beforeEach, describe, expect, test } from 'vitest'
import {
  changePassword,
  disown,
  findNotMeLink,
  getLinkToken,
  isSignedIn,
  NEW_PASSWORD,
  receiveMail,
  requestRecovery,
  signUp,
  useLink,
} from '#server/testing/account-calls.ts'
import { openAdmin } from '#server/testing/admin-calls.ts'
import { addPerson, openTestSession, send, TEST_PASSWORD } from '#server/testing/builders.ts'
import { enrolTotp } from '#server/testing/factor-calls.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const MINUTE = 60_000
const THIRD_PASSWORD = 'Outra-Lunar-77!'

/** A kind of mailed link, in the hands of one person. */
interface Kind {
  /** Mails a link; again after the first. */
  mail: () => Promise<string>
  use: (link: string) => Promise<{ status: number }>
  /** What the owner does instead, which makes the links of the kind pointless. */
  cleanUp: () => Promise<unknown>
}

describeOnEachDatabase('a mailed link', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  let made = 0
  const createEmail = () => `links${++made}@grupopatio.com.br`
  const findLink = async (email: string, mail: string) => (await receiveMail(portal, email, mail))?.link ?? ''
  const resetPassword = async (email: string, password = THIRD_PASSWORD) => {
    await requestRecovery(portal, email)
    const link = await findLink(email, 'recovery')
    expect((await useLink(portal, 'recovery', link, { password })).status).toBe(200)
  }
  beforeEach(() => {
    portal.mails.length = 0
    portal.clock.advance(MINUTE)
  })

  const signUpAgain = (email: string, find: () => Promise<string>) => {
    let count = 0
    return async () => {
      if (count++ === 0) await signUp(portal, email)
      else await send(portal, 'POST', '/api/auth/resend', { body: { type: 'signup', email } })
      return find()
    }
  }

  const KINDS: Record<string, () => Promise<Kind>> = {
    async verification() {
      const email = createEmail()
      const mail = signUpAgain(email, () => findLink(email, 'verification'))
      return {
        mail,
        use: (link) => useLink(portal, 'signup', link, { password: TEST_PASSWORD }),
        async cleanUp() {
          const notMe = findNotMeLink(await receiveMail(portal, email, 'verification'))
          expect((await disown(portal, notMe)).status).toBe(200)
        },
      }
    },
    async recovery() {
      const { email } = await addPerson(portal)
      return {
        async mail() {
          await requestRecovery(portal, email)
          return findLink(email, 'recovery')
        },
        use: (link) => useLink(portal, 'recovery', link, { password: THIRD_PASSWORD }),
        cleanUp: () => resetPassword(email, NEW_PASSWORD),
      }
    },
    async invitation() {
      const [email, admin] = [createEmail(), await openAdmin(portal)]
      const defaults = { types: ['Vendas'], marcas: [], estados: [] }
      const findId = async () =>
        (await send(portal, 'GET', `/api/invitations?q=${email}`, admin)).body.items[0].id
      let count = 0
      return {
        async mail() {
          const body = { addresses: email, defaults }
          if (count++ === 0) await send(portal, 'POST', '/api/invitations', { token: admin.token, body })
          else await send(portal, 'POST', `/api/invitations/${await findId()}/resend`, admin)
          return findLink(email, 'invitation')
        },
        use: (link) => useLink(portal, 'invite', link, { password: NEW_PASSWORD }),
        cleanUp: async () => send(portal, 'DELETE', `/api/invitations/${await findId()}`, admin),
      }
    },
    async 'enrolling a factor'() {
      const person = await addPerson(portal)
      const { access_token: token } = await openTestSession(portal, person)
      return {
        async mail() {
          await send(portal, 'POST', '/api/auth/factors/link', { token })
          return findLink(person.email, 'factor-link')
        },
        use: (link) =>
          send(portal, 'POST', '/api/auth/factors/link/verify', {
            token,
            body: { token_hash: getLinkToken(link) },
          }),
        cleanUp: () => resetPassword(person.email),
      }
    },
    async "'não fui eu' of a sign-up"() {
      const email = createEmail()
      const find = async () => findNotMeLink(await receiveMail(portal, email, 'verification'))
      return {
        mail: signUpAgain(email, find),
        use: (link) => disown(portal, link),
        async cleanUp() {
          const link = await findLink(email, 'verification')
          await useLink(portal, 'signup', link, { password: TEST_PASSWORD })
        },
      }
    },
    async "'não fui eu' of a changed password"() {
      const person = await addPerson(portal, { password: TEST_PASSWORD })
      const passwords = [NEW_PASSWORD, 'Segunda-Lunar-55!']
      return {
        async mail() {
          const { access_token } = await openTestSession(portal, person)
          await changePassword(portal, access_token, passwords.shift())
          return findLink(person.email, 'password-changed')
        },
        use: (link) => disown(portal, link),
        cleanUp: () => resetPassword(person.email),
      }
    },
    async "'não fui eu' of a factor"() {
      const person = await addPerson(portal, { password: TEST_PASSWORD })
      const { access_token } = await openTestSession(portal, person, 'full', 'passkey')
      let token = access_token
      const removals: (() => Promise<unknown>)[] = []
      return {
        async mail() {
          const { id, session } = await enrolTotp(portal, token, person.email)
          token = session.access_token
          removals.push(() => send(portal, 'DELETE', `/api/auth/factors/${id}`, { token }))
          return findNotMeLink(await receiveMail(portal, person.email, 'factor-added'))
        },
        use: (link) => disown(portal, link),
        cleanUp: async () => removals[0]?.(),
      }
    },
  }

  describe.each(Object.entries(KINDS))('of %s', (_, open) => {
    test('serves once', async () => {
      const { mail, use } = await open()
      const link = await mail()
      expect((await use(link)).status).toBeLessThan(300)
      expect((await use(link)).status).toBeGreaterThanOrEqual(400)
    })

    test('serves once when it is used twice at the same time', async () => {
      const { mail, use } = await open()
      const link = await mail()
      const statuses = (await Promise.all([use(link), use(link)])).map(({ status }) => status)
      expect(statuses.filter((status) => status < 300)).toHaveLength(1)
    })

    test('serves no more after its owner has cleaned up', async () => {
      const { mail, use, cleanUp } = await open()
      const link = await mail()
      await cleanUp()
      expect((await use(link)).status).toBeGreaterThanOrEqual(400)
    })
  })

  // Links of factors name their factor: below.
  test.each(Object.entries(KINDS).filter(([name]) => !name.endsWith('of a factor')))(
    'of %s ends with the use of another of its kind',
    async (_, open) => {
      const { mail, use } = await open()
      const first = await mail()
      portal.clock.advance(MINUTE)
      const second = await mail()
      expect(second).not.toBe(first)
      expect((await use(second)).status).toBeLessThan(300)
      expect((await use(first)).status).toBeGreaterThanOrEqual(400)
    },
  )

  describe("of 'não fui eu' about a factor", () => {
    /** An owner's session in which somebody else adds factors. */
    const open = async () => {
      const person = await addPerson(portal, { password: TEST_PASSWORD })
      let token = (await openTestSession(portal, person, 'full', 'passkey')).access_token
      const add = async () => {
        portal.clock.advance(MINUTE)
        const { id, session } = await enrolTotp(portal, token, person.email)
        token = session.access_token
        return { id, link: findNotMeLink(await receiveMail(portal, person.email, 'factor-added')) }
      }
      const list = async () => {
        const own = portal.database.db.selectFrom('factors').select('id').orderBy('verified_at')
        return (await own.where('user_id', '=', person.user_id).execute()).map(({ id }) => id)
      }
      return { person, add, list, getToken: () => token }
    }

    test('removes what was added later too, with its link', async () => {
      const { add, list, getToken } = await open()
      const [own, first, second] = [await add(), await add(), await add()]
      expect((await disown(portal, first.link)).status).toBe(200)
      expect(await list()).toEqual([own.id])
      expect(await isSignedIn(portal, getToken())).toBe(false)
      expect((await disown(portal, second.link)).status).toBe(400)
    })

    test('removes both of two, whichever is pressed first', async () => {
      const { add, list } = await open()
      const [own, first, second] = [await add(), await add(), await add()]
      expect((await disown(portal, second.link)).status).toBe(200)
      expect(await list()).toEqual([own.id, first.id])
      expect((await disown(portal, first.link)).status).toBe(200)
      expect(await list()).toEqual([own.id])
    })

    test('spares what was added after an earlier use or a reset by mail, which ends older links', async () => {
      const { person, add, list } = await open()
      const [own, theirs] = [await add(), await add()]
      expect((await disown(portal, theirs.link)).status).toBe(200)
      await resetPassword(person.email)
      expect((await disown(portal, own.link)).status).toBe(400)
      expect(await list()).toEqual([own.id])
    })

    test('spares what was added after the use of a later one', async () => {
      const { person, add, list } = await open()
      const [first, second] = [await add(), await add()]
      expect((await disown(portal, second.link)).status).toBe(200)
      portal.clock.advance(MINUTE)
      const { db } = portal.database
      const values = {
        user_id: person.user_id,
        factor_type: 'totp' as const,
        friendly_name: 'Novo',
        created_at: new Date(portal.clock()),
        verified_at: new Date(portal.clock()),
        secret: Buffer.from('sealed'),
      }
      const { id } = await db.insertInto('factors').values(values).returning('id').executeTakeFirstOrThrow()
      expect((await disown(portal, first.link)).status).toBe(200)
      expect(await list()).toEqual([id])
    })

    test('is not mailed for a factor that is gone when the mail is written', async () => {
      const { person, add, list } = await open()
      await add()
      portal.mails.length = 0
      await portal.database.db
        .insertInto('mail_outbox')
        .values({ kind: 'factor-added', recipient: person.email, about: crypto.randomUUID() })
        .execute()
      expect(await receiveMail(portal, person.email, 'factor-added')).toBeUndefined()
      expect(await list()).toHaveLength(1)
    })
  })
})
