import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Caller, refusalOf, type SessionKind } from '#contract/access.ts'
import { api } from '#contract/index.ts'
import { PROBLEMS } from '#contract/problem.ts'
import { pathWith, type Route } from '#contract/route.ts'
import { createKeyring } from '#server/keyring.ts'
import { createAccessTokens } from '#server/sign-in/access-token.ts'
import { addPerson, openTestSession } from '#server/testing/builders.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal, type TestPortal } from '#server/testing/test-portal.ts'

/** Who may use each route, said a second time by hand: a route that is missing here fails. */
const WHO_PASSES: Record<string, keyof typeof GROUPS> = {
  'GET /api/health/live': 'everybody',
  'GET /api/health/ready': 'everybody',
  'GET /api/openapi.json': 'admins',
  'POST /api/auth/token': 'everybody',
  'GET /api/auth/user': 'every session',
  'POST /api/auth/logout': 'every session',
  'POST /api/auth/signup': 'everybody',
  'POST /api/auth/recover': 'everybody',
  'POST /api/auth/not-me': 'everybody',
  'PUT /api/auth/user': 'full and recovery sessions',
  'POST /api/functions/change-password': 'full and forced-change sessions',
  'POST /api/auth/resend': 'everybody',
  'POST /api/auth/verify': 'everybody',
  'GET /api/auth/challenge': 'everybody',
  'POST /api/functions/verify-recaptcha': 'everybody',
  'GET /api/profiles/me': 'full sessions',
  'GET /api/user-roles/me': 'full sessions',
  'GET /api/reports/me': 'full sessions',
  'POST /api/functions/get-powerbi-token': 'approved people',
  'GET /api/global-powerbi-settings': 'admins',
  'GET /api/support-messages/unread-count': 'admins',
}

const NOT_SIGNED_IN = [
  'nobody',
  'garbage token',
  'expired token',
  'token signed by another secret',
  'deleted user',
  'ended session',
  'session idle for 41 minutes',
  'recovery session after 16 minutes',
] as const
const FULL = ['pending', 'approved', 'approved without types', 'admin', 'unapproved admin'] as const
const LIMITED = ['recovery session', 'recovery session of an admin', 'forced-change session'] as const
type CallerName = (typeof NOT_SIGNED_IN | typeof FULL | typeof LIMITED)[number]
const EVERYBODY: readonly CallerName[] = [...NOT_SIGNED_IN, ...FULL, ...LIMITED]

const GROUPS = {
  everybody: EVERYBODY,
  'every session': [...FULL, ...LIMITED],
  'full sessions': FULL,
  // Full ones get past the door and are refused by the handler.
  'full and recovery sessions': [...FULL, 'recovery session', 'recovery session of an admin'],
  'full and forced-change sessions': [...FULL, 'forced-change session'],
  'approved people': ['approved', 'approved without types', 'admin'],
  admins: ['admin', 'unapproved admin'],
} as const satisfies Record<string, readonly CallerName[]>

/** What the rule of the contract knows of each caller. */
const KNOWN: Partial<Record<CallerName, Caller>> = {
  pending: { role: 'user', approved: false, sessionKind: 'full' },
  approved: { role: 'user', approved: true, sessionKind: 'full' },
  'approved without types': { role: 'user', approved: true, sessionKind: 'full' },
  admin: { role: 'admin', approved: true, sessionKind: 'full' },
  'unapproved admin': { role: 'admin', approved: false, sessionKind: 'full' },
  'recovery session': { role: 'user', approved: true, sessionKind: 'recovery' },
  'recovery session of an admin': { role: 'admin', approved: true, sessionKind: 'recovery' },
  'forced-change session': { role: 'user', approved: true, sessionKind: 'forcedChange' },
}

const MINUTE = 60_000
const ROUTES = Object.values(api).flatMap((group) => Object.values<Route>(group))
const nameOf = (route: Route) => `${route.method} ${route.path}`

