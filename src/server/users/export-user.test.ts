import { beforeEach, expect, test } from 'vitest'
import type { Profile } from '#contract/users.ts'
import {
  changePassword,
  NEW_PASSWORD,
  receiveMail,
  requestRecovery,
  signIn,
} from '#server/testing/account-calls.ts'
import { patchProfile, readTrail, readUserHistory } from '#server/testing/admin-calls.ts'
import { addPerson, openTestSession, send, TEST_PASSWORD } from '#server/testing/builders.ts'
import { setUpAdmin, setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

describeOnEachDatabase('data export of a person', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  const admin = setUpAdmin(portal)
  let person: Profile
  beforeEach(async () => {
    person = await addPerson(portal, { full_name: 'Júlia Nunes', password: TEST_PASSWORD, role: 'admin' })
  })
  const exportData = (userId: string) => send(portal, 'GET', `/api/profiles/${userId}/export`, admin)

  /** Leaves data about a person in every table. */
  const createTraces = async () => {
    const { body } = await signIn(portal, person.email, TEST_PASSWORD)
    await changePassword(portal, body.access_token, NEW_PASSWORD)
    await requestRecovery(portal, person.email)
    await receiveMail(portal, person.email)
    const message = { name: 'Júlia', phone: '(21) 98765-4321', message: 'Olá' }
    await portal.database.db
      .insertInto('support_messages')
      .values([
        { ...message, email: person.email.toUpperCase() },
        { ...message, email: 'outra@exemplo.com.br', message: 'De outra pessoa' },
      ])
      .execute()
    await portal.database.db
      .insertInto('suspect_messages')
      .values({ ...message, email: person.email, message: 'Suspeita' })
      .execute()
    await patchProfile(portal, admin, person.user_id, { types: ['CRM'] })
    const own = await signIn(portal, person.email, NEW_PASSWORD)
    await patchProfile(portal, { ...admin, token: own.body.access_token }, admin.user_id, {
      types: ['Slack'],
    })
  }

  test('holds all data about the person', async () => {
    await createTraces()
    const { status, body } = await exportData(person.user_id)
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual([
      'exported_at',
      'profile',
      'access_requests',
      'invitations',
      'sessions',
      'factors',
      'recovery_codes',
      'microsoft_account',
      'second_factor_required',
      'known_browsers',
      'passwords',
      'waiting_links',
      'access_records',
      'use_in_open_periods',
      'usage_mail',
      'reports_viewed_as_the_person',
      'failed_sign_ins',
      'changes_to_the_person',
      'acts_of_the_person',
      'report_views',
      'report_subscriptions',
      'views_opened',
      'notices_closed',
      'access_reviews',
      'reviews_of_the_person',
      'messages_handled',
      'report_exports',
      'mails',
      'support_messages',
      'suspect_messages',
    ])
    expect(body.profile).toMatchObject({
      user_id: person.user_id,
      email: person.email,
      full_name: 'Júlia Nunes',
      role: 'admin',
      types: ['CRM'],
      marcas: ['FIAT'],
    })
    expect(body.sessions).toHaveLength(2)
    expect(body.sessions[0]).toEqual({
      id: expect.any(String),
      kind: 'full',
      aal: 'aal1',
      created_at: expect.any(String),
      refreshed_at: expect.any(String),
      authenticated_at: expect.any(String),
      ip: '127.0.0.1',
      user_agent: 'node',
    })
    // Changing the password removed earlier browsers; the new sign-in added one.
    expect(body.known_browsers).toHaveLength(2)
    expect(body.passwords).toEqual([{ changed_at: expect.any(String) }, { changed_at: expect.any(String) }])
    expect(body.waiting_links.map(({ purpose }: { purpose: string }) => purpose)).toContain('recovery')
    expect(body.access_records).toHaveLength(2)
    expect(body.access_records[0]).toMatchObject({ action: 'sign-in', ip: '127.0.0.1' })
    const listActions = (rows: { action: string }[]) => rows.map(({ action }) => action)
    expect(listActions(body.changes_to_the_person)).toEqual(['password-changed', 'types-set'])
    expect(listActions(body.acts_of_the_person)).toContain('types-set')
    expect(body.mails.map(({ kind: mail }: { kind: string }) => mail).toSorted()).toEqual([
      'access-changed',
      'new-device',
      'password-changed',
      'recovery',
    ])
    expect(body.mails[0].sent_at).toEqual(expect.any(String))
    expect(body.suspect_messages.map(({ message }: { message: string }) => message)).toEqual(['Suspeita'])
    expect(body.support_messages.map(({ message }: { message: string }) => message)).toEqual(['Olá'])
  })

  test('holds no credentials and nothing about others', async () => {
    await createTraces()
    const text = JSON.stringify((await exportData(person.user_id)).body)
    const { db } = portal.database
    const hashes = [
      ...(await db.selectFrom('passwords').select('hash').execute()),
      ...(await db.selectFrom('password_history').select('hash').execute()),
    ].map(({ hash }) => hash)
    const keys = (await db.selectFrom('sessions').select('refresh_key').execute()).map(
      ({ refresh_key }) => refresh_key,
    )
    const tokens = (await db.selectFrom('email_links').select('token_hash').execute()).map(
      ({ token_hash }) => token_hash,
    )
    expect([hashes.length, keys.length, tokens.length].every((count) => count > 0)).toBe(true)
    const encoded = [...keys, ...tokens].flatMap((bytes) =>
      (['hex', 'base64', 'base64url'] as const).map((encoding) => Buffer.from(bytes).toString(encoding)),
    )
    for (const secret of [...hashes, ...encoded, '$argon2']) expect(text).not.toContain(secret)
    expect(text).not.toMatch(/hash|refresh_key|token|"data":\[/)
    expect(text).not.toContain(admin.email)
    expect(text).not.toContain(admin.user_id)
    expect(text).not.toContain('De outra pessoa')
  })

  test('of oneself leaves out what an unverified address alone leads to', async () => {
    const email = 'dona.do.endereco@grupopatio.com.br'
    const squatter = await addPerson(portal, { email, email_verified_at: null })
    const { access_token: token } = await openTestSession(portal, squatter)
    const message = { name: 'Dona', email, phone: '(21) 98765-4321', message: 'Meu telefone mudou' }
    await portal.database.db.insertInto('support_messages').values(message).execute()
    const read = async () => (await send(portal, 'GET', '/api/profiles/me/export', { token })).body
    expect(await read()).toMatchObject({ profile: { email }, support_messages: [], mails: [] })
    const verified = { email_verified_at: new Date() }
    await portal.database.db.updateTable('profiles').set(verified).where('email', '=', email).execute()
    expect((await read()).support_messages).toHaveLength(1)
  })

  test('is audited', async () => {
    await exportData(person.user_id)
    const { items } = await readUserHistory(portal, admin, person.user_id)
    expect(items).toMatchObject([
      { action: 'data-exported', actor_email: admin.email, before: null, after: null },
    ])
  })

  test('fails with not-found for an unknown person, without an audit entry', async () => {
    expect((await exportData(crypto.randomUUID())).status).toBe(404)
    expect(await readTrail(portal)).toEqual([])
  })
})
