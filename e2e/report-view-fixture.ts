import { getEmulatedReport } from '#server/testing/builders.ts'
import type { RunningPortal } from './portal.ts'
import { toEmail } from './portal-fixture.ts'

/** Encodes what the emulated report captures. */
export const toState = (state: object) => Buffer.from(JSON.stringify(state)).toString('base64')
export const toFilter = (column: string, ...values: string[]) => ({
  target: { table: column, column },
  operator: 'In',
  values,
})

/** Adds a view to a seeded account. */
export async function addReportView(
  portal: RunningPortal,
  name: string,
  change: object = {},
): Promise<string> {
  const { db } = portal.database
  const { user_id } = await db
    .selectFrom('profiles')
    .select('user_id')
    .where('email', '=', toEmail(name))
    .executeTakeFirstOrThrow()
  const { reportId: report_id } = getEmulatedReport('Vendas')
  const state = toState({
    page: 'detalhe-por-estado',
    filters: [toFilter('Marca', 'GM'), toFilter('Estado', 'RJ')],
  })
  const view = {
    user_id,
    type: 'vendas',
    report_id,
    name: 'GM no RJ',
    state,
    updated_at: new Date(),
    ...change,
  }
  const { id } = await db.insertInto('report_views').values(view).returning('id').executeTakeFirstOrThrow()
  return id
}
