import type { reportExportRoutes } from '#contract/report-exports.ts'
import type { reportSettingsRoutes } from '#contract/report-settings.ts'
import type { reportSubscriptionRoutes } from '#contract/report-subscriptions.ts'
import type { reportViewRoutes } from '#contract/report-views.ts'
import type { reportRoutes } from '#contract/reports.ts'
import type { ReplyOf } from '#contract/route.ts'
import type { usageRoutes } from '#contract/usage.ts'
import type { viewAsRoutes } from '#contract/view-as.ts'
import type { Context, ServicesOf } from '#server/http/context.ts'
import type { Handlers } from '#server/http/implement.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import type { ConsumeRateLimit } from '#server/http/rate-limits.ts'
import type { Keyring } from '#server/keyring.ts'
import type { ListedReport, NamedItem, PowerBi, RefreshEnd } from '#server/power-bi/power-bi.ts'
import { listOwnNotices } from '#server/support/notices.ts'
import { recordTiming, type UsageContext } from './count-usage.ts'
import {
  addFurtherReport,
  changeFurtherReport,
  listFurtherReports,
  removeFurtherReport,
} from './further-reports.ts'
import { type EmbedTokenContext, issueEmbedToken } from './issue-embed-token.ts'
import { readOwnReports, readReports, readVisibleReports } from './own-reports.ts'
import { readUsage } from './read-usage.ts'
import { readDataRefresh, startDataRefresh } from './refresh-data.ts'
import {
  downloadReportExport,
  listReportExports,
  type ReportExportContext,
  readReportExport,
  startReportExport,
} from './report-exports.ts'
import { listReportSettings, removeReportSetting, saveReportSetting } from './report-settings.ts'
import {
  changeReportSubscription,
  createReportSubscription,
  listAllReportSubscriptions,
  listReportSubscriptions,
  removeReportSubscription,
  type SubscriptionContext,
  unsubscribe,
} from './report-subscriptions.ts'
import { readReportUse } from './report-use.ts'
import {
  changeReportView,
  listReportViews,
  type ReportViewContext,
  readReportView,
  removeReportView,
  restoreReportView,
  saveReportView,
} from './report-views.ts'
import { type ReportTestContext, testReportSetting } from './test-report-setting.ts'
import { findUsageMail, setUsageMail } from './usage-mail.ts'
import { issueViewToken, readViewedReports } from './view-as.ts'

export function reportHandlers(
  services: ServicesOf<EmbedTokenContext> & Pick<ReportExportContext, 'exports'>,
): Handlers<typeof reportRoutes> {
  return {
    async readOwnReports({ context }) {
      const [reports, notices] = await Promise.all([
        readOwnReports(context.db, context.actor, services),
        listOwnNotices(context),
      ])
      return { ...reports, notices }
    },
    readLastRefresh: ({ context, params }) => readLastRefresh({ ...services, ...context }, params),
    issueEmbedToken: ({ context, body }) =>
      // Ignores marcas, estados and userEmail of the body on purpose: the profile's count.
      issueEmbedToken({ ...services, ...context }, context.actor, {
        workspaceId: body.workspaceId,
        reportId: body.reportId,
        datasetId: body.datasetId ?? null,
      }),
  }
}

export function reportViewHandlers(
  services: ServicesOf<ReportViewContext>,
): Handlers<typeof reportViewRoutes> {
  return {
    listReportViews: async ({ context, query }) => ({ items: await listReportViews(context, query) }),
    saveReportView: ({ context, body }) => saveReportView({ ...services, ...context }, body),
    readReportView: ({ context, params }) => readReportView(context, params.id),
    changeReportView: ({ context, params, body }) =>
      changeReportView({ ...services, ...context }, { ...params, change: body }),
    removeReportView: async ({ context, params }) => {
      await removeReportView({ ...services, ...context }, params.id)
      return undefined
    },
    restoreReportView: ({ context, params }) => restoreReportView({ ...services, ...context }, params.id),
  }
}

