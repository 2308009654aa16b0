import { beforeEach, expect, test } from 'vitest'
import { isSignedIn, refreshSession } from '#server/testing/account-calls.ts'
import { readTrail, removeAllPeople } from '#server/testing/admin-calls.ts'
import { addPerson, openTestSession, send, TEST_PASSWORD } from '#server/testing/builders.ts'
import { comeBack, enterWithMicrosoft, goToMicrosoft, redeemTrip } from '#server/testing/directory-calls.ts'
import { setUpDirectory } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal } from '#server/testing/test-portal.ts'

const MINUTE = 60_000

describeOnEachDatabase('a recent authentication by Microsoft', (kind) => {
  const { directory, portal } = setUpDirectory(kind, 1)
  beforeEach(async () => {
    directory.hooks.authenticatedAt = undefined
    await removeAllPeople(portal)
    await portal.database.db.deleteFrom('rate_limits').execute()
  })

  const enter = async (id = 'novata') => (await enterWithMicrosoft(portal, directory, id)).body
  /** A call that asks for ten minutes. */
  const tryRecent = async (token: string) => {
    const path = '/api/auth/factors/recovery-codes'
    return (await send(portal, 'DELETE', path, { token })).body.code
  }
  const RECENT = 'not-found'
  const STALE = 'reauthentication-needed'
  const goToRenew = (token: string, account = 'novata', alter = (location: string) => location) =>
    goToMicrosoft(portal, directory, account, async (hash) => {
      const path = `/api/auth/microsoft/renewal?mark_hash=${hash}`
      return alter((await send(portal, 'GET', path, { token })).body.location)
    })
  const renew = async (token: string, account?: string) => {
    const trip = await goToRenew(token, account)
    return redeemTrip(portal, (await comeBack(portal, trip)).token, trip.mark, { token })
  }
  const readRefusals = async () =>
    (await readTrail(portal)).flatMap(({ action, after }) =>
      action === 'microsoft-refused' ? [(after as { reason: string }).reason] : [],
    )

  test.each([
    ['now', () => portal.clock(), RECENT],
    ['nine minutes ago', () => portal.clock() - 9 * MINUTE, RECENT],
    ['this morning, silently now', () => portal.clock() - 3 * 60 * MINUTE, STALE],
    ['some time that the directory does not tell', () => null, STALE],
    ['in what a fast clock takes for later', () => portal.clock() + 60 * MINUTE, RECENT],
  ])('counts from when the person entered there: %s', async (_, at, expected) => {
    directory.hooks.authenticatedAt = at()
    const { access_token, refresh_token } = await enter()
    expect(await isSignedIn(portal, access_token)).toBe(true)
    expect(await tryRecent(access_token)).toBe(expected)
    portal.clock.advance(2 * MINUTE)
    const { body } = await refreshSession(portal, refresh_token)
    if (expected === STALE) expect(await tryRecent(body.access_token)).toBe(STALE)
    portal.clock.advance(11 * MINUTE)
    const later = (await refreshSession(portal, body.refresh_token)).body.access_token
    expect(await tryRecent(later)).toBe(STALE)
  })

  test('is renewed in the session that asks, by entering there again', async () => {
    directory.hooks.authenticatedAt = null
    const { access_token: token, refresh_token } = await enter()
    directory.hooks.authenticatedAt = undefined
    const trip = await goToRenew(token)
    const { token: once } = await comeBack(portal, trip)
    const { status, body } = await redeemTrip(portal, once, trip.mark, { token })
    expect([status, Object.keys(body).toSorted()]).toEqual([
      200,
      ['access_token', 'expires_at', 'expires_in', 'token_type'],
    ])
    expect(await tryRecent(body.access_token)).toBe(RECENT)
    // The token of before stays old, and what came back serves once.
    expect(await tryRecent(token)).toBe(STALE)
    expect(await redeemTrip(portal, once, trip.mark, { token })).toMatchObject({ status: 400 })
    const next = await refreshSession(portal, refresh_token)
    expect(await tryRecent(next.body.access_token)).toBe(RECENT)
    expect((await readTrail(portal)).map(({ action }) => action)).toContain('reauthenticated')
  })

  test('asks the directory for the password again, of the same person', async () => {
    const { access_token: token } = await enter()
    const hash = 'a'.repeat(43)
    const { body } = await send(portal, 'GET', `/api/auth/microsoft/renewal?mark_hash=${hash}`, { token })
    const reply = await fetch(portal.url + body.location, { redirect: 'manual' })
    const { searchParams } = new URL(reply.headers.get('location') ?? '')
    expect(Object.fromEntries(searchParams)).toMatchObject({
      prompt: 'login',
      max_age: '600',
      login_hint: 'novata@grupopatio.com.br',
    })
  })

  test.each([
    ['entered long before', () => portal.clock() - 5 * MINUTE, 'not-renewed', 'não pediu que você entrasse'],
    ['does not say when', () => null, 'auth-time-missing', 'falta a declaração auth_time'],
  ])('is refused where the directory %s', async (_, at, reason, text) => {
    const { access_token: token } = await enter()
    directory.hooks.authenticatedAt = at()
    const { status, body } = await renew(token)
    expect([status, body.detail]).toEqual([403, expect.stringContaining(text)])
    expect(await readRefusals()).toEqual([reason])
  })

  test('is refused of another person, another session and an account that is not linked', async () => {
    const { access_token: token } = await enter()
    const other = await enter('vendas.rj')
    const { status, body } = await renew(token, 'vendas.rj')
    expect([status, body.detail]).toEqual([403, expect.stringContaining('outra conta')])
    expect(await readRefusals()).toEqual(['other-person'])
    const trip = await goToRenew(token)
    const { token: once } = await comeBack(portal, trip)
    for (const wrong of [other.access_token, undefined])
      expect(
        await redeemTrip(portal, once, trip.mark, wrong === undefined ? {} : { token: wrong }),
      ).toMatchObject({ status: 400 })
    const unlinked = await openTestSession(portal, await addPerson(portal))
    const path = `/api/auth/microsoft/renewal?mark_hash=${'a'.repeat(43)}`
    const refused = await send(portal, 'GET', path, { token: unlinked.access_token })
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      expect.stringContaining('Nenhuma conta Microsoft'),
    ])
  })

  test('comes before a required factor is set up, after a silent sign-in', async () => {
    const strict = await startTestPortal({
      kind,
      database: portal.database,
      clock: portal.clock,
      microsoft: directory.createClient(),
      secondFactor: { requiredOf: 'everyone', graceDays: 0 },
    })
    directory.hooks.authenticatedAt = portal.clock() - 60 * MINUTE
    const { body } = await enterWithMicrosoft(strict, directory, 'novata')
    expect(body.user.app_metadata.second_factor).toBe('set-up')
    const enrol = async (token: string) =>
      (await send(strict, 'POST', '/api/auth/factors', { token, body: { factor_type: 'totp' } })).body.code
    expect(await enrol(body.access_token)).toBe(STALE)
    directory.hooks.authenticatedAt = undefined
    const renewed = (await renew(body.access_token)).body.access_token
    // It opens nothing else, and a new browser still needs the mailed link.
    expect(await isSignedIn(strict, renewed)).toBe(false)
    expect(await enrol(renewed)).toBe('factor-link-needed')
    await strict.stop()
  })

  test('is not proved by a password that no longer opens the portal', async () => {
    const email = 'novata@grupopatio.com.br'
    const person = await addPerson(portal, { email, password: TEST_PASSWORD })
    const only = await startTestPortal({
      kind,
      database: portal.database,
      clock: portal.clock,
      microsoft: directory.createClient(),
      onlyMicrosoft: true,
    })
    const { access_token: token } = await openTestSession(portal, person)
    const call = { token, body: { password: TEST_PASSWORD } }
    expect(await send(only, 'POST', '/api/auth/reauthenticate', call)).toMatchObject({ status: 403 })
    expect((await send(only, 'GET', '/api/auth/microsoft', { token })).body.has_password).toBe(false)
    expect(await send(portal, 'POST', '/api/auth/reauthenticate', call)).toMatchObject({ status: 200 })
    await only.stop()
  })
})
