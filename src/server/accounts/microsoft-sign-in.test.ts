import { generateKeyPairSync } from 'node:crypto'
import { decodeJwt, importJWK, type JWK, SignJWT } from 'jose'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { receiveMail } from '#server/testing/account-calls.ts'
import { readTrail, removeAllPeople } from '#server/testing/admin-calls.ts'
import { addPerson, send } from '#server/testing/builders.ts'
import { countQueries } from '#server/testing/count-queries.ts'
import {
  CookieJar,
  comeBack,
  enterWithMicrosoft,
  goToMicrosoft,
  redeemTrip,
} from '#server/testing/directory-calls.ts'
import { setUpDirectory } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal } from '#server/testing/test-portal.ts'
import { waitFor } from '#server/testing/wait-for.ts'

const STRANGER_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey

describeOnEachDatabase('signing in with Microsoft', (kind) => {
  const { directory, portal } = setUpDirectory(kind, 1)
  beforeEach(async () => {
    await removeAllPeople(portal)
    await portal.database.db.deleteFrom('rate_limits').execute()
  })
  afterEach(() => {
    directory.hooks.alter = undefined
    directory.hooks.intercept = undefined
  })

  const readActions = async () => (await readTrail(portal)).map(({ action }) => action).toSorted()
  const countPeople = async () =>
    (await portal.database.db.selectFrom('profiles').select('user_id').execute()).length
  /** Waits for the refusals of this hour; what an earlier test left may come late. */
  const waitForRefusals = (refusal: string, attempts: number) =>
    waitFor(async () => {
      const rows = portal.database.db.selectFrom('failed_sign_ins').select(['subject', 'attempts'])
      const [row, ...others] = await rows.where('outcome', '=', `microsoft ${refusal}`).execute()
      expect([row?.subject, others]).toEqual(['unknown', []])
      expect(row?.attempts).toBeGreaterThanOrEqual(attempts)
    })

  /** Signs the ID token of the next reply again, with other claims, key or header. */
  function alterIdToken(
    change: Record<string, unknown>,
    { key, header = {} }: { key?: Parameters<SignJWT['sign']>[0]; header?: object } = {},
  ) {
    directory.hooks.alter = async (context) => {
      const reply = context.body as { id_token: string }
      const claims = { ...decodeJwt(reply.id_token), ...change }
      const signing = key ?? (await importJWK(directory.key as JWK, 'RS256'))
      reply.id_token = await new SignJWT(JSON.parse(JSON.stringify(claims)))
        .setProtectedHeader({ alg: 'RS256', kid: 'directory', ...header })
        .sign(signing)
    }
  }

  test('makes an account at the first sign-in, which waits for approval as everybody does', async () => {
    const entered = await enterWithMicrosoft(portal, directory, 'novata')
    expect(entered).toMatchObject({ status: 200, refusal: undefined })
    const token = entered.body.access_token
    const { body } = await send(portal, 'GET', '/api/profiles/me', { token })
    expect(body).toMatchObject({
      email: 'novata@grupopatio.com.br',
      full_name: 'Nívea Prado',
      approved: false,
    })
    expect(body.email_verified_at).not.toBeNull()
    const again = await enterWithMicrosoft(portal, directory, 'novata')
    expect(again.body.user.id).toBe(body.user_id)
    expect(await readActions()).toEqual(['account-created', 'email-verified', 'microsoft-linked'])
  })

  test('keeps nothing readable in cookie or address, and deletes the cookie', async () => {
    const trip = await goToMicrosoft(portal, directory, 'novata')
    const begun = await fetch(`${portal.url}/auth/microsoft?mark=${'a'.repeat(43)}`, { redirect: 'manual' })
    expect(begun.headers.get('set-cookie')).toMatch(
      /^patio-microsoft-[\w-]{12}=[\w-]{200,}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
    )
    const to = new URL(begun.headers.get('location') ?? '')
    expect(to.searchParams.get('code_challenge_method')).toBe('S256')
    expect(to.searchParams.get('response_type')).toBe('code')
    const back = await comeBack(portal, trip)
    expect(back.cookie).toMatch(/^patio-microsoft-[\w-]{12}=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax$/)
    expect(back.location).toMatch(/^http:\/\/localhost\/auth\/callback#token_hash=[\w-]{43}&type=microsoft$/)
  })

  test('opens the account by tid and oid when the address changes, and leaves its address', async () => {
    const first = await enterWithMicrosoft(portal, directory, 'novata')
    alterIdToken({ email: 'outro.nome@grupopatio.com.br' })
    const again = await enterWithMicrosoft(portal, directory, 'novata')
    expect(again.body.user).toMatchObject({ id: first.body.user.id, email: 'novata@grupopatio.com.br' })
    expect(await countPeople()).toBe(1)
    // Whoever gets the address next is somebody else.
    alterIdToken({ oid: '99999999-0000-4000-9000-000000000000' })
    const other = await enterWithMicrosoft(portal, directory, 'novata')
    expect(other.body).toEqual({ email: 'novata@grupopatio.com.br', state: 'mailed' })
  })

  test('trims what surrounds a claim, as the directory holds what somebody has pasted', async () => {
    const first = await enterWithMicrosoft(portal, directory, 'novata')
    alterIdToken({ email: ' novata@grupopatio.com.br\u200b', name: '\u200eNívea Prado ', xms_edov: ' 1' })
    const again = await enterWithMicrosoft(portal, directory, 'novata')
    expect(again).toMatchObject({ status: 200, refusal: undefined })
    expect(again.body.user).toMatchObject({ id: first.body.user.id, email: 'novata@grupopatio.com.br' })
  })

  const past = () => Math.floor(Date.now() / 1000) - 3600
  test.each<[string, Record<string, unknown> | (() => Record<string, unknown>), object | undefined, string]>([
    [
      'of another issuer',
      { iss: 'https://login.microsoftonline.com/common/v2.0' },
      undefined,
      'invalid-answer',
    ],
    ['for another application', { aud: 'someone-else' }, undefined, 'invalid-answer'],
    ['with another nonce', { nonce: 'another' }, undefined, 'invalid-answer'],
    ['without a nonce', { nonce: undefined }, undefined, 'invalid-answer'],
    ['that has ended', () => ({ iat: past() - 600, exp: past() }), undefined, 'invalid-answer'],
    ['signed by another key', {}, { key: STRANGER_KEY }, 'invalid-answer'],
    [
      'signed with a shared secret',
      {},
      { key: Buffer.alloc(32, 'x'), header: { alg: 'HS256' } },
      'invalid-answer',
    ],
    ['with an unknown key', {}, { key: STRANGER_KEY, header: { kid: 'unknown' } }, 'invalid-answer'],
    ['of another tenant', { tid: '77777777-0d43-4e6a-9a58-1c2d3e4f5a6b' }, undefined, 'other-tenant'],
    ['without tenant', { tid: undefined }, undefined, 'other-tenant'],
    ['without object id', { oid: undefined }, undefined, 'invalid-answer'],
    ['of a guest', { acct: 1 }, undefined, 'guest'],
    ['without acct', { acct: undefined }, undefined, 'kind-unknown'],
    ['without an address', { email: undefined, preferred_username: undefined }, undefined, 'no-address'],
    ['with a private address', { email: 'novata@gmail.com' }, undefined, 'foreign-address'],
    ['with a subdomain', { email: 'novata@x.grupopatio.com.br' }, undefined, 'foreign-address'],
    ['with a look-alike', { email: 'ﬁlipe@grupopatio.com.br' }, undefined, 'foreign-address'],
  ])('refuses an ID token %s, without an entry in the trail', async (_, change, how, refusal) => {
    alterIdToken(typeof change === 'function' ? change() : change, how)
    expect(await enterWithMicrosoft(portal, directory, 'novata')).toMatchObject({ refusal })
    expect(await readActions()).toEqual([])
    expect(await countPeople()).toBe(0)
  })

  test('refuses an unsigned ID token', async () => {
    directory.hooks.alter = (context) => {
      const reply = context.body as { id_token: string }
      const head = Buffer.from('{"alg":"none"}').toString('base64url')
      reply.id_token = `${head}.${reply.id_token.split('.')[1]}.`
    }
    expect(await enterWithMicrosoft(portal, directory, 'novata')).toMatchObject({ refusal: 'invalid-answer' })
    expect(await readActions()).toEqual([])
  })

  test.each([
    ['in another tenant', { tid: '77777777-0d43-4e6a-9a58-1c2d3e4f5a6b' }],
    ['as a guest', { acct: 1 }],
    ['without acct', { acct: undefined }],
  ])('opens nobody’s account to whoever has its address %s', async (_, change) => {
    const { email } = await addPerson(portal, { email: 'novata@grupopatio.com.br', role: 'admin' })
    alterIdToken(change)
    const entered = await enterWithMicrosoft(portal, directory, 'novata')
    expect(entered.refusal).toBeDefined()
    const { db } = portal.database
    expect(await db.selectFrom('sessions').select('id').execute()).toEqual([])
    expect(await db.selectFrom('identities').select('email').execute()).toEqual([])
    expect(await receiveMail(portal, email)).toBeUndefined()
  })

  test.each([
    ['convidado', 'guest'],
    ['outra.empresa', 'other-tenant'],
    ['desligado', 'not-permitted'],
    ['', 'cancelled'],
  ])('refuses the account %j', async (account, refusal) => {
    expect(await enterWithMicrosoft(portal, directory, account)).toMatchObject({ refusal })
    expect(await readActions()).toEqual([])
  })

  test('refuses a callback that comes twice, and a code in another sign-in', async () => {
    const trip = await goToMicrosoft(portal, directory, 'novata')
    const twice = { ...trip, portalCookies: new CookieJar(trip.portalCookies.cookies) }
    expect(await comeBack(portal, trip)).toMatchObject({ refusal: undefined })
    expect(await comeBack(portal, twice)).toMatchObject({ refusal: 'replayed' })
    const other = await goToMicrosoft(portal, directory, 'novata')
    const [spent, fresh] = [new URLSearchParams(trip.search), new URLSearchParams(other.search)]
    fresh.set('code', spent.get('code') ?? '')
    const mixed = await comeBack(portal, { ...other, search: `?${fresh}` })
    expect(mixed).toMatchObject({ refusal: 'expired' })
    expect(await readActions()).toEqual([])
  })

  test('refuses a callback in another browser, and one whose cookie is older than ten minutes', async () => {
    const victim = await goToMicrosoft(portal, directory, 'novata')
    const attacker = await goToMicrosoft(portal, directory, 'vendas.rj')
    const { search } = attacker
    expect(await comeBack(portal, { ...victim, search })).toMatchObject({ refusal: 'other-browser' })
    expect(await comeBack(portal, { portalCookies: new CookieJar(), search })).toMatchObject({
      refusal: 'other-browser',
    })
    const late = await goToMicrosoft(portal, directory, 'novata')
    portal.clock.advance(10 * 60_000)
    expect(await comeBack(portal, late)).toMatchObject({ refusal: 'other-browser' })
    expect(await countPeople()).toBe(0)
    expect(await readActions()).toEqual([])
  })

  test('takes one of two equal callbacks, and of two equal tokens, on two replicas at once', async () => {
    const replica = await startTestPortal({
      kind,
      database: portal.database,
      clock: portal.clock,
      microsoft: directory.createClient(),
    })
    const trip = await goToMicrosoft(portal, directory, 'novata')
    const backs = await Promise.all([comeBack(portal, trip), comeBack(replica, trip)])
    expect(backs.map(({ refusal }) => refusal).toSorted()).toEqual(['replayed', undefined])
    const token = backs.find((back) => back.token)?.token
    const entered = await Promise.all([portal, replica].map((at) => redeemTrip(at, token, trip.mark)))
    expect(entered.map(({ status }) => status).toSorted()).toEqual([200, 400])
    await replica.stop()
  })

  test('refuses an answer that names another server', async () => {
    const trip = await goToMicrosoft(portal, directory, 'novata')
    const search = new URLSearchParams(trip.search)
    search.set('iss', 'https://login.example.com')
    expect(await comeBack(portal, { ...trip, search: `?${search}` })).toMatchObject({
      refusal: 'invalid-answer',
    })
    expect(await readActions()).toEqual([])
  })

  test('opens nothing with the token alone, twice, or after a minute', async () => {
    const trip = await goToMicrosoft(portal, directory, 'novata')
    const { token } = await comeBack(portal, trip)
    for (const mark of ['none', 'x'.repeat(43)])
      expect(await redeemTrip(portal, token, mark)).toMatchObject({
        status: 400,
        body: { code: 'invalid-link' },
      })
    expect((await redeemTrip(portal, token, trip.mark, {}, true)).body).toEqual({
      email: 'novata@grupopatio.com.br',
      state: 'confirms',
    })
    expect(await countPeople()).toBe(0)
    expect(await redeemTrip(portal, token, trip.mark)).toMatchObject({ status: 200 })
    expect(await redeemTrip(portal, token, trip.mark)).toMatchObject({ status: 400 })
    const slow = await goToMicrosoft(portal, directory, 'novata')
    const late = await comeBack(portal, slow)
    portal.clock.advance(60_000)
    expect(await redeemTrip(portal, late.token, slow.mark)).toMatchObject({ status: 400 })
  })

  test.each([
    ['is down', () => ({ status: 503, type: 'text/plain', body: 'busy' })],
    ['sends a page of HTML', () => ({ type: 'text/html', body: '<h1>Proxy</h1>' })],
    ['sends half a reply', () => ({ type: 'application/json', body: '{"id_token":' })],
    ['does not answer', () => 'hang' as const],
  ])('says so when the directory %s', async (_, answer) => {
    const trip = await goToMicrosoft(portal, directory, 'novata')
    directory.hooks.intercept = (path) => (path.includes('/token') ? answer() : undefined)
    expect(await comeBack(portal, trip)).toMatchObject({ refusal: 'directory-unavailable' })
    await waitForRefusals('directory-unavailable', 1)
    await portal.database.db.deleteFrom('failed_sign_ins').execute()
    const cold = await startTestPortal({
      kind,
      database: portal.database,
      microsoft: directory.createClient(),
    })
    directory.hooks.intercept = answer
    expect((await goToMicrosoft(cold, directory, 'novata')).search).toContain('erro=directory-unavailable')
    await waitForRefusals('directory-unavailable', 1)
    expect(await readActions()).toEqual([])
    // Asks again once it answers.
    directory.hooks.intercept = undefined
    expect((await goToMicrosoft(cold, directory, 'novata')).search).toContain('code=')
    await cold.stop()
  })

  test('says that the secret of the portal is refused', async () => {
    const trip = await goToMicrosoft(portal, directory, 'novata')
    const body = JSON.stringify({ error: 'invalid_client', error_description: 'AADSTS7000222' })
    directory.hooks.intercept = (path) =>
      path.includes('/token') ? { status: 401, type: 'application/json', body } : undefined
    expect(await comeBack(portal, trip)).toMatchObject({ refusal: 'misconfigured' })
    await waitForRefusals('misconfigured', 1)
  })

  test('counts by the hour what no sign-in of this portal began, and lets the others in', async () => {
    const mine = await goToMicrosoft(portal, directory, 'novata')
    const foreign = new CookieJar(mine.portalCookies.cookies)
    for (const cookies of [new CookieJar(), foreign])
      for (let count = 0; count < 61; count++) {
        const back = await comeBack(portal, { portalCookies: cookies, search: '?state=x&code=y' })
        expect(back.refusal).toBe('other-browser')
      }
    await waitForRefusals('other-browser', 122)
    expect(await readActions()).toEqual([])
    expect(await comeBack(portal, mine)).toMatchObject({ refusal: undefined })
  })

  test('limits what fails after cookie and state, of one address', async () => {
    const fail = async () => {
      const trip = await goToMicrosoft(portal, directory, 'novata')
      return comeBack(portal, { ...trip, search: trip.search.replace(/code=[^&]*/, 'code=y') })
    }
    expect(await fail()).toMatchObject({ refusal: 'expired' })
    const { rows } = await sql<{ taken: number }>`update rate_limits set taken = taken + 59
      where key like 'microsoft %' returning taken`.execute(portal.database.db)
    expect(rows).toEqual([{ taken: 60 }])
    expect(await fail()).toMatchObject({ refusal: 'too-many' })
    portal.clock.advance(300_000)
    expect(await fail()).toMatchObject({ refusal: 'expired' })
  })

  test('begins without a limit, a row, or a query each', async () => {
    const { seen, database } = countQueries(portal.database)
    const { clock } = portal
    const counted = await startTestPortal({ kind, database, clock, microsoft: directory.createClient() })
    for (let count = 0; count < 601; count++) {
      const url = `${counted.url}/auth/microsoft?mark=${'a'.repeat(43)}`
      const reply = await fetch(url, { redirect: 'manual' })
      expect(reply.headers.get('location')).toContain('code_challenge')
    }
    // Whether 0.2 is at work.
    expect(seen.queries).toBe(1)
    await counted.stop()
  })

  test('stays closed while 0.2 is at work', async () => {
    const person = await addPerson(portal)
    const at = new Date(portal.clock())
    await portal.database.db
      .insertInto('sessions')
      .values({
        id: crypto.randomUUID(),
        user_id: person.user_id,
        kind: 'full',
        refresh_key: new Uint8Array(60),
        created_at: at,
        refreshed_at: at,
      })
      .execute()
    portal.clock.advance(5_001)
    expect((await goToMicrosoft(portal, directory, 'novata')).search).toContain('erro=upgrading')
  })
})