export function reportExportHandlers(
  services: ServicesOf<ReportExportContext>,
): Handlers<typeof reportExportRoutes> {
  return {
    startReportExport: ({ context, body }) => startReportExport({ ...services, ...context }, body),
    listReportExports: ({ context }) => listReportExports(context),
    readReportExport: ({ context, params }) => readReportExport(context, params.id),
    downloadReportExport: ({ context, params }) =>
      downloadReportExport({ ...services, ...context }, params.id),
  }
}

export function reportSubscriptionHandlers(
  services: ServicesOf<SubscriptionContext> & { keyring: Keyring },
): Handlers<typeof reportSubscriptionRoutes> {
  return {
    listReportSubscriptions: ({ context }) => listReportSubscriptions(context),
    createReportSubscription: ({ context, body }) =>
      createReportSubscription({ ...services, ...context }, body),
    changeReportSubscription: ({ context, params, body }) =>
      changeReportSubscription({ ...services, ...context }, { ...params, change: body }),
    removeReportSubscription: async ({ context, params }) => {
      await removeReportSubscription({ ...services, ...context }, params.id)
      return undefined
    },
    listAllReportSubscriptions: ({ context }) => listAllReportSubscriptions(context),
    unsubscribe: ({ context, query }) => unsubscribe({ ...services, ...context }, query),
  }
}

export function viewAsHandlers(services: ServicesOf<EmbedTokenContext>): Handlers<typeof viewAsRoutes> {
  return {
    readReportsOf: ({ context, params }) => readViewedReports(context, params.userId),
    readReportUse: ({ context, params }) => readReportUse(context, params.userId),
    issueEmbedTokenOf: ({ context, params, body: { datasetId = null, ...body } }) =>
      issueViewToken({ ...services, ...context }, { ...params, ...body, datasetId }),
  }
}

export function usageHandlers(services: ServicesOf<UsageContext>): Handlers<typeof usageRoutes> {
  return {
    readUsage: async ({ context, query }) => ({
      ...(await readUsage({ ...services, ...context }, query)),
      is_mailed: (await findUsageMail(context.db, context.actor.profile.user_id)) !== undefined,
    }),
    setUsageMail: ({ context, body }) => setUsageMail(context, body.wanted),
    recordTiming: async ({ context, body }) => {
      await recordTiming({ ...services, ...context }, body)
      return undefined
    },
  }
}

export function reportSettingsHandlers(
  services: ServicesOf<ReportTestContext>,
): Handlers<typeof reportSettingsRoutes> {
  return {
    listReportSettings: async ({ context }) => ({ items: await listReportSettings(context.db) }),
    listReportStates: ({ context }) => listReportStates({ ...services, ...context }),
    saveReportSetting: ({ context, params, ifMatch, body }) =>
      saveReportSetting({ ...services, ...context }, { slug: params.type, ifMatch, input: body }),
    removeReportSetting: ({ context, params, ifMatch }) =>
      removeReportSetting(context, { slug: params.type, ifMatch }),
    listFurtherReports: ({ context, params }) => listFurtherReports(context, params.type),
    addFurtherReport: ({ context, params, body }) =>
      addFurtherReport({ ...services, ...context }, { slug: params.type, input: body }),
    changeFurtherReport: ({ context, params, ifMatch, body }) =>
      changeFurtherReport({ ...services, ...context }, { ...params, ifMatch, input: body }),
    removeFurtherReport: ({ context, params, ifMatch }) =>
      removeFurtherReport(context, { ...params, ifMatch }),
    listWorkspaces: ({ context }) => listWorkspaces({ ...services, ...context }),
    listWorkspaceReports: ({ context, params }) => listWorkspaceReports({ ...services, ...context }, params),
    readDataRefresh: ({ context, params, query }) =>
      readDataRefresh({ ...services, ...context }, { ...params, ...query }),
    startDataRefresh: ({ context, params, query }) =>
      startDataRefresh({ ...services, ...context }, { ...params, ...query }),
    testReportSetting: ({ context, params, body }) =>
      testReportSetting({ ...services, ...context }, { slug: params.type, input: body }),
  }
}

