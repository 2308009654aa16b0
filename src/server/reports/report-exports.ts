import type { Selectable } from 'kysely'
import { formatExportName, formatReportTitle } from '#contract/messages.ts'
import type { ExportFormat, ReportExport, reportExportRoutes } from '#contract/report-exports.ts'
import type { BodyOf } from '#contract/route.ts'
import { type JobStep, queueJob, type RunJobStep } from '#server/database/job-queue.ts'
import type { Db, JobsTable } from '#server/database/schema.ts'
import type { Context } from '#server/http/context.ts'
import type { FileReply } from '#server/http/implement.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import type { ConsumeRateLimit } from '#server/http/rate-limits.ts'
import { recordAudit } from '#server/operations/audit.ts'
import type { EffectiveIdentity, PowerBi, ReportRef } from '#server/power-bi/power-bi.ts'
import { lockProfile } from '#server/users/user-queries.ts'
import { type TokenHolder, toEffectiveIdentity } from './issue-embed-token.ts'
import { findReader, hasScope, readVisibleReports } from './own-reports.ts'
import { findViewOfReport } from './report-views.ts'

const LIMIT = { max: 30, windowSeconds: 3_600 }
/** How long a file can be downloaded. */
const AVAILABLE_MS = 60 * 60_000
/** Power BI's own limit is an hour; nobody waits as long. */
const MAX_RUN_MS = 30 * 60_000
const FIRST_POLL_MS = 2_000
const POLL_MS = 3_000

export interface ExportServices {
  powerBi: PowerBi
  rlsRoles: string[]
  /** EXPORTS: whether anything may be exported. */
  exports: boolean
}

export interface ReportExportContext extends Context, ExportServices {
  consumeRateLimit: ConsumeRateLimit
}

/** The input of an export's job. */
interface ExportInput {
  area: string
  reportId: string
  format: ExportFormat
  /** Left out by the version before. */
  title?: string
  /** The entitlements that it was asked for with. */
  version: number
}

/** Stored as JSON while the export runs in Power BI. */
export interface ExportProgress {
  exportId: string
  percent: number
  /** ms since the epoch */
  startedAt: number
  identity: EffectiveIdentity
  /** Whether the trail has the download; further ones are not recorded. */
  isDownloaded?: boolean
}

const messages = {
  off: 'A exportação de relatórios está desligada neste portal.',
  offInArea: (area: string) => `O administrador desligou a exportação dos relatórios de ${area}.`,
  sso: 'Este relatório abre com a sua própria conta do Power BI, e o portal não o exporta. Exporte-o no Power BI.',
  accessChanged: 'Seu acesso mudou depois do pedido, e nada foi exportado. Exporte de novo.',
  tooSlow:
    'O Power BI não terminou a exportação em 30 minutos. Tente com menos filtros abertos ou mais tarde.',
  failed:
    'O Power BI não conseguiu exportar este relatório. Os motivos mais comuns são visuais não certificados, mais de 50 páginas ou um rótulo de confidencialidade.',
  gone: 'Este arquivo não está mais disponível. Exporte de novo.',
} as const

const refuse = (detail: string) => new ProblemError('export-refused', { detail })

/**
 * Checks that a person may export a report now, and with whose rows: always their own.
 * @throws ProblemError export-refused, report-not-found, no-scope, not-approved
 */
export async function authorizeExport(
  { db, rlsRoles, exports }: { db: Db } & Omit<ExportServices, 'powerBi'>,
  holder: Pick<TokenHolder, 'profile'> & { approved: boolean },
  { area, reportId }: { area: string; reportId: string },
): Promise<{ id: string; title: string; report: ReportRef; identity: EffectiveIdentity }> {
  if (!exports) throw refuse(messages.off)
  if (!holder.approved) throw new ProblemError('not-approved')
  const { catalogue, visible } = await readVisibleReports(db, holder.profile)
  const inArea = visible.filter(({ label }) => label === area)
  const setting = inArea.find(({ report_id }) => report_id === reportId)
  if (!setting)
    // A link has no report id.
    throw inArea.some(({ embed_mode }) => embed_mode === 'secure_sso')
      ? refuse(messages.sso)
      : new ProblemError('report-not-found')
  if (!setting.exports) throw refuse(messages.offInArea(area))
  if (!hasScope(catalogue, holder.profile)) throw new ProblemError('no-scope')
  return {
    id: setting.id,
    title: formatReportTitle(area, setting.name),
    report: { workspaceId: setting.workspace_id ?? '', reportId, datasetId: setting.dataset_id },
    identity: toEffectiveIdentity(catalogue, holder.profile, rlsRoles),
  }
}

