import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { PROFILE_SORTS } from '#contract/user-rules.ts'
import type { ManagedProfile } from '#contract/users.ts'
import { type Admin, listAll, openAdmin } from '#server/testing/admin-calls.ts'
import { addPerson, send } from '#server/testing/builders.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const PEOPLE = {
  'joao.conceicao@x.br': { full_name: 'João da Conceição', types: ['Vendas', 'CRM'] },
  'maria_jose@x.br': { full_name: 'Maria José D’Ávila', marcas: ['FIAT', 'VW'] },
  'zelia@x.br': { full_name: 'ZÉLIA ÂNGELA', approved: false, email_verified_at: null },
  'cem@x.br': { full_name: '100% Carros\\Motos', estados: ['MG'] },
  'sem.nome@x.br': { full_name: null, types: ['administrativo'], approved: false },
  'ana-clara@x.br': { full_name: 'Ana\u2013Clara D\u0027Ávila' },
  // Decomposed accents (NFD), as some systems write them.
  'decomposto@x.br': { full_name: 'Ju\u0301lia Nun\u0303es' },
}
type Name = keyof typeof PEOPLE

describeOnEachDatabase('searching and filtering users', (kind) => {
  const portal = setUpPortal({ kind })
  let admin: Admin
  beforeAll(async () => {
    admin = await openAdmin(portal, { email: 'admin@grupopatio.com.br' })
    const nothing = { types: [], marcas: [], estados: [] }
    for (const [email, person] of Object.entries(PEOPLE))
      await addPerson(portal, { email, ...nothing, ...person })
  })

  const found = async (query: object) => {
    const people = await listAll(portal, admin, query)
    return people.map(({ email }) => email).filter((email) => email.endsWith('@x.br'))
  }

  test.each<[string, Name[]]>([
    ['joao', ['joao.conceicao@x.br']],
    ['JOÃO', ['joao.conceicao@x.br']],
    ['conceicao joão', ['joao.conceicao@x.br']],
    ['  Conceição   da ', ['joao.conceicao@x.br']],
    ['joao maria', []],
    ['zélia', ['zelia@x.br']],
    ['angela', ['zelia@x.br']],
    ['Jo', ['joao.conceicao@x.br', 'maria_jose@x.br']],
    ['julia nunes', ['decomposto@x.br']],
    ['ju\u0301lia', ['decomposto@x.br']],
    ['maria_', ['maria_jose@x.br']],
    ['_', ['maria_jose@x.br']],
    ['%', ['cem@x.br']],
    ['100%', ['cem@x.br']],
    // A full-width percent sign folds to '%'.
    ['％', ['cem@x.br']],
    ['0%', ['cem@x.br']],
    ['s\\m', ['cem@x.br']],
    ['\\', ['cem@x.br']],
    ['nome@', ['sem.nome@x.br']],
    // An apostrophe or a dash in each spelling, and nothing else in its place.
    ["d'avila", ['ana-clara@x.br', 'maria_jose@x.br']],
    ['D\u2019Ávila', ['ana-clara@x.br', 'maria_jose@x.br']],
    ['ana-clara', ['ana-clara@x.br']],
    ['Ana\u2010Clara', ['ana-clara@x.br']],
    ['maria-jose', []],
    ["' or 1=1 --", []],
    ['.*', []],
  ])('%j finds %j', async (q, emails) => {
    expect(await found({ q, sort: 'email' })).toEqual(emails)
  })

  test.each<[object, Name[]]>([
    [{ type: 'CRM' }, ['joao.conceicao@x.br']],
    [{ type: 'Administrativo' }, ['sem.nome@x.br']],
    [{ marca: 'VW' }, ['maria_jose@x.br']],
    [{ estado: 'MG' }, ['cem@x.br']],
    [{ approved: 'false' }, ['sem.nome@x.br', 'zelia@x.br']],
    [{ verified: 'false' }, ['zelia@x.br']],
    [{ approved: 'false', verified: 'true' }, ['sem.nome@x.br']],
    [{ q: 'x.br', approved: 'true', marca: 'FIAT' }, ['maria_jose@x.br']],
    [{ q: '' }, Object.keys(PEOPLE).toSorted() as Name[]],
  ])('%j finds %j', async (query, emails) => {
    expect(await found({ ...query, sort: 'email' })).toEqual(emails)
  })

  test('counts the matches; the other counts ignore the filter', async () => {
    const count = async (query: string) =>
      (await send(portal, 'GET', `/api/profiles/count${query}`, admin)).body
    expect(await count('')).toEqual({ total: 8, pending: 2, waiting: 2, requests: 0 })
    expect(await count('?q=joao&approved=true')).toEqual({ total: 1, pending: 2, waiting: 2, requests: 0 })
    expect(await count('?approved=false')).toEqual({ total: 2, pending: 2, waiting: 2, requests: 0 })
  })

  describe('among thousands', () => {
    const COUNT = 6_000
    beforeAll(async () => {
      await sql`insert into profiles (email, full_name, approved, email_verified_at, last_sign_in_at, created_at, types)
        select 'n' || lpad(n::text, 5, '0') || case when n % 500 < 5 then 'qz.raro' else '' end || '@muitos.br',
          case when n % 10 > 0 then 'Nome ' || (n % 7) end, n % 3 > 0,
          case when n % 4 > 0 then now() - n * interval '1 minute' end,
          case when n % 5 > 0 then now() - n % 50 * interval '1 minute' end,
          timestamptz '2026-01-01' + n * interval '1 minute',
          case when n % 2000 = 1 then '{Slack}'::text[] else '{}' end
        from generate_series(1, ${sql.lit(COUNT)}) n`.execute(portal.database.db)
    })
    const list = async (query: object) => {
      const people = await listAll(portal, admin, query)
      return people.filter(({ email }) => email.endsWith('@muitos.br'))
    }
    const emails = (people: ManagedProfile[]) => people.map(({ email }) => email)

    describe.each(
      PROFILE_SORTS.flatMap((sort) => [
        { sort, order: 'asc' },
        { sort, order: 'desc' },
      ]),
    )('by $sort $order', (order) => {
      test('a filtered list keeps the order of the full list', async () => {
        const all = await list({ ...order, limit: 1000, q: 'muitos' })
        expect(new Set(emails(all)).size).toBe(COUNT)
        const few = all.filter(({ email }) => email.includes('raro'))
        expect(few).toHaveLength(60)
        for (const q of ['raro', 'qz'])
          for (const limit of [25, 100])
            expect(emails(await list({ ...order, limit, q })), `${q} by ${limit}`).toEqual(emails(few))
        const slack = all.filter(({ types }) => types.includes('Slack'))
        expect(emails(await list({ ...order, limit: 2, type: 'Slack' }))).toEqual(emails(slack))
        const pending = all.filter(({ approved }) => !approved)
        expect(emails(await list({ ...order, limit: 700, approved: 'false' }))).toEqual(emails(pending))
        const unverified = pending.filter(({ email_verified_at }) => email_verified_at === null)
        const query = { ...order, limit: 300, approved: 'false', verified: 'false' }
        expect(emails(await list(query))).toEqual(emails(unverified))
      })
    })
  })
})
