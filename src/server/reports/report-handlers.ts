import type { reportSettingsRoutes } from '#contract/report-settings.ts'
import type { reportRoutes } from '#contract/reports.ts'
import type { viewAsRoutes } from '#contract/view-as.ts'
import type { ServicesOf } from '#server/http/context.ts'
import type { Handlers } from '#server/http/implement.ts'
import { type EmbedTokenContext, issueEmbedToken } from './embed-token.ts'
import { readLastRefresh } from './last-refresh.ts'
import { listWorkspaceReports, listWorkspaces } from './list-power-bi.ts'
import { readOwnReports } from './own-reports.ts'
import { listReportSettings, removeReportSetting, saveReportSetting } from './report-settings.ts'
import { type ReportTestContext, testReportSetting } from './test-report-setting.ts'
import { issueEmbedTokenOf, readReportsOf } from './view-as.ts'

export function reportHandlers(services: ServicesOf<EmbedTokenContext>): Handlers<typeof reportRoutes> {
  return {
    readOwnReports: ({ context }) => readOwnReports(context),
    readLastRefresh: ({ context, params }) => readLastRefresh({ ...services, ...context }, params),
    issueEmbedToken: ({ context, body }) =>
      // marcas, estados and userEmail of the body are ignored on purpose: the profile's are used.
      issueEmbedToken(
        { ...services, ...context },
        { workspaceId: body.workspaceId, reportId: body.reportId, datasetId: body.datasetId ?? null },
      ),
  }
}

export function viewAsHandlers(services: ServicesOf<EmbedTokenContext>): Handlers<typeof viewAsRoutes> {
  return {
    readReportsOf: ({ context, params }) => readReportsOf(context, params.userId),
    issueEmbedTokenOf: ({ context, params, body: { datasetId = null, ...body } }) =>
      issueEmbedTokenOf({ ...services, ...context }, { ...params, ...body, datasetId }),
  }
}

export function reportSettingsHandlers(
  services: ServicesOf<ReportTestContext>,
): Handlers<typeof reportSettingsRoutes> {
  return {
    listReportSettings: async ({ context }) => ({ items: await listReportSettings(context.db) }),
    saveReportSetting: ({ context, params, ifMatch, body }) =>
      saveReportSetting({ ...services, ...context }, { slug: params.type, ifMatch, input: body }),
    removeReportSetting: ({ context, params, ifMatch }) =>
      removeReportSetting(context, { slug: params.type, ifMatch }),
    listWorkspaces: ({ context }) => listWorkspaces({ ...services, ...context }),
    listWorkspaceReports: ({ context, params }) => listWorkspaceReports({ ...services, ...context }, params),
    testReportSetting: ({ context, params, body }) =>
      testReportSetting({ ...services, ...context }, { slug: params.type, input: body }),
  }
}
