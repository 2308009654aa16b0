import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import pino from 'pino'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { NEW_PASSWORD, signIn, signUp } from '#server/testing/account-calls.ts'
import { type Admin, openAdmin, readTrail, removeAllPeople } from '#server/testing/admin-calls.ts'
import { addPerson, send, TEST_PASSWORD } from '#server/testing/builders.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal, type TestPortal } from '#server/testing/test-portal.ts'
import { countFailedAttempt, createRefusalCounter } from './audit.ts'

describeOnEachDatabase('audit trail', (kind) => {
  const portal = setUpPortal({ kind })
  const run = (statement: RawBuilder<unknown>) => statement.execute(portal.database.db)
  const add = (entry: { actor?: string | null; target?: string | null; before?: object }) =>
    run(sql`insert into audit_entries (action, actor_id, actor_email, target_id, target_email, before, ip, user_agent)
      values ('types-set', ${entry.actor ?? null}::uuid, 'ana@x.br', ${entry.target ?? null}::uuid, 'bia@x.br',
        ${JSON.stringify(entry.before ?? {})}::jsonb, '203.0.113.7', 'Navegador')`)
  beforeEach(() => removeAllPeople(portal))

  test('rejects every change in the database', async () => {
    const [ana, bia] = [await addPerson(portal), await addPerson(portal)]
    await add({ actor: ana.user_id, target: bia.user_id, before: { types: ['CRM'], by: 'ana@x.br' } })
    const before = await readTrail(portal)
    const pseudonym = randomUUID()
    for (const statement of [
      sql`delete from audit_entries`,
      sql`delete from audit_entries where at <= now()`,
      sql`truncate audit_entries`,
      sql`update audit_entries set action = 'message-read'`,
      sql`update audit_entries set at = at - interval '1 day'`,
      sql`update audit_entries set actor_email = null`,
      sql`update audit_entries set actor_id = null, actor_email = null`,
      sql`update audit_entries set actor_id = ${bia.user_id}::uuid`,
      sql`update audit_entries set target_id = ${pseudonym}::uuid, target_email = null`,
      sql`update audit_entries set ip = null, user_agent = null`,
      sql`update audit_entries set ip = '198.51.100.1'`,
      sql`update audit_entries set before = '{"types": [], "by": "ana@x.br"}'`,
      sql`update audit_entries set before = null`,
    ])
      await expect(run(statement), String(statement.compile(portal.database.db).sql)).rejects.toThrow(
        /audit_entries takes no/,
      )
    expect(await readTrail(portal)).toEqual(before)
  })

  test('keeps names and ids of existing people and of reports', async () => {
    const [ana, bia, gone] = [await addPerson(portal), await addPerson(portal), randomUUID()]
    const [report, nobody] = [randomUUID(), randomUUID()]
    const write = (action: string, before: object, target = ana.user_id) =>
      run(sql`insert into audit_entries (action, actor_id, target_id, before)
        values (${action}::text, ${bia.user_id}::uuid, ${target}::uuid, ${JSON.stringify(before)}::jsonb)`)
    await write('name-corrected', { full_name: 'Ana', to: ana.email, by: bia.user_id })
    await write('report-setting-saved', { reportId: report }, gone)
    await write('catalogue-item-changed', { label: nobody }, gone)
    await write('types-set', { by: gone }, gone)
    const written = await readTrail(portal)
    const changes: [string, object][] = [
      ['name-corrected', { full_name: 'Outra', to: ana.email, by: bia.user_id }],
      ['name-corrected', { to: ana.email, by: bia.user_id }],
      ['name-corrected', { full_name: 'Ana', to: bia.email, by: bia.user_id }],
      ['name-corrected', { full_name: 'Ana', to: nobody, by: bia.user_id }],
      ['name-corrected', { full_name: 'Ana', to: ana.email, by: nobody }],
      ['report-setting-saved', { reportId: nobody }],
      ['catalogue-item-changed', { label: report }],
      ['types-set', { by: ana.user_id }],
      ['types-set', { by: ana.email }],
      ['types-set', { by: gone + nobody }],
      ['types-set', { by: gone, full_name: 'Ana' }],
    ]
    for (const [action, before] of changes)
      await expect(
        run(sql`update audit_entries set before = ${JSON.stringify(before)}::jsonb where action = ${action}`),
        JSON.stringify(before),
      ).rejects.toThrow(/audit_entries takes no/)
    expect(await readTrail(portal)).toEqual(written)
  })

  test('allows replacing only the identifiers of deleted people', async () => {
    const [ana, bia] = [await addPerson(portal), await addPerson(portal)]
    const before = { full_name: 'Ana Sá', by: [ana.email, { id: ana.user_id }], types: ['CRM'] }
    await add({ actor: ana.user_id, target: bia.user_id, before })
    await portal.database.db.deleteFrom('profiles').where('user_id', '=', ana.user_id).execute()
    const pseudonym = randomUUID()
    // The previous version's deletion.
    const named = sql`update audit_entries set actor_id = ${pseudonym}::uuid, actor_email = null, ip = null, user_agent = null`
    await expect(run(sql`${named}, action = 'message-read'`)).rejects.toThrow()
    await expect(run(sql`${named}, target_email = null`)).rejects.toThrow()
    await expect(
      run(sql`update audit_entries set actor_id = ${bia.user_id}::uuid, actor_email = null`),
    ).rejects.toThrow()
    await run(named)
    await run(sql`update audit_entries set before = before - 'full_name'`)
    const taken = { types: ['CRM'], by: [pseudonym, { id: pseudonym }] }
    const forged = { ...taken, types: ['Vendas'] }
    await expect(
      run(sql`update audit_entries set before = ${JSON.stringify(forged)}::jsonb`),
    ).rejects.toThrow()
    await run(sql`update audit_entries set before = ${JSON.stringify(taken)}::jsonb`)
    expect(await readTrail(portal)).toMatchObject([
      { actor_id: pseudonym, actor_email: null, ip: null, target_id: bia.user_id, before: taken },
    ])
  })

  test('accepts a deletion of 0.2 and keeps addresses that contain the deleted one', async () => {
    const [avila, other] = [await addPerson(portal, { email: 'avila@x.br' }), "d'avila@x.br"]
    await addPerson(portal, { email: other })
    await add({ actor: avila.user_id, before: { by: [avila.email, other], note: `de ${avila.email}` } })
    await portal.database.db.deleteFrom('profiles').where('email', '=', avila.email).execute()
    const pseudonym = randomUUID()
    const names = sql`replace(before::text, ${avila.email}, ${pseudonym})::jsonb`
    await run(sql`update audit_entries set before = ${names}, after = 'null'`)
    expect(await readTrail(portal)).toMatchObject([
      { before: { by: [pseudonym, other], note: `de ${avila.email}` }, after: null },
    ])
  })
})

