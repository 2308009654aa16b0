import { sql } from 'kysely'
import { toCsv } from '#contract/csv.ts'
import type { QueryOf, ReplyOf } from '#contract/route.ts'
import { hasPassed, MAX_IDS } from '#contract/user-rules.ts'
import type { ManagedProfile, userRoutes } from '#contract/users.ts'
import type { Db } from '#server/database/schema.ts'
import { runAdminTransaction } from '#server/http/admin-transaction.ts'
import type { Context } from '#server/http/context.ts'
import { formatDateTime } from '#server/mail/compose-mail.ts'
import { recordAudit } from '#server/operations/audit.ts'
import { listUsers } from './list-users.ts'
import { HAS_SECOND_FACTOR } from './user-queries.ts'

type Route = typeof userRoutes.exportProfiles

const COLUMNS: readonly [head: string, (profile: ManagedProfile, now: number) => string][] = [
  ['E-mail', ({ email }) => email],
  ['Nome', ({ full_name }) => full_name ?? ''],
  ['Papel', ({ role }) => (role === 'admin' ? 'Administrador' : 'Usuário')],
  ['Status', formatStatus],
  ['E-mail verificado', ({ email_verified_at }) => formatDate(email_verified_at)],
  ['Cadastro', ({ created_at }) => formatDate(created_at)],
  ['Último acesso', ({ last_sign_in_at }) => formatDate(last_sign_in_at) || 'Nunca'],
  ['Válido até', ({ valid_until }) => valid_until?.split('-').reverse().join('/') ?? ''],
  ['Áreas', ({ types }) => types.join(', ')],
  ['Marcas', ({ marcas }) => marcas.join(', ')],
  ['Estados', ({ estados }) => estados.join(', ')],
]

/** Lists the heads and the matching people in the order of the list, with dates of São Paulo. */
export async function listUserLines(db: Db, wanted: QueryOf<Route>, now: number): Promise<string[][]> {
  const lines = [[...COLUMNS.map(([head]) => head), 'Segunda etapa']]
  const { rows } = await sql<{ user_id: string }>`
    select user_id from profiles p where ${HAS_SECOND_FACTOR}`.execute(db)
  const withFactor = new Set(rows.map(({ user_id }) => user_id))
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await listUsers(db, { ...wanted, limit: MAX_IDS, ...(cursor && { cursor }) })
    for (const profile of page.items) {
      const cells = COLUMNS.map(([, formatCell]) => formatCell(profile, now))
      lines.push([...cells, withFactor.has(profile.user_id) ? 'Sim' : 'Não'])
    }
    cursor = page.next
  }
  return lines
}

/** Exports the matching people as CSV. */
export async function exportUserList(context: Context, wanted: QueryOf<Route>): Promise<ReplyOf<Route>> {
  return runAdminTransaction(context, async (db) => {
    const lines = await listUserLines(db, wanted, context.clock())
    const people = lines.length - 1
    // The search text may be a name, which the audit trail must not hold.
    const { sort: _, order: __, q, ...filter } = wanted
    const filterTexts = Object.entries(filter).map(([name, value]) => [name, String(value)])
    const after = { people, ...Object.fromEntries(filterTexts), ...(q && { searched: true }) }
    await recordAudit({ ...context, db }, { action: 'list-exported', after })
    return { csv: toCsv(lines), people }
  })
}

/** Returns the same text as the status column of the user table. */
function formatStatus({ approved, valid_until }: ManagedProfile, now: number): string {
  if (!approved) return 'Pendente'
  return hasPassed(valid_until ?? '', now) ? 'Acesso encerrado' : 'Aprovado'
}

/** Returns '21/11/2026 09:05', which Excel in Portuguese parses as a date. */
function formatDate(instant: string | null): string {
  return instant ? formatDateTime(new Date(instant)).replace(',', '') : ''
}
