import { createHash } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { getLinkToken, isSignedIn, receiveMail } from '#server/testing/account-calls.ts'
import { removeAllPeople } from '#server/testing/admin-calls.ts'
import { addPerson, openTestSession, send } from '#server/testing/builders.ts'
import {
  CookieJar,
  comeBack,
  enterWithMicrosoft,
  goToMicrosoft,
  type MicrosoftTrip,
  redeemTrip,
} from '#server/testing/directory-calls.ts'
import { setUpDirectory } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal } from '#server/testing/test-portal.ts'

const EMAIL = 'novata@grupopatio.com.br'

describeOnEachDatabase('several tabs at Microsoft', (kind) => {
  const { directory, portal } = setUpDirectory(kind, 1)
  let browser: CookieJar
  beforeEach(async () => {
    browser = new CookieJar()
    await removeAllPeople(portal)
    const { db } = portal.database
    for (const table of ['rate_limits', 'mail_outbox', 'microsoft_sign_ins'] as const)
      await db.deleteFrom(table).execute()
  })

  const open = (account: string, location?: (hash: string) => Promise<string>) =>
    goToMicrosoft(portal, directory, account, location, browser)
  const begin = (path: 'link' | 'renewal', token: string, account = 'novata') =>
    open(account, async (hash) => {
      const reply = await send(portal, 'GET', `/api/auth/microsoft/${path}?mark_hash=${hash}`, { token })
      return reply.body.location
    })
  const redeem = async (trip: MicrosoftTrip, token?: string) =>
    redeemTrip(portal, (await comeBack(portal, trip)).token, trip.mark, token ? { token } : {})

  test('end apart: a refusal in one leaves the other, in either order', async () => {
    for (const refusedFirst of [true, false]) {
      const [refused, other] = [await open(''), await open('novata')]
      const finish = async () => expect(await redeem(other)).toMatchObject({ status: 200 })
      if (!refusedFirst) await finish()
      expect(await comeBack(portal, refused)).toMatchObject({ refusal: 'cancelled' })
      if (refusedFirst) await finish()
    }
    expect([...browser.cookies]).toEqual([])
  })

  test('all succeed, whoever comes back first', async () => {
    const [first, second] = [await open('novata'), await open('novata')]
    for (const trip of [second, first]) {
      const { status, body } = await redeem(trip)
      expect([status, await isSignedIn(portal, body.access_token)]).toEqual([200, true])
    }
    expect([...browser.cookies]).toEqual([])
  })

  test('link, renew and sign in beside each other', async () => {
    const person = await addPerson(portal, { email: EMAIL })
    const { access_token: token } = await openTestSession(portal, person)
    const [linking, cancelled, signingIn] = [
      await begin('link', token),
      await begin('link', token, ''),
      await open('novata'),
    ]
    expect(await comeBack(portal, cancelled)).toMatchObject({ refusal: 'cancelled' })
    expect((await redeem(linking, token)).body).toMatchObject({ state: 'linked' })
    expect((await redeem(signingIn)).body.user.id).toBe(person.user_id)
    const [renewing, refused] = [await begin('renewal', token), await begin('renewal', token, '')]
    expect(await comeBack(portal, refused)).toMatchObject({ refusal: 'cancelled' })
    expect(await redeem(renewing, token)).toMatchObject({ status: 200 })
  })

  test('are ten at most: the oldest of eleven ends, in the words of another browser', async () => {
    const trips: MicrosoftTrip[] = []
    for (let count = 0; count < 11; count++) {
      portal.clock.advance(1000)
      trips.push(await open('novata'))
    }
    expect(browser.cookies.size).toBe(10)
    expect(await comeBack(portal, trips[0] as MicrosoftTrip)).toMatchObject({ refusal: 'other-browser' })
    expect(browser.cookies.size).toBe(10)
    for (const trip of trips.slice(1))
      expect(await comeBack(portal, trip)).toMatchObject({ refusal: undefined })
    expect(browser.cookies.size).toBe(0)
  })

  test('send headers that fit through a proxy, however long the address is', async () => {
    const email = `${'a'.repeat(180)}@grupopatio.com.br`
    const { claims } = directory.find('novata')
    const before = { ...claims }
    Object.assign(claims, { email })
    const entered = await enterWithMicrosoft(portal, directory, 'novata')
    const token = entered.body.access_token
    for (let count = 0; count < 11; count++) {
      portal.clock.advance(1000)
      await begin('renewal', token)
      expect(browser.header.length).toBeLessThan(4200)
    }
    expect(browser.cookies.size).toBeGreaterThan(3)
    Object.assign(claims, before)
  })

  test('drop what was never begun here', async () => {
    for (let count = 0; count < 20; count++) browser.cookies.set(`patio-microsoft-${count}`, 'x'.repeat(300))
    const trip = await open('novata')
    expect(browser.cookies.size).toBe(10)
    expect(await redeem(trip)).toMatchObject({ status: 200 })
  })

  test('wait for one mailed link, which serves once', async () => {
    const trips = [await open('sem.confirmar'), await open('sem.confirmar')]
    const backs = [await comeBack(portal, trips[0] as never), await comeBack(portal, trips[1] as never)]
    const marks = trips.map(({ mark }) => mark)
    const verify = (token_hash: string | undefined, known: string[]) =>
      send(portal, 'POST', '/api/auth/verify', { body: { type: 'microsoft', token_hash, marks: known } })
    expect((await verify(backs[0]?.token, marks)).body).toMatchObject({ state: 'mailed' })
    // One mail a minute; a mail is about all attempts that wait when it is written.
    expect((await verify(backs[1]?.token, marks)).status).toBe(429)
    const mail = await receiveMail(portal, 'sem.confirmar@grupopatio.com.br', 'microsoft-link')
    const link = getLinkToken(mail?.link)
    const token_hash = createHash('sha256').update(link).digest()
    await portal.database.db.updateTable('microsoft_sign_ins').set({ token_hash }).execute()
    expect(await verify(link, ['another'])).toMatchObject({ status: 400 })
    expect(await verify(link, marks)).toMatchObject({ status: 200 })
    expect(await verify(link, marks)).toMatchObject({ status: 400 })
  })

  test('open nothing without a mark, also where a stranger began with the hash of none', async () => {
    const hashOfNothing = createHash('sha256').update('').digest('base64url')
    const trip = await open('novata', async () => `/auth/microsoft?mark=${hashOfNothing}`)
    const { token } = await comeBack(portal, trip)
    for (const marks of [undefined, [], ['']]) {
      const body = { type: 'microsoft', token_hash: token, ...(marks && { marks }) }
      expect(await send(portal, 'POST', '/api/auth/verify', { body })).toMatchObject({ status: 400 })
    }
  })

  test('have cookies of this host alone, by https', async () => {
    const secure = await startTestPortal({
      kind,
      database: portal.database,
      microsoft: directory.createClient(),
      publicUrl: 'https://relatorios.example.com',
    })
    const path = `/auth/microsoft?mark=${'a'.repeat(43)}`
    const reply = await fetch(secure.url + path, { redirect: 'manual' })
    expect(reply.headers.get('set-cookie')).toMatch(
      /^__Host-patio-microsoft-[\w-]{12}=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
    )
    await secure.stop()
  })
})