/**
 * Queues an export of a report of the caller.
 * @throws ProblemError not-found (the view), rate-limited, and as authorizeExport does
 */
export async function startReportExport(
  context: ReportExportContext,
  { viewId, state: captured, ...wanted }: BodyOf<typeof reportExportRoutes.startReportExport>,
): Promise<ReportExport> {
  const { actor } = context
  const userId = actor.profile.user_id
  await context.consumeRateLimit(`report-export ${userId}`, LIMIT)
  const { title } = await authorizeExport(context, actor, wanted)
  const view = viewId && (await findViewOfReport(context, actor, { ...wanted, viewId }))
  const state = view ? view.state : captured
  return context.db.transaction().execute(async (db) => {
    if (!(await lockProfile(db, userId))) throw new ProblemError('unauthenticated')
    const txContext = { ...context, db }
    const named = { title: view ? `${title} · ${view.name}` : title }
    const input: ExportInput = { ...wanted, ...named, version: actor.entitlementVersion }
    const id = await queueJob(txContext, { kind: 'export', userId, input, payload: state ?? null })
    await recordAudit(txContext, {
      action: 'report-exported',
      target: actor.profile,
      after: { type: wanted.area, report_id: wanted.reportId, format: wanted.format, published: !state },
    })
    return readReportExport(txContext, id)
  })
}

type PresentedRow = Pick<
  Selectable<JobsTable>,
  'id' | 'input' | 'progress' | 'status' | 'detail' | 'admin_detail' | 'finished_at'
>

function selectOwn({ db, actor, clock }: Context) {
  return db
    .selectFrom('jobs')
    .select(['id', 'input', 'progress', 'status', 'detail', 'admin_detail', 'finished_at'])
    .where('kind', '=', 'export')
    .where('user_id', '=', actor.profile.user_id)
    .where((row) =>
      row.or([row('finished_at', 'is', null), row('finished_at', '>', new Date(clock() - AVAILABLE_MS))]),
    )
}

export async function listReportExports(context: Context): Promise<{ items: ReportExport[] }> {
  const rows = await selectOwn(context).orderBy('created_at', 'desc').execute()
  return { items: rows.map((row) => presentExport(context, row)) }
}

/** @throws ProblemError not-found, also for others' exports and after an hour */
export async function readReportExport(context: Context, id: string): Promise<ReportExport> {
  return presentExport(context, await findOwn(context, id))
}

async function findOwn(context: Context, id: string) {
  const row = await selectOwn(context).where('id', '=', id).executeTakeFirst()
  if (!row) throw createGoneError()
  return row
}

function presentExport(
  { actor }: Context,
  { id, input, progress, status, detail, admin_detail, finished_at }: PresentedRow,
): ReportExport {
  const { area, title = area, format } = input as ExportInput
  const { percent = 0 } = progress as Partial<ExportProgress>
  const isDone = status === 'done' && finished_at !== null
  const available_until = isDone ? new Date(finished_at.getTime() + AVAILABLE_MS).toISOString() : null
  return {
    id,
    title,
    format,
    status,
    percent,
    detail: (actor.role === 'admin' && admin_detail) || detail,
    finished_at: isDone ? finished_at.toISOString() : null,
    available_until,
  }
}

/**
 * Streams the file of a finished export from Power BI, which keeps it.
 * @throws ProblemError not-found when the caller's access is not the export's any more, for others,
 *   after an hour; rate-limited; unauthenticated; power-bi-unavailable
 */
export async function downloadReportExport(context: ReportExportContext, id: string): Promise<FileReply> {
  const { profile } = context.actor
  await context.consumeRateLimit(`export-download ${profile.user_id}`, LIMIT)
  const { report, progress } = await findAvailable(context, context.actor, id)
  const file = await context.powerBi.openExportFile(report, progress.exportId)
  if (!file) throw createGoneError()
  try {
    // Power BI may take long, and nothing is handed out or recorded after a deletion.
    const exported = await context.db.transaction().execute(async (db) => {
      const txContext = { ...context, db }
      const found = await findAvailable(txContext, await lockReader(txContext), id)
      if (found.progress.isDownloaded) return found
      await recordAudit(txContext, {
        action: 'export-downloaded',
        target: profile,
        after: { type: found.area, report_id: report.reportId, format: found.format },
      })
      const recorded = { ...found.progress, isDownloaded: true } satisfies ExportProgress
      await db
        .updateTable('jobs')
        .set({ progress: JSON.stringify(recorded) })
        .where('id', '=', id)
        .execute()
      return found
    })
    return { ...file, name: formatExportName(exported, exported.finishedAt) }
  } catch (error) {
    await file.body.cancel()
    throw error
  }
}

