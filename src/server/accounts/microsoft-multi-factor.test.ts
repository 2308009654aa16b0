import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  getLinkToken,
  isSignedIn,
  listSignIns,
  NEW_PASSWORD,
  receiveMail,
  signIn,
} from '#server/testing/account-calls.ts'
import { removeAllPeople } from '#server/testing/admin-calls.ts'
import { addFactor, addPerson } from '#server/testing/builders.ts'
import { comeBack, enterWithMicrosoft, goToMicrosoft, redeemTrip } from '#server/testing/directory-calls.ts'
import { showCode, verifyCode } from '#server/testing/factor-calls.ts'
import { setUpDirectory } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal, type TestPortal } from '#server/testing/test-portal.ts'

const EMAIL = 'novata@grupopatio.com.br'
const CLAIMS = { id_token: { acrs: { essential: true, value: 'c1' } } }

describeOnEachDatabase('two steps shown to Microsoft', (kind) => {
  const { directory, portal: plain } = setUpDirectory(kind, 1)
  /** Each of them demands a second factor of everybody. */
  const portals = {} as Record<'off' | 'always' | 'c1', TestPortal>
  beforeAll(async () => {
    for (const name of ['off', 'always', 'c1'] as const)
      portals[name] = await startTestPortal({
        kind,
        database: plain.database,
        clock: plain.clock,
        microsoft: directory.createClient(name === 'off' ? undefined : name),
        secondFactor: { requiredOf: 'everyone', graceDays: 0 },
      })
  })
  afterAll(async () => {
    for (const portal of Object.values(portals)) await portal.stop()
  })
  beforeEach(async () => {
    await removeAllPeople(plain)
    await plain.database.db.deleteFrom('rate_limits').execute()
    directory.find('novata').contexts = ['c1']
    delete directory.find('novata').claims.amr
  })

  const enter = async (name: keyof typeof portals) => {
    const { body } = await enterWithMicrosoft(portals[name], directory, 'novata')
    const methods = await listSignIns(plain, body.user.id)
    return { body, owes: body.user.app_metadata.second_factor, method: methods.at(-1) }
  }
  const WHOLE = { owes: null, method: 'sign-in microsoft+mfa' }
  const OWED = { owes: 'set-up', method: 'first-step microsoft' }

  test('count for nothing unless the portal is told so', async () => {
    directory.find('novata').claims.amr = ['pwd', 'mfa']
    expect(await enter('off')).toMatchObject(OWED)
    const trip = await goToMicrosoft(portals.off, directory, 'novata')
    expect(trip.begun.searchParams.has('claims')).toBe(false)
  })

  test('stand in for the one that the portal demands, by the word of the administrator', async () => {
    directory.find('novata').contexts = []
    expect(await enter('always')).toMatchObject(WHOLE)
    const trip = await goToMicrosoft(portals.always, directory, 'novata')
    expect(trip.begun.searchParams.has('claims')).toBe(false)
  })

  describe('of an authentication context', () => {
    test('are asked for, and count by the signed claim', async () => {
      const trip = await goToMicrosoft(portals.c1, directory, 'novata')
      expect(JSON.parse(trip.begun.searchParams.get('claims') ?? '')).toEqual(CLAIMS)
      expect(await enter('c1')).toMatchObject(WHOLE)
    })

    test.each([
      ['no context', []],
      ['another context', ['c2', 'c10', 'c11']],
    ])('do not count by what was asked for, where the token has %s', async (_, contexts) => {
      directory.find('novata').contexts = contexts
      expect(await enter('c1')).toMatchObject(OWED)
    })

    test('do not count where the person took the demand out of the address', async () => {
      const trip = await goToMicrosoft(portals.c1, directory, 'novata', undefined, undefined, (url) =>
        url.searchParams.delete('claims'),
      )
      const { body } = await redeemTrip(portals.c1, (await comeBack(portals.c1, trip)).token, trip.mark)
      expect(body.user.app_metadata.second_factor).toBe('set-up')
    })

    test.each([
      ['a list', ['c2', 'c1'], null],
      ['a text', 'c1', null],
      ['a longer text', 'c11', 'set-up'],
      ['an object', { c1: true }, 'set-up'],
    ])('are read from %s', async (_, acrs, owes) => {
      const { claims } = directory.find('novata')
      claims.acrs = acrs
      expect((await enter('c1')).owes).toBe(owes)
      delete claims.acrs
    })
  })

  test.each(['always', 'c1'] as const)('replace no factor that is held here: %s', async (name) => {
    const person = await addPerson(plain, { email: EMAIL, password: NEW_PASSWORD })
    plain.clock.advance(2 * 60 * 60_000)
    const { id } = await addFactor(plain, person.user_id)
    const portal = portals[name]
    // The mailbox alone may link the account.
    const entered = await enterWithMicrosoft(portal, directory, 'novata')
    const link = getLinkToken((await receiveMail(portal, EMAIL, 'microsoft-link'))?.link)
    const { body: first } = await redeemTrip(portal, link, entered.trip.mark)
    expect(first.user.app_metadata.second_factor).toBe('verify')
    expect(await isSignedIn(portal, first.access_token)).toBe(false)
    const second = await enter(name)
    expect(second.owes).toBe('verify')
    const code = showCode(portal, 'a secret of 20 bytes')
    expect((await verifyCode(portal, second.body.access_token, id, code)).status).toBe(200)
    // Nor once it was shown beside the account.
    expect((await enter(name)).owes).toBe('verify')
  })

  test('open no session of a password', async () => {
    await addPerson(plain, { email: EMAIL, password: NEW_PASSWORD })
    const { body } = await signIn(portals.always, EMAIL, NEW_PASSWORD)
    expect(body.user.app_metadata.second_factor).toBe('set-up')
  })
})
