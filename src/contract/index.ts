import { accessReviewRoutes } from './access-reviews.ts'
import { accessTemplateRoutes } from './access-templates.ts'
import { accountRoutes } from './accounts.ts'
import { auditRoutes } from './audit.ts'
import { catalogueRoutes } from './catalogue.ts'
import { factorRoutes } from './factors.ts'
import { groupMappingRoutes } from './group-mappings.ts'
import { healthRoutes } from './health.ts'
import { invitationRoutes } from './invitations.ts'
import { liveRoutes } from './live.ts'
import { microsoftRoutes } from './microsoft.ts'
import { noticeRoutes } from './notices.ts'
import { operationsRoutes } from './operations.ts'
import { ownSessionRoutes } from './own-sessions.ts'
import { reportExportRoutes } from './report-exports.ts'
import { reportSettingsRoutes } from './report-settings.ts'
import { reportSubscriptionRoutes } from './report-subscriptions.ts'
import { reportViewRoutes } from './report-views.ts'
import { reportRoutes } from './reports.ts'
import type { ReplyOf, RouteShape, Routes } from './route.ts'
import { supportRoutes } from './support.ts'
import { usageRoutes } from './usage.ts'
import { userAccountRoutes } from './user-accounts.ts'
import { userRoutes } from './users.ts'
import { viewAsRoutes } from './view-as.ts'

export const api = {
  operations: operationsRoutes,
  health: healthRoutes,
  accounts: accountRoutes,
  factors: factorRoutes,
  ownSessions: ownSessionRoutes,
  microsoft: microsoftRoutes,
  catalogue: catalogueRoutes,
  users: userRoutes,
  audit: auditRoutes,
  userAccounts: userAccountRoutes,
  accessTemplates: accessTemplateRoutes,
  accessReviews: accessReviewRoutes,
  groupMappings: groupMappingRoutes,
  invitations: invitationRoutes,
  reports: reportRoutes,
  reportViews: reportViewRoutes,
  reportExports: reportExportRoutes,
  reportSubscriptions: reportSubscriptionRoutes,
  viewAs: viewAsRoutes,
  reportSettings: reportSettingsRoutes,
  usage: usageRoutes,
  support: supportRoutes,
  notices: noticeRoutes,
  live: liveRoutes,
}
/** Untyped, for iterating over all routes. */
export const routeGroups: Record<string, Routes> = api

type ApiRoute = {
  [Group in keyof typeof api]: (typeof api)[Group][keyof (typeof api)[Group]]
}[keyof typeof api]
type NameOf<R> = R extends RouteShape ? `${R['method']} ${R['path']}` : never

/** The browser's name of a route, 'GET /api/profiles/{userId}'; schemas stay on the server. */
export type RouteName = NameOf<ApiRoute>
export type RouteNameWith<Fields> = NameOf<Extract<ApiRoute, Fields>>
export type PublicRouteName = RouteNameWith<{ access: 'public' }>
export type RouteNamed<N extends RouteName> = ApiRoute extends infer R
  ? R extends RouteShape
    ? N extends NameOf<R>
      ? R
      : never
    : never
  : never
export type ReplyNamed<N extends RouteName> = ReplyOf<RouteNamed<N>>
