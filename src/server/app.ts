import { api } from '#contract/index.ts'
import type { Database } from '#server/database/database.ts'
import { createOpenUsage } from '#server/reports/count-usage.ts'
import { accountHandlers, microsoftHandlers, ownSessionHandlers } from './accounts/account-handlers.ts'
import { createFactorChallenges } from './accounts/factor-challenges.ts'
import { factorHandlers } from './accounts/factor-handlers.ts'
import { factorMails } from './accounts/factor-mails.ts'
import { createAltcha, createHumanCheck, createRecaptcha } from './accounts/human-check.ts'
import { accountMails } from './accounts/mails.ts'
import type { MicrosoftDirectory } from './accounts/microsoft-directory.ts'
import { createMicrosoftMount } from './accounts/microsoft-sign-in.ts'
import { createAuthenticate } from './accounts/sessions.ts'
import { createTokens } from './accounts/tokens.ts'
import { catalogueHandlers } from './catalogue/catalogue-handlers.ts'
import type { Config } from './config.ts'
import { createDoctorCheck } from './doctor/doctor-token.ts'
import { type HealthServices, healthHandlers } from './doctor/health-handlers.ts'
import type { ServiceStatus } from './doctor/service-status.ts'
import type { Brand } from './http/brand.ts'
import { createHttpApp, type HttpApp, type Mount } from './http/http-app.ts'
import { createOperatorCheck, implement } from './http/implement.ts'
import type { PortalPageOptions } from './http/portal-page.ts'
import { createRateLimits } from './http/rate-limits.ts'
import type { Keyring } from './keyring.ts'
import type { LiveStreams } from './live/live-streams.ts'
import type { Log } from './log.ts'
import type { Mails } from './mail/mails.ts'
import { createRefusalCounter } from './operations/audit.ts'
import { auditHandlers } from './operations/audit-handlers.ts'
import type { Metrics } from './operations/metrics.ts'
import { operationsHandlers } from './operations/operations-handlers.ts'
import { trailMails } from './operations/seal-trail.ts'
import type { PowerBi } from './power-bi/power-bi.ts'
import { createEmbedTokenCache } from './reports/issue-embed-token.ts'
import { reportMails } from './reports/mails.ts'
import {
  reportExportHandlers,
  reportHandlers,
  reportSettingsHandlers,
  reportSubscriptionHandlers,
  reportViewHandlers,
  usageHandlers,
  viewAsHandlers,
} from './reports/report-handlers.ts'
import { supportMails } from './support/mails.ts'
import { noticeHandlers, supportHandlers } from './support/support-handlers.ts'
import { userMails } from './users/mails.ts'
import {
  accessReviewHandlers,
  accessTemplateHandlers,
  groupMappingHandlers,
  invitationHandlers,
  userAccountHandlers,
  userHandlers,
} from './users/user-handlers.ts'
import { VERSION } from './version.ts'

/** Services of the portal; tests replace clocks and external services. */
export interface PortalServices {
  database: Database
  powerBi: PowerBi
  /** Undefined where people sign in by password alone. */
  microsoft: MicrosoftDirectory | undefined
  liveStreams: Omit<LiveStreams, 'stop'>
  keyring: Keyring
  log: Log
  metrics: Metrics
  /** ms since the epoch */
  clock: () => number
  isDraining: () => boolean
  /** Whether replies are validated against their schema, as in tests. */
  validatesReplies?: boolean
  runPortalChecks: HealthServices['runPortalChecks']
  serviceStatus: ServiceStatus
  options: Pick<
    Config,
    | 'altchaCost'
    | 'builtinAdminEmail'
    | 'companyEmailDomain'
    | 'contactCaptcha'
    | 'entraSessionHours'
    | 'exports'
    | 'groupNetworks'
    | 'metricsToken'
    | 'onlyMicrosoft'
    | 'publicUrl'
    | 'rateLimits'
    | 'recaptcha'
    | 'secondFactor'
    | 'sessionMaxDays'
    | 'trustedProxies'
  > & {
    groupName: string
    rlsRoles: string[]
    powerBiHosts: string[]
    /** Accepted Host names; undefined accepts any. */
    allowedHosts: string[] | undefined
  }
  /** The built page and its files; without it the app serves the API only. */
  page?: { folder: string; brand: Brand; portal: PortalPageOptions }
  /** Handlers of path prefixes outside the API: the demo's instruments. */
  mounts?: Mount[]
}

