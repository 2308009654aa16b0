import type { DataRefresh } from '#contract/report-settings.ts'
import { findArea, readCatalogue } from '#server/catalogue/catalogue.ts'
import type { Db } from '#server/database/schema.ts'
import { runAdminTransaction } from '#server/http/admin-transaction.ts'
import type { Context } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import type { ConsumeRateLimit } from '#server/http/rate-limits.ts'
import { formatInstant } from '#server/mail/compose-mail.ts'
import { recordAudit } from '#server/operations/audit.ts'
import type { LastRefresh, PowerBi, ReportRef } from '#server/power-bi/power-bi.ts'

/** Bounds the calls to Power BI; the browser polls a running refresh every five seconds. */
const LIMIT = { max: 60, windowSeconds: 60 }
const ADMINISTRATOR = 'o administrador do Power BI precisa'
const DAILY_LIMIT = 'Em capacidade compartilhada o Power BI aceita oito por dia, com as agendadas.'
const STARTED = `O Power BI começou a atualizar os dados. ${DAILY_LIMIT}`
const ALREADY_RUNNING = 'Os dados já estão sendo atualizados no Power BI.'
const NO_WRITE_PERMISSION = `O aplicativo do portal não pode atualizar os dados deste modelo: ${ADMINISTRATOR} incluí-lo como membro ou colaborador do espaço de trabalho do modelo, não só como visualizador.`
const UNKNOWN = 'O Power BI não diz quando os dados deste modelo foram atualizados.'

export interface DataRefreshContext extends Context {
  powerBi: PowerBi
  consumeRateLimit: ConsumeRateLimit
}

/**
 * Starts a refresh of the data of an area's saved report; the request is audited, also if refused.
 * @throws ProblemError not-found without such a report; rate-limited, power-bi-rejected,
 *   power-bi-unavailable, capacity-paused
 */
export async function startDataRefresh(context: DataRefreshContext, slug: string): Promise<DataRefresh> {
  await consumeLimit(context)
  const report = await runAdminTransaction(context, async (db) => {
    const { label, ...found } = await findSavedReport(db, slug)
    await recordAudit({ ...context, db }, { action: 'report-refresh-requested', after: { type: label } })
    return found
  })
  const outcome = await context.powerBi.startRefresh(report)
  if (outcome === 'no-write-permission') return { status: outcome, message: NO_WRITE_PERMISSION }
  return { status: 'running', message: outcome === 'started' ? STARTED : ALREADY_RUNNING }
}

/**
 * Reads the newest refresh of the data of an area's saved report.
 * @throws ProblemError as startDataRefresh does
 */
export async function readDataRefresh(context: DataRefreshContext, slug: string): Promise<DataRefresh> {
  await consumeLimit(context)
  return describeRefresh(await context.powerBi.readRefresh(await findSavedReport(context.db, slug)))
}

function consumeLimit({ actor, consumeRateLimit }: DataRefreshContext): Promise<void> {
  return consumeRateLimit(`refresh-data ${actor.profile.user_id}`, LIMIT)
}

async function findSavedReport(db: Db, slug: string): Promise<ReportRef & { label: string }> {
  const { label } = findArea(await readCatalogue(db), { slug })
  const setting = await db
    .selectFrom('global_powerbi_settings')
    .select(['workspace_id', 'report_id', 'dataset_id'])
    .where('type', '=', slug)
    .executeTakeFirst()
  if (!setting?.workspace_id || !setting.report_id) {
    const detail = `A área ${label} não tem um relatório salvo em “Service Principal”.`
    throw new ProblemError('not-found', { detail })
  }
  const { workspace_id: workspaceId, report_id: reportId, dataset_id: datasetId } = setting
  return { label, workspaceId, reportId, datasetId }
}

function describeRefresh(refresh: LastRefresh | undefined): DataRefresh {
  const { refreshedAt, failure, runningSince } = refresh ?? {}
  if (runningSince)
    return {
      status: 'running',
      message: `Atualização em andamento desde ${formatInstant(runningSince)}. Pode levar vários minutos.`,
    }
  if (failure) {
    const code = failure.code ? ` (código ${failure.code})` : ''
    const message = `A última atualização falhou em ${formatInstant(failure.at)}${code}: ${ADMINISTRATOR} ver o motivo no histórico de atualizações do modelo.`
    return { status: 'failed', message }
  }
  if (!refreshedAt) return { status: 'unknown', message: UNKNOWN }
  return { status: 'completed', message: `Dados atualizados em ${formatInstant(refreshedAt)}.` }
}
