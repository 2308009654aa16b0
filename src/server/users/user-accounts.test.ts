import { beforeEach, describe, expect, test } from 'vitest'
import type { AccountAction } from '#contract/user-accounts.ts'
import { isSignedIn, requestRecovery, signIn, useLink } from '#server/testing/account-calls.ts'
import { openAdmin, patchProfile, readTrail } from '#server/testing/admin-calls.ts'
import {
  addPerson,
  ageAuthentication,
  openTestSession,
  send,
  TEST_PASSWORD,
  UNKNOWN_ID,
} from '#server/testing/builders.ts'
import { setUpAdmin, setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal } from '#server/testing/test-portal.ts'

const MINUTE = 60_000

describeOnEachDatabase("an administrator, for one person's account,", (kind) => {
  const portal = setUpPortal({ kind })
  const admin = setUpAdmin(portal)
  let person: Awaited<ReturnType<typeof addPerson>>
  beforeEach(async () => {
    person = await addPerson(portal, { password: TEST_PASSWORD })
  })
  const help = (action: AccountAction, userId = person.user_id, token = admin.token) =>
    send(portal, 'POST', `/api/profiles/${userId}/account`, { token, body: { action } })
  const setRole = (role: string, userId = person.user_id, token = admin.token) =>
    send(portal, 'PUT', `/api/profiles/${userId}/role`, { token, body: { role } })
  const readMails = async () => {
    portal.mails.length = 0
    await portal.outbox.deliverDue()
    return portal.mails.filter(({ to }) => to === person.email)
  }
  const readActions = async () =>
    (await readTrail(portal)).map(({ action, actor_id, target_id }) => [action, actor_id, target_id])
  const recorded = (action: string) => [[action, admin.user_id, person.user_id]]
  const readRole = async (userId = person.user_id) =>
    (
      await portal.database.db
        .selectFrom('user_roles')
        .select('role')
        .where('user_id', '=', userId)
        .executeTakeFirst()
    )?.role ?? 'user'

  test('mails a reset link, which works, while the password stays good', async () => {
    expect((await help('send-reset')).status).toBe(204)
    const [mail] = await readMails()
    expect(mail).toMatchObject({ kind: 'recovery' })
    expect(await readActions()).toEqual(recorded('reset-link-sent'))
    expect((await signIn(portal, person.email, TEST_PASSWORD)).status).toBe(200)
    expect((await useLink(portal, 'recovery', mail?.link)).status).toBe(200)
  })

  test('unlocks the sign-in from everywhere, and tells the person', async () => {
    for (let n = 0; n < 6; n++) await signIn(portal, person.email, 'errada')
    expect((await signIn(portal, person.email, TEST_PASSWORD)).status).toBe(429)
    expect((await help('unlock')).status).toBe(204)
    expect((await signIn(portal, person.email, TEST_PASSWORD)).status).toBe(200)
    expect(await readMails()).toMatchObject([
      { kind: 'account-unlocked', text: expect.stringContaining('Um administrador zerou as tentativas') },
    ])
    expect(await readActions()).toEqual(recorded('account-unlocked'))
  })

  test('ends all sessions, at once on every replica, and tells the person, once', async () => {
    const replica = await startTestPortal({ kind, database: portal.database, clock: portal.clock })
    const sessions = [await openTestSession(portal, person), await openTestSession(portal, person)]
    for (let again = 0; again < 2; again++) expect((await help('end-sessions')).status).toBe(204)
    for (const { access_token } of sessions) expect(await isSignedIn(replica, access_token)).toBe(false)
    expect(await readMails()).toMatchObject([{ kind: 'sessions-ended' }])
    expect(await readActions()).toEqual(recorded('sessions-ended'))
    expect((await readTrail(portal))[0]?.after).toEqual({ count: 2 })
    await replica.stop()
  })

  test('resends the verification until the e-mail is verified', async () => {
    person = await addPerson(portal, { email_verified_at: null })
    expect((await help('resend-verification')).status).toBe(204)
    expect(await readMails()).toMatchObject([{ kind: 'verification' }])
    expect(await readActions()).toEqual(recorded('verification-resent'))
    person = await addPerson(portal)
    expect((await help('resend-verification')).body).toMatchObject({
      code: 'conflict',
      detail: 'O e-mail já foi confirmado.',
    })
  })

  test('gives and takes the administration, from the next request on, and tells the person', async () => {
    const { access_token } = await openTestSession(portal, person)
    const list = () => send(portal, 'GET', '/api/profiles', { token: access_token })
    expect((await setRole('admin')).status).toBe(204)
    expect((await list()).status).toBe(200)
    expect(await readMails()).toMatchObject([{ kind: 'role-changed', link: 'http://localhost/admin' }])
    expect((await setRole('admin')).status).toBe(204)
    expect((await setRole('user')).status).toBe(204)
    expect((await list()).status).toBe(403)
    expect((await readMails())[0]?.subject).toMatch(/^Seu papel no portal/)
    expect(await readActions()).toEqual([...recorded('role-changed'), ...recorded('role-changed')])
  })

  test('is refused a role of somebody whom another administrator changed since, and takes it without a version', async () => {
    const read = async () => (await send(portal, 'GET', `/api/profiles/${person.user_id}`, admin)).body
    const { version } = await read()
    const setSeen = (role: string, seen: number) =>
      send(portal, 'PUT', `/api/profiles/${person.user_id}/role`, {
        token: admin.token,
        body: { role },
        headers: { 'if-match': `"${seen}"` },
      })
    expect((await setRole('admin')).status).toBe(204)
    expect((await setRole('user')).status).toBe(204)
    expect((await setSeen('admin', version)).body.detail).toMatch(/^Outra pessoa alterou este usuário/)
    expect(await readRole()).toBe('user')
    expect((await setSeen('admin', (await read()).version)).status).toBe(204)
    // Once more, as after a lost reply: there is nothing left to do.
    expect((await setSeen('admin', version)).status).toBe(204)
    await patchProfile(portal, admin, person.user_id, { types: ['HPD'] })
    expect((await setSeen('user', version + 3)).status).toBe(409)
  })

  test('makes nobody an administrator whose e-mail nobody proved to own', async () => {
    person = await addPerson(portal, { email_verified_at: null })
    const { status, body } = await setRole('admin')
    expect([status, body.code]).toEqual([409, 'conflict'])
    expect(await readRole()).toBe('user')
  })

  test('of two who take it from each other at once leaves one', async () => {
    const other = await openAdmin(portal)
    const replies = await Promise.all([
      setRole('user', other.user_id),
      setRole('user', admin.user_id, other.token),
    ])
    expect(replies.map(({ status }) => status).toSorted()).toEqual([204, 403])
    expect([await readRole(admin.user_id), await readRole(other.user_id)].toSorted()).toEqual([
      'admin',
      'user',
    ])
  })

  test('limits the mails of each kind, apart from what the person or a stranger asks for', async () => {
    await requestRecovery(portal, person.email)
    expect((await help('send-reset')).status).toBe(204)
    expect((await help('send-reset')).status).toBe(429)
    expect((await help('unlock')).status).toBe(204)
    expect((await help('end-sessions')).status).toBe(204)
    expect((await help('end-sessions')).status).toBe(204)
  })

  describe.each<[string, () => ReturnType<typeof send>]>([
    ['a reset link', () => help('send-reset')],
    ['an unlocking', () => help('unlock')],
    ['the end of sessions', () => help('end-sessions')],
    ['a role', () => setRole('admin')],
  ])('%s', (_, act) => {
    test('needs a password of ten minutes, and has no effect without', async () => {
      const { access_token } = await openTestSession(portal, person)
      admin.token = await ageAuthentication(portal, admin.token, 11 * MINUTE)
      expect((await act()).body.code).toBe('reauthentication-needed')
      expect(await isSignedIn(portal, access_token)).toBe(true)
      expect([await readActions(), await readMails(), await readRole()]).toEqual([[], [], 'user'])
    })

    test('is not for oneself, nor for somebody who is gone', async () => {
      const other = person
      person = { ...other, user_id: admin.user_id }
      const { status, body } = await act()
      expect([status, body.detail]).toEqual([
        409,
        'Para a sua própria conta, use Segurança, em Minha conta, ou peça a outro administrador.',
      ])
      expect(await isSignedIn(portal, admin.token)).toBe(true)
      person = { ...other, user_id: UNKNOWN_ID }
      expect((await act()).status).toBe(404)
      expect(await readActions()).toEqual([])
    })
  })
})
