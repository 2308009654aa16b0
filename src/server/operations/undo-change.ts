import { isRecentlyAuthenticated } from '#contract/access.ts'
import type { auditRoutes } from '#contract/audit.ts'
import type { UNDOABLE_THINGS } from '#contract/audit-actions.ts'
import type { ReplyOf } from '#contract/route.ts'
import { undoCatalogueChange } from '#server/catalogue/change-catalogue.ts'
import type { Context } from '#server/http/context.ts'
import { runIdempotent } from '#server/http/idempotency.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { undoFurtherReport } from '#server/reports/further-reports.ts'
import { undoReportSetting } from '#server/reports/report-settings.ts'
import { undoNoticeChange } from '#server/support/notices.ts'
import { assertNotRenamed, assertOwnAndRecent, undoBulkEdit } from '#server/users/undo-bulk-edit.ts'
import type { ChangeToUndo } from './audit.ts'

interface Undo {
  run: (context: Context, change: ChangeToUndo) => Promise<unknown>
  /** Whether the change asked for a recent authentication. */
  needsRecent?: true
  /** Whether the entry holds labels of areas. */
  namesAreas?: true
}

const undoReport: Undo = {
  // Only further reports have a place in their area.
  run: (context, change) =>
    ('position' in (change.before ?? change.after ?? {}) ? undoFurtherReport : undoReportSetting)(
      context,
      change,
    ),
  needsRecent: true,
  namesAreas: true,
}
const UNDOS: Record<(typeof UNDOABLE_THINGS)[number], Undo> = {
  'report-setting-saved': undoReport,
  'report-setting-removed': undoReport,
  'catalogue-item-changed': { run: undoCatalogueChange },
  'catalogue-ordered': { run: undoCatalogueChange },
  // It asks for a recent authentication where the notice does.
  'notice-changed': { run: undoNoticeChange, namesAreas: true },
  'notice-removed': { run: undoNoticeChange, namesAreas: true },
}

/**
 * Undoes the caller's change of people or of a thing, unless it was changed since. The undo of a thing
 * is an entry of its own in the change's batch.
 * @throws ProblemError not-found for an unknown, foreign, undone or expired change, conflict,
 *   reauthentication-needed
 */
export async function undoChange(
  context: Context,
  undoId: string,
): Promise<ReplyOf<typeof auditRoutes.undoChange>> {
  const readEntries = ({ db }: Pick<Context, 'db'>) =>
    db
      .selectFrom('audit_entries')
      .select(['id', 'at', 'action', 'actor_id', 'before', 'after'])
      .where('batch_id', '=', undoId)
      .orderBy('id')
      .limit(2)
      .execute()
  const [first] = await readEntries(context)
  const undo = first && Object.hasOwn(UNDOS, first.action) && UNDOS[first.action as keyof typeof UNDOS]
  if (!undo) return undoBulkEdit(context, undoId)
  if (undo.needsRecent && !isRecentlyAuthenticated(context.actor, 'many'))
    throw new ProblemError('reauthentication-needed')
  return runIdempotent(context, async (db) => {
    const txContext = { ...context, db }
    const [change, another] = await readEntries(txContext)
    assertOwnAndRecent(context, change, another !== undefined)
    if (undo.namesAreas) await assertNotRenamed(db, change.id)
    const { before, after } = change as Pick<ChangeToUndo, 'before' | 'after'>
    await undo.run(txContext, { before, after, batchId: undoId })
    return { restored: 0, changed: [] }
  })
}
