import { expect, test } from 'vitest'
import { readTrail } from '#server/testing/admin-calls.ts'
import { addFactor, addPerson, send } from '#server/testing/builders.ts'
import { setUpAdmin, setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

describeOnEachDatabase('CSV export of the user list', (kind) => {
  const portal = setUpPortal({ kind })
  const admin = setUpAdmin(portal, {
    email: 'zz@grupopatio.com.br',
    types: [],
    created_at: new Date('2026-01-02T02:30Z'),
  })
  const exportList = (query: object) =>
    send(portal, 'GET', `/api/profiles/export?${new URLSearchParams(query as Record<string, string>)}`, admin)

  test('holds the matches in list order and escapes formulas', async () => {
    const dates = { email_verified_at: null, created_at: new Date('2026-01-02T02:30Z') }
    await addPerson(portal, {
      email: 'ana@grupopatio.com.br',
      full_name: '=1+1;"x"',
      types: ['Vendas', 'CRM'],
      valid_until: '2026-12-31',
      ...dates,
    })
    await addPerson(portal, {
      email: '-bia@grupopatio.com.br',
      full_name: ' @soma',
      approved: false,
      ...dates,
    })
    for (const [index, sign] of [...'＝＋－＠'].entries())
      await addPerson(portal, { email: `eva${index}@grupopatio.com.br`, full_name: `${sign}1`, ...dates })
    const lia = await addPerson(portal, {
      email: 'lia@grupopatio.com.br',
      valid_until: '2020-01-31',
      ...dates,
    })
    await addFactor(portal, lia.user_id)
    const { status, body } = await exportList({ sort: 'email', verified: 'false' })
    expect(status).toBe(200)
    expect(body.people).toBe(7)
    expect(body.csv.split('\r\n')).toEqual([
      '\ufeffE-mail;Nome;Papel;Status;E-mail verificado;Cadastro;Último acesso;Válido até;Áreas;Marcas;Estados;Segunda etapa',
      "'-bia@grupopatio.com.br;' @soma;Usuário;Pendente;;01/01/2026 23:30;Nunca;;Vendas;FIAT;RJ;Não",
      `ana@grupopatio.com.br;"'=1+1;""x""";Usuário;Aprovado;;01/01/2026 23:30;Nunca;31/12/2026;Vendas, CRM;FIAT;RJ;Não`,
      ...[...'＝＋－＠'].map(
        (sign, index) =>
          `eva${index}@grupopatio.com.br;'${sign}1;Usuário;Aprovado;;01/01/2026 23:30;Nunca;;Vendas;FIAT;RJ;Não`,
      ),
      'lia@grupopatio.com.br;;Usuário;Acesso encerrado;;01/01/2026 23:30;Nunca;31/01/2020;Vendas;FIAT;RJ;Sim',
      '',
    ])
    expect((await exportList({ q: 'ana', type: 'Vendas' })).body.people).toBe(1)
    const trail = (await readTrail(portal)).map(({ action, actor_id, after }) => ({
      action,
      actor_id,
      after,
    }))
    expect(trail).toEqual([
      { action: 'list-exported', actor_id: admin.user_id, after: { people: 7, verified: 'false' } },
      {
        action: 'list-exported',
        actor_id: admin.user_id,
        after: { people: 1, type: 'Vendas', searched: true },
      },
    ])
    expect((await exportList({ type: 'Compras' })).status).toBe(400)
  })

  test('holds all people beyond one page', async () => {
    const people = Array.from({ length: 1_100 }, (_, index) => ({ email: `p${index}@grupopatio.com.br` }))
    await portal.database.db.insertInto('profiles').values(people).execute()
    const { body } = await exportList({})
    expect(body.people).toBe(1_101)
    expect(new Set(body.csv.split('\r\n')).size).toBe(1_103)
  })
})