/** Allows for quick browsing of areas and lists; caches keep most calls from the service. */
const LIMIT = { max: 60, windowSeconds: 60 }

/**
 * Reads the last refresh of a report of the caller's areas.
 * @throws ProblemError report-not-found (also for foreign ids), rate-limited
 */
async function readLastRefresh(
  context: EmbedTokenContext,
  { reportId }: { reportId: string },
): Promise<ReplyOf<typeof reportRoutes.readLastRefresh>> {
  const { db, actor, powerBi } = context
  await context.consumeRateLimit(`last-refresh ${actor.profile.user_id}`, LIMIT)
  const { visible } = await readVisibleReports(db, actor.profile)
  const setting = visible.find(
    ({ embed_mode, report_id }) => embed_mode === 'service_principal' && report_id === reportId,
  )
  if (!setting) throw new ProblemError('report-not-found')
  const { refreshedAt, failure } = await powerBi.readLastRefresh({
    workspaceId: setting.workspace_id ?? '',
    reportId,
    datasetId: setting.dataset_id,
  })
  return formatLastRefresh(refreshedAt, failure?.how)
}

function formatLastRefresh(refreshedAt: Date | null, how: RefreshEnd | undefined) {
  return {
    refreshedAt: refreshedAt?.toISOString() ?? null,
    hasFailed: how === 'failed',
    ...(how && how !== 'failed' && { stopped: how }),
  }
}

/**
 * Lists how old the data of each report is, in tab order.
 * @throws ProblemError rate-limited
 */
async function listReportStates(
  context: PowerBiListContext,
): Promise<ReplyOf<typeof reportSettingsRoutes.listReportStates>> {
  await context.consumeRateLimit(`report-states ${context.actor.profile.user_id}`, LIMIT)
  const { reports } = await readReports(context.db)
  const items = reports.map(async ({ type, name, embed_mode, workspace_id, report_id, dataset_id }) => {
    const report = { workspaceId: workspace_id ?? '', reportId: report_id ?? '', datasetId: dataset_id }
    const { refreshedAt, failure } =
      embed_mode === 'service_principal'
        ? await context.powerBi.readLastRefresh(report)
        : { refreshedAt: null, failure: null }
    return {
      area: type,
      name,
      embedMode: embed_mode,
      ...formatLastRefresh(refreshedAt, failure?.how),
    }
  })
  return { items: await Promise.all(items) }
}

interface PowerBiListContext extends Context {
  powerBi: PowerBi
  consumeRateLimit: ConsumeRateLimit
}

/**
 * Lists the workspaces that the portal's application can access.
 * @throws ProblemError rate-limited, power-bi-rejected, power-bi-unavailable, capacity-paused
 */
async function listWorkspaces(context: PowerBiListContext): Promise<{ items: NamedItem[] }> {
  await consumeRateLimit(context)
  return { items: await context.powerBi.listWorkspaces() }
}

/**
 * Lists the reports of a workspace.
 * @throws ProblemError not-found when the service refuses the workspace; else as listWorkspaces
 */
async function listWorkspaceReports(
  context: PowerBiListContext,
  { workspaceId }: { workspaceId: string },
): Promise<{ items: ListedReport[] }> {
  await consumeRateLimit(context)
  try {
    return { items: await context.powerBi.listReports(workspaceId) }
  } catch (error) {
    // The caller chose the workspace, so it is not a fault of the portal.
    if (error instanceof ProblemError && error.code === 'power-bi-rejected')
      throw new ProblemError('not-found', { ...error.options, detail: error.message, cause: error })
    throw error
  }
}

function consumeRateLimit({ actor, consumeRateLimit: take }: PowerBiListContext): Promise<void> {
  return take(`list-power-bi ${actor.profile.user_id}`, LIMIT)
}
