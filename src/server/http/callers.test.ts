import { beforeAll, expect, test } from 'vitest'
import { NEW_PASSWORD, refreshSession, setPassword } from '#server/testing/account-calls.ts'
import { addPerson, configureReports, openTestSession, send } from '#server/testing/builders.ts'
import { toTokenBody } from '#server/testing/embed-token-calls.ts'
import { issuePass } from '#server/testing/human-passes.ts'
import { CONTACT_FORM } from '#server/testing/inbox-calls.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

// Replies per caller × operation, beyond every-route.test.ts and refused-without-effect.test.ts.
// Tested elsewhere:
//   sign-up, recovery and resend alike for known and unknown addresses:
//     sign-up, request-recovery, verification-mail
//   an e-mail token works once, even in parallel: request-recovery, verification-mail, disown-email
//   a deleted user's tokens: every-route ('deleted user'), check-session, delete-users

const CALLERS = ['anonymous', 'pending', 'approved', 'admin'] as const
type Name = (typeof CALLERS)[number]
const PROFILES = {
  pending: { approved: false },
  approved: {},
  admin: { role: 'admin' },
} as const

const ADMIN_READS = [
  '/api/profiles',
  '/api/profiles/count',
  '/api/global-powerbi-settings',
  '/api/support-messages',
  '/api/support-messages/unread-count',
  '/api/openapi.json',
]

/** Replaces parts of a reply that differ with each request. */
const maskVolatile = (body: unknown, email: string) =>
  JSON.stringify(body)
    .replaceAll(email, 'ADDRESS')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/"confirmation_mark":"[\w-]{20,}"/, '"confirmation_mark":"MARK"')

describeOnEachDatabase('callers and operations', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  beforeAll(() => configureReports(portal, 'Vendas', 'CRM'))

  const open = async (name: Name, profile: Parameters<typeof addPerson>[1] = {}) => {
    if (name === 'anonymous') return undefined
    const person = await addPerson(portal, { ...PROFILES[name], ...profile })
    return { person, ...(await openTestSession(portal, person)) }
  }
  /** Sends one request as every caller, in the order of the table. */
  const askAll = async (
    ask: (caller: Awaited<ReturnType<typeof open>>) => ReturnType<typeof send>,
    profile?: Parameters<typeof addPerson>[1],
  ) => {
    const replies = []
    for (const name of CALLERS) replies.push(await ask(await open(name, profile)))
    return replies
  }
  const statuses = async (...args: Parameters<typeof askAll>) =>
    (await askAll(...args)).map(({ status }) => status)
  const as = (caller: Awaited<ReturnType<typeof open>>) => (caller ? { token: caller.access_token } : {})

  test.each([
    ['/api/auth/signup', { password: NEW_PASSWORD }],
    ['/api/auth/recover', {}],
    ['/api/auth/resend', { type: 'signup' }],
  ])('give the same answer of %s for known and unknown addresses', async (path, rest) => {
    const { email: known } = await addPerson(portal)
    const output: string[] = []
    for (const address of [() => known, () => `nova.${crypto.randomUUID()}@grupopatio.com.br`])
      await askAll(async (caller) => {
        const email = address()
        const captcha = await issuePass(portal)
        const body = { email, ...rest, ...(path.endsWith('signup') && { captcha }) }
        const reply = await send(portal, 'POST', path, { ...as(caller), body })
        output.push(`${reply.status} ${maskVolatile(reply.body, email)}`)
        return reply
      })
    expect(output).toEqual(Array(2 * CALLERS.length).fill(output[0]))
    expect(output[0]).toMatch(/^200 \{/)
    expect(output[0]).not.toMatch(/"(access|refresh)_token"/)
  })

  test('accept a contact message from everyone', async () => {
    const post = (caller: Awaited<ReturnType<typeof open>>) =>
      send(portal, 'POST', '/api/support-messages', { ...as(caller), body: CONTACT_FORM })
    expect(await statuses(post)).toEqual([201, 201, 201, 201])
  })

  test.each([
    ['GET', '/api/profiles/me', undefined, 200],
    ['GET', '/api/user-roles/me', undefined, 200],
    ['POST', '/api/functions/change-password', { newPassword: NEW_PASSWORD }, 200],
    ['POST', '/api/auth/logout', undefined, 204],
  ])('answer %s %s for every signed-in caller', async (method, path, body, good) => {
    const call = (caller: Awaited<ReturnType<typeof open>>) =>
      send(portal, method, path, { ...as(caller), body })
    expect(await statuses(call)).toEqual([401, good, good, good])
  })

  test('refresh every kind of session that allows it', async () => {
    const ask = (caller: Awaited<ReturnType<typeof open>>) =>
      refreshSession(portal, caller?.refresh_token ?? 'x'.repeat(48))
    expect(await statuses(ask)).toEqual([400, 200, 200, 200])
  })

  test('issue embed tokens only for own types, even for an administrator', async () => {
    const ask = (type: string) =>
      statuses((caller) =>
        send(portal, 'POST', '/api/functions/get-powerbi-token', { ...as(caller), body: toTokenBody(type) }),
      )
    expect(await ask('Vendas')).toEqual([401, 403, 200, 200])
    expect(await ask('CRM')).toEqual([401, 403, 404, 404])
  })

  test('do not depend on the verification of the address', async () => {
    const paths = [...ADMIN_READS, '/api/profiles/me', '/api/reports/me']
    for (const path of paths) {
      const read = (caller: Awaited<ReturnType<typeof open>>) => send(portal, 'GET', path, as(caller))
      expect(await statuses(read, { email_verified_at: null }), path).toEqual(await statuses(read))
    }
    const body = toTokenBody('Vendas')
    const ask = (caller: Awaited<ReturnType<typeof open>>) =>
      send(portal, 'POST', '/api/functions/get-powerbi-token', { ...as(caller), body })
    expect(await statuses(ask, { email_verified_at: null })).toEqual([401, 403, 200, 200])
  })

  test('refuse a deleted user’s tokens, including the refresh token', async () => {
    for (const name of ['pending', 'approved', 'admin'] as const) {
      const caller = await open(name)
      if (!caller) throw new Error('no caller')
      const { db } = portal.database
      await db.deleteFrom('profiles').where('user_id', '=', caller.person.user_id).execute()
      for (const path of [...ADMIN_READS, '/api/profiles/me', '/api/reports/me', '/api/auth/user'])
        expect((await send(portal, 'GET', path, as(caller))).status, path).toBe(401)
      expect((await setPassword(portal, caller.access_token)).status).toBe(401)
      expect((await refreshSession(portal, caller.refresh_token)).status).toBe(400)
    }
  })
})
