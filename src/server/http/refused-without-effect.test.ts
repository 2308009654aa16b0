import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import type { SessionKind } from '#contract/access.ts'
import { AUDIT_ACTIONS, type TrailAction } from '#contract/audit-actions.ts'
import { buildPath, type Route } from '#contract/route.ts'
import { SEEDED_CATALOGUE } from '#contract/seeded-catalogue.ts'
import { hashRecoveryCode } from '#server/accounts/factors.ts'
import { createEmailLink } from '#server/accounts/mails.ts'
import { createTokens } from '#server/accounts/tokens.ts'
import { getLinkToken } from '#server/testing/account-calls.ts'
import { type Admin, editMany, openAdmin } from '#server/testing/admin-calls.ts'
import {
  addPerson,
  buildSubscription,
  configureReports,
  getEmulatedReport,
  openTestSession,
  send,
  TEST_PASSWORD,
} from '#server/testing/builders.ts'
import { readEveryTable } from '#server/testing/canaries.ts'
import { listCalls } from '#server/testing/embed-token-calls.ts'
import { challenge, showCode } from '#server/testing/factor-calls.ts'
import { addMessages } from '#server/testing/inbox-calls.ts'
import { TEST_METRICS_TOKEN } from '#server/testing/read-metrics.ts'
import {
  ALL_CALLERS,
  type Body,
  type CallerName,
  createCallerTokens,
  EXAMPLES,
  EXAMPLES_WITHOUT_BODY,
  type Example,
  FREE_TEMPLATE,
  FULL,
  getExpectedOutcome,
  getRouteName,
  ROUTES,
  SOME_CODE,
  SOME_DELETED_VIEW,
  SOME_FACTOR,
  SOME_GROUP,
  SOME_INVITATION,
  SOME_MESSAGE,
  SOME_NOTICE,
  SOME_NOTICE_FORM,
  SOME_PASSKEY,
  SOME_REMOVED_NOTICE,
  SOME_REMOVED_REPORT,
  SOME_REPORT,
  SOME_REPORT_VIEW,
  SOME_REQUEST_TIME,
  SOME_SESSION,
  SOME_SUBSCRIPTION,
  SOME_TEMPLATE,
  SOME_USER,
  SOME_WAITING_USER,
} from '#server/testing/route-callers.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { createAuthenticator } from '#server/testing/software-authenticator.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

// Sends valid input as every caller who is refused: nothing may change. A permitted caller proves that
// the input is valid and has an effect.

const RESET = 'PUT /api/auth/user'
const CLOSED = ROUTES.filter((route) => route.method !== 'GET' && route.access !== 'public')

/** The entries that a route may leave, by the contract. */
const listTrail = ({ trail }: Route): readonly TrailAction[] =>
  trail === undefined || (typeof trail === 'object' && 'none' in trail) ? [] : [trail].flat()
const isAudited = (route: Route) => listTrail(route).some((action) => AUDIT_ACTIONS.includes(action as never))

/** Routes whose example leaves no entry: only the end of other sessions, or of a subscription, does. */
const SOMETIMES = ['POST /api/auth/logout', 'PATCH /api/report-subscriptions/{id}']
/** Routes whose answer is a challenge, which is signed and not stored. */
const CHALLENGES = [
  'POST /api/auth/factors/{factorId}/challenge',
  'POST /api/auth/passkeys/registration/options',
]

const SECRET = 'a secret of 20 bytes'
const FACTORS = [SOME_FACTOR, SOME_PASSKEY]
const listExamples = (name: string): { path: string; body?: Body }[] => {
  const paths: Partial<Record<string, string>> = EXAMPLES_WITHOUT_BODY
  const path = paths[name]
  const bodies: Partial<Record<string, Example[]>> = EXAMPLES
  return bodies[name] ?? (path ? [{ path }] : [])
}
const ADMINS = ROUTES.filter(({ access, events }) => access === 'admin' && !events)
const AUDITED = ADMINS.filter(isAudited)

function listAdminExamples(name: string, route: Route) {
  if (route.method !== 'GET') return listExamples(name)
  const { workspaceId } = getEmulatedReport('CRM')
  return [
    {
      path: buildPath(route, { userId: SOME_USER, kind: 'marcas', code: 'VW', workspaceId, type: 'vendas' }),
    },
  ]
}

/** Lists the callers that a route refuses; a password reset also refuses sessions without its link. */
const getRefused = (route: Route): CallerName[] =>
  ALL_CALLERS.filter(
    (caller) =>
      getExpectedOutcome(route, caller) !== 'passes' ||
      (getRouteName(route) === RESET && FULL.some((full) => full === caller)),
  )

