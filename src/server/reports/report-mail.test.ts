import { beforeEach, describe, expect, test } from 'vitest'
import { createJobQueue, queueJob } from '#server/database/job-queue.ts'
import { createLog } from '#server/log.ts'
import { HELD_UNTIL } from '#server/mail/mails.ts'
import { sendHeldMail } from '#server/operations/back-up.ts'
import { readTrail } from '#server/testing/admin-calls.ts'
import {
  addPerson,
  configureReports,
  getEmulatedReport,
  openTestSession,
  send,
} from '#server/testing/builders.ts'
import { listCalls, type Person, resetEmulator, scriptFault } from '#server/testing/embed-token-calls.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { startTestPortal, type TestPortal } from '#server/testing/test-portal.ts'
import { waitFor } from '#server/testing/wait-for.ts'
import { lockProfile } from '#server/users/user-queries.ts'

const { reportId } = getEmulatedReport('Vendas')
const OVERLOADED = { errorCode: 'CapacityLimitExceeded', message: 'Try again later.' }
const [MINUTE, HOUR] = [60_000, 3_600_000]
const PATH = '/api/report-subscriptions'
/** Friday, 29 January 2027, 7:59 in São Paulo. */
const BEFORE_EIGHT = Date.parse('2027-01-29T10:59:00Z')

async function call(portal: TestPortal, person: Person, method: string, path = '', body?: object) {
  const { access_token: token } = await openTestSession(portal, person)
  return send(portal, method, PATH + path, { token, ...(body && { body }) })
}

const daily = { area: 'Vendas', reportId, format: 'pdf', schedule: { every: 'day', hour: 8 } }

async function subscribe(portal: TestPortal, person: Person, body: object = {}) {
  const reply = await call(portal, person, 'POST', '', { ...daily, ...body })
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.body
}

/** Runs due steps while the clock advances. */
async function advance(portal: TestPortal, ms: number, stepMs = 2_000): Promise<void> {
  for (let passed = 0; passed <= ms; passed += stepMs) {
    await portal.jobs.runDue()
    portal.clock.advance(stepMs)
  }
  await portal.jobs.runDue()
}

