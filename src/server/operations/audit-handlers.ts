import type { auditRoutes, Reader } from '#contract/audit.ts'
import { toCsv } from '#contract/csv.ts'
import { describeGrant, formatPseudonym, formatUnknown, nameGiver } from '#contract/describe-access.ts'
import type { ReplyOf } from '#contract/route.ts'
import { findArea, readCatalogue } from '#server/catalogue/catalogue.ts'
import { runAdminTransaction } from '#server/http/admin-transaction.ts'
import type { Context } from '#server/http/context.ts'
import type { Handlers } from '#server/http/implement.ts'
import { formatDateTime } from '#server/mail/compose-mail.ts'
import { previewUndo } from '#server/users/undo-bulk-edit.ts'
import { readProfile } from '#server/users/user-queries.ts'
import { readAreaAccess, readPersonAccess } from './access-on-day.ts'
import { recordAudit } from './audit.ts'
import { exportTrail } from './export-trail.ts'
import { readTrail } from './trail.ts'
import { undoChange } from './undo-change.ts'

export function auditHandlers(): Handlers<typeof auditRoutes> {
  return {
    readTrail: ({ context: { db, clock, actor }, query }) =>
      readTrail(db, { ...query, reader: { id: actor.profile.user_id, now: clock() } }),
    exportTrail: ({ context, query }) => exportTrail(context, query),
    readAreaAccess: ({ context, params, query }) =>
      readAreaAccess(context.db, { slug: params.type, ...query, now: context.clock() }),
    exportAreaAccess: ({ context, params, query }) => exportAreaAccess(context, params.type, query.on),
    async recordDownload({ context, body: { userId, ...after } }) {
      await runAdminTransaction(context, async (db) => {
        const target = userId === undefined ? undefined : await readProfile(db, userId)
        await recordAudit({ ...context, db }, { action: 'file-downloaded', after, ...(target && { target }) })
      })
      return undefined
    },
    undoChange: ({ context, params }) => undoChange(context, params.undoId),
    previewUndo: ({ context, params }) => previewUndo(context, params.undoId),
    readPersonAccess: ({ context, params, query }) =>
      readPersonAccess(context.db, { ...params, ...query, now: context.clock() }),
  }
}

const COLUMNS: readonly [head: string, format: (reader: Reader) => string][] = [
  ['E-mail', ({ email, user_id }) => email ?? formatPseudonym(user_id)],
  ['Nome', ({ full_name }) => full_name ?? ''],
  ['Desde', ({ since }) => (since ? formatDateTime(new Date(since)).replace(',', '') : 'sem registro')],
  ['Por meio de', describeGrant],
  ['Quem deu', ({ by }) => nameGiver(by ?? '')],
  ['Até', ({ until }) => until?.split('-').reverse().join('/') ?? 'sem prazo'],
  ['Marcas', ({ marcas }) => marcas.join(', ')],
  ['Estados', ({ estados }) => estados.join(', ')],
]

/** Formats who sees an area; before the trail's reach a single line says that nothing is known. */
export function formatReaders({
  known,
  readers,
  unknown,
}: ReplyOf<typeof auditRoutes.readAreaAccess>): string {
  if (!known) return toCsv([['Não há registro deste dia']])
  return toCsv([
    COLUMNS.map(([head]) => head),
    ...readers.map((reader) => COLUMNS.map(([, write]) => write(reader))),
    ...(unknown > 0 ? [[formatUnknown(unknown)]] : []),
  ])
}

function exportAreaAccess(context: Context, slug: string, on: string | undefined) {
  return runAdminTransaction(context, async (db) => {
    const { label } = findArea(await readCatalogue(db), { slug })
    const found = await readAreaAccess(db, { slug, on, now: context.clock() })
    const after = { type: label, people: found.readers.length, ...(on && { on }) }
    await recordAudit({ ...context, db }, { action: 'access-exported', after })
    return { csv: formatReaders(found), people: found.readers.length }
  })
}