describeOnEachDatabase('a refused request changes nothing', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false, metricsToken: TEST_METRICS_TOKEN })
  let tokens: Record<CallerName, string | undefined>
  let undoId: string
  let view: string
  let admin: Admin
  beforeAll(async () => {
    tokens = await createCallerTokens(portal)
  })
  /** Creates the rows that the examples need. */
  const prepare = async () => {
    const { db } = portal.database
    await db.deleteFrom('profiles').where('user_id', 'in', [SOME_USER, SOME_WAITING_USER]).execute()
    await db.deleteFrom('support_messages').execute()
    await db.deleteFrom('global_powerbi_settings').execute()
    await db.deleteFrom('access_reviews').execute()
    await db.deleteFrom('catalogue_items').execute()
    const items = (['types', 'marcas', 'estados'] as const).flatMap((list) =>
      SEEDED_CATALOGUE[list].map((item) => ({ kind: list, ...item })),
    )
    await db.insertInto('catalogue_items').values(items).execute()
    await addPerson(portal, { user_id: SOME_USER, types: ['CRM'], marcas: ['VW'] })
    await addPerson(portal, { user_id: SOME_WAITING_USER, approved: false })
    await db
      .insertInto('access_requests')
      .values({
        user_id: SOME_USER,
        workplace: null,
        types: ['Oficina'],
        marcas: [],
        estados: [],
        note: 'Cubro férias.',
        requested_at: new Date(SOME_REQUEST_TIME),
        for_more: true,
      })
      .execute()
    const at = new Date(portal.clock())
    await db.deleteFrom('sessions').where('id', '=', SOME_SESSION).execute()
    await db
      .insertInto('sessions')
      .values({
        id: SOME_SESSION,
        user_id: SOME_USER,
        kind: 'full',
        refresh_key: Buffer.alloc(0),
        created_at: at,
        refreshed_at: at,
        renewed_at: at,
        aal: 'aal2',
      })
      .execute()
    const { factorSecrets } = createTokens(portal.keyring, portal.clock)
    await db.deleteFrom('factors').where('id', 'in', FACTORS).execute()
    const added = { user_id: SOME_USER, friendly_name: 'Celular', created_at: at, verified_at: at }
    await db
      .insertInto('factors')
      .values([
        { ...added, id: SOME_FACTOR, factor_type: 'totp', secret: factorSecrets.seal(Buffer.from(SECRET)) },
        { ...added, id: SOME_PASSKEY, factor_type: 'webauthn', public_key: Buffer.alloc(0) },
      ])
      .execute()
    await db.deleteFrom('identities').execute()
    await db
      .insertInto('identities')
      .values({
        tenant_id: 'tenant',
        object_id: 'object',
        user_id: SOME_USER,
        email: 'alguem@example.com',
        linked_at: at,
        last_used_at: at,
        groups: [SOME_GROUP],
        groups_at: at,
      })
      .execute()
    await db.deleteFrom('access_templates').execute()
    await db
      .insertInto('access_templates')
      .values([
        { id: SOME_TEMPLATE, name: 'Oficina', types: ['Oficina'], marcas: [], estados: [] },
        { id: FREE_TEMPLATE, name: 'Vendas', types: ['Vendas'], marcas: [], estados: [] },
      ])
      .execute()
    await db
      .insertInto('group_mappings')
      .values({ group_id: SOME_GROUP, name: 'Oficina', template_id: SOME_TEMPLATE })
      .execute()
    await db.deleteFrom('invitations').execute()
    const invited = { email: 'convidada@grupopatio.com.br', full_name: null, invited_by: null }
    await db
      .insertInto('invitations')
      .values({
        id: SOME_INVITATION,
        ...invited,
        types: ['Vendas'],
        marcas: [],
        estados: [],
        // Long enough ago to be sent again.
        invited_at: new Date(portal.clock() - 60_000),
      })
      .execute()
    const saved = {
      user_id: SOME_USER,
      type: 'vendas',
      report_id: getEmulatedReport('Vendas').reportId,
      name: 'Uma visão',
      state: 'H4sI',
      updated_at: new Date(portal.clock()),
    }
    await db.deleteFrom('report_subscriptions').execute()
    await db.deleteFrom('report_views').execute()
    await db
      .insertInto('report_views')
      .values([
        { ...saved, id: SOME_REPORT_VIEW },
        { ...saved, id: SOME_DELETED_VIEW, deleted_at: new Date(portal.clock()) },
      ])
      .execute()
    const now = new Date(portal.clock())
    const subscription = buildSubscription(SOME_USER, now)
    await db
      .insertInto('report_subscriptions')
      .values({ ...subscription, id: SOME_SUBSCRIPTION, report_id: saved.report_id })
      .execute()
    await db.deleteFrom('notices').execute()
    const notice = { ...SOME_NOTICE_FORM, starts_at: now, updated_at: now }
    await db
      .insertInto('notices')
      .values([
        { ...notice, id: SOME_NOTICE },
        { ...notice, id: SOME_REMOVED_NOTICE, deleted_at: now },
      ])
      .execute()
    await addMessages(portal, { id: SOME_MESSAGE })
    await configureReports(portal, 'Vendas', 'CRM')
    const further = { type: 'vendas', position: 1, embed_mode: 'secure_sso' as const }
    await db.deleteFrom('further_reports').execute()
    await db
      .insertInto('further_reports')
      .values([
        { ...further, id: SOME_REPORT, name: 'Serviços', report_url: 'https://app.powerbi.com/a' },
        {
          ...further,
          id: SOME_REMOVED_REPORT,
          name: 'Leads',
          report_url: 'https://app.powerbi.com/b',
          deleted_at: new Date(portal.clock()),
        },
      ])
      .execute()
    admin = await openAdmin(portal)
    view = (await send(portal, 'GET', `/api/profiles/${SOME_USER}/reports`, admin)).body.view
    const edited = await editMany(portal, admin, { userIds: [SOME_USER], action: 'add', types: ['HPD'] })
    undoId = edited.body.undoId as string
  }

  const call = (
    route: Route,
    { path, body }: { path: string; body?: Body },
    token: string | undefined,
    key?: string,
  ) =>
    send(portal, route.method, path.replace('{undoId}', undoId), {
      ...(token && { token }),
      ...(key && { headers: { 'idempotency-key': key } }),
      body: body && ('view' in body ? { ...body, view } : body),
    })
  const takeSnapshot = async () => {
    const { rate_limits: _, ...content } = await readEveryTable(portal.database.db)
    return { ...content, upstream: (await listCalls(portal)).all }
  }
  const listEntries = async () => {
    const { rows } = await sql<{ key: string; action: string }>`
      select 'a' || id as key, action from audit_entries
      union all select 'r' || id, action from access_records`.execute(portal.database.db)
    return rows
  }
  const addRecoveryCode = async (user_id: string) => {
    const { db } = portal.database
    await db.deleteFrom('recovery_codes').execute()
    const code = { code_hash: hashRecoveryCode(SOME_CODE), set_id: randomUUID() }
    const created_at = new Date(portal.clock())
    await db
      .insertInto('recovery_codes')
      .values({ ...code, user_id, created_at })
      .execute()
    return undefined
  }
  const oweSecondStep = (userId: string) =>
    portal.database.db.updateTable('sessions').set({ kind: 'aal1' }).where('user_id', '=', userId).execute()
  /** Inputs that only the moment makes valid: answers to a challenge, a code, a link. */
  const ANSWERS: Record<string, (token: string, userId: string) => Promise<Body | undefined>> = {
    'POST /api/auth/factors/{factorId}/verify': async (token, userId) => {
      await oweSecondStep(userId)
      const { body } = await challenge(portal, token, SOME_FACTOR)
      return { challenge_id: body.id, code: showCode(portal, SECRET) }
    },
    'POST /api/auth/factors/recovery-codes/verify': async (_, userId) => {
      await oweSecondStep(userId)
      return addRecoveryCode(userId)
    },
    'DELETE /api/auth/factors/recovery-codes': (_, userId) => addRecoveryCode(userId),
    'POST /api/auth/factors/link/verify': async (_, userId) => {
      const context = { db: portal.database.db, clock: portal.clock, publicUrl: 'http://localhost' }
      return { token_hash: getLinkToken(await createEmailLink(context, { userId, purpose: 'factor' })) }
    },
    'POST /api/auth/passkeys/registration/verify': async (token) => {
      const path = '/api/auth/passkeys/registration/options'
      const { body } = await send(portal, 'POST', path, { token, body: {} })
      const credential = createAuthenticator('http://localhost').create(body.options)
      return { challenge_id: body.challenge_id, credential }
    },
  }
  /** Opens a session of a caller who may use the route, and completes the examples. */
  const openEntitled = async (route: Route) => {
    const name = getRouteName(route)
    const examples = listExamples(name)
    if (route.access === 'admin') return { token: admin.token, examples }
    const isForWaiting = getRouteName(route) === 'PUT /api/access-requests/me'
    const kind: SessionKind = getRouteName(route) === RESET ? 'recovery' : 'full'
    const person = await addPerson(portal, { approved: !isForWaiting, password: TEST_PASSWORD })
    const { user_id } = person
    for (const table of ['report_views', 'report_subscriptions', 'identities'] as const)
      await portal.database.db.updateTable(table).set({ user_id }).execute()
    await portal.database.db.updateTable('sessions').set({ user_id }).where('id', '=', SOME_SESSION).execute()
    const { access_token } = await openTestSession(portal, person, kind)
    const enrolment_allowed_at = new Date(portal.clock())
    await portal.database.db
      .updateTable('sessions')
      .set({ enrolment_allowed_at, aal: 'aal2' })
      .where('user_id', '=', user_id)
      .execute()
    await portal.database.db.updateTable('factors').set({ user_id }).where('id', 'in', FACTORS).execute()
    const answer = await ANSWERS[name]?.(access_token, user_id)
    return {
      token: access_token,
      examples: answer ? examples.map((each) => ({ ...each, body: answer })) : examples,
    }
  }

  describe.each(CLOSED.map((route) => [getRouteName(route), route] as const))('%s', (name, route) => {
    let before: Awaited<ReturnType<typeof takeSnapshot>>
    // Once: refused requests change nothing, and the permitted one prepares again.
    beforeAll(async () => {
      await prepare()
      before = await takeSnapshot()
    })

    test.each(ALL_CALLERS.filter((caller) => getRefused(route).includes(caller)))(
      'from %s',
      async (caller) => {
        for (const example of listExamples(name)) {
          const { status, body } = await call(route, example, tokens[caller])
          expect([401, 403], `${status} ${body?.code}`).toContain(status)
        }
        expect(await takeSnapshot()).toEqual(before)
      },
    )

    test('unlike that of a permitted caller', async () => {
      const { token, examples } = await openEntitled(route)
      const earlier = await takeSnapshot()
      const known = new Set((await listEntries()).map(({ key }) => key))
      const statuses: number[] = []
      for (const example of examples) statuses.push((await call(route, example, token)).status)
      expect(Math.min(...statuses), String(statuses)).toBeLessThan(300)
      const left = (await listEntries()).filter(({ key }) => !known.has(key))
      expect(listTrail(route)).toEqual(expect.arrayContaining(left.map(({ action }) => action)))
      if (!SOMETIMES.includes(name))
        expect(left.length > 0, 'leaves entries as the contract says').toBe(listTrail(route).length > 0)
      const after = expect(await takeSnapshot())
      if (CHALLENGES.includes(name)) after.toEqual(earlier)
      else after.not.toEqual(earlier)
      await prepare()
    })

    if (route.idempotent)
      test('a permitted one, sent twice with the same key, has one effect and the same answer', async () => {
        for (const example of listExamples(name).filter(({ path }) => !path.includes('dryRun'))) {
          await prepare()
          const { token } = await openEntitled(route)
          const key = randomUUID()
          const first = await call(route, example, token, key)
          const done = await takeSnapshot()
          const second = await call(route, example, token, key)
          expect([second.status, second.body]).toEqual([first.status, first.body])
          expect(await takeSnapshot()).toEqual(done)
        }
      })
  })

  describe.each([
    ['demoted', (id: string) => sql`update user_roles set role = 'user' where user_id = ${id}`],
    ['deleted', (id: string) => sql`delete from profiles where user_id = ${id}`],
  ])('including one of an administrator who was %s after the check', (_, removeAdmin) => {
    test.each(AUDITED.map((route) => [getRouteName(route), route] as const))('%s', async (name, route) => {
      for (const example of listAdminExamples(name, route).filter(({ path }) => !path.includes('dryRun'))) {
        await prepare()
        let before: unknown
        const { runPrepared } = portal.database
        const spy = vi.spyOn(portal.database, 'runPrepared')
        spy.mockImplementation(async (text, values) => {
          const rows = await runPrepared(text, values)
          if (!text.includes('from sessions') || before) return rows as never
          await removeAdmin(admin.user_id).execute(portal.database.db)
          before = await takeSnapshot()
          return rows as never
        })
        const { status } = await call(route, example, admin.token)
        spy.mockRestore()
        expect([401, 403]).toContain(status)
        expect(await takeSnapshot()).toEqual(before)
      }
    })
  })

  describe('including one without an audit row', () => {
    const run = (statement: string) => sql.raw(statement).execute(portal.database.db)
    beforeAll(async () => {
      await run(
        `create function refuse() returns trigger language plpgsql as 'begin raise exception ''full''; end'`,
      )
    })
    const tables = async () => {
      const { upstream: _, ...content } = await takeSnapshot()
      return content
    }
    test.each(ADMINS.map((route) => [getRouteName(route), route] as const))('%s', async (name, route) => {
      await prepare()
      const examples = listAdminExamples(name, route)
      await run('create trigger refuse before insert on audit_entries for each row execute function refuse()')
      const before = await tables()
      const statuses: number[] = []
      for (const example of examples) statuses.push((await call(route, example, admin.token)).status)
      const after = await tables()
      await run('drop trigger refuse on audit_entries')
      expect([name, statuses.includes(500)]).toEqual([name, AUDITED.includes(route)])
      if (route.method === 'GET' || isAudited(route)) expect(after).toEqual(before)
      else expect(statuses).toContain(200)
    })
  })
})
