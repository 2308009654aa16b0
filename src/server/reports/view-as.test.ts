import { beforeEach, expect, test } from 'vitest'
import { openAdmin, readTrail } from '#server/testing/admin-calls.ts'
import {
  addPerson,
  configureReports,
  getEmulatedReport,
  openTestSession,
  send,
  UNKNOWN_ID,
} from '#server/testing/builders.ts'
import { fetchToken, listCalls, resetEmulator, scriptFault } from '#server/testing/embed-token-calls.ts'
import { setUpAdmin, setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { waitFor } from '#server/testing/wait-for.ts'

const MINUTE = 60_000

describeOnEachDatabase('viewing reports as another user', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  const admin = setUpAdmin(portal, { types: [], marcas: [], estados: [], approved: false })
  beforeEach(async () => {
    await resetEmulator(portal)
    const { db } = portal.database
    await db.deleteFrom('access_records').execute()
    await db.deleteFrom('global_powerbi_settings').execute()
    await configureReports(portal, 'Vendas')
    const report_url = 'https://app.powerbi.com/reportEmbed?reportId=x'
    await db
      .insertInto('global_powerbi_settings')
      .values({ type: 'operadores', embed_mode: 'secure_sso', report_url } as never)
      .execute()
  })
  /** Renews the access token, which expires after ten minutes. */
  const renew = async () =>
    Object.assign(admin, { token: (await openTestSession(portal, admin)).access_token })
  const add = (rest: object = {}) =>
    addPerson(portal, { types: ['Vendas', 'Operadores'], marcas: ['GM'], estados: ['ES'], ...rest })
  const startView = (userId: string, by = admin) => send(portal, 'GET', `/api/profiles/${userId}/reports`, by)
  const { workspaceId, reportId, datasetId } = getEmulatedReport('Vendas')
  const requestToken = (
    userId: string,
    view: string,
    by = admin,
    ids: object = { workspaceId, reportId, datasetId },
  ) =>
    send(portal, 'POST', `/api/profiles/${userId}/embed-token`, { token: by.token, body: { view, ...ids } })

  test('returns that user’s reports for 15 minutes, without SSO links', async () => {
    const person = await add()
    const { status, body } = await startView(person.user_id)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      approved: true,
      endedOn: null,
      email: person.email,
      marcas: ['GM'],
      estados: ['ES'],
      areas: [
        { type: 'Vendas', reportId },
        { type: 'Operadores', embedMode: 'secure_sso', reportUrl: null },
      ],
      endsAt: new Date(portal.clock() + 15 * MINUTE).toISOString(),
    })
    expect(await readTrail(portal)).toMatchObject([
      { action: 'viewed-as', actor_id: admin.user_id, target_id: person.user_id },
    ])
    const { db } = portal.database
    const now = await db
      .selectFrom('profiles')
      .select('last_sign_in_at')
      .where('user_id', '=', person.user_id)
      .execute()
    expect(now).toEqual([{ last_sign_in_at: null }])
    expect((await startView(UNKNOWN_ID)).status).toBe(404)
  })

  test('issues tokens with that user’s identity that expire with the view; both are recorded', async () => {
    const person = await add()
    // The user's own cached token must not be reused: it lives longer.
    expect((await fetchToken(portal, person)).body.expiresInSeconds).toBeGreaterThan(1790)
    const { view } = (await startView(person.user_id)).body
    const end = portal.clock() + 15 * MINUTE
    for (; portal.clock() < end; portal.clock.advance(MINUTE / 2)) {
      await renew()
      const { status, body } = await requestToken(person.user_id, view)
      if (status !== 200) break
      expect(portal.clock() + body.expiresInSeconds * 1000).toBeLessThanOrEqual(end)
    }
    expect(end - portal.clock()).toBeLessThanOrEqual(75_000)
    const { identities } = (await listCalls(portal)).generateToken.at(-1)?.body ?? {}
    expect(identities).toMatchObject([
      { username: person.email, customData: 'M:GM|U:ES', auditableContext: admin.email },
    ])
    const { db } = portal.database
    const [own, viewed] = await db.selectFrom('access_records').selectAll().orderBy('id').execute()
    expect(own).toMatchObject({ user_id: person.user_id, viewed_as: null })
    expect(viewed).toMatchObject({ user_id: admin.user_id, viewed_as: person.user_id, report_id: reportId })
    const { body } = await send(portal, 'GET', `/api/profiles/${person.user_id}/export`, admin)
    expect(body.reports_viewed_as_the_person[0]).toMatchObject({ report_id: reportId })
    expect(body.access_records).toHaveLength(1)
    portal.clock.advance(end - portal.clock())
    await renew()
    expect((await requestToken(person.user_id, view)).body).toMatchObject({ status: 403, code: 'view-ended' })
  })

  test('is bound to one administrator and one user, checked at each request', async () => {
    const [person, neighbour] = [await add(), await add()]
    const other = await openAdmin(portal)
    const { view } = (await startView(person.user_id)).body
    expect((await requestToken(neighbour.user_id, view)).body.code).toBe('view-ended')
    expect((await requestToken(person.user_id, view, other)).body.code).toBe('view-ended')
    expect((await requestToken(person.user_id, '999999999999999999')).body.code).toBe('view-ended')
    const crm = getEmulatedReport('CRM')
    const ids = { workspaceId: crm.workspaceId, reportId: crm.reportId, datasetId: crm.datasetId }
    expect((await requestToken(person.user_id, view, admin, ids)).body.code).toBe('report-not-found')
    expect((await requestToken(person.user_id, view)).status).toBe(200)
    const { db } = portal.database
    const set = (values: object) =>
      db.updateTable('profiles').set(values).where('user_id', '=', person.user_id).execute()
    await set({ marcas: [] })
    expect((await requestToken(person.user_id, view)).body.code).toBe('no-scope')
    await set({ marcas: ['GM'], valid_until: '2020-01-01' })
    expect((await requestToken(person.user_id, view)).body.code).toBe('access-ended')
    expect((await startView(person.user_id)).body).toMatchObject({
      approved: false,
      endedOn: '2020-01-01',
      areas: [],
    })
    await set({ valid_until: null, approved: false })
    expect((await requestToken(person.user_id, view)).body.code).toBe('not-approved')
    await set({ approved: true })
    await db.deleteFrom('user_roles').where('user_id', '=', admin.user_id).execute()
    expect((await requestToken(person.user_id, view)).body.code).toBe('forbidden')
    expect((await startView(person.user_id)).body.code).toBe('forbidden')
  })

  test.each([
    ['administrator’s demotion', 'forbidden'],
    ['person’s deletion', 'not-found'],
  ])('issues and records no token after the %s while Power BI answers', async (_, code) => {
    const [person, other] = [await add(), await openAdmin(portal)]
    const { view } = (await startView(person.user_id)).body
    const { db } = portal.database
    await scriptFault(portal, { on: 'generateToken', delayMs: 1_000 })
    const pending = requestToken(person.user_id, view)
    await waitFor(async () => expect((await listCalls(portal)).generateToken).toHaveLength(1))
    if (code === 'forbidden') await db.deleteFrom('user_roles').where('user_id', '=', admin.user_id).execute()
    else {
      const body = { userIds: [person.user_id] }
      await send(portal, 'POST', '/api/functions/delete-users', { token: other.token, body })
    }
    expect((await pending).body.code).toBe(code)
    expect(await db.selectFrom('access_records').selectAll().execute()).toEqual([])
  })
})