const createGoneError = () => new ProblemError('not-found', { detail: messages.gone })

/** Finds a finished export whose access is still the reader's. @throws ProblemError not-found */
async function findAvailable(
  context: ReportExportContext,
  reader: Parameters<typeof authorizeExport>[1] & { entitlementVersion: number },
  id: string,
) {
  const { input, status, finished_at, ...row } = await findOwn(context, id)
  const { format, version, title, ...wanted } = input as ExportInput
  const progress = row.progress as ExportProgress
  if (status !== 'done' || !finished_at || version !== reader.entitlementVersion) throw createGoneError()
  const now = await authorizeExport(context, reader, wanted).catch((error) => {
    throw error instanceof ProblemError ? createGoneError() : error
  })
  if (!isSameIdentity(progress.identity, now.identity)) throw createGoneError()
  return {
    area: wanted.area,
    title: title ?? wanted.area,
    format,
    report: now.report,
    progress,
    finishedAt: finished_at.toISOString(),
  }
}

/** Locks the caller's profile and reads it again. @throws ProblemError unauthenticated */
async function lockReader(context: Context) {
  const { db, actor } = context
  const userId = actor.profile.user_id
  const profile = await lockProfile(db, userId)
  const session = await db
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', actor.sessionId)
    .executeTakeFirst()
  if (!profile || !session) throw new ProblemError('unauthenticated')
  return findReader(context, userId)
}

/** Archived brands and changed roles alter it too, without a new version of the entitlements. */
const isSameIdentity = (a: EffectiveIdentity, b: EffectiveIdentity): boolean =>
  a.username === b.username && a.customData === b.customData && a.roles.join() === b.roles.join()

/** Creates the steps of an export: asks Power BI to start, then how far it is. */
export function createExportSteps(services: ExportServices & { db: Db; clock: () => number }): RunJobStep {
  async function runStep(job: Parameters<RunJobStep>[0]): Promise<JobStep> {
    const { version, format, ...wanted } = job.input as ExportInput
    const reader = await findReader(services, job.user_id)
    const { report, identity } = await authorizeExport(services, reader, wanted)
    const started = job.progress as Partial<ExportProgress>
    if (
      version !== reader.entitlementVersion ||
      (started.identity && !isSameIdentity(started.identity, identity))
    )
      return { kind: 'failed', detail: messages.accessChanged }
    return advanceExport(services, { report, identity, format, state: job.payload }, started)
  }
  return (job) => runStep(job).catch(toFailedStep)
}

/** Starts an export in Power BI, then asks how far it is. @throws as PowerBi does */
export async function advanceExport(
  { powerBi, clock }: { powerBi: PowerBi; clock: () => number },
  wanted: { report: ReportRef; identity: EffectiveIdentity; format: ExportFormat; state: string | null },
  started: Partial<ExportProgress>,
): Promise<JobStep> {
  const { report, identity, ...options } = wanted
  const { exportId, startedAt = clock() } = started
  if (!exportId) {
    const id = await powerBi.startExport(report, identity, options)
    const progress = { ...started, exportId: id, percent: 0, startedAt, identity }
    return { kind: 'waiting', progress, afterMs: FIRST_POLL_MS }
  }
  const { status, percent, retryAfterSeconds } = await powerBi.readExport(report, exportId)
  if (status === 'failed' && !retryAfterSeconds) return { kind: 'failed', detail: messages.failed }
  const progress = { ...started, percent }
  if (status === 'done') return { kind: 'done', progress }
  if (clock() - startedAt > MAX_RUN_MS) return { kind: 'failed', detail: messages.tooSlow }
  return status === 'failed'
    ? {
        kind: 'waiting',
        progress: { ...progress, exportId: undefined },
        afterMs: Number(retryAfterSeconds) * 1_000,
      }
    : { kind: 'waiting', progress, afterMs: POLL_MS }
}

/** Converts a problem to the end of a step; other errors are thrown on. */
export function toFailedStep(error: unknown): JobStep {
  if (!(error instanceof ProblemError)) throw error
  const { administratorDetail, retryAfterSeconds = 0 } = error.options
  const details = { detail: error.message, administratorDetail }
  const isTransient = ['power-bi-unavailable', 'capacity-paused'].includes(error.code)
  return isTransient
    ? { kind: 'retry', afterMs: retryAfterSeconds * 1_000, ...details }
    : { kind: 'failed', ...details }
}
