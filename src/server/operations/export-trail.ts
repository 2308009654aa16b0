import type { TrailEntry, TrailFilter } from '#contract/audit.ts'
import { toCsv } from '#contract/csv.ts'
import { formatPseudonym } from '#contract/describe-access.ts'
import { describeChange, formatState, nameNobody } from '#contract/describe-change.ts'
import { escapeJsonLine, toOneLine } from '#contract/text-rules.ts'
import { toSaoPauloDay } from '#contract/user-rules.ts'
import type { Db } from '#server/database/schema.ts'
import { assertStillAdmin, runAdminTransaction } from '#server/http/admin-transaction.ts'
import type { Context } from '#server/http/context.ts'
import type { FileReply } from '#server/http/implement.ts'
import { formatDateTime } from '#server/mail/compose-mail.ts'
import { recordAudit } from './audit.ts'
import { readTrail, resolveTrailFilter } from './trail.ts'

const CHUNK = 1_000
/** The column's width in sentences: all but the longest addresses. */
const WHO_WIDTH = 40

/** Names a deleted person as the screens do. */
const formatWho = (email: string | null, id: string | null | undefined): string =>
  email ?? (id ? formatPseudonym(id) : '')

const COLUMNS: readonly [head: string, format: (entry: TrailEntry) => string][] = [
  ['Quando', ({ at }) => formatDateTime(new Date(at)).replace(',', '')],
  ['Quem', (entry) => formatWho(entry.actor_email, entry.actor_id) || nameNobody(entry)],
  ['Com quem', ({ target_email, target_id }) => formatWho(target_email, target_id)],
  ['O que aconteceu', (entry) => describeChange(entry)],
  ['Antes', ({ before }) => formatState(before)],
  ['Depois', ({ after }) => formatState(after)],
  ['De onde (IP)', ({ ip }) => ip ?? ''],
  ['Navegador', ({ user_agent }) => user_agent ?? ''],
  ['Código', ({ action }) => action],
  ['Horário exato (UTC)', ({ at }) => at],
]

/** Yields all entries that match, newest first: CSV for Excel in Portuguese, JSON lines or sentences. */
export async function* writeTrail(
  db: Db,
  filter: TrailFilter,
  format: 'csv' | 'jsonl' | 'text',
): AsyncGenerator<string> {
  if (format === 'csv') yield toCsv([COLUMNS.map(([head]) => head)])
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await readTrail(db, { ...filter, limit: CHUNK, ...(cursor && { cursor }) })
    if (format === 'csv')
      // The byte order mark stands only once, before the heads.
      yield toCsv(page.items.map((entry) => COLUMNS.map(([, write]) => write(entry)))).slice(1)
    else yield page.items.map((entry) => `${format === 'text' ? toLine(entry) : toJson(entry)}\n`).join('')
    cursor = page.next
  }
}

/** Cuts or pads a cell, so that the next column stays in its place. */
export const fitColumn = (cell: string, width: number): string =>
  (cell.length > width ? `${cell.slice(0, width - 1)}…` : cell).padEnd(width)

const toJson = (entry: TrailEntry) =>
  escapeJsonLine(JSON.stringify({ ...entry, sentence: describeChange(entry) }))
const toLine = (entry: TrailEntry) =>
  toOneLine(
    [
      formatDateTime(new Date(entry.at)),
      fitColumn(formatWho(entry.target_email, entry.target_id), WHO_WIDTH),
      describeChange(entry),
    ].join('  '),
  )

/** Exports what matches as a stream that reads as the browser takes it; the export is an entry itself. */
export async function exportTrail(
  context: Context,
  { format, ...filter }: TrailFilter & { format: 'csv' | 'jsonl' },
): Promise<FileReply> {
  // A filter that names nobody is refused before the stream begins.
  const resolved = await resolveTrailFilter(context.db, filter)
  await runAdminTransaction(context, (db) =>
    recordAudit({ ...context, db }, { action: 'trail-exported', after: { format, ...redact(filter) } }),
  )
  const parts = writeTrail(context.db, resolved, format)
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // A long download ends with the session or the role.
      await assertStillAdmin(context.db, context.actor)
      const { done, value } = await parts.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    cancel: async () => void (await parts.return(undefined)),
  })
  const name = `auditoria ${toSaoPauloDay(context.clock())}.${format}`
  return { body, name, type: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson' }
}

/** Deletion erases ids and e-mails only as whole values, so a typed name must not be kept. */
function redact({ person, actor, ...rest }: TrailFilter): object {
  return { ...rest, ...(person && { searched: true }), ...(actor && { searched: true }) }
}
