import { beforeEach, expect, test } from 'vitest'
import {
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
import { removeAllPeople } from '#server/testing/admin-calls.ts'
import { addFactor, send } from '#server/testing/builders.ts'
import {
  comeBack,
  enterWithMicrosoft,
  goToMicrosoft,
  type MicrosoftTrip,
  redeemTrip,
} from '#server/testing/directory-calls.ts'
import { setUpDirectory } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const EMAIL = 'novata@grupopatio.com.br'
const OWN_PASSWORD = 'Outra-Travessia-77!'
const RESET_PASSWORD = 'Mais-Uma-Longa-78!'
const STRANGERS_ACCOUNT = 'vendas.rj'

/** Each order of the stranger's two acts and the two halves of the owner's way. */
const ORDERS = (function permute(rest: string[]): string[][] {
  if (rest.length === 0) return [[]]
  return rest.flatMap((first) =>
    permute(rest.filter((each) => each !== first)).map((more) => [first, ...more]),
  )
})(['stranger signs up', 'stranger comes by Microsoft', 'owner begins', 'owner ends']).filter(
  (order) => order.indexOf('owner begins') < order.indexOf('owner ends'),
)

/** How the owner proves to own the mailbox: begins, and ends with a session. */
interface Way {
  begin(): Promise<void>
  end(): Promise<{ status: number; body: { access_token: string; user: { id: string } } }>
}

describeOnEachDatabase('a stranger who was at the account of another mailbox', (kind) => {
  const { directory, portal } = setUpDirectory(kind)
  beforeEach(async () => {
    await removeAllPeople(portal)
    const { db } = portal.database
    for (const table of ['rate_limits', 'sign_in_attempts', 'microsoft_sign_ins'] as const)
      await db.deleteFrom(table).execute()
    Object.assign(directory.find(STRANGERS_ACCOUNT).claims, { email: EMAIL, xms_edov: undefined })
    for (const id of ['novata', 'sem.confirmar']) directory.find(id).claims.email = EMAIL
  })
  const findPerson = () =>
    portal.database.db.selectFrom('profiles').selectAll().where('email', '=', EMAIL).executeTakeFirst()

  /** What the stranger still holds. */
  let sessions: { access_token: string; refresh_token: string }[]
  let trips: MicrosoftTrip[]
  let strangersLinks: string[]
  beforeEach(() => {
    sessions = []
    trips = []
    strangersLinks = []
  })

  /** Signs up, and leaves whatever a session of an unverified address, or an older version, might. */
  async function signUpAsStranger() {
    await signUp(portal, EMAIL, NEW_PASSWORD)
    const { status, body } = await signIn(portal, EMAIL, NEW_PASSWORD)
    const person = await findPerson()
    if (status !== 200 || person?.email_verified_at) return
    sessions.push(body)
    const token = body.access_token as string
    const path = `/api/auth/microsoft/link?mark_hash=${'a'.repeat(43)}`
    const linked = await send(portal, 'GET', path, { token })
    expect([linked.status, linked.body.detail]).toEqual([403, expect.stringContaining('Confirme primeiro')])
    const factor = await send(portal, 'POST', '/api/auth/factors', { token, body: { factor_type: 'totp' } })
    expect(factor.status).toBe(409)
    const { db } = portal.database
    const at = new Date(portal.clock())
    const { user_id } = person as NonNullable<typeof person>
    await db.updateTable('sessions').set({ enrolment_allowed_at: at, known_device: user_id }).execute()
    await addFactor(portal, user_id)
    await db
      .insertInto('recovery_codes')
      .values({ code_hash: Buffer.from(user_id), user_id, set_id: user_id, created_at: at })
      .execute()
    const identity = { tenant_id: directory.options.tenantId, object_id: 'of a stranger', user_id }
    await db
      .insertInto('identities')
      .values({ ...identity, email: EMAIL, linked_at: at, last_used_at: at })
      .execute()
  }

  /** Has the owner mailed the link that would let the stranger's Microsoft account in. */
  async function comeByMicrosoftAsStranger() {
    const { trip, body } = await enterWithMicrosoft(portal, directory, STRANGERS_ACCOUNT)
    expect(body).toEqual({ email: EMAIL, state: 'mailed' })
    trips.push(trip)
    strangersLinks.push(getLinkToken((await receiveMail(portal, EMAIL, 'microsoft-link'))?.link))
  }

  const begunBy = async (account: string) => {
    const trip = await goToMicrosoft(portal, directory, account)
    return { trip, redeem: async () => redeemTrip(portal, (await comeBack(portal, trip)).token, trip.mark) }
  }
  const WAYS: Record<string, () => Way> = {
    'the mailed confirmation': () => {
      let link: string | null | undefined
      return {
        async begin() {
          await signUp(portal, EMAIL, OWN_PASSWORD)
          link = (await receiveMail(portal, EMAIL, 'verification'))?.link
        },
        end: () => useLink(portal, 'signup', link, { password: OWN_PASSWORD }),
      }
    },
    'a new password': () => {
      let link: string | null | undefined
      return {
        async begin() {
          if (!(await findPerson())) await signUp(portal, EMAIL, OWN_PASSWORD)
          await requestRecovery(portal, EMAIL)
          link = (await receiveMail(portal, EMAIL, 'recovery'))?.link
        },
        async end() {
          expect((await useLink(portal, 'recovery', link, { password: RESET_PASSWORD })).status).toBe(200)
          return signIn(portal, EMAIL, RESET_PASSWORD)
        },
      }
    },
    'Microsoft, which vouches for the address': () => {
      let begun: Awaited<ReturnType<typeof begunBy>>
      return {
        async begin() {
          begun = await begunBy('novata')
        },
        end: () => begun.redeem(),
      }
    },
    'Microsoft and a mailed link': () => {
      let begun: Awaited<ReturnType<typeof begunBy>>
      let token: string
      return {
        async begin() {
          begun = await begunBy('sem.confirmar')
          expect((await begun.redeem()).body.state).toBe('mailed')
          token = getLinkToken((await receiveMail(portal, EMAIL, 'microsoft-link'))?.link)
        },
        end: () => redeemTrip(portal, token, begun.trip.mark),
      }
    },
  }

  const cases = Object.keys(WAYS).flatMap((way) => ORDERS.map((order) => [way, order.join(', ')] as const))
  test.each(cases)('keeps nothing of it, whose owner comes by %s: %s', async (name, order) => {
    const way = (WAYS[name] as () => Way)()
    let own: Awaited<ReturnType<Way['end']>> | undefined
    for (const act of order.split(', ')) {
      if (act === 'stranger signs up') await signUpAsStranger()
      else if (act === 'stranger comes by Microsoft') await comeByMicrosoftAsStranger()
      else if (act === 'owner begins') await way.begin()
      else own = await way.end()
      // Past the wait between two mails of one kind.
      portal.clock.advance(61_000)
    }
    expect(own?.status, JSON.stringify(own?.body)).toBe(200)
    const { access_token, user } = (own as NonNullable<typeof own>).body
    for (const held of sessions) {
      expect(await isSignedIn(portal, held.access_token)).toBe(false)
      expect((await refreshSession(portal, held.refresh_token)).status).toBe(400)
    }
    expect((await signIn(portal, EMAIL, NEW_PASSWORD)).status).toBe(400)
    // The owner opens the stranger's mail in a browser of their own.
    for (const token of strangersLinks)
      expect((await redeemTrip(portal, token, 'mark of the owner')).status).toBe(400)
    await comeByMicrosoftAsStranger()
    expect(await isSignedIn(portal, access_token)).toBe(true)
    const { db } = portal.database
    expect(await db.selectFrom('profiles').select(['user_id', 'email']).execute()).toEqual([
      { user_id: user.id, email: EMAIL },
    ])
    expect(await db.selectFrom('sessions').select('user_id').execute()).toEqual([{ user_id: user.id }])
    expect(await db.selectFrom('factors').select('id').execute()).toEqual([])
    expect(await db.selectFrom('recovery_codes').select('user_id').execute()).toEqual([])
    const linked = (await db.selectFrom('identities').select('object_id').execute()).map(
      (row) => row.object_id,
    )
    const account = { 'Microsoft, which vouches for the address': 'novata' }[name] ?? 'sem.confirmar'
    const oid = String(directory.find(account).claims.oid)
    expect(linked).toEqual(name.startsWith('Microsoft') ? [oid] : [])
  })
})
