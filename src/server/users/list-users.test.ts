import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { getValues, LISTS } from '#contract/entitlement-lists.ts'
import { SEEDED_CATALOGUE } from '#contract/seeded-catalogue.ts'
import { PROFILE_SORTS, type ProfileSort, toSaoPauloDay } from '#contract/user-rules.ts'
import type { ManagedProfile, ProfileFilter } from '#contract/users.ts'
import { createRandom } from '#server/demo/seeded-people.ts'
import { listAll, listPage, requestPage } from '#server/testing/admin-calls.ts'
import { addFactor, addPerson, configureReports, send } from '#server/testing/builders.ts'
import { setUpAdmin, setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { matchesFilter } from './user-queries.ts'

const { compare } = new Intl.Collator('pt-BR')
const NAMES = ['Ana', 'Álvaro', 'ana', 'Avelino', 'Érica', 'Zélia', 'Ângela', "D'Ávila", null]
const DAYS = [1, 2, 3, 4, 5].map((day) => new Date(Date.UTC(2026, 0, day)))
const ORDERS = ['asc', 'desc'] as const

/** Sorts independently of the database. */
function sortExpected(people: ManagedProfile[], sort: ProfileSort, order: 'asc' | 'desc'): string[] {
  const turn = order === 'asc' ? 1 : -1
  const byColumn = (a: ManagedProfile, b: ManagedProfile): number => {
    const [x, y] = [a[sort], b[sort]]
    if (x === null || y === null) return Number(x === null) - Number(y === null)
    if (typeof x === 'boolean') return turn * (Number(y) - Number(x))
    return turn * (sort.endsWith('_at') ? Date.parse(x) - Date.parse(String(y)) : compare(x, String(y)))
  }
  return people.toSorted((a, b) => byColumn(a, b) || compare(a.email, b.email)).map(({ email }) => email)
}

const listEmails = (people: ManagedProfile[]) => people.map(({ email }) => email)

describeOnEachDatabase('the user list', (kind) => {
  const portal = setUpPortal({ kind })
  const admin = setUpAdmin(portal, { email: 'admin@grupopatio.com.br' })

  const addMany = async (count: number) => {
    const random = createRandom(7)
    const pick = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)] as T
    for (let index = 0; index < count; index++)
      await addPerson(portal, {
        email: `${pick(['ana', 'bia', 'ze', 'a-b', 'a.b', 'a_b'])}${index}@grupopatio.com.br`,
        full_name: pick(NAMES),
        approved: random() < 0.5,
        email_verified_at: pick([...DAYS, null]),
        created_at: pick(DAYS),
        last_sign_in_at: pick([...DAYS, null, null]),
      })
  }

  describe.each(PROFILE_SORTS)('by %s', (sort) => {
    beforeEach(() => addMany(40))

    test('sorts in both directions, nulls last, ties by email, across pages', async () => {
      const { items: people } = await listPage(portal, admin, {})
      expect(people).toHaveLength(41)
      for (const order of ORDERS)
        for (const limit of [7, 30]) {
          const got = listEmails(await listAll(portal, admin, { sort, order, limit }))
          expect(got, `${order} by ${limit}`).toEqual(sortExpected(people, sort, order))
        }
    })

    test('sorts filtered lists alike', async () => {
      const { items: people } = await listPage(portal, admin, {})
      const filters: [object, (person: ManagedProfile) => boolean][] = [
        [{ approved: 'false' }, (person) => !person.approved],
        [{ verified: 'true' }, (person) => person.email_verified_at !== null],
        [{ verified: 'false', q: 'a' }, (person) => !person.email_verified_at && /a/i.test(person.email)],
      ]
      for (const [filter, isMatch] of filters)
        for (const order of ORDERS) {
          const got = listEmails(await listAll(portal, admin, { ...filter, sort, order, limit: 8 }))
          expect(got, JSON.stringify({ filter, order })).toEqual(
            sortExpected(people.filter(isMatch), sort, order),
          )
        }
    })
  })

  test('filters people without a sign-in for 90 days, or ever', async () => {
    const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * 60_000)
    const add = (name: string, created: number, seen: number | null) =>
      addPerson(portal, {
        email: `${name}@grupopatio.com.br`,
        created_at: daysAgo(created),
        last_sign_in_at: seen === null ? null : daysAgo(seen),
      })
    await add('saiu', 400, 90.1)
    await add('volta', 400, 89.9)
    await add('nova', 1, null)
    await add('esquecida', 91, null)
    await add('assidua', 400, 6.9)
    await add('faltou', 400, 7.1)
    const found = async (lastAccess: string) => {
      const people = listEmails(await listAll(portal, admin, { lastAccess, q: '@', sort: 'email' }))
      const { body } = await send(portal, 'GET', `/api/profiles/count?lastAccess=${lastAccess}`, admin)
      expect(body.total).toBe(people.length)
      return people.map((email) => email.split('@')[0])
    }
    expect(await found('recent')).toEqual(['assidua'])
    expect(await found('idle')).toEqual(['esquecida', 'saiu'])
    expect(await found('never')).toEqual(['admin', 'esquecida', 'nova'])
    expect((await requestPage(portal, admin, { lastAccess: 'sometimes' })).status).toBe(400)
  })

  test('filters people who see no report or hold everything, by the end of their access, and by role', async () => {
    await portal.database.db.deleteFrom('global_powerbi_settings').execute()
    await configureReports(portal, 'Vendas')
    const day = (days: number) => toSaoPauloDay(Date.now() + days * 24 * 60 * 60_000)
    const everything = Object.fromEntries(LISTS.map((list) => [list, getValues(SEEDED_CATALOGUE, list)]))
    for (const [name, rest] of Object.entries({
      'sem-area': { types: [] },
      'sem-estado': { estados: [] },
      'sem-relatorio': { types: ['HPD'] },
      'marca-extinta': { marcas: ['KIA'] },
      pendente: { approved: false, types: [] },
      completa: {
        ...everything,
        types: ['administrativo', ...(everything.types ?? []).filter((type) => type !== 'Administrativo')],
      },
      'quase-completa': { ...everything, estados: ['RJ'] },
      'acaba-hoje': { valid_until: day(0) },
      'acaba-em-30': { valid_until: day(30) },
      'acaba-em-31': { valid_until: day(31) },
      acabou: { valid_until: day(-1) },
    }))
      await addPerson(portal, { email: `${name}@grupopatio.com.br`, ...rest })
    const found = async (filter: object) => {
      const people = await listAll(portal, admin, { ...filter, q: '@', sort: 'email' })
      return listEmails(people).map((email) => email.split('@')[0])
    }
    expect(await found({ reports: 'none' })).toEqual([
      'marca-extinta',
      'sem-area',
      'sem-estado',
      'sem-relatorio',
    ])
    expect(await found({ reports: 'all' })).toEqual(['completa'])
    expect(await found({ allOf: 'types' })).toEqual(['completa', 'quase-completa'])
    expect(await found({ allOf: 'estados' })).toEqual(['completa'])
    await addPerson(portal, {
      email: 'sem-adm@grupopatio.com.br',
      types: (everything.types ?? []).filter((type) => type !== 'Administrativo'),
    })
    expect(await found({ allOf: 'types:administrativo' })).toEqual(['sem-adm'])
    expect(await found({ validity: 'ending' })).toEqual(['acaba-em-30', 'acaba-hoje'])
    expect(await found({ validity: 'ended' })).toEqual(['acabou'])
    expect(await found({ admin: 'true' })).toEqual(['admin'])
    expect(await found({ admin: 'false', validity: 'ended' })).toEqual(['acabou'])
    const [{ user_id } = { user_id: '' }] = await listAll(portal, admin, { q: 'acabou' })
    const { id } = await addFactor(portal, user_id)
    expect(await found({ secondFactor: 'true' })).toEqual(['acabou'])
    expect(await found({ secondFactor: 'false', admin: 'true' })).toEqual(['admin'])
    // One that was begun and never tried protects nobody.
    await portal.database.db.updateTable('factors').set({ verified_at: null }).where('id', '=', id).execute()
    expect(await found({ secondFactor: 'true' })).toEqual([])
    expect(await found({ secondFactor: 'false', validity: 'ended' })).toEqual(['acabou'])
  })

  test('starts with the hundred newest registrations', async () => {
    await sql`insert into profiles (email, created_at)
      select 'p' || n || '@grupopatio.com.br', timestamptz '2026-01-01' + n * interval '1 minute'
      from generate_series(1, 150) n`.execute(portal.database.db)
    const page = await listPage(portal, admin, { q: 'p' })
    expect(listEmails(page.items).filter((email) => email.startsWith('p'))).toEqual(
      Array.from({ length: page.items.length - 1 }, (_, index) => `p${150 - index}@grupopatio.com.br`),
    )
    expect(page.items).toHaveLength(100)
    expect(page.next).not.toBeNull()
  })

  test('pages without gaps or duplicates under concurrent changes', async () => {
    await addMany(40)
    const before = await listAll(portal, admin, { sort: 'full_name' })
    const first = await listPage(portal, admin, { sort: 'full_name', limit: 10 })
    const { db } = portal.database
    const ids = first.items.map(({ user_id }) => user_id)
    // The last row of the page is deleted, others move to the end, new ones appear on both sides.
    await db.deleteFrom('profiles').where('user_id', 'in', ids.slice(8)).execute()
    await db.updateTable('profiles').set({ approved: true }).execute()
    for (const full_name of ['Aa', 'Zz'])
      await addPerson(portal, { full_name, email: `${full_name}@x.br`.toLowerCase() })
    const rest = []
    for (let cursor = first.next; cursor; ) {
      const page = await listPage(portal, admin, { sort: 'full_name', limit: 7, cursor })
      rest.push(...page.items)
      cursor = page.next
    }
    const untouched = listEmails(before).slice(10)
    expect(listEmails(rest).filter((email) => email !== 'zz@x.br')).toEqual(untouched)
    expect(listEmails(rest)).toContain('zz@x.br')
  })

  test('pages through registrations within one millisecond', async () => {
    for (let micro = 1; micro <= 6; micro++)
      await sql`insert into profiles (email, created_at) values
        (${`m${9 - micro}@x.br`}, ${`2026-01-01T00:00:00.00000${micro}Z`}::timestamptz)`.execute(
        portal.database.db,
      )
    for (const order of ORDERS) {
      const got = listEmails(await listAll(portal, admin, { sort: 'created_at', order, limit: 2, q: 'x.br' }))
      const ascending = ['m8@x.br', 'm7@x.br', 'm6@x.br', 'm5@x.br', 'm4@x.br', 'm3@x.br']
      expect(got).toEqual(order === 'asc' ? ascending : ascending.toReversed())
    }
  })

  test('returns exactly the documented fields', async () => {
    const [person] = (await listPage(portal, admin, {})).items
    expect(person).toEqual({
      ...(await portal.database.db
        .selectFrom('profiles')
        .select(['id', 'user_id'])
        .executeTakeFirstOrThrow()),
      email: 'admin@grupopatio.com.br',
      full_name: null,
      approved: true,
      valid_until: null,
      email_verified_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
      created_at: expect.stringMatching(/Z$/),
      last_sign_in_at: null,
      types: ['Vendas'],
      marcas: ['FIAT'],
      estados: ['RJ'],
      role: 'admin',
      version: 1,
      request: null,
      invited_until: null,
    })
  })

  describe('refuses', () => {
    const cursor = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')
    test.each([
      ['a cursor of another order', { sort: 'email', cursor: cursor('email', 'desc', 'a', 'a') }],
      ['a cursor of another column', { sort: 'email', cursor: cursor('full_name', 'asc', 'a', 'a') }],
      ['no cursor at all', { sort: 'email', cursor: 'abc' }],
      ['a cursor without an e-mail', { sort: 'email', cursor: cursor('email', 'asc', 'a', null) }],
      ['a cursor with a NUL', { sort: 'email', cursor: cursor('email', 'asc', 'a', 'a\0') }],
      ['a null where none is', { sort: 'created_at', cursor: cursor('created_at', 'asc', null, 'a') }],
      [
        'a day that is none',
        { sort: 'created_at', cursor: cursor('created_at', 'asc', '2026-02-31T00:00:00.000000Z', 'a') },
      ],
      ['a status that is none', { sort: 'approved', cursor: cursor('approved', 'asc', 'maybe', 'a') }],
      ['another column', { sort: 'user_id' }],
      ['another order', { sort: 'email', order: 'up' }],
      ['a type that does not exist', { type: 'Compras' }],
      ['an unknown filter', { role: 'admin' }],
      ['no people a page', { limit: 0 }],
      ['too many people a page', { limit: 1001 }],
      ['a search that is too long', { q: 'x'.repeat(101) }],
    ])('%s', async (_, query) => {
      expect(await requestPage(portal, admin, query)).toMatchObject({
        status: 400,
        body: { code: 'invalid-input' },
      })
    })
  })
})

test.each(['nonsense', 'constructor', '__proto__'])('rejects an unknown filter %s', (name) => {
  const filter = Object.fromEntries([[name, true]]) as ProfileFilter
  expect(() => matchesFilter(filter)).toThrow(`no condition for the filter ${name}`)
})