describeOnEachDatabase('refused sign-ins', (kind) => {
  const lines: Record<string, unknown>[] = []
  const requestLog = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line)) })
  const portal = setUpPortal({ kind, requestLog })
  const read = () =>
    portal.database.db.selectFrom('failed_sign_ins').selectAll().orderBy('attempts', 'desc').execute()
  let admin: Admin
  beforeAll(async () => {
    admin = await openAdmin(portal)
  })
  beforeEach(async () => {
    await portal.database.db.deleteFrom('failed_sign_ins').execute()
    lines.length = 0
  })

  test('are counted by account, hour and IP, without the password', async () => {
    const { email, user_id } = await addPerson(portal, { password: TEST_PASSWORD })
    for (let count = 0; count < 7; count++) await signIn(portal, email, 'senha-errada-canario')
    await signIn(portal, 'ninguem@grupopatio.com.br', 'senha-errada-canario')
    const ips = ['127.0.0.1']
    // Refusals by a limit are batched per second.
    await expect.poll(read, { timeout: 10_000 }).toMatchObject([
      { subject: user_id, user_id, outcome: 'invalid-credentials', attempts: 5, ips },
      { subject: user_id, user_id, outcome: 'rate-limited', attempts: 2, ips },
      { subject: expect.stringMatching(/^unknown [0-9a-f]{4}$/), user_id: null, attempts: 1, ips },
    ])
    const rows = await read()
    expect(rows[0]?.hour.getTime()).toBe(
      Math.floor((rows[0]?.last_at.getTime() ?? 0) / 3_600_000) * 3_600_000,
    )
    expect(JSON.stringify(rows)).not.toMatch(/canario|ninguem/)
    const exported = await send(portal, 'GET', `/api/profiles/${user_id}/export`, admin)
    expect(exported.body.failed_sign_ins).toMatchObject([
      { outcome: 'invalid-credentials', attempts: 5 },
      { outcome: 'rate-limited', attempts: 2 },
    ])
    await send(portal, 'POST', '/api/functions/delete-users', { ...admin, body: { userIds: [user_id] } })
    expect(await read()).toHaveLength(1)
  })

  test('include refusals of the human check, batched per second; unknown addresses share a row', async () => {
    const { email, user_id } = await addPerson(portal, { password: TEST_PASSWORD })
    for (const captcha of ['', '', 'x']) await signIn(portal, email, 'senha-errada-canario', { captcha })
    for (const name of ['uma', 'outra'])
      await signIn(portal, `${name}@grupopatio.com.br`, 'senha-errada-canario', { captcha: 'x' })
    await signUp(portal, email, NEW_PASSWORD, 'x')
    const countEntries = async () =>
      (await read()).map(({ subject, outcome, attempts }) => `${subject} ${outcome} ${attempts}`).toSorted()
    await expect
      .poll(countEntries, { timeout: 10_000 })
      .toEqual(
        [
          'unknown human-check-failed 2',
          `${user_id} human-check-failed 1`,
          `${user_id} human-check-required 2`,
          `${user_id} sign-up human-check-failed 1`,
        ].toSorted(),
      )
    expect(JSON.stringify(await read())).not.toMatch(/canario|uma@|outra@/)
  })

  test('are limited to fifty rows a second in a flood; the rest share rows', async () => {
    const { db } = portal.database
    const count = createRefusalCounter({ db, log: pino({ level: 'silent' }) })
    const people = [await addPerson(portal), await addPerson(portal)]
    const [first, last] = people as [(typeof people)[0], (typeof people)[0]]
    count({ email: first.email, outcome: 'x', ip: '10.0.0.1' })
    for (let n = 2; n <= 60; n++) count({ email: `${n}@x.br`, outcome: 'x', ip: '10.0.0.1' })
    count({ email: last.email, outcome: 'x', ip: '10.0.0.1' })
    count({ email: first.email, outcome: 'x', ip: '10.0.0.1' })
    const rows = async () => (await read()).map(({ subject, attempts }) => [subject, attempts])
    await expect.poll(rows, { timeout: 10_000 }).toEqual([
      ['unknown', 60],
      [first.user_id, 2],
    ])
  })

  test('keep the newest twenty IPs of a row, an IPv6 /64 as one', async () => {
    const { db } = portal.database
    const email = 'ninguem@grupopatio.com.br'
    const fail = (ip: string) => {
      const request = { ip, forwarded: 'none' as const, userAgent: null, requestId: 'x' }
      return countFailedAttempt({ db, clock: portal.clock, request } as never, { email, outcome: 'x' })
    }
    for (let n = 1; n <= 20; n++) await fail(`10.0.0.${n}`)
    for (let n = 1; n <= 20; n++) await fail(`2001:db8::${n}`)
    await fail('10.0.0.2')
    const [row] = await read()
    expect(row?.attempts).toBe(41)
    const others = Array.from({ length: 18 }, (_, index) => `10.0.0.${20 - index}`)
    expect(row?.ips).toEqual(['10.0.0.2', '2001:db8:0:0::/64', ...others])
  })

  test('have the user’s id in the request log, and the IP only if configured', async () => {
    const person = await addPerson(portal, { password: TEST_PASSWORD })
    const { body } = await signIn(portal, person.email, TEST_PASSWORD)
    const token = body.access_token
    await send(portal, 'GET', '/api/profiles/me', { token })
    await send(portal, 'GET', '/api/profiles', { token })
    await expect.poll(() => lines.at(-1)).toMatchObject({ path: '/api/profiles', status: 403 })
    const [first, ...others] = lines.slice(-3)
    expect(first).not.toHaveProperty('userId')
    expect(others.map(({ status, userId }) => [status, userId])).toEqual([
      [200, person.user_id],
      [403, person.user_id],
    ])
    expect(JSON.stringify(lines)).not.toMatch(/@|127\.0\.0\.1/)
    const { database } = portal
    const logged = await startTestPortal({ kind, database, requestLog, logIps: true })
    await send(logged, 'GET', '/api/profiles/me')
    await expect.poll(() => lines.at(-1)).toMatchObject({ path: '/api/profiles/me', ip: '127.0.0.1' })
    await logged.stop()
  })

  test('successful probes are logged only on request', async () => {
    const probe = async (probed: TestPortal) => {
      lines.length = 0
      for (const path of ['/api/health/live', '/api/health/ready?from=balancer', '/api/version'])
        await send(probed, 'GET', path)
      await expect.poll(() => lines.at(-1)).toMatchObject({ path: '/api/version' })
      return lines.map(({ path }) => path)
    }
    expect(await probe(portal)).toEqual(['/api/version'])
    const { database } = portal
    const verbose = await startTestPortal({ kind, database, requestLog, logProbes: true })
    expect(await probe(verbose)).toEqual(['/api/health/live', '/api/health/ready', '/api/version'])
    await verbose.stop()
  })
})
