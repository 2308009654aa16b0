import { beforeEach, describe, expect, test } from 'vitest'
import type { Usage } from '#contract/usage.ts'
import { createLog } from '#server/log.ts'
import { addPerson, configureReports, openTestSession, send, UNKNOWN_ID } from '#server/testing/builders.ts'
import { setUpAdmin, setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { createUsageJob } from './count-usage.ts'
import { queueUsageMails } from './usage-mail.ts'

const [MINUTE, DAY] = [60_000, 86_400_000]
/** Thursday, 12 March 2099, noon in São Paulo. */
const NOON = Date.parse('2099-03-12T15:00:00Z')

type Person = Awaited<ReturnType<typeof addPerson>>

describeOnEachDatabase('the use of the portal', (kind) => {
  const portal = setUpPortal({ kind, publicUrl: 'https://portal.example' })
  const admin = setUpAdmin(portal)
  let people: Person[]
  let reports: Record<string, string>
  let noon = NOON
  const moveTo = (at: number | string) => portal.clock.advance(new Date(at).getTime() - portal.clock())
  beforeEach(async () => {
    const { db } = portal.database
    for (const table of ['usage_open', 'usage_sums', 'usage_timings', 'job_claims', 'rate_limits'] as const)
      await db.deleteFrom(table).execute()
    await db.deleteFrom('portal_facts').where('name', '=', 'usage-counted-until').execute()
    for (const table of ['global_powerbi_settings', 'further_reports'] as const)
      await db.deleteFrom(table).execute()
    await configureReports(portal, 'Vendas', 'CRM')
    const rows = await db.selectFrom('global_powerbi_settings').select(['type', 'id']).execute()
    reports = Object.fromEntries(rows.map(({ type, id }) => [type, id]))
    // What is open is cached for half a minute.
    noon += 10 * MINUTE
    moveTo(noon)
    people = []
    for (let count = 0; count < 6; count++)
      people.push(
        await addPerson(portal, { types: ['Vendas', 'CRM'], created_at: new Date(NOON - 90 * DAY) }),
      )
  })

  const come = (at: string, ...who: Person[]) =>
    portal.database.db
      .insertInto('access_records')
      .values(
        who.map(({ user_id }) => ({
          at: new Date(at),
          user_id,
          action: 'report' as const,
          report_id: null,
          ip: null,
          user_agent: null,
          request_id: null,
        })),
      )
      .execute()
  const createJob = () =>
    createUsageJob({ db: portal.database.db, log: createLog('silent'), clock: portal.clock }, queueUsageMails)
  const count = () => createJob().runNow()
  /** Opens a report, long after the last time. */
  const open = async (person: Person, body: object = {}) => {
    const counted = portal.database.db.deleteFrom('rate_limits').where('key', 'like', 'usage-counted %')
    await counted.execute()
    return openAgain(person, body)
  }
  const openAgain = async (person: Person, body: object = {}) => {
    const { access_token: token } = await openTestSession(portal, person)
    const shown = { report: reports.vendas, outcome: 'shown', ...body }
    return send(portal, 'POST', '/api/usage/timings', { token, body: shown })
  }
  const read = async (query = ''): Promise<Usage> => {
    portal.clock.advance(MINUTE / 2 + 1)
    const { access_token: token } = await openTestSession(portal, admin)
    const { status, body } = await send(portal, 'GET', `/api/usage?${query}`, { token })
    expect(status, JSON.stringify(body)).toBe(200)
    return body
  }
  const readSums = () =>
    portal.database.db
      .selectFrom('usage_sums')
      .select(['period', 'starts_on', 'kind', 'code', 'people', 'openings'])
      .orderBy('period')
      .orderBy('starts_on')
      .orderBy('kind')
      .orderBy('code')
      .execute()
  const readPeople = async (query: string) =>
    (await read(query)).periods.map(({ starts_on, people: counted, is_open }) => [
      starts_on,
      counted,
      is_open,
    ])

  describe('people', () => {
    test('are distinct in each day, week and month, which daily sums do not add up to', async () => {
      // 23:30 of the 10th in São Paulo is the 11th in UTC.
      await come('2099-03-11T02:30:00Z', ...people.slice(0, 5))
      await come('2099-03-11T12:00:00Z', ...people)
      await come('2099-03-11T13:00:00Z', ...people)
      await count()
      expect(await readPeople('from=2099-03-09&to=2099-03-12&by=day')).toEqual([
        ['2099-03-10', 5, false],
        ['2099-03-11', 6, false],
        ['2099-03-12', 0, true],
      ])
      expect(await readPeople('from=2099-03-10&to=2099-03-10&by=week')).toEqual([['2099-03-09', 6, true]])
      expect(await readPeople('from=2099-03-10&to=2099-03-10&by=month')).toEqual([['2099-03-01', 6, true]])
    })

    test('of today are counted without waiting for its end', async () => {
      await come('2099-03-12T14:59:00Z', ...people)
      await count()
      expect(await readPeople('from=2099-03-12&by=day')).toEqual([['2099-03-12', 6, true]])
      await portal.database.db.deleteFrom('access_records').execute()
      portal.clock.advance(DAY)
      await count()
      expect(await readPeople('from=2099-03-12&to=2099-03-12&by=day')).toEqual([['2099-03-12', 6, false]])
    })

    test('under five are not shown', async () => {
      await come('2099-03-11T12:00:00Z', ...people.slice(0, 4))
      await count()
      expect(await readPeople('from=2099-03-11&to=2099-03-11&by=day')).toEqual([['2099-03-11', null, false]])
    })

    test('are counted for the days of a downtime, and weeks and months close after it', async () => {
      await come('2099-01-30T12:00:00Z', ...people)
      moveTo('2099-01-30T12:30:00Z')
      await count()
      await come('2099-02-03T12:00:00Z', ...people.slice(0, 5))
      moveTo(NOON)
      await count()
      const sums = (await readSums()).filter((sum) => sum.kind === 'all')
      expect(sums.map(({ period, starts_on, people: counted }) => [period, starts_on, counted])).toEqual([
        ['day', '2099-01-30', 6],
        ['day', '2099-02-03', 5],
        ['month', '2099-01-01', 6],
        ['month', '2099-02-01', 5],
        ['week', '2099-01-26', 6],
        ['week', '2099-02-02', 5],
      ])
      expect(await portal.database.db.selectFrom('usage_open').selectAll().execute()).toEqual([])
    })

    test('are counted once by two replicas, and by a run that is repeated', async () => {
      await come('2099-03-10T12:00:00Z', ...people)
      for (const person of people) await open(person)
      portal.clock.advance(40 * DAY)
      const claims = portal.database.db.deleteFrom('job_claims')
      const counted = []
      for (const _ of [1, 2]) {
        await Promise.all([count(), claims.execute().then(count)])
        await claims.execute()
        await portal.database.db
          .deleteFrom('portal_facts')
          .where('name', '=', 'usage-counted-until')
          .execute()
        counted.push(await readSums())
      }
      expect(counted[0]).toEqual(counted[1])
      expect(counted[0]).toContainEqual({
        period: 'month',
        starts_on: '2099-03-01',
        kind: 'all',
        code: '',
        people: 6,
        openings: 6,
      })
    })

    test('who never came and who stopped coming are named, without those who may not come', async () => {
      const { db } = portal.database
      const [never, stopped, pending] = people as [Person, Person, Person]
      const others = people.slice(3).map(({ user_id }) => user_id)
      const came = (ids: string[], at: Date) =>
        db.updateTable('profiles').set({ last_sign_in_at: at }).where('user_id', 'in', ids).execute()
      await came([...others, admin.user_id], new Date(NOON))
      await came([stopped.user_id], new Date(NOON - 60 * DAY))
      await db
        .updateTable('profiles')
        .set({ approved: false })
        .where('user_id', '=', pending.user_id)
        .execute()
      const { never_came, stopped_coming } = await read('from=2099-02-10')
      expect(never_came).toMatchObject({ total: 1, people: [{ user_id: never.user_id }] })
      expect(stopped_coming).toEqual({
        total: 1,
        people: [
          {
            user_id: stopped.user_id,
            email: stopped.email,
            full_name: null,
            at: new Date(NOON - 60 * DAY).toISOString(),
          },
        ],
      })
    })
  })

  describe('openings', () => {
    test('are counted by report, area, brand and state, with their readers', async () => {
      await count()
      for (const person of people) await open(person)
      await open(people[0] as Person)
      await open(people[0] as Person, { report: reports.crm })
      const expected = {
        reports: [
          { title: 'Vendas', people: 6, openings: null },
          { title: 'CRM', people: null, openings: null },
        ],
        marcas: expect.arrayContaining([
          { code: 'FIAT', label: 'FIAT', people: 6, openings: 8, is_masked: false },
          { code: 'VW', label: 'VW', people: 0, openings: 0, is_masked: false },
        ]),
        estados: expect.arrayContaining([
          { code: 'RJ', label: 'RJ', people: 6, openings: 8, is_masked: false },
        ]),
        types: expect.arrayContaining([
          { code: 'vendas', label: 'Vendas', people: 6, openings: null, is_masked: false },
        ]),
      }
      expect(await read('from=2099-03-12&to=2099-03-12')).toMatchObject(expected)
      portal.clock.advance(DAY)
      await count()
      expect(await read('from=2099-03-12&to=2099-03-12')).toMatchObject(expected)
    })

    test('of a hidden day are no difference between a week or month and its days, nor between ranges', async () => {
      moveTo('2100-03-10T15:00:00Z')
      await count()
      for (const person of people) await open(person)
      moveTo('2100-03-11T15:00:00Z')
      await count()
      for (const person of people.slice(3)) await open(person)
      for (const person of people.slice(3)) await open(person, { report: reports.crm })
      const expectSums = async () => {
        const seen = [
          { title: 'Vendas', openings: 6 },
          { title: 'CRM', people: null, openings: null },
        ]
        for (const by of ['week', 'month']) {
          const {
            reports: used,
            types,
            marcas,
            periods,
          } = await read(`from=2100-03-08&to=2100-03-12&by=${by}`)
          expect(used).toMatchObject(seen)
          expect(types).toContainEqual(expect.objectContaining({ code: 'vendas', people: 6, openings: 6 }))
          expect(marcas).toContainEqual(expect.objectContaining({ code: 'FIAT', openings: 6 }))
          expect(periods).toMatchObject([{ people: 6, openings: 6 }])
        }
      }
      await expectSums()
      moveTo('2100-03-12T15:00:00Z')
      await count()
      await expectSums()
      // Six and three on two closed days: three of six would tell the three.
      const { reports: used } = await read('from=2100-03-10&to=2100-03-11&by=day')
      expect(used).toMatchObject([{ title: 'Vendas', people: null }, { title: 'CRM' }])
      moveTo('2100-04-02T15:00:00Z')
      await count()
      await expectSums()
    })

    test('are counted from the cache for half a minute', async () => {
      for (const person of people) await open(person)
      const openings = async () => (await read('from=2099-03-12')).types[0]?.openings
      expect(await openings()).toBe(6)
      await open(people[0] as Person)
      portal.clock.advance(-MINUTE / 2)
      expect(await openings()).toBe(6)
      expect(await openings()).toBe(7)
    })

    /** The first four read CRM, the others a further report of Vendas too, and Oficina. */
    const openSome = async () => {
      await configureReports(portal, 'Oficina')
      const { id: oficina } = await portal.database.db
        .selectFrom('global_powerbi_settings')
        .select('id')
        .where('type', '=', 'oficina')
        .executeTakeFirstOrThrow()
      await portal.database.db
        .updateTable('profiles')
        .set({ types: ['Vendas', 'CRM', 'Oficina'] })
        .execute()
      for (const person of people) await open(person)
      for (const person of people.slice(1)) await open(person, { report: oficina })
      for (const person of people.slice(2)) await open(person, { report: reports.crm })
    }

    test('of a small area cannot be told from the others: the smallest of them is hidden, with a report', async () => {
      await openSome()
      const expected = {
        periods: [{ openings: 15 }],
        types: expect.arrayContaining([
          { code: 'vendas', label: 'Vendas', people: 6, openings: 6, is_masked: false },
          { code: 'oficina', label: 'Oficina', people: 5, openings: null, is_masked: false },
          { code: 'crm', label: 'CRM', people: null, openings: null, is_masked: false },
        ]),
        reports: [
          { title: 'Vendas', people: 6, openings: 6 },
          { title: 'Oficina', people: 5, openings: null },
          { title: 'CRM', people: null, openings: null },
        ],
      }
      expect(await read('from=2099-03-12&to=2099-03-12')).toMatchObject(expected)
      portal.clock.advance(DAY)
      await count()
      expect(await read('from=2099-03-12&to=2099-03-12')).toMatchObject(expected)
    })

    test('of a small report cannot be told from its area, nor those of the only area from all', async () => {
      const { id } = await portal.database.db
        .insertInto('further_reports')
        .values({
          type: 'vendas',
          name: 'Metas',
          position: 1,
          embed_mode: 'secure_sso',
          exports: true,
          report_url: 'https://app.powerbi.com/reportEmbed?reportId=metas',
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      for (const person of people) await open(person)
      for (const person of people.slice(2)) await open(person, { report: id })
      expect(await read('from=2099-03-12&to=2099-03-12')).toMatchObject({
        periods: [{ openings: 10 }],
        types: expect.arrayContaining([expect.objectContaining({ code: 'vendas', people: 6, openings: 10 })]),
        reports: [
          { title: 'Vendas', people: 6, openings: null },
          { title: 'Vendas · Metas', people: null, openings: null },
          { title: 'CRM', openings: 0 },
        ],
      })
      await portal.database.db.deleteFrom('usage_open').execute()
      await come('2099-03-12T14:59:00Z', ...people)
      await count()
      for (const person of people.slice(2)) await open(person)
      expect((await read('from=2099-03-12&to=2099-03-12')).periods).toMatchObject([
        { people: 6, openings: null },
      ])
    })

    test('and people of a state cannot be told where everybody has one state', async () => {
      const { db } = portal.database
      const set = (state: string, who: Person[]) =>
        db
          .updateTable('profiles')
          .set({ estados: [state] })
          .where(
            'user_id',
            'in',
            who.map(({ user_id }) => user_id),
          )
          .execute()
      people.push(...(await Promise.all([1, 2, 3].map(() => addPerson(portal, { types: ['Vendas'] })))))
      await set('RJ', people.slice(0, 6))
      await set('ES', people.slice(6))
      for (const person of people) await open(person)
      const { estados } = await read('from=2099-03-12&to=2099-03-12')
      expect(estados.filter(({ people: counted }) => counted !== 0)).toMatchObject([
        { code: 'RJ', people: null, openings: null, is_masked: true },
        { code: 'ES', people: null, openings: null, is_masked: false },
      ])
    })

    test('are in the trail, also of an area in SSO mode, and after its setting was removed', async () => {
      const { access_token: token } = await openTestSession(portal, admin)
      const setting = {
        embed_mode: 'secure_sso',
        report_url: 'https://app.powerbi.com/reportEmbed?reportId=r1',
      }
      await portal.database.db
        .insertInto('global_powerbi_settings')
        .values({ type: 'operadores', ...setting } as never)
        .execute()
      const report = (
        await portal.database.db
          .selectFrom('global_powerbi_settings')
          .select('id')
          .where('type', '=', 'operadores')
          .executeTakeFirstOrThrow()
      ).id
      const [person] = people as [Person]
      const whose = portal.database.db.updateTable('profiles').set({ types: ['Vendas', 'Operadores'] })
      await whose.where('user_id', '=', person.user_id).execute()
      await open(person, { report, outcome: 'failed' })
      await open(person, { report })
      await open(person)
      const find = async (area: string) =>
        (await send(portal, 'GET', `/api/audit?area=${area}&action=report-shown`, { token })).body.items
      const shown = { action: 'report-shown', actor_email: person.email }
      expect(await find('Vendas')).toMatchObject([{ ...shown, after: { type: 'Vendas' } }])
      expect(await find('Operadores')).toMatchObject([{ ...shown, after: { type: 'Operadores' } }])
      const removed = await send(portal, 'DELETE', '/api/global-powerbi-settings/operadores', { token })
      expect(removed.status).toBeLessThan(300)
      expect(await find('Operadores')).toMatchObject([shown])
    })

    test('keep the title of a removed report', async () => {
      for (const person of people) await open(person)
      portal.clock.advance(DAY)
      await count()
      await portal.database.db.deleteFrom('global_powerbi_settings').where('type', '=', 'vendas').execute()
      expect((await read('from=2099-03-12&to=2099-03-12')).reports).toMatchObject([
        { title: 'Vendas', exists: false, openings: 6 },
        { title: 'CRM', exists: true, openings: 0 },
      ])
    })

    test('of reports of other areas are refused, and too many in ten minutes', async () => {
      const [person, other] = people as [Person, Person]
      await portal.database.db
        .updateTable('profiles')
        .set({ types: ['CRM'] })
        .where('user_id', '=', person.user_id)
        .execute()
      for (const report of [reports.vendas, UNKNOWN_ID])
        expect((await open(person, { report })).body).toMatchObject({ code: 'report-not-found' })
      await portal.database.db
        .insertInto('rate_limits')
        .values({ key: `usage ${other.user_id}`, taken: 120, resets_at: new Date(noon + MINUTE) })
        .execute()
      expect((await open(other)).status).toBe(429)
      expect(await portal.database.db.selectFrom('usage_open').selectAll().execute()).toEqual([])
    })

    test('of a deleted person stay counted under a pseudonym', async () => {
      for (const person of people) await open(person)
      const { access_token: token } = await openTestSession(portal, admin)
      const userIds = [people[0]?.user_id]
      await send(portal, 'POST', '/api/functions/delete-users', { token, body: { userIds } })
      expect((await read('from=2099-03-12')).reports[0]).toMatchObject({ people: 6, openings: 6 })
    })
  })

  test('tells how long first reports took and how often they failed, by report and period', async () => {
    const felt = [900, 1_000, 1_100, 1_000, 9_000]
    const [last, ...others] = felt.map((ms, index) => [people[index] as Person, ms] as const).reverse()
    for (const [person, ms] of others) await open(person, { ms })
    await open(people[5] as Person, { outcome: 'failed' })
    // Of a report that few read, the time and the failures are theirs, in the totals too.
    const hidden = { title: 'Vendas', median_ms: null, slow_ms: null, failures: null }
    const ofFew = await read()
    expect(ofFew.timing).toEqual({ median_ms: null, slow_ms: null, failures: 0 })
    expect(ofFew.reports).toContainEqual(expect.objectContaining(hidden))
    if (last) await open(last[0], { ms: last[1] })
    const { timing, reports: used, periods } = await read()
    expect(timing.failures).toBe(1)
    expect(Math.abs((timing.median_ms ?? 0) - 1_000)).toBeLessThan(130)
    expect(Math.abs((timing.slow_ms ?? 0) - 9_000)).toBeLessThan(1_200)
    expect(used).toContainEqual(expect.objectContaining({ title: 'Vendas', ...timing }))
    expect(periods.at(-1)).toMatchObject({ starts_on: '2099-03-12', ...timing })
    expect((await open(people[0] as Person, { ms: 200_000 })).status).toBe(400)
  })

  test('counts a person once a report and hour, whatever they send', async () => {
    for (const [index, person] of people.entries()) await openAgain(person, { ms: 900 + index })
    const seen = async () => {
      const { timing, reports: used } = await read()
      return [timing, used.map(({ title, openings, failures }) => [title, openings, failures])]
    }
    const before = await seen()
    for (let sent = 0; sent < 20; sent++) await openAgain(people[0] as Person, { ms: 120_000 })
    expect(await seen()).toEqual(before)
    for (let sent = 0; sent < 20; sent++) await openAgain(people[0] as Person, { outcome: 'failed' })
    expect((await read()).timing.failures).toBe(1)
    const { db } = portal.database
    const shown = db.selectFrom('access_records').select('id').where('action', '=', 'report-shown')
    expect(await shown.where('user_id', '=', people[0]?.user_id ?? '').execute()).toHaveLength(21)
  })

  test.each(['from=2099-03-12&to=2099-03-11', 'from=2090-01-01&by=day', 'by=year'])(
    'answers 400 to %s',
    async (query) => {
      const { access_token: token } = await openTestSession(portal, admin)
      expect((await send(portal, 'GET', `/api/usage?${query}`, { token })).status).toBe(400)
    },
  )

  describe('the monthly mail', () => {
    const want = async (wanted: boolean) => {
      const { access_token: token } = await openTestSession(portal, admin)
      expect((await send(portal, 'PUT', '/api/usage/mail', { token, body: { wanted } })).body).toEqual({
        wanted,
      })
    }
    const closeMonth = async () => {
      await count()
      for (const person of people) await open(person)
      moveTo('2099-04-01T03:20:00Z')
      await count()
      await portal.outbox.deliverDue()
      return portal.mails.filter(({ kind: mailed }) => mailed === 'usage-summary')
    }

    test('goes once to an administrator who wants it, and ends by its link', async () => {
      await want(true)
      expect((await read()).is_mailed).toBe(true)
      const [mail, ...others] = await closeMonth()
      expect(others).toEqual([])
      expect(mail).toMatchObject({
        to: admin.email,
        link: expect.stringContaining('/admin/uso?from=2099-03-01'),
      })
      expect(mail?.text).toContain('6 pessoas entraram no portal e abriram relatórios 6 vezes.')
      expect(mail?.text).toContain('Ninguém abriu: CRM')
      const { pathname, search } = new URL(mail?.unsubscribeUrl ?? '')
      const stop = async (query = '') => (await send(portal, 'POST', pathname + search + query)).body
      const name = 'O resumo mensal do uso'
      expect(await stop('&dryRun=true')).toEqual({ name, wasStopped: false })
      expect((await read()).is_mailed).toBe(true)
      expect(await stop()).toEqual({ name, wasStopped: false })
      expect((await read()).is_mailed).toBe(false)
      await want(true)
      portal.clock.advance(MINUTE)
      await want(false)
      await want(true)
      expect(await stop()).toEqual({ name: null, wasStopped: true })
      expect((await read()).is_mailed).toBe(true)
    })

    test('does not go to those who do not want it', async () => {
      await want(true)
      await want(false)
      expect(await closeMonth()).toEqual([])
    })
  })
})
