import { beforeEach, expect, test } from 'vitest'
import { ADMIN_COMMANDS, createCliRequest } from '#server/operations/admin-commands.ts'
import {
  changePassword,
  disown,
  findNotMeLink,
  NEW_PASSWORD,
  openRecovery,
  receiveMail,
  requestRecovery,
  setPassword,
  signIn,
  signUp,
  useLink,
} from '#server/testing/account-calls.ts'
import {
  type Admin,
  listPage,
  openAdmin,
  patchProfile,
  readTrail,
  removeAllPeople,
} from '#server/testing/admin-calls.ts'
import { addPerson, openTestSession, send } from '#server/testing/builders.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const GIVEN = { types: ['Vendas'], marcas: ['FIAT'], estados: ['RJ'] }
const OWN_PASSWORD = 'Outra-Travessia-99!'
const DAY = 24 * 60 * 60_000
const at = (name: string) => `${name}@grupopatio.com.br`
const ANA = at('ana')

describeOnEachDatabase('an invitation of an address that signs up', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  let admin: Admin
  beforeEach(async () => {
    await portal.database.db.deleteFrom('invitations').execute()
    await removeAllPeople(portal)
    admin = await openAdmin(portal)
  })

  const invite = (addresses = ANA) =>
    send(portal, 'POST', '/api/invitations', { token: admin.token, body: { addresses, defaults: GIVEN } })
  const countInvitations = async () => (await send(portal, 'GET', '/api/invitations', admin)).body.total
  const findPerson = async () => (await listPage(portal, admin, { q: ANA })).items[0]
  const findLink = async (kind = 'verification') => (await receiveMail(portal, ANA, kind))?.link
  const readEntries = async (...actions: string[]) =>
    (await readTrail(portal)).filter(({ action }) => actions.includes(action))

  /** Signs the address up and leaves all that a stranger can. @returns the stranger's access token */
  async function signUpAsStranger(): Promise<string> {
    await signUp(portal, ANA)
    const { access_token: token } = (await signIn(portal, ANA, NEW_PASSWORD)).body
    await send(portal, 'PUT', '/api/access-requests/me', {
      token,
      body: { full_name: 'Um estranho', types: ['Gerentes'] },
    })
    return token
  }

  async function expectApplied(full_name: string | null = null) {
    expect(await findPerson()).toMatchObject({ approved: true, full_name, request: null, ...GIVEN })
    expect((await findPerson())?.email_verified_at).not.toBeNull()
    expect(await countInvitations()).toBe(0)
    expect(await readEntries('invitation-accepted', 'invitation-lost')).toMatchObject([
      { action: 'invitation-accepted', after: { approved: true, ...GIVEN, invited_by: admin.email } },
    ])
  }

  const proofs = {
    'verification link with a password': async () =>
      useLink(portal, 'signup', await findLink(), { password: OWN_PASSWORD }),
    'reset link with a password': async () => {
      await requestRecovery(portal, ANA)
      return useLink(portal, 'recovery', await findLink('recovery'), { password: OWN_PASSWORD })
    },
    'reset link and the password afterwards': async () =>
      setPassword(portal, await openRecovery(portal, ANA), OWN_PASSWORD),
  }

  test.each(Object.keys(proofs) as (keyof typeof proofs)[])(
    'is applied by the %s, without what a stranger left',
    async (proof) => {
      await invite()
      const stranger = await signUpAsStranger()
      await changePassword(portal, stranger, 'Mais-Uma-Travessia-7!')
      expect(await countInvitations()).toBe(1)
      expect(await findPerson()).toMatchObject({ approved: false })
      expect((await proofs[proof]()).status).toBe(200)
      await expectApplied()
      expect((await send(portal, 'GET', '/api/profiles/me', { token: stranger })).status).toBe(401)
      for (const password of [NEW_PASSWORD, 'Mais-Uma-Travessia-7!'])
        expect((await signIn(portal, ANA, password)).status).toBe(400)
      expect((await signIn(portal, ANA, OWN_PASSWORD)).status).toBe(200)
      expect(await portal.database.db.selectFrom('password_history').selectAll().execute()).toEqual([])
    },
  )

  test('is applied to the invited person who signs up, with their own password', async () => {
    await invite(`Ana Souza <${ANA}>`)
    const { confirmation_mark: mark } = (await signUp(portal, ANA)).body
    const { status, body } = await useLink(portal, 'signup', await findLink(), { mark })
    expect(status).toBe(200)
    expect((await send(portal, 'GET', '/api/reports/me', { token: body.access_token })).body).toMatchObject({
      approved: true,
      emailVerified: true,
    })
    await expectApplied('Ana Souza')
    expect((await signIn(portal, ANA, NEW_PASSWORD)).status).toBe(200)
  })

  test('is applied without any of the passwords after several sign-ups', async () => {
    await invite()
    await signUpAsStranger()
    const { confirmation_mark: mark } = (await signUp(portal, ANA, OWN_PASSWORD)).body
    const { body } = await useLink(portal, 'signup', await findLink(), { mark })
    await expectApplied()
    for (const password of [NEW_PASSWORD, OWN_PASSWORD])
      expect((await signIn(portal, ANA, password)).status).toBe(400)
    expect((await setPassword(portal, body.access_token, OWN_PASSWORD)).status).toBe(200)
    expect((await signIn(portal, ANA, OWN_PASSWORD)).status).toBe(200)
  })

  const obstacles = {
    expired: async () => {
      portal.clock.advance(7 * DAY)
      admin = { ...admin, token: (await openTestSession(portal, admin)).access_token }
    },
    withdrawn: async () => {
      const withdrawn_at = new Date(portal.clock())
      await portal.database.db.updateTable('invitations').set({ withdrawn_at }).execute()
    },
    approved: async () => {
      const { user_id } = await addPerson(portal, { email: ANA, email_verified_at: null, approved: false })
      for (const approved of [true, false]) await patchProfile(portal, admin, user_id, { approved })
      const { access_token: token } = await openTestSession(portal, { ...admin, user_id, email: ANA })
      const body = { full_name: 'Ana', types: ['Vendas'] }
      await send(portal, 'PUT', '/api/access-requests/me', { token, body })
      await clearLosses()
      expect((await invite()).status).toBe(200)
    },
  }
  const clearLosses = async () => {
    expect(await readEntries('invitation-lost')).toHaveLength(1)
    portal.mails.length = 0
  }

  test.each(Object.keys(obstacles) as (keyof typeof obstacles)[])(
    'is lost with an audit entry when it is %s',
    async (reason) => {
      await invite()
      await obstacles[reason]()
      await signUp(portal, ANA)
      expect((await useLink(portal, 'signup', await findLink(), { password: OWN_PASSWORD })).status).toBe(200)
      expect(await findPerson()).toMatchObject({ approved: false })
      expect(await countInvitations()).toBe(0)
      expect((await readEntries('invitation-lost')).at(-1)).toMatchObject({
        target_email: ANA,
        before: { email: ANA, ...GIVEN },
        after: { reason },
      })
    },
  )

  const laterChanges = {
    areas: { types: ['CRM'] },
    brands: { marcas: ['GM'], estados: ['RJ'] },
    'last day': { valid_until: '2099-01-01' },
  }
  test.each(Object.keys(laterChanges) as (keyof typeof laterChanges)[])(
    'is lost, also by its own link, when an administrator sets the %s after it',
    async (change) => {
      await invite()
      await signUp(portal, ANA)
      const { user_id } = (await findPerson()) ?? {}
      expect((await patchProfile(portal, admin, `${user_id}`, laterChanges[change])).status).toBe(200)
      const [own, mailed] = [await findLink('invitation'), await findLink()]
      expect((await useLink(portal, 'invite', own, { password: OWN_PASSWORD })).status).toBe(400)
      expect((await useLink(portal, 'signup', mailed, { password: OWN_PASSWORD })).status).toBe(200)
      expect(await findPerson()).toMatchObject({ approved: false, ...laterChanges[change] })
      expect(await readEntries('invitation-accepted', 'invitation-lost')).toMatchObject([
        { action: 'invitation-lost', before: { email: ANA, ...GIVEN }, after: { reason: 'decided' } },
      ])
    },
  )

  test('is applied when it is sent again after an administrator set the areas', async () => {
    await invite()
    await signUp(portal, ANA)
    const { user_id } = (await findPerson()) ?? {}
    await patchProfile(portal, admin, `${user_id}`, { types: ['CRM'] })
    portal.clock.advance(1_000)
    const [{ id }] = (await send(portal, 'GET', '/api/invitations', admin)).body.items
    expect((await send(portal, 'POST', `/api/invitations/${id}/resend`, admin)).status).toBe(200)
    const { status } = await useLink(portal, 'signup', await findLink(), { password: OWN_PASSWORD })
    expect(status).toBe(200)
    await expectApplied()
  })

  const addUnverified = () => addPerson(portal, { email: ANA, email_verified_at: null, approved: false })
  const decisions = {
    approval: async () => patchProfile(portal, admin, (await addUnverified()).user_id, { approved: true }),
    deletion: async () => {
      const body = { userIds: [(await addUnverified()).user_id] }
      return send(portal, 'POST', '/api/functions/delete-users', { token: admin.token, body })
    },
    'press on “não fui eu”': async () => {
      await signUp(portal, ANA)
      return disown(portal, findNotMeLink(await receiveMail(portal, ANA, 'verification')))
    },
    'creation as administrator': async () => {
      const { database, clock } = portal
      const urls = { publicUrl: 'https://portal.example', companyEmailDomain: 'grupopatio.com.br' }
      await ADMIN_COMMANDS.create?.({ db: database.db, clock, request: createCliRequest(), ...urls }, ANA)
    },
  }

  test.each(Object.keys(decisions) as (keyof typeof decisions)[])(
    'is lost with an audit entry by %s',
    async (decision) => {
      await invite()
      await decisions[decision]()
      expect(await countInvitations()).toBe(0)
      const isErased = decision === 'deletion' || decision.startsWith('press')
      const email = isErased ? expect.not.stringContaining('@') : ANA
      expect(await readEntries('invitation-lost')).toMatchObject([{ before: { email, ...GIVEN } }])
    },
  )

  test('is used once when both links are opened at once', async () => {
    await invite()
    await signUp(portal, ANA)
    const [invitation, verification] = [await findLink('invitation'), await findLink()]
    const replies = await Promise.all([
      useLink(portal, 'invite', invitation, { password: OWN_PASSWORD }),
      useLink(portal, 'signup', verification, { password: OWN_PASSWORD }),
    ])
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400])
    await expectApplied()
  })
})