export const portalMails: Mails = {
  ...accountMails,
  ...factorMails,
  ...userMails,
  ...reportMails,
  ...supportMails,
  ...trailMails,
}

/** Creates the app: each feature receives the services that it declares. */
export function createApp({ database, options, ...given }: PortalServices): HttpApp {
  const { keyring, clock, metrics } = given
  const { db } = database
  const tokens = createTokens(keyring, clock)
  const altcha = options.recaptcha ? undefined : createAltcha(keyring, options.altchaCost, clock)
  const isDoctor = createDoctorCheck(keyring)
  const limits = createRateLimits(database, options.rateLimits, clock)
  const countRefusal = createRefusalCounter({ db, log: given.log })
  const humanCheck = createHumanCheck(
    { db, keyring, clock, ...limits, countRefusal },
    altcha ?? createRecaptchaCheck(options),
  )
  const services = {
    ...options,
    ...given,
    version: VERSION,
    db,
    tokens,
    challenges: createFactorChallenges(db, keyring, clock),
    altcha,
    humanCheck,
    countRefusal,
    authenticate: createAuthenticate(database, tokens, clock, options.sessionMaxDays),
    // Read per request: the token may have been replaced.
    isOperator: (authorization: string | undefined) =>
      createOperatorCheck(options.metricsToken)(authorization) || isDoctor(authorization),
    ...limits,
    embedTokens: createEmbedTokenCache(clock, metrics.countEmbedToken),
    sumOpen: createOpenUsage(clock),
  }
  const { microsoft, mounts = [] } = given
  const own = microsoft ? [createMicrosoftMount({ ...services, microsoft })] : []
  return createHttpApp({ ...services, mounts: [...own, ...mounts] }, (app) => {
    implement(app, services, api.operations, operationsHandlers(services))
    implement(app, services, api.health, healthHandlers(services))
    implement(app, services, api.accounts, accountHandlers(services))
    implement(app, services, api.factors, factorHandlers(services))
    implement(app, services, api.ownSessions, ownSessionHandlers(services))
    implement(app, services, api.microsoft, microsoftHandlers(services))
    implement(app, services, api.catalogue, catalogueHandlers())
    implement(app, services, api.users, userHandlers(services))
    implement(app, services, api.audit, auditHandlers())
    implement(app, services, api.userAccounts, userAccountHandlers(services))
    implement(app, services, api.accessTemplates, accessTemplateHandlers())
    implement(app, services, api.accessReviews, accessReviewHandlers())
    implement(app, services, api.groupMappings, groupMappingHandlers())
    implement(app, services, api.invitations, invitationHandlers(services))
    implement(app, services, api.reports, reportHandlers(services))
    implement(app, services, api.reportViews, reportViewHandlers(services))
    implement(app, services, api.reportExports, reportExportHandlers(services))
    implement(app, services, api.reportSubscriptions, reportSubscriptionHandlers(services))
    implement(app, services, api.viewAs, viewAsHandlers(services))
    implement(app, services, api.reportSettings, reportSettingsHandlers(services))
    implement(app, services, api.usage, usageHandlers(services))
    // Before support, whose path with an id matches that of pages of 0.2.
    implement(app, services, api.live, {
      followChanges: ({ context }) => given.liveStreams.follow(context.actor),
      followMessageChanges: ({ context }) => given.liveStreams.followAsBefore(context.actor),
    })
    implement(app, services, api.support, supportHandlers(services))
    implement(app, services, api.notices, noticeHandlers(services))
  })
}

/** Creates the reCAPTCHA check, which accepts only answers from the portal's own host. */
function createRecaptchaCheck({ recaptcha, publicUrl }: PortalServices['options']) {
  return createRecaptcha(() => recaptcha?.secretKey ?? '', new URL(publicUrl).hostname)
}
