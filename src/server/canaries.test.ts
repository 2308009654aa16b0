import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getLinkToken } from '#server/testing/account-calls.ts'
import { addPerson, configureReports, openTestSession } from '#server/testing/builders.ts'
import { type Canaries, createCanaries } from '#server/testing/canaries.ts'
import { scriptFault, toTokenBody } from '#server/testing/embed-token-calls.ts'
import { issuePass } from '#server/testing/human-passes.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startWatchedPortal, type WatchedPortal } from './testing/canaries.ts'

const EMAIL = 'canario@grupopatio.com.br'
const SIGN_IN = '/api/auth/token?grant_type=password'
const REFRESH = '/api/auth/token?grant_type=refresh_token'
const TOKEN = '/api/functions/get-powerbi-token'

describeOnEachDatabase('a secret appears nowhere', (kind) => {
  let canaries: Canaries
  let watched: WatchedPortal
  beforeAll(async () => {
    canaries = createCanaries()
    watched = await startWatchedPortal(kind, canaries)
    await configureReports(watched.portal, 'Vendas')
  })
  afterAll(() => watched.stop())

  const pass = async () => canaries.watch(`human pass ${Math.random()}`, await issuePass(watched.portal))
  const signIn = async (password: string) =>
    watchSession(await watched.call('POST', SIGN_IN, { email: EMAIL, password, captcha: await pass() }))
  const watchSession = (reply: Awaited<ReturnType<WatchedPortal['call']>>) => {
    const {
      access_token: access,
      refresh_token: refresh,
      device_token: device,
    } = reply.body as Record<string, string>
    // The signature only: other parts are the same in every token, or not secret.
    if (access) canaries.watch(`access token ${Math.random()}`, access.split('.')[2] as string)
    if (refresh) canaries.watch(`refresh token ${Math.random()}`, refresh)
    if (device) canaries.watch(`device token ${Math.random()}`, device)
    return { status: reply.status, access, refresh }
  }
  const useMail = async (kind: string, type: string, mark?: string) => {
    await watched.portal.outbox.deliverDue()
    const { link } = watched.mails.findLast((mail) => mail.kind === kind) ?? {}
    const body = { type, token_hash: getLinkToken(link), mark }
    return watchSession(await watched.call('POST', '/api/auth/verify', body))
  }
  const expectNoCanary = (text: string) => {
    expect(text.length).toBeGreaterThan(0)
    expect(canaries.findLeaks(text)).toEqual([])
  }

  test('after a sign-up, sign-ins, refreshes, a replay, a reset and a password change', async () => {
    const { call, portal, output } = watched
    const password = canaries.plant('password')
    const signedUp = await call('POST', '/api/auth/signup', { email: EMAIL, password, captcha: await pass() })
    const { confirmation_mark } = signedUp.body as { confirmation_mark: string }
    const mark = canaries.watch('confirmation mark', confirmation_mark)
    expect((await useMail('verification', 'signup', mark)).status).toBe(200)

    const wrong = { email: EMAIL, password: canaries.plant('wrong password') }
    await call('POST', SIGN_IN, { ...wrong, captcha: await pass() })
    await call('POST', SIGN_IN, { ...wrong, captcha: canaries.plant('captcha answer') })
    await call('POST', SIGN_IN, {
      ...wrong,
      device_token: canaries.plant('device token'),
      captcha: await pass(),
    })
    await call('POST', SIGN_IN, `{"password":"${wrong.password}"`)
    await call('POST', SIGN_IN, wrong.password)
    await call('POST', SIGN_IN, { ...wrong, password: { x: wrong.password } })
    await call('POST', `${SIGN_IN}&password=${encodeURIComponent(wrong.password)}`, { email: wrong.password })
    await call('POST', '/api/functions/verify-recaptcha', { token: canaries.plant('reCAPTCHA answer') })
    await call('GET', '/api/profiles/me', undefined, canaries.plant('forged token'))
    await call('POST', REFRESH, { refresh_token: canaries.plant('forged refresh token') })

    const session = await signIn(password)
    const next = watchSession(await call('POST', REFRESH, { refresh_token: session.refresh }))
    await call('GET', '/api/profiles/me', undefined, next.access)
    portal.clock.advance(11_000)
    expect((await call('POST', REFRESH, { refresh_token: session.refresh })).status).toBe(400)

    await call('POST', '/api/auth/recover', { email: EMAIL })
    const recovery = await useMail('recovery', 'recovery')
    await call('PUT', '/api/auth/user', { password }, recovery.access)
    const newPassword = canaries.plant('new password')
    expect((await call('PUT', '/api/auth/user', { password: newPassword }, recovery.access)).status).toBe(200)
    const changing = await signIn(newPassword)
    for (const next of [newPassword, canaries.plant('newest password')])
      await call('POST', '/api/functions/change-password', { newPassword: next }, changing.access)
    await portal.outbox.deliverDue()
    for (const status of [400, 401, 422]) expect(output.statuses).toContain(status)
    for (const words of ['"msg":"request"', '"msg":"mail not sent"']) expect(output.log).toContain(words)
  })

  test('after faults of the directory and of Power BI that echo the request', async () => {
    const { call, portal, output } = watched
    const { access_token } = await openTestSession(portal, await addPerson(portal))
    const ask = () => call('POST', TOKEN, toTokenBody('Vendas'), access_token)
    const directoryToken = canaries.plant('directory token')
    const embedToken = canaries.plant('embed token')
    const faults = [
      { on: 'directory', status: 401 },
      { on: 'directory', status: 500 },
      { on: 'directory', body: `{"access_token": ${directoryToken}` },
      { on: 'directory', status: 400, body: directoryToken },
      { on: 'generateToken', status: 403, message: 'role "Portal" of the effective identity is not known' },
      { on: 'generateToken', status: 404 },
      { on: 'generateToken', status: 429, headers: { 'retry-after': '60' } },
      { on: 'generateToken', status: 500, times: 2 },
      { on: 'generateToken', body: embedToken, times: 2 },
      { on: 'generateToken', body: `{"token": ${embedToken}`, times: 2 },
      { on: 'generateToken', status: 400, body: `{"token": "${embedToken}` },
    ] as const
    for (const fault of faults) {
      await scriptFault(portal, fault)
      expect((await ask()).status, JSON.stringify(fault)).toBeGreaterThanOrEqual(500)
    }
    const { status, body } = await ask()
    expect(status).toBe(200)
    canaries.watch('issued embed token', body.embedToken)
    for (const status of [502, 503]) expect(output.statuses).toContain(status)
  })

  test('after failures of the database', async () => {
    const { call, portal, output } = watched
    const { db } = portal.database
    const password = canaries.plant('password of a failing sign-up')
    const person = await addPerson(portal)
    const { access_token: access, refresh_token } = await openTestSession(portal, person)
    canaries.watch('refresh token of a failing session', refresh_token)
    const captcha = await pass()
    const mail = await pass()
    for (const table of ['passwords', 'sessions', 'access_records'])
      await sql`alter table ${sql.table(table)} rename to ${sql.table(`${table}_away`)}`.execute(db)
    await call('POST', '/api/auth/signup', { email: 'outro@grupopatio.com.br', password, captcha })
    await call('POST', SIGN_IN, { email: EMAIL, password, captcha: mail })
    await call('POST', REFRESH, { refresh_token })
    await call('POST', '/api/functions/change-password', { newPassword: password }, access)
    for (const table of ['passwords', 'sessions', 'access_records'])
      await sql`alter table ${sql.table(`${table}_away`)} rename to ${sql.table(table)}`.execute(db)
    expect(output.statuses.filter((status) => status === 500)).toHaveLength(4)
    expect(output.log).toContain('"msg":"unexpected failure"')
  })

  test('in the log, which contains no e-mail addresses either', () => {
    expectNoCanary(watched.output.log)
    expect(watched.output.log.includes('@grupopatio.com.br')).toBe(false)
  })
  test('in refusals', () => expectNoCanary(watched.output.refusals))
  test('in the metrics', async () => expectNoCanary(await watched.scrape()))

  test('in any table, including the audit trail', async () => {
    const { db } = watched.portal.database
    const { rows: tables } = await sql<{ name: string }>`
      select table_name as name from information_schema.tables where table_schema = 'public'`.execute(db)
    let text = ''
    for (const { name } of tables) {
      const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.table(name)} t`.execute(db)
      text += rows.map(({ row }) => `${name} ${row}`).join('\n')
    }
    for (const action of ['account-created', 'session-reuse', 'password-changed', EMAIL])
      expect(text).toContain(action)
    expectNoCanary(text)
  })
})
