import { REFRESH_ENDS } from '#contract/messages.ts'
import type { DataRefresh } from '#contract/report-settings.ts'
import { findArea } from '#server/catalogue/catalogue.ts'
import type { Db } from '#server/database/schema.ts'
import { runAdminTransaction } from '#server/http/admin-transaction.ts'
import type { Context } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import type { ConsumeRateLimit } from '#server/http/rate-limits.ts'
import { formatInstant } from '#server/mail/compose-mail.ts'
import { recordAudit } from '#server/operations/audit.ts'
import type { LastRefresh, PowerBi, ReportRef } from '#server/power-bi/power-bi.ts'
import { readReports } from './own-reports.ts'

/** Bounds the calls to Power BI; the browser polls a running refresh every five seconds. */
const LIMIT = { max: 60, windowSeconds: 60 }
const ADMINISTRATOR = 'o administrador do Power BI precisa'
const DAILY_LIMIT = 'Em capacidade compartilhada o Power BI aceita oito por dia, com as agendadas.'
const STARTED = `O Power BI começou a atualizar os dados. ${DAILY_LIMIT}`
const UNKNOWN = 'O Power BI não diz quando os dados deste modelo foram atualizados.'

export interface DataRefreshContext extends Context {
  powerBi: PowerBi
  consumeRateLimit: ConsumeRateLimit
}

interface SavedReport {
  /** Slug of the area. */
  type: string
  /** Id of a further report. */
  report?: string | undefined
}

/**
 * Starts a refresh of the data of an area's saved report; the request is audited, also if refused.
 * @throws ProblemError not-found without such a report; rate-limited, power-bi-rejected,
 *   power-bi-unavailable, capacity-paused
 */
export async function startDataRefresh(
  context: DataRefreshContext,
  wanted: SavedReport,
): Promise<DataRefresh> {
  await consumeLimit(context)
  const report = await runAdminTransaction(context, async (db) => {
    const { label, name, ref } = await findSavedReport(db, wanted)
    const after = { type: label, ...(name !== label && { name }) }
    await recordAudit({ ...context, db }, { action: 'report-refresh-requested', after })
    return ref
  })
  const failure = await context.powerBi.startRefresh(report)
  if (!failure) return { status: 'running', message: STARTED }
  return {
    status: failure.outcome === 'refresh-running' ? 'running' : failure.outcome,
    message: failure.message,
  }
}

/**
 * Reads the newest refresh of the data of an area's saved report.
 * @throws ProblemError as startDataRefresh does
 */
export async function readDataRefresh(
  context: DataRefreshContext,
  wanted: SavedReport,
): Promise<DataRefresh> {
  await consumeLimit(context)
  const { ref } = await findSavedReport(context.db, wanted)
  return describeRefresh(await context.powerBi.readRefresh(ref), context.clock())
}

function consumeLimit({ actor, consumeRateLimit }: DataRefreshContext): Promise<void> {
  return consumeRateLimit(`refresh-data ${actor.profile.user_id}`, LIMIT)
}

/** Finds a report of an area; its first one without an id. @throws ProblemError not-found */
async function findSavedReport(db: Db, { type: slug, report: id }: SavedReport) {
  const { catalogue, reports } = await readReports(db)
  const { label } = findArea(catalogue, { slug })
  const report = reports.find((each) => each.type === slug && (id === undefined || each.id === id))
  if (!report?.workspace_id || !report.report_id) {
    const detail = `A área ${label} não tem um relatório salvo em “Service Principal”.`
    throw new ProblemError('not-found', { detail })
  }
  const { workspace_id: workspaceId, report_id: reportId, dataset_id: datasetId } = report
  return { label, name: report.name, ref: { workspaceId, reportId, datasetId } satisfies ReportRef }
}

const LONG_MS = 60 * 60_000
/** The service's own limit (learn.microsoft.com/power-bi/connect-data/asynchronous-refresh). */
const MAX_REFRESH_MS = 24 * LONG_MS

function describeRefresh(refresh: LastRefresh | undefined, now: number): DataRefresh {
  const { refreshedAt, failure, runningSince } = refresh ?? {}
  const look = `${ADMINISTRATOR} ver o motivo no histórico de atualizações do modelo.`
  if (runningSince) {
    const since = formatInstant(runningSince)
    const ms = now - runningSince.getTime()
    if (ms > MAX_REFRESH_MS)
      return {
        status: 'unknown',
        message: `O Power BI não diz como terminou a atualização de ${since}: ${look}`,
      }
    const rest = ms > LONG_MS ? `Está levando mais que o normal: ${look}` : 'Pode levar vários minutos.'
    return { status: 'running', message: `Atualização em andamento desde ${since}. ${rest}` }
  }
  if (failure) {
    const code = failure.code ? ` (código ${failure.code})` : ''
    const message = `A última atualização ${REFRESH_ENDS[failure.how]} em ${formatInstant(failure.at)}${code}: ${look}`
    return { status: 'failed', message }
  }
  if (!refreshedAt) return { status: 'unknown', message: UNKNOWN }
  return { status: 'completed', message: `Dados atualizados em ${formatInstant(refreshedAt)}.` }
}
