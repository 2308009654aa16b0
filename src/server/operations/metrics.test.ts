import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { NEVER } from '#server/mail/outbox.ts'
import { signIn } from '#server/testing/account-calls.ts'
import {
  addPerson,
  configureReports,
  openTestSession,
  send,
  TEST_PASSWORD,
} from '#server/testing/builders.ts'
import { fetchToken, scriptFault, toTokenBody } from '#server/testing/embed-token-calls.ts'
import { readMetrics, TEST_METRICS_TOKEN } from '#server/testing/read-metrics.ts'
import { sendRaw } from '#server/testing/send-raw.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase, openFreshDatabase } from '#server/testing/test-database.ts'
import { startTestPortal } from '#server/testing/test-portal.ts'
import { waitFor } from '#server/testing/wait-for.ts'
import { VERSION } from '#server/version.ts'
import { CACHE_MS, createMetrics } from './metrics.ts'
import { recordFact } from './portal-facts.ts'

const OPTIONS = { version: VERSION, clock: Date.now }
const LABELS = /^(method|route|status|le|service|outcome|source|state|version)$/

describeOnEachDatabase('metrics', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false, metricsToken: TEST_METRICS_TOKEN })
  beforeAll(() => configureReports(portal, 'Vendas'))
  const formatRequests = (route: string, status: number, method = 'GET') =>
    `patio_http_requests_total{method="${method}",route="${route}",status="${status}"}`

  const formatUpstream = (service: string, outcome: string) =>
    `patio_upstream_calls_total{service="${service}",outcome="${outcome}"}`

  test('require the token', async () => {
    const scrape = (authorization: string) =>
      send(portal, 'GET', '/api/metrics', { headers: { authorization } })
    const admin = await openTestSession(portal, await addPerson(portal, { role: 'admin' }))
    for (const refused of [
      `Bearer ${TEST_METRICS_TOKEN}x`,
      `Bearer ${TEST_METRICS_TOKEN.slice(0, -1)}`,
      `Basic ${TEST_METRICS_TOKEN}`,
      TEST_METRICS_TOKEN,
      'Bearer ',
      `Bearer ${admin.access_token}`,
    ])
      expect(await scrape(refused), refused).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
    const { reply } = await readMetrics(portal)
    expect(reply.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(reply.headers.get('cache-control')).toBe('no-store')
  })

  test('are not available without a configured token', async () => {
    const closed = await startTestPortal({ kind, database: portal.database })
    for (const authorization of ['Bearer undefined', 'Bearer null', `Bearer ${TEST_METRICS_TOKEN}`])
      expect(await send(closed, 'GET', '/api/metrics', { headers: { authorization } })).toMatchObject({
        status: 401,
      })
    await closed.stop()
  })

  test('count requests by route, method and status, with their duration', async () => {
    const person = await addPerson(portal)
    const { access_token: token } = await openTestSession(portal, person)
    for (let times = 0; times < 3; times++) await send(portal, 'GET', '/api/profiles/me', { token })
    await send(portal, 'GET', '/api/profiles/me')
    await send(portal, 'POST', '/api/auth/recover', { body: { email: 'nobody' } })
    await send(portal, 'DELETE', '/api/profiles/me', { token })
    const { figure } = await readMetrics(portal)
    expect(figure(formatRequests('/api/profiles/me', 200))).toBe(3)
    expect(figure(formatRequests('/api/profiles/me', 401))).toBe(1)
    expect(figure(formatRequests('/api/auth/recover', 400, 'POST'))).toBe(1)
    const name = 'patio_http_request_duration_seconds'
    const labels = 'method="GET",route="/api/profiles/me"'
    const buckets = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, '+Inf'].map((le) =>
      figure(`${name}_bucket{le="${le}",${labels}}`),
    )
    expect(buckets).toEqual([...buckets].sort((a, b) => Number(a) - Number(b)))
    expect(buckets.at(-1)).toBe(4)
    expect(figure(`${name}_count{${labels}}`)).toBe(4)
    const seconds = figure(`${name}_sum{${labels}}`) as number
    expect(seconds).toBeGreaterThan(0.0005)
    expect(seconds).toBeLessThan(10)
  })

  test('count all unknown paths and methods under one label', async () => {
    // Node's metrics add lines over time, for example for each kind of garbage collection.
    const countRouteLines = (lines: readonly string[]) =>
      lines.filter((line) => line.includes('route="')).length
    const before = countRouteLines((await readMetrics(portal)).lines)
    for (const path of ['/api/ana@grupopatio.com.br', '/api/x?token=abc', '/%00', '/api/profiles/me/x'])
      await send(portal, 'GET', path)
    await sendRaw(portal, 'PROPFIND /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    const { figure, lines } = await readMetrics(portal)
    expect(figure(formatRequests('none', 404, 'any'))).toBe(5)
    expect(countRouteLines(lines) - before).toBeLessThan(20)
  })

  test('count calls to the directory and Power BI, and embed tokens by source', async () => {
    const [ana, rui] = [await addPerson(portal), await addPerson(portal)]
    await fetchToken(portal, ana)
    await fetchToken(portal, ana)
    await scriptFault(portal, { on: 'generateToken', delayMs: 200 })
    await Promise.all([fetchToken(portal, rui), fetchToken(portal, rui)])
    const { figure } = await readMetrics(portal)
    for (const [source, count] of Object.entries({ service: 2, cache: 1, shared: 1 }))
      expect(figure(`patio_embed_tokens_total{source="${source}"}`), source).toBe(count)
    expect(figure(formatUpstream('directory', 'ok'))).toBe(1)
    // One call for the report, one for its model, two for tokens.
    expect(figure(formatUpstream('power-bi', 'ok'))).toBe(4)
    expect(figure('patio_upstream_call_duration_seconds_count{service="power-bi"}')).toBe(4)
    expect(figure('patio_upstream_call_duration_seconds_sum{service="power-bi"}')).toBeGreaterThan(0.2)
  })

  test.each([
    [{ status: 403 }, 'refused'],
    [{ status: 429, headers: { 'retry-after': '60' } }, 'throttled'],
    [{ status: 400, errorCode: 'FabricThrottled' }, 'throttled'],
    [{ status: 500 }, 'failed'],
  ] as const)('count a Power BI that answers %o as %s', async (fault, outcome) => {
    const before = (await readMetrics(portal)).figure(formatUpstream('power-bi', outcome)) ?? 0
    await scriptFault(portal, { on: 'generateToken', ...fault })
    await fetchToken(portal, await addPerson(portal))
    expect((await readMetrics(portal)).figure(formatUpstream('power-bi', outcome))).toBe(before + 1)
  })

  test('count aborted requests as 499', async () => {
    const route = '/api/functions/get-powerbi-token'
    const { access_token: token } = await openTestSession(portal, await addPerson(portal))
    await scriptFault(portal, { on: 'generateToken', delayMs: 2_000 })
    const call = fetch(portal.url + route, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(toTokenBody('Vendas')),
      signal: AbortSignal.timeout(1_000),
    })
    await expect(call).rejects.toThrow()
    const readStatus499 = async () => (await readMetrics(portal)).figure(formatRequests(route, 499, 'POST'))
    await waitFor(async () => expect(await readStatus499()).toBe(1))
  })

  test('show the number of unsent mails, and how late the oldest is', async () => {
    const { db } = portal.database
    const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000)
    const mail = { kind: 'recovery', recipient: 'ana@x.br', created_at: inSeconds(-1800) }
    const unsent = [
      { due_at: inSeconds(-60) },
      { attempts: 2, due_at: inSeconds(20), first_due_at: inSeconds(-90) },
      { due_at: inSeconds(600) },
      // Held by a restore.
      { attempts: 1, due_at: new Date('9000-01-01') },
    ]
    await db
      .insertInto('mail_outbox')
      .values(
        [{ sent_at: new Date() }, { attempts: 1, due_at: NEVER }, ...unsent].map((row) => ({
          ...mail,
          ...row,
        })),
      )
      .execute()
    portal.clock.advance(CACHE_MS + 1)
    const { figure } = await readMetrics(portal)
    expect(figure('patio_mail_outbox_unsent')).toBe(4)
    expect(figure('patio_mail_outbox_oldest_seconds')).toBeGreaterThan(89)
    expect(figure('patio_mail_outbox_oldest_seconds')).toBeLessThan(120)
  })

  test('count the mails that were given up in seven days, and those refused for their recipient', async () => {
    const { db } = portal.database
    await db.deleteFrom('mail_outbox').execute()
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
    const mail = { kind: 'recovery', recipient: 'ana@x.br', attempts: 1, due_at: NEVER, blame: null }
    const rows = [
      { ...mail, blame: 'recipient', answered_at: daysAgo(1) },
      { ...mail, blame: 'sender', answered_at: daysAgo(6) },
      // Of 0.2.
      { ...mail, created_at: daysAgo(6) },
      { ...mail, blame: 'sender', answered_at: daysAgo(8) },
      { ...mail, blame: 'sender', answered_at: daysAgo(1), sent_at: new Date() },
    ]
    for (const row of rows) await db.insertInto('mail_outbox').values(row).execute()
    portal.clock.advance(CACHE_MS + 1)
    const { figure } = await readMetrics(portal)
    expect(figure('patio_mail_outbox_given_up')).toBe(3)
    expect(figure('patio_mail_outbox_bad_recipient')).toBe(1)
    await db.deleteFrom('mail_outbox').execute()
  })

  test('judge a failed mail by when it was first due', async () => {
    const { db } = portal.database
    await db.deleteFrom('mail_outbox').execute()
    const times = {
      created_at: sql<Date>`now() - interval '1 hour'`,
      due_at: sql<Date>`now() - interval '5 s'`,
    }
    const { email } = await addPerson(portal)
    await db
      .insertInto('mail_outbox')
      .values({ kind: 'password-changed', recipient: email, ...times })
      .execute()
    const deliver = () => Promise.reject(new Error('no server'))
    const replica = await startTestPortal({ kind, database: portal.database, mailer: { deliver } })
    await replica.outbox.deliverDue()
    await replica.stop()
    portal.clock.advance(CACHE_MS + 1)
    const { figure } = await readMetrics(portal)
    expect(figure('patio_mail_outbox_oldest_seconds')).toBeGreaterThan(4)
    expect(figure('patio_mail_outbox_oldest_seconds')).toBeLessThan(60)
  })

  test('show open event streams, the database pool and the process', async () => {
    const close = portal.metrics.openStream()
    portal.metrics.openStream()
    close()
    const { figure } = await readMetrics(portal)
    expect(figure('patio_event_streams_open')).toBe(1)
    expect(figure('patio_database_connections{state="waiting"}')).toBe(kind === 'server' ? 0 : undefined)
    expect(figure('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0)
    expect(figure('process_resident_memory_bytes')).toBeGreaterThan(1e6)
  })
  test('count sign-ins by outcome', async () => {
    const { email } = await addPerson(portal, { password: TEST_PASSWORD })
    await signIn(portal, email, TEST_PASSWORD)
    await signIn(portal, email, 'not the password')
    await signIn(portal, email, 'not the password')
    const { figure } = await readMetrics(portal)
    expect(figure('patio_sign_ins_total{outcome="ok"}')).toBe(1)
    expect(figure('patio_sign_ins_total{outcome="invalid-credentials"}')).toBe(2)
  })

  test('show who waits, what is unread, the last runs, size and version, a few seconds old at most', async () => {
    const { db } = portal.database
    const read = async () => (await readMetrics(portal)).figure
    portal.clock.advance(CACHE_MS + 1)
    const before = await read()
    await addPerson(portal, { approved: false })
    await addPerson(portal, { approved: false, approval_removed_at: new Date() })
    const message = { name: 'Ana', email: 'ana@x.br', phone: '', message: 'Oi' }
    await db
      .insertInto('support_messages')
      .values([message, { ...message, is_read: true }])
      .execute()
    await recordFact(db, 'last-retention')
    expect((await read())('patio_people_waiting')).toBe(before('patio_people_waiting'))
    portal.clock.advance(CACHE_MS + 1)
    const figure = await read()
    expect(figure('patio_people_waiting')).toBe(Number(before('patio_people_waiting')) + 1)
    expect(figure('patio_support_messages_unread')).toBe(Number(before('patio_support_messages_unread')) + 1)
    expect(before('patio_last_retention_timestamp_seconds')).toBeUndefined()
    expect(figure('patio_last_retention_timestamp_seconds')).toBeGreaterThan(Date.now() / 1000 - 60)
    expect(figure('patio_database_size_bytes')).toBeGreaterThan(1e6)
    expect(figure(`patio_build_info{version="${VERSION}"}`)).toBe(1)
  })

  test('show when the certificate of the service principal ends', async () => {
    const name = 'patio_power_bi_certificate_expires_timestamp_seconds'
    const write = (end: Date | undefined) =>
      createMetrics(portal.database, { ...OPTIONS, readCertificateEnd: async () => end }).write()
    expect(await write(new Date('2027-01-01T00:00:00Z'))).toContain(`\n${name} 1798761600\n`)
    expect(await write(undefined)).not.toContain(`\n${name} `)
  })

  test('have only known labels and no personal data', async () => {
    const { lines, text } = await readMetrics(portal)
    const own = lines.filter((line) => line.startsWith('patio_'))
    const labels = own.flatMap((line) => [...line.matchAll(/[{,](\w+)="/g)].map(([, name]) => name as string))
    expect(labels.filter((name) => !LABELS.test(name))).toEqual([])
    expect(text).not.toMatch(/@|pessoa\d|127\.0\.0\.1|[0-9a-f]{8}-[0-9a-f]{4}-/)
  })

  test('omit database metrics while the database is down', async () => {
    const database = await openFreshDatabase(kind)
    const lonely = await startTestPortal({ kind, database, metricsToken: TEST_METRICS_TOKEN })
    await database.close()
    const { figure } = await readMetrics(lonely)
    expect(figure('patio_mail_outbox_unsent')).toBeUndefined()
    expect(figure('patio_event_streams_open')).toBe(0)
    await lonely.stop()
  })
})
