import type { Db } from '#server/database/schema.ts'
import { recordAudit } from '#server/operations/record-audit.ts'
import { refuseStaleWrite } from './refuse-stale-write.ts'
import { auditedSetting, lockReportSetting } from './report-settings-queries.ts'
import type { ReportSettingWrite } from './save-report-setting.ts'

/**
 * Takes an area's report away (mode 'Nenhum').
 * @returns removed: false when there was none, also when somebody else has removed it meanwhile
 * @throws ProblemError conflict when somebody else has changed the setting meanwhile
 */
export async function removeReportSetting(
  { db, clock }: { db: Db; clock: () => number },
  { type, ifMatch, actor, request }: ReportSettingWrite,
): Promise<{ removed: boolean }> {
  return db.transaction().execute(async (transaction) => {
    const current = await lockReportSetting(transaction, type)
    if (!current) return { removed: false }
    await refuseStaleWrite(transaction, actor, type, { ifMatch, current })
    await transaction.deleteFrom('global_powerbi_settings').where('id', '=', current.id).execute()
    await recordAudit(transaction, {
      action: 'report-setting-removed',
      actor: actor.profile,
      before: auditedSetting(current, type),
      request,
      at: new Date(clock()),
    })
    return { removed: true }
  })
}