async function tokensOf(portal: TestPortal): Promise<Record<CallerName, string | undefined>> {
  const { db } = portal.database
  const open = async (profile: Parameters<typeof addPerson>[1] = {}, kind: SessionKind = 'full') => {
    const person = await addPerson(portal, profile)
    const { access_token } = await openTestSession(portal, person, kind)
    const sessionId = JSON.parse(
      Buffer.from(access_token.split('.')[1] as string, 'base64url').toString(),
    ).sid
    return { access_token, sessionId, userId: person.user_id }
  }
  const signed = async (keyring: TestPortal['keyring'], ageMs: number) => {
    const { sessionId, userId } = await open()
    const tokens = createAccessTokens(keyring, () => portal.clock() - ageMs)
    return tokens.sign({ sessionId, userId, refreshCounter: 0 })
  }
  const aged = async (kind: SessionKind, ageMs: number) => {
    const { access_token, sessionId } = await open({}, kind)
    const then = new Date(portal.clock() - ageMs)
    const ages = kind === 'recovery' ? { created_at: then } : { refreshed_at: then }
    await db.updateTable('sessions').set(ages).where('id', '=', sessionId).execute()
    return access_token
  }
  const deleted = await open()
  await db.deleteFrom('profiles').where('user_id', '=', deleted.userId).execute()
  const ended = await open()
  await db.deleteFrom('sessions').where('id', '=', ended.sessionId).execute()
  const admin = { role: 'admin' } as const
  return {
    nobody: undefined,
    'garbage token': 'x'.repeat(200),
    'expired token': await signed(portal.keyring, 10 * MINUTE),
    'token signed by another secret': await signed(createKeyring(['another secret altogether']), 0),
    'deleted user': deleted.access_token,
    'ended session': ended.access_token,
    'session idle for 41 minutes': await aged('full', 41 * MINUTE),
    'recovery session after 16 minutes': await aged('recovery', 16 * MINUTE),
    pending: (await open({ approved: false })).access_token,
    approved: (await open()).access_token,
    'approved without types': (await open({ types: [] })).access_token,
    admin: (await open(admin)).access_token,
    'unapproved admin': (await open({ ...admin, approved: false })).access_token,
    'recovery session': (await open({}, 'recovery')).access_token,
    'recovery session of an admin': (await open(admin, 'recovery')).access_token,
    'forced-change session': (await open({}, 'forcedChange')).access_token,
  }
}

/** Garbage in path, query and body: whoever is refused must be so before any of it is read. */
async function callWithGarbage(portal: TestPortal, route: Route, token: string | undefined) {
  const reply = await fetch(`${portal.url}${pathWith(route)}?scope=nonsense&grant_type=%00`, {
    method: route.method,
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    ...(route.method !== 'GET' && { body: '{"garbage' }),
  })
  const isRefused = reply.status === 401 || reply.status === 403
  const code = isRefused ? ((await reply.json()) as { code: string }).code : undefined
  // A stream never ends by itself.
  if (!isRefused) await reply.body?.cancel()
  expect(reply.status, nameOf(route)).toBeLessThan(500)
  return isRefused ? `${reply.status} ${code}` : 'passes'
}

function ruleOf(route: Route, caller: CallerName): string {
  const refusal = refusalOf(route, KNOWN[caller])
  return refusal ? `${PROBLEMS[refusal][0]} ${refusal}` : 'passes'
}

test('every route is in the table of who passes, and nothing else is', () => {
  expect(Object.keys(WHO_PASSES).sort()).toEqual(ROUTES.map(nameOf).sort())
})

describeOnEachDatabase('every route × every caller', (kind) => {
  let portal: TestPortal
  let tokens: Record<CallerName, string | undefined>
  beforeAll(async () => {
    portal = await startTestPortal({ kind, rateLimits: false })
    tokens = await tokensOf(portal)
  })
  afterAll(() => portal.stop())

  describe.each(ROUTES.map((route) => [nameOf(route), route] as const))('%s', (name, route) => {
    test(`passes ${WHO_PASSES[name] ?? 'nobody knows whom'}, as the contract says`, async () => {
      const got: Record<string, string> = {}
      for (const caller of EVERYBODY) got[caller] = await callWithGarbage(portal, route, tokens[caller])
      expect(got).toEqual(Object.fromEntries(EVERYBODY.map((caller) => [caller, ruleOf(route, caller)])))
      const passing = EVERYBODY.filter((caller) => got[caller] === 'passes')
      expect(passing).toEqual(GROUPS[WHO_PASSES[name] as keyof typeof GROUPS])
    })
  })
})