describeOnEachDatabase('mailing reports', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false, publicUrl: 'https://portal.example' })
  const moveTo = (at: number | string) => portal.clock.advance(new Date(at).getTime() - portal.clock())
  const readOwn = async (person: Person) => (await call(portal, person, 'GET')).body.items[0]
  const mailsTo = ({ email }: Person, to = portal) => to.mails.filter((mail) => mail.to === email)
  const change = ({ user_id }: Person, values: object) =>
    portal.database.db.updateTable('profiles').set(values).where('user_id', '=', user_id).execute()
  const addSharedView = async ({ user_id }: Person) => {
    const key = { user_id, type: 'vendas', report_id: reportId }
    const { id } = await portal.database.db
      .insertInto('report_views')
      .values({ ...key, name: 'Mês', state: 'H4sI', shared: true, updated_at: new Date(portal.clock()) })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  }
  const readStops = async ({ user_id }: Person) =>
    (await readTrail(portal)).filter(
      ({ action, target_id }) => action === 'report-mail-stopped' && target_id === user_id,
    )
  /** Lets the run of eight o'clock begin. */
  const startMorning = async () => {
    portal.clock.advance(MINUTE)
    await portal.jobs.runDue()
  }
  const finish = () => advance(portal, 20_000)
  const readFailureMails = async (person: Person) => {
    await portal.outbox.deliverDue()
    return mailsTo(person).filter((mail) => mail.kind === 'report-mail-failed')
  }

  beforeEach(async () => {
    await resetEmulator(portal)
    const { db } = portal.database
    for (const table of ['jobs', 'report_subscriptions', 'mail_outbox', 'global_powerbi_settings'] as const)
      await db.deleteFrom(table).execute()
    await configureReports(portal, 'Vendas', 'CRM')
    portal.mails.length = 0
    moveTo(BEFORE_EIGHT)
  })

  test('sends two people of one area their own rows, once, with a row in the trail', async () => {
    const [ana, rui] = [
      await addPerson(portal),
      await addPerson(portal, { marcas: ['JEEP'], estados: ['MG'] }),
    ]
    for (const person of [ana, rui]) await subscribe(portal, person)
    await portal.jobs.runDue()
    expect((await listCalls(portal)).exportTo).toEqual([])
    await startMorning()
    await advance(portal, HOUR, MINUTE)
    for (const [person, marca] of [
      [ana, 'FIAT'],
      [rui, 'JEEP'],
    ] as const) {
      const [mail, ...others] = mailsTo(person)
      expect(others).toEqual([])
      expect(mail).toMatchObject({
        subject: 'Vendas, 29/01/2027',
        link: 'https://portal.example/power-bi?area=Vendas',
        attachment: { filename: 'Vendas 2027-01-29 08h00.pdf', contentType: 'application/pdf' },
      })
      const file = String(mail?.attachment?.content)
      expect(file).toContain(`Marcas: ${marca})`)
      expect(file).toContain(person.email)
      expect(mail?.text).toContain('todo dia às 8h')
      const entries = (await readTrail(portal)).filter(({ target_id }) => target_id === person.user_id)
      const after = { type: 'Vendas', report_id: reportId, format: 'pdf' }
      expect(entries).toMatchObject([{ action: 'report-mailed', actor_id: null, after }])
    }
    expect(await readOwn(ana)).toMatchObject({
      nextRunAt: '2027-01-30T11:00:00.000Z',
      lastSentAt: expect.any(String),
      failure: null,
    })
  })

  test("sends a view with its state and the reader's rows, and stops when it is no longer shared", async () => {
    const [ana, rui] = [
      await addPerson(portal),
      await addPerson(portal, { marcas: ['JEEP'], estados: ['MG'] }),
    ]
    const { db } = portal.database
    const id = await addSharedView(rui)
    await subscribe(portal, ana, { viewId: id, format: 'pptx' })
    await startMorning()
    await finish()
    expect((await listCalls(portal)).exportTo[0]?.body).toMatchObject({
      format: 'PPTX',
      powerBIReportConfiguration: {
        defaultBookmark: { state: 'H4sI' },
        identities: [{ username: ana.email, customData: 'M:FIAT|U:RJ' }],
      },
    })
    expect(mailsTo(ana)[0]).toMatchObject({
      subject: 'Vendas, visão “Mês”, 29/01/2027',
      link: `https://portal.example/power-bi?area=Vendas&visao=${id}`,
      attachment: { filename: 'Vendas · Mês 2027-01-29 08h00.pptx' },
    })
    await db.updateTable('report_views').set({ shared: false }).where('id', '=', id).execute()
    portal.clock.advance(24 * HOUR)
    await finish()
    expect(mailsTo(ana)).toHaveLength(1)
    expect(await readOwn(ana)).toMatchObject({
      nextRunAt: null,
      failure: expect.stringMatching(/visão não existe/),
    })
    const crm = { area: 'CRM', reportId: getEmulatedReport('CRM').reportId }
    const other = await addPerson(portal, { types: ['Vendas', 'CRM'] })
    await db.updateTable('report_views').set({ shared: true }).execute()
    expect((await call(portal, other, 'POST', '', { ...daily, ...crm, viewId: id })).status).toBe(404)
  })

  test('names no view that its person may not open, and takes none while stopping', async () => {
    const [ana, rui] = [await addPerson(portal), await addPerson(portal)]
    const { db } = portal.database
    const viewId = await addSharedView(rui)
    const { id } = await subscribe(portal, ana)
    await subscribe(portal, ana, { viewId })
    const readNames = async () =>
      (await call(portal, ana, 'GET')).body.items.map((item: { view: string | null }) => item.view)
    const admin = await addPerson(portal, { role: 'admin' })
    const readAll = async () => (await call(portal, admin, 'GET', '/all')).body.items[0].view
    expect(await readNames()).toEqual(expect.arrayContaining(['Mês']))
    for (const [person, lost, given] of [
      [ana, { types: ['CRM'] }, { types: ['Vendas'] }],
      [ana, { valid_until: '2027-01-28' }, { valid_until: null }],
      [ana, { approved: false }, { approved: true }],
      [rui, { approved: false }, { approved: true }],
    ] as const) {
      await change(person, lost)
      expect(await readNames()).toEqual([null, null])
      await change(person, given)
      expect(await readNames()).toContain('Mês')
    }
    await db.updateTable('report_subscriptions').set({ view_id: viewId }).execute()
    expect(await readAll()).toBe('Mês')
    await change(rui, { approved: false })
    await change(rui, { approved: true })
    await db.updateTable('report_views').set({ shared: false }).execute()
    expect(await readNames()).toEqual([null, null])
    await db.updateTable('report_views').set({ user_id: ana.user_id }).execute()
    expect([await readNames(), await readAll()]).toEqual([['Mês', 'Mês'], null])
    await db.updateTable('report_views').set({ user_id: rui.user_id }).execute()
    const reply = await call(portal, ana, 'PATCH', `/${id}`, { viewId, stopped: true })
    expect(reply.status).toBe(404)
  })

  test('names a further report while its person has the area', async () => {
    const person = await addPerson(portal)
    const further = { type: 'vendas', name: 'Mapa', position: 1, report_id: reportId }
    const row = { ...further, embed_mode: 'service_principal' as const, updated_at: new Date(portal.clock()) }
    await portal.database.db.insertInto('further_reports').values(row).execute()
    await subscribe(portal, person)
    expect((await readOwn(person)).report).toBe('Mapa')
    await change(person, { types: ['CRM'] })
    expect((await readOwn(person)).report).toBeNull()
    await portal.database.db.deleteFrom('further_reports').execute()
  })

  test.each<[string, object, number]>([
    ['an unverified address', { email_verified_at: null }, 403],
    ['a person without the area', { types: ['CRM'] }, 404],
    ['a person without brands', { marcas: [] }, 403],
    ['a person who is not approved', { approved: false }, 403],
  ])('refuses %s', async (_, profile, status) => {
    const person = await addPerson(portal, profile)
    expect((await call(portal, person, 'POST', '', daily)).status).toBe(status)
  })

  test('keeps at most 20 for a person, and nobody reads or changes those of others', async () => {
    const [ana, rui] = [await addPerson(portal), await addPerson(portal, { role: 'admin' })]
    const { id } = await subscribe(portal, ana)
    for (let i = 1; i < 20; i++) await subscribe(portal, ana)
    const reply = await call(portal, ana, 'POST', '', daily)
    expect([reply.status, reply.body.code]).toEqual([409, 'limit-reached'])
    expect((await call(portal, rui, 'GET')).body.items).toEqual([])
    expect((await call(portal, rui, 'PATCH', `/${id}`, { stopped: true })).status).toBe(404)
    expect((await call(portal, rui, 'DELETE', `/${id}`)).status).toBe(404)
    const all = (await call(portal, rui, 'GET', '/all')).body
    expect([all.total, all.items[0].email]).toEqual([20, ana.email])
    await change(ana, { approved: false })
    expect((await call(portal, ana, 'GET')).body.items).toHaveLength(20)
    expect((await call(portal, ana, 'PATCH', `/${id}`, { stopped: true })).status).toBe(403)
    expect((await call(portal, ana, 'DELETE', `/${id}`)).status).toBe(204)
    const person = { actor_id: ana.user_id, target_id: ana.user_id, target_email: ana.email }
    const after = { type: 'Vendas', report_id: reportId, format: 'pdf' }
    expect(await readStops(ana)).toMatchObject([{ ...person, after }])
  })

  describe('keeps to the schedule', () => {
    test.each([
      ['daily', { every: 'day', hour: 8 }, ['2027-01-29T11', '2027-01-30T11', '2027-01-31T11']],
      ['daily at an hour that is over', { every: 'day', hour: 7 }, ['2027-01-30T10', '2027-01-31T10']],
      ['late in the evening', { every: 'day', hour: 23 }, ['2027-01-30T02', '2027-01-31T02']],
      ['weekly', { every: 'week', weekday: 1, hour: 0 }, ['2027-02-01T03', '2027-02-08T03']],
      ['on Sundays', { every: 'week', weekday: 7, hour: 9 }, ['2027-01-31T12', '2027-02-07T12']],
      [
        "monthly, on the month's last day for day 31",
        { every: 'month', day: 31, hour: 8 },
        ['2027-01-31T11', '2027-02-28T11', '2027-03-31T11', '2027-04-30T11'],
      ],
      ['on the 1st', { every: 'month', day: 1, hour: 8 }, ['2027-02-01T11', '2027-03-01T11']],
    ])('%s', async (_, schedule, runs) => {
      const person = await addPerson(portal)
      await subscribe(portal, person, { schedule })
      for (const run of runs) {
        const { nextRunAt } = await readOwn(person)
        expect(nextRunAt).toBe(`${run}:00:00.000Z`)
        moveTo(nextRunAt)
        await portal.jobs.runDue()
      }
    })

    test('and a changed one begins at once', async () => {
      const person = await addPerson(portal)
      const { id } = await subscribe(portal, person)
      const schedule = { every: 'week', weekday: 3, hour: 12 }
      const { body } = await call(portal, person, 'PATCH', `/${id}`, { schedule })
      expect(body).toMatchObject({ schedule, nextRunAt: '2027-02-03T15:00:00.000Z' })
      await call(portal, person, 'PATCH', `/${id}`, { stopped: true })
      expect((await readOwn(person)).nextRunAt).toBeNull()
      await call(portal, person, 'PATCH', `/${id}`, { stopped: false })
      expect((await readOwn(person)).nextRunAt).toBe('2027-02-03T15:00:00.000Z')
    })
  })

  test('makes up for a missed run for six hours, and says that it is late', async () => {
    const person = await addPerson(portal)
    await subscribe(portal, person)
    // A weekend without the portal: of its runs only the last one is made up for.
    moveTo('2027-02-01T16:59:00Z')
    await finish()
    expect(mailsTo(person)).toHaveLength(1)
    expect(mailsTo(person)[0]?.text).toContain('Este envio era das 01/02/2027, 08:00')
    expect((await readOwn(person)).nextRunAt).toBe('2027-02-02T11:00:00.000Z')
  })

  test('tells of a run that is later, and goes on', async () => {
    const person = await addPerson(portal)
    await subscribe(portal, person)
    moveTo('2027-02-01T17:00:01Z')
    await finish()
    expect((await listCalls(portal)).exportTo).toEqual([])
    const [mail] = await readFailureMails(person)
    expect(mail?.text).toContain('Vendas: O portal estava parado')
    expect(await readOwn(person)).toMatchObject({ nextRunAt: '2027-02-02T11:00:00.000Z' })
  })

  test('recovers from a clock that was months ahead', async () => {
    const person = await addPerson(portal)
    await subscribe(portal, person)
    moveTo('2027-06-01T12:00:00Z')
    await portal.jobs.runDue()
    const readJobs = () => portal.database.db.selectFrom('jobs').selectAll().execute()
    expect(await readJobs()).toHaveLength(1)
    moveTo(BEFORE_EIGHT)
    await portal.jobs.runDue()
    expect((await readOwn(person)).nextRunAt).toBe('2027-01-29T11:00:00.000Z')
    expect(await readJobs()).toEqual([])
    await startMorning()
    await finish()
    // Back before the run that was sent: it is not sent again.
    moveTo(BEFORE_EIGHT)
    await startMorning()
    await finish()
    expect(mailsTo(person).filter(({ kind: mail }) => mail === 'report-mail')).toHaveLength(1)
  })

  describe('asks for the access at the moment of sending', () => {
    test.each<[string, (person: Person) => Promise<unknown>, RegExp]>([
      [
        'an approval that was removed',
        (person) => change(person, { approved: false }),
        /pendente de aprovação/,
      ],
      ['an area that was taken away', (person) => change(person, { types: ['CRM'] }), /não está disponível/],
      ['an access that ended', (person) => change(person, { valid_until: '2027-01-28' }), /pendente/],
    ])('and ends with %s', async (_, act, reason) => {
      const person = await addPerson(portal)
      const { id } = await subscribe(portal, person)
      await startMorning()
      await act(person)
      await finish()
      expect(mailsTo(person)).toEqual([])
      const row = portal.database.db.selectFrom('report_subscriptions').selectAll().where('id', '=', id)
      expect(await row.executeTakeFirst()).toMatchObject({
        next_run_at: null,
        failure: expect.stringMatching(reason),
      })
    })

    test.each([
      ['while it is exported', 'exportStatus'],
      ['while the file is read', 'exportFile'],
    ] as const)('and exports anew when the brands change %s', async (_, on) => {
      const person = await addPerson(portal)
      await subscribe(portal, person)
      await startMorning()
      await scriptFault(portal, { on, delayMs: 1_000 })
      const isAsked = async () => (await listCalls(portal))[on].length > 0
      let running = Promise.resolve()
      for (let step = 0; step < 5 && !(await isAsked()); step++) {
        portal.clock.advance(2_000)
        running = portal.jobs.runDue()
        await Promise.race([running, waitFor(async () => expect(await isAsked()).toBe(true))])
      }
      await change(person, { marcas: ['JEEP'] })
      await running
      expect(mailsTo(person)).toEqual([])
      await finish()
      const [mail, ...others] = mailsTo(person)
      expect(others).toEqual([])
      expect(String(mail?.attachment?.content)).toContain('Marcas: JEEP)')
      expect((await listCalls(portal)).exportTo).toHaveLength(2)
    })

    test('and sends nothing to an address that is no longer verified', async () => {
      const person = await addPerson(portal)
      await subscribe(portal, person)
      await startMorning()
      await change(person, { email_verified_at: null })
      await finish()
      expect(mailsTo(person)).toEqual([])
      expect((await readOwn(person)).failure).toMatch(/^Confirme o seu e-mail/)
    })

    test('and exports anew when the brands change while the mail server is down', async () => {
      const files: string[] = []
      let isDown = true
      const replica = await startTestPortal({
        kind,
        database: portal.database,
        clock: portal.clock,
        rateLimits: false,
        mailer: {
          async deliver({ attachment }) {
            if (isDown) throw Object.assign(new Error('down'), { code: 'ECONNREFUSED' })
            files.push(String(attachment?.content))
          },
        },
      })
      const person = await addPerson(portal)
      await subscribe(replica, person)
      portal.clock.advance(MINUTE)
      await advance(replica, 20_000)
      await change(person, { marcas: ['JEEP'] })
      isDown = false
      await advance(replica, 10 * MINUTE, 10_000)
      expect(files).toEqual([expect.stringContaining('Marcas: JEEP)')])
      await replica.stop()
    })

    test('and deleting the person ends all of it', async () => {
      const person = await addPerson(portal)
      await subscribe(portal, person)
      await startMorning()
      await portal.database.db.deleteFrom('profiles').where('user_id', '=', person.user_id).execute()
      await finish()
      expect(mailsTo(person)).toEqual([])
      expect(await portal.database.db.selectFrom('report_subscriptions').selectAll().execute()).toEqual([])
    })
  })

  test.each<[string, () => Promise<unknown>, RegExp]>([
    [
      'is off for the area',
      () => portal.database.db.updateTable('global_powerbi_settings').set({ exports: false }).execute(),
      /desligou a exportação/,
    ],
    [
      'has no report in the area',
      () => portal.database.db.deleteFrom('global_powerbi_settings').execute(),
      /não está disponível/,
    ],
  ])('tells of a run while the export %s, and goes on tomorrow', async (_, act, failure) => {
    const person = await addPerson(portal)
    await subscribe(portal, person)
    await act()
    await startMorning()
    await finish()
    expect(await readOwn(person)).toMatchObject({
      nextRunAt: '2027-01-30T11:00:00.000Z',
      failure: expect.stringMatching(failure),
    })
    expect(await readFailureMails(person)).toHaveLength(1)
  })

  test('sends nothing that a restore holds, and then keeps to the schedule', async () => {
    const person = await addPerson(portal)
    await subscribe(portal, person)
    const { db } = portal.database
    await db.updateTable('report_subscriptions').set({ next_run_at: HELD_UNTIL }).execute()
    await startMorning()
    await finish()
    expect([mailsTo(person), (await readOwn(person)).nextRunAt]).toEqual([[], '9000-01-01T00:00:00.000Z'])
    await sendHeldMail(db)
    await portal.jobs.runDue()
    expect((await readOwn(person)).nextRunAt).toBe('2027-01-30T11:00:00.000Z')
  })

  test('tells of a failure although a restore holds an earlier notice', async () => {
    const person = await addPerson(portal)
    const { db } = portal.database
    const held = { kind: 'report-mail-failed', recipient: person.email, due_at: HELD_UNTIL }
    await db.insertInto('mail_outbox').values(held).execute()
    await subscribe(portal, person)
    moveTo('2027-02-01T17:00:01Z')
    await portal.jobs.runDue()
    expect(await readFailureMails(person)).toHaveLength(1)
  })

  // The embedded database runs nothing beside a transaction.
  test.skipIf(kind === 'embedded')('waits for no person who is being changed or deleted', async () => {
    const [ana, rui] = [await addPerson(portal), await addPerson(portal)]
    for (const person of [ana, rui]) await subscribe(portal, person)
    portal.clock.advance(MINUTE)
    await portal.database.db.transaction().execute(async (db) => {
      await lockProfile(db, ana.user_id)
      await portal.jobs.runDue()
    })
    const runs = [await readOwn(ana), await readOwn(rui)].map(({ nextRunAt }) => nextRunAt)
    expect(runs).toEqual(['2027-01-29T11:00:00.000Z', '2027-01-30T11:00:00.000Z'])
    await finish()
    expect(mailsTo(ana)).toHaveLength(1)
  })

  test('sends a link instead of a file over 10 MB', async () => {
    const person = await addPerson(portal)
    await subscribe(portal, person)
    const body = 'x'.repeat(10 * 1024 * 1024 + 1)
    await scriptFault(portal, { on: 'exportFile', body, headers: { 'Content-Type': 'application/pdf' } })
    await startMorning()
    await finish()
    const [mail] = mailsTo(person)
    expect(mail?.attachment).toBeUndefined()
    expect(mail?.text).toContain('mais de 10 MB')
    expect(mail?.text).toContain('https://portal.example/power-bi?area=Vendas')
  })

  describe('while Power BI or the mail server fails', () => {
    test.each([
      ['a 429 at the first call', { on: 'exportTo', status: 429, headers: { 'Retry-After': '90' } }],
      ['an outage in the middle', { on: 'exportStatus', status: 503, times: 40 }],
      ['a paused capacity', { on: 'exportTo', status: 403, errorCode: 'CapacityNotActive', times: 20 }],
      [
        'an overloaded capacity, which answers 400',
        { on: 'exportTo', status: 400, errorCode: 'FabricThrottled', times: 20 },
      ],
      [
        'a file while the capacity is overloaded',
        { on: 'exportFile', status: 400, body: OVERLOADED, times: 3 },
      ],
      ['one failed export', { on: 'exportStatus', body: { status: 'Failed' } }],
      ['a file that is gone', { on: 'exportFile', status: 404 }],
    ] as const)('sends once after %s', async (_, fault) => {
      await scriptFault(portal, fault)
      const person = await addPerson(portal)
      await subscribe(portal, person)
      await startMorning()
      await advance(portal, 5 * HOUR, MINUTE)
      expect(mailsTo(person)).toHaveLength(1)
      expect(await readOwn(person)).toMatchObject({ failure: null })
    })

    test('tells once of several reports that Power BI cannot export, and shows it to administrators', async () => {
      await scriptFault(portal, { on: 'exportTo', status: 403, times: 10, message: 'The words of rui@x.com' })
      const [person, admin] = [await addPerson(portal), await addPerson(portal, { role: 'admin' })]
      for (let i = 0; i < 2; i++) await subscribe(portal, person)
      await startMorning()
      await advance(portal, 2 * MINUTE)
      const [mail, ...others] = await readFailureMails(person)
      expect(others).toEqual([])
      expect(mail?.text.match(/Vendas: .*não deixa o portal exportar/g)).toHaveLength(2)
      expect(mail?.link).toBe('https://portal.example/profile/envios')
      const all = (await call(portal, admin, 'GET', '/all')).body
      expect(all.items[0]).toMatchObject({
        email: person.email,
        failure: expect.stringMatching(/exportar.* O que o Power BI respondeu: The words of \*\*\*@x\.com$/),
      })
      expect(JSON.stringify([mail, await readOwn(person)])).not.toContain('The words of')
      // Tomorrow it is tried again.
      expect((await readOwn(person)).nextRunAt).toBe('2027-01-30T11:00:00.000Z')
    })

    test('gives up after six hours', async () => {
      await scriptFault(portal, { on: 'exportTo', status: 503, times: 10_000, message: 'Last words' })
      const [person, admin] = [await addPerson(portal), await addPerson(portal, { role: 'admin' })]
      await subscribe(portal, person)
      await startMorning()
      await advance(portal, 6.1 * HOUR, 5 * MINUTE)
      expect((await readOwn(person)).failure).toMatch(/seis horas/)
      expect(await readFailureMails(person)).toHaveLength(1)
      expect(JSON.stringify(await readOwn(person))).not.toContain('Last words')
      const [{ failure }] = (await call(portal, admin, 'GET', '/all')).body.items
      expect(failure).toMatch(/seis horas.*Power BI não respondeu.*Last words$/)
    })

    test('sends under the same Message-ID again, and keeps no place of exports meanwhile', async () => {
      const tries: (string | undefined)[] = []
      let isDown = true
      const replica = await startTestPortal({
        kind,
        database: portal.database,
        clock: portal.clock,
        rateLimits: false,
        mailer: {
          async deliver({ messageId, kind: mail }) {
            if (mail !== 'report-mail') return
            tries.push(messageId)
            if (isDown) throw Object.assign(new Error('down'), { code: 'ECONNREFUSED' })
          },
        },
      })
      for (let i = 0; i < 5; i++) await subscribe(replica, await addPerson(portal))
      const reader = await addPerson(portal)
      portal.clock.advance(MINUTE)
      await advance(replica, 20_000)
      expect(tries.length).toBeGreaterThanOrEqual(5)
      const { access_token: token } = await openTestSession(portal, reader)
      const body = { area: 'Vendas', reportId, format: 'pdf' }
      const { id } = (await send(replica, 'POST', '/api/report-exports', { token, body })).body
      await advance(replica, 10_000)
      expect((await send(replica, 'GET', `/api/report-exports/${id}`, { token })).body.status).toBe('done')
      isDown = false
      const before = tries.length
      await advance(replica, 10 * MINUTE, 10_000)
      expect(tries.length - before).toBe(5)
      expect(new Set(tries).size).toBe(5)
      expect((await listCalls(replica)).exportTo).toHaveLength(6)
      await replica.stop()
    })
  })

  test('sends at most three times while it is uncertain whether the mail arrived', async () => {
    let tries = 0
    const replica = await startTestPortal({
      kind,
      database: portal.database,
      clock: portal.clock,
      rateLimits: false,
      mailer: {
        async deliver({ kind: mail }) {
          if (mail !== 'report-mail') return
          tries += 1
          throw Object.assign(new Error('Timeout'), { code: 'ETIMEDOUT', isUnanswered: true })
        },
      },
    })
    const person = await addPerson(portal)
    await subscribe(replica, person)
    portal.clock.advance(MINUTE)
    await advance(replica, HOUR, MINUTE)
    expect(tries).toBe(3)
    expect((await readOwn(person)).failure).toMatch(/pode ter chegado/)
    await replica.stop()
  })

  test('counts a delivery that a killed replica began', async () => {
    const person = await addPerson(portal)
    await subscribe(portal, person)
    let progress: unknown
    const replica = await startTestPortal({
      kind,
      database: portal.database,
      clock: portal.clock,
      rateLimits: false,
      mailer: {
        async deliver() {
          progress = (
            await portal.database.db.selectFrom('jobs').select('progress').executeTakeFirstOrThrow()
          ).progress
        },
      },
    })
    portal.clock.advance(MINUTE)
    await advance(replica, 20_000)
    expect(progress).toMatchObject({ deliveries: 1, exportId: expect.any(String) })
    await replica.stop()
  })

  test('queues each once with two replicas, and goes on where a killed one stopped', async () => {
    const replica = await startTestPortal({
      kind,
      database: portal.database,
      clock: portal.clock,
      rateLimits: false,
    })
    const people = await Promise.all(Array.from({ length: 12 }, () => addPerson(portal)))
    for (const person of people) await subscribe(portal, person)
    portal.clock.advance(MINUTE)
    await Promise.all([portal.jobs.runDue(), replica.jobs.runDue()])
    expect(await portal.database.db.selectFrom('jobs').selectAll().execute()).toHaveLength(12)
    expect(
      (await listCalls(portal)).exportTo.length + (await listCalls(replica)).exportTo.length,
    ).toBeLessThanOrEqual(5)
    // As a killed process leaves them: leased, in the middle of the next step.
    const lease = crypto.randomUUID()
    const leased_until = new Date(portal.clock() + MINUTE)
    await portal.database.db
      .updateTable('jobs')
      .set({ lease, leased_until })
      .where('status', '=', 'running')
      .execute()
    await advance(replica, 3 * MINUTE)
    for (const person of people) expect(mailsTo(person, replica), person.email).toHaveLength(1)
    expect(portal.mails).toEqual([])
    await replica.stop()
  })

  test('exports go on while the schedules cannot be read', async () => {
    const { user_id: userId } = await addPerson(portal)
    const services = { db: portal.database.db, clock: portal.clock, log: createLog('silent') }
    const id = await queueJob(services, { kind: 'export', userId, input: {}, payload: null })
    await createJobQueue({
      ...services,
      runStep: { export: async () => ({ kind: 'done', progress: {} }) },
      queueDue: () => Promise.reject(new Error('a deadlock')),
    }).runDue()
    const row = services.db.selectFrom('jobs').select('status').where('id', '=', id)
    expect(await row.executeTakeFirst()).toEqual({ status: 'done' })
  })

  test("an interactive export goes before a morning's mails", async () => {
    const people = await Promise.all(Array.from({ length: 12 }, () => addPerson(portal)))
    for (const person of people) await subscribe(portal, person)
    await startMorning()
    const reader = await addPerson(portal)
    const { access_token: token } = await openTestSession(portal, reader)
    const body = { area: 'Vendas', reportId, format: 'pdf' }
    await send(portal, 'POST', '/api/report-exports', { token, body })
    await advance(portal, 30_000)
    const started = (await listCalls(portal)).exportTo.map((each) => JSON.stringify(each.body))
    expect(started).toHaveLength(13)
    // Of the second five, which start at the same time.
    expect(started.slice(5, 10).join()).toContain(reader.email)
  })

  test('the link of a mail stops it by POST, as mail programs do, and by no GET', async () => {
    const person = await addPerson(portal)
    await subscribe(portal, person)
    await startMorning()
    await finish()
    const [mail] = mailsTo(person)
    const url = (mail?.unsubscribeUrl ?? '').replace('https://portal.example', portal.url)
    const token = new URL(url).searchParams.get('token')
    expect(mail?.text).toContain(`https://portal.example/parar-envio#token=${token}`)
    expect((await fetch(url)).status).toBe(405)
    expect((await readOwn(person)).nextRunAt).not.toBeNull()
    const foreign = url.replace(/.{22}$/, 'x'.repeat(22))
    expect((await fetch(foreign, { method: 'POST' })).status).toBe(400)
    const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
    const stop = async (query = '') => {
      const response = await fetch(url + query, { method: 'POST', body })
      return [response.status, await response.json()]
    }
    expect(await stop('&dryRun=true')).toEqual([200, { name: 'Vendas', wasStopped: false }])
    expect((await readOwn(person)).nextRunAt).not.toBeNull()
    for (const wasStopped of [false, true])
      expect(await stop()).toEqual([200, { name: 'Vendas', wasStopped }])
    expect(await stop('&dryRun=true')).toEqual([200, { name: 'Vendas', wasStopped: true }])
    const { id, ...stopped } = await readOwn(person)
    expect(stopped).toMatchObject({ nextRunAt: null, failure: null })
    expect(await readStops(person)).toMatchObject([{ actor_id: person.user_id }])
    // Whoever has the old mail cannot stop it again.
    await call(portal, person, 'PATCH', `/${id}`, { stopped: false })
    for (const query of ['', '&dryRun=true']) expect((await stop(query))[0]).toBe(400)
    await call(portal, person, 'PATCH', `/${id}`, { stopped: true })
    expect(await readStops(person)).toHaveLength(2)
    portal.clock.advance(24 * HOUR)
    await finish()
    expect(mailsTo(person)).toHaveLength(1)
  })
})
