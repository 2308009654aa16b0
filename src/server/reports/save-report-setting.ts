import { type AccessType, slugOfType } from '#contract/catalogue.ts'
import type { ReportSetting, ReportSettingInput } from '#contract/report-settings.ts'
import { checkReportSetting, normalizeShareUrl } from '#contract/report-settings.ts'
import type { Db } from '#server/database/schema.ts'
import type { Actor, RequestInfo } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { recordAudit } from '#server/operations/record-audit.ts'
import { refuseAsChanged, refuseStaleWrite } from './refuse-stale-write.ts'
import {
  auditedSetting,
  lockReportSetting,
  presentReportSetting,
  type ReportSettingRow,
} from './report-settings-queries.ts'

type Columns = Pick<
  ReportSettingRow,
  'embed_mode' | 'report_url' | 'workspace_id' | 'report_id' | 'dataset_id'
>

/**
 * The columns of a checked input: the share URL in its normal form, the other mode's keys empty.
 * @throws ProblemError invalid-input with the words of SPEC section 5
 */
export function columnsOf(input: ReportSettingInput, hosts: readonly string[]): Columns {
  const fields = checkReportSetting(input, hosts)
  if (fields[0]) throw new ProblemError('invalid-input', { detail: fields[0].message, fields })
  const nothing = { report_url: null, workspace_id: null, report_id: null, dataset_id: null }
  if (input.embed_mode === 'secure_sso')
    return { ...nothing, embed_mode: input.embed_mode, report_url: normalizeShareUrl(input.report_url) }
  const { embed_mode, workspace_id, report_id, dataset_id } = input
  return { ...nothing, embed_mode, workspace_id, report_id, dataset_id: dataset_id || null }
}

export interface ReportSettingWrite {
  type: AccessType
  ifMatch: string | undefined
  actor: Actor
  request: RequestInfo
}

/**
 * Says which report an area shows. Saving what is there already changes nothing.
 * @throws ProblemError invalid-input; conflict when somebody else has changed the setting meanwhile
 */
export async function saveReportSetting(
  { db, clock, powerBiHosts }: { db: Db; clock: () => number; powerBiHosts: string[] },
  input: ReportSettingInput,
  { type, ifMatch, actor, request }: ReportSettingWrite,
): Promise<ReportSetting> {
  const columns = columnsOf(input, powerBiHosts)
  return db.transaction().execute(async (transaction) => {
    const current = await lockReportSetting(transaction, type)
    await refuseStaleWrite(transaction, actor, type, { ifMatch, current })
    if (current && isSame(current, columns)) return presentReportSetting(current, type)
    const at = new Date(clock())
    const saved = current
      ? await update(transaction, current, columns, at)
      : await insert(transaction, { type: slugOfType(type), ...columns, updated_at: at })
    // Two who saw no setting: the other one's is there now.
    if (!saved) return refuseAsChanged(transaction, actor, type)
    await recordAudit(transaction, {
      action: 'report-setting-saved',
      actor: actor.profile,
      ...(current && { before: auditedSetting(current, type) }),
      after: auditedSetting(saved, type),
      request,
      at,
    })
    return presentReportSetting(saved, type)
  })
}

function isSame(row: ReportSettingRow, columns: Columns): boolean {
  return (Object.keys(columns) as (keyof Columns)[]).every((key) => row[key] === columns[key])
}

/** The instant doubles as the version, so it always moves on, by a millisecond at least. */
function update(db: Db, current: ReportSettingRow, columns: Columns, at: Date) {
  const updated_at = new Date(Math.max(at.getTime(), current.updated_at.getTime() + 1))
  return db
    .updateTable('global_powerbi_settings')
    .set({ ...columns, updated_at })
    .where('id', '=', current.id)
    .returningAll()
    .executeTakeFirst()
}

function insert(db: Db, row: Columns & { type: string; updated_at: Date }) {
  return db
    .insertInto('global_powerbi_settings')
    .values(row)
    .onConflict((conflict) => conflict.column('type').doNothing())
    .returningAll()
    .executeTakeFirst()
}
