import { beforeEach, expect, test } from 'vitest'
import {
  isSignedIn,
  NEW_PASSWORD,
  receiveMail,
  refreshSession,
  setPassword,
  signIn,
  useLink,
} from '#server/testing/account-calls.ts'
import { clearTrail, openAdmin } from '#server/testing/admin-calls.ts'
import { addPerson, openTestSession, send, TEST_PASSWORD } from '#server/testing/builders.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { ADMIN_COMMANDS, createCliRequest } from './admin-commands.ts'

describeOnEachDatabase('npm run admin', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  beforeEach(async () => {
    await portal.database.db.deleteFrom('profiles').execute()
    await clearTrail(portal.database.db)
  })

  const run = async (command: string, email = '') =>
    ADMIN_COMMANDS[command]?.(
      {
        db: portal.database.db,
        publicUrl: 'https://portal.example',
        companyEmailDomain: 'grupopatio.com.br',
        clock: portal.clock,
        request: createCliRequest(),
      },
      email,
    ) ?? ''
  const findLink = (said: string) => /https:\S+/.exec(said)?.[0]
  const readAudit = () =>
    portal.database.db
      .selectFrom('audit_entries')
      .select(['action', 'target_email', 'before', 'after', 'user_agent'])
      .orderBy('id')
      .execute()
  const isAdmin = async (token: string) =>
    (await send(portal, 'GET', '/api/openapi.json', { token })).status === 200

  test('create adds a verified and approved administrator with a single-use link for the password', async () => {
    const said = await run('create', ' Chefe@GrupoPatio.com.br ')
    expect(said).toContain('chefe@grupopatio.com.br')
    expect(findLink(said)).toMatch(
      /^https:\/\/portal\.example\/reset-password#token_hash=[\w-]{43}&type=recovery$/,
    )
    const { body } = await useLink(portal, 'recovery', findLink(said))
    expect((await setPassword(portal, body.access_token)).status).toBe(200)
    expect((await useLink(portal, 'recovery', findLink(said))).status).toBe(400)
    const session = (await signIn(portal, 'chefe@grupopatio.com.br', NEW_PASSWORD)).body
    expect(await isAdmin(session.access_token)).toBe(true)
    const me = await send(portal, 'GET', '/api/profiles/me', { token: session.access_token })
    expect(me.body).toMatchObject({ approved: true, email_verified_at: expect.any(String) })
    expect((await readAudit()).map(({ action }) => action)).toEqual([
      'account-created',
      'role-changed',
      'reset-link-printed',
      'password-reset',
    ])
  })

  test('create rejects a known, foreign or malformed address', async () => {
    const { email } = await addPerson(portal)
    await expect(run('create', email)).rejects.toThrow('já tem conta')
    await expect(run('create', 'chefe@example.com')).rejects.toThrow('Apenas e-mails @grupopatio.com.br')
    await expect(run('create', 'chefe')).rejects.toThrow('E-mail inválido')
    expect(await readAudit()).toEqual([])
  })

  test('list shows only administrators', async () => {
    expect(await run('list')).toContain('Nenhum administrador')
    const admin = await addPerson(portal, { role: 'admin', approved: false })
    const { email } = await addPerson(portal)
    const said = await run('list')
    expect(said).toContain(`${admin.email}  último acesso: Nunca, aprovação pendente`)
    expect(said).not.toContain(email)
  })

  test('reset prints a link, cancels the older one and keeps the password until it is used', async () => {
    const { email } = await addPerson(portal, { password: TEST_PASSWORD })
    const older = findLink(await run('reset', email))
    const newer = findLink(await run('reset', email.toUpperCase()))
    expect((await signIn(portal, email, TEST_PASSWORD)).status).toBe(200)
    expect((await useLink(portal, 'recovery', older)).status).toBe(400)
    expect((await useLink(portal, 'recovery', newer)).status).toBe(200)
    expect(await readAudit()).toMatchObject([
      { action: 'reset-link-printed', target_email: email, user_agent: 'npm run admin' },
      { action: 'reset-link-printed', target_email: email },
    ])
    await expect(run('reset', 'ninguem@grupopatio.com.br')).rejects.toThrow('Não há conta')
  })

  test('reset ends every session of that person at the next request, and no others', async () => {
    const [person, other] = [await addPerson(portal), await addPerson(portal)]
    const sessions = [
      await openTestSession(portal, person),
      await openTestSession(portal, person, 'recovery'),
    ]
    const untouched = await openTestSession(portal, other)
    expect(await isSignedIn(portal, sessions[0]?.access_token ?? '')).toBe(true)
    await run('reset', person.email)
    for (const { access_token: token } of sessions)
      expect((await send(portal, 'GET', '/api/auth/user', { token })).status).toBe(401)
    expect((await refreshSession(portal, sessions[0]?.refresh_token ?? '')).status).toBe(400)
    expect(await isSignedIn(portal, untouched.access_token)).toBe(true)
  })

  test('grant and revoke take effect at the next request and are audited', async () => {
    await addPerson(portal, { role: 'admin' })
    const person = await addPerson(portal)
    const { access_token } = await openTestSession(portal, person)
    await run('grant', person.email)
    expect(await isAdmin(access_token)).toBe(true)
    expect(await run('grant', person.email)).toContain('já é administrador')
    expect(await run('revoke', person.email)).toMatch(
      `ainda vê relatórios: remove ${person.email} tira o acesso`,
    )
    expect(await isAdmin(access_token)).toBe(false)
    expect(await isSignedIn(portal, access_token)).toBe(true)
    await expect(run('revoke', person.email)).rejects.toThrow('não é administrador')
    expect(await readAudit()).toMatchObject([
      { action: 'role-changed', before: { role: 'user' }, after: { role: 'admin' } },
      { action: 'role-changed', before: { role: 'admin' }, after: { role: 'user' } },
    ])
  })

  test('grant rejects an unverified person', async () => {
    const { email } = await addPerson(portal, { email_verified_at: null })
    await expect(run('grant', email)).rejects.toThrow('ainda não foi verificado')
    expect(await readAudit()).toEqual([])
  })

  test('remove takes role, approval and sessions, audits both, and keeps the last administrator', async () => {
    const last = await addPerson(portal, { role: 'admin' })
    const person = await addPerson(portal, { role: 'admin', password: TEST_PASSWORD })
    const { access_token } = await openTestSession(portal, person)
    expect(await run('remove', person.email.toUpperCase())).toContain('não tem mais acesso')
    expect(await isSignedIn(portal, access_token)).toBe(false)
    const { body } = await signIn(portal, person.email, TEST_PASSWORD)
    expect(await isAdmin(body.access_token)).toBe(false)
    const me = await send(portal, 'GET', '/api/profiles/me', { token: body.access_token })
    expect(me.body).toMatchObject({ approved: false, types: ['Vendas'] })
    expect(await readAudit()).toMatchObject([
      { action: 'role-changed', target_email: person.email, after: { role: 'user' } },
      { action: 'approval-removed', target_email: person.email, after: { approved: false } },
    ])
    expect(await run('remove', person.email)).toContain('já não tinha acesso')
    expect(await isSignedIn(portal, body.access_token)).toBe(false)
    await expect(run('remove', last.email)).rejects.toThrow('é o único administrador')
    expect(await readAudit()).toHaveLength(2)
  })

  test('remove withdraws an open invitation, so that its link gives nothing back', async () => {
    const admin = await openAdmin(portal)
    const { email } = await addPerson(portal, { approved: false, email_verified_at: null })
    const body = { addresses: email, defaults: { types: ['Vendas'], marcas: ['FIAT'], estados: ['RJ'] } }
    await send(portal, 'POST', '/api/invitations', { token: admin.token, body })
    const link = (await receiveMail(portal, email, 'invitation'))?.link
    expect(await run('remove', email)).toContain('O convite foi retirado.')
    expect((await useLink(portal, 'invite', link, { password: NEW_PASSWORD })).status).toBe(400)
    expect((await readAudit()).at(-1)).toMatchObject({ action: 'invitation-lost', target_email: email })
    expect(await run('remove', email)).not.toContain('convite')
  })

  test('revoke keeps the last administrator, also when two are revoked concurrently', async () => {
    const people = [await addPerson(portal, { role: 'admin' }), await addPerson(portal, { role: 'admin' })]
    const results = await Promise.allSettled(people.map(({ email }) => run('revoke', email)))
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const rejected = results.find((result) => result.status === 'rejected')
    expect(String(rejected?.reason)).toContain('é o único administrador')
    expect(await run('list')).toContain('último acesso')
  })
})
