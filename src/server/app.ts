import { api } from '#contract/index.ts'
import type { Database } from '#server/database/database.ts'
import { accountHandlers } from './accounts/account-handlers.ts'
import { createAltcha } from './accounts/altcha.ts'
import { createAuthenticate } from './accounts/check-session.ts'
import { createHumanCheck } from './accounts/human-check.ts'
import { accountMails } from './accounts/mails.ts'
import { createSessionTools } from './accounts/open-session.ts'
import { createRecaptcha } from './accounts/recaptcha.ts'
import { signInHandlers } from './accounts/session-handlers.ts'
import { createHttpApp, type HttpApp, type Mount } from './http/http-app.ts'
import { createIsOperator, implement } from './http/implement.ts'
import { createLimits } from './http/limits.ts'
import { describeApi } from './http/openapi.ts'
import type { PortalPageOptions } from './http/portal-page.ts'
import type { Keyring } from './keyring.ts'
import type { Log } from './log.ts'
import type { Outbox } from './mail/outbox.ts'
import type { Metrics } from './operations/metrics.ts'
import { healthHandlers, metricsHandlers } from './operations/operations-handlers.ts'
import type { PowerBi } from './power-bi/power-bi.ts'
import { createEmbedTokenCache } from './reports/embed-token.ts'
import { reportHandlers, reportSettingsHandlers } from './reports/report-handlers.ts'
import { supportMails } from './support/mails.ts'
import type { MessageStreams } from './support/message-streams.ts'
import { supportHandlers } from './support/support-handlers.ts'
import { userMails } from './users/mails.ts'
import { userHandlers } from './users/user-handlers.ts'

/** Everything the portal is made of, passed in: tests pass the same with other clocks and services. */
export interface AppDeps {
  database: Database
  powerBi: PowerBi
  outbox: Pick<Outbox, 'nudge'>
  messageStreams: Pick<MessageStreams, 'follow'>
  keyring: Keyring
  log: Log
  metrics: Metrics
  /** ms since the epoch */
  clock: () => number
  isDraining: () => boolean
  options: {
    builtinAdminEmail: string | undefined
    /** Whose addresses may have accounts. */
    companyEmailDomain: string
    groupName: string
    rateLimits: boolean
    altchaCost: number
    recaptcha: { siteKey: string; secretKey: string } | undefined
    publicUrl: string
    rlsRoles: string[]
    /** Hosts that a share URL may lead to. */
    powerBiHosts: string[]
    /** Whether the contact form asks for a human check. */
    contactCaptcha: boolean
    trustedProxies: string[]
    /** Opens /api/metrics. */
    metricsToken: string | undefined
    /** Names under which the portal answers; undefined for any. */
    allowedHosts: string[] | undefined
  }
  /** The built page and its files; left out, the app is the API alone. */
  page?: { folder: string; portal: PortalPageOptions }
  /** Handlers of whole path prefixes beside the API: the demo instruments. */
  mounts?: Mount[]
}

/** The mails of every feature, by their kind. */
export const portalMails = { ...accountMails, ...userMails, ...supportMails }

/** Puts the portal together. */
export function createApp(deps: AppDeps): HttpApp {
  const { database, clock, keyring, options } = deps
  const { db } = database
  const sessions = createSessionTools(keyring, clock)
  const takeFromLimit = createLimits(db, options.rateLimits, clock)
  const altcha = options.recaptcha ? undefined : createAltcha(keyring, options.altchaCost, clock)
  const humanCheck = createHumanCheck(db, altcha ?? recaptchaOf(options), keyring, clock)
  const rules = { humanCheck, builtinAdminEmail: options.builtinAdminEmail, rateLimits: options.rateLimits }
  const authenticate = createAuthenticate(database, sessions.tokens, clock)
  const services = { db, clock, authenticate, isOperator: createIsOperator(options.metricsToken) }
  const nudgeOutbox = () => deps.outbox.nudge()
  const signIn = { db, sessions, rules, altcha, takeFromLimit, nudgeOutbox }
  const accounts = { ...options, db, clock, humanCheck, takeFromLimit, nudgeOutbox }
  const embedTokens = createEmbedTokenCache(clock, deps.metrics.countEmbedToken)
  const reports = { ...options, powerBi: deps.powerBi, embedTokens, takeFromLimit }

  return createHttpApp({ ...deps, ...options }, (app) => {
    implement(app, services, api.health, healthHandlers(db, deps.isDraining))
    implement(app, services, api.docs, { readOpenApi: describeApi })
    implement(app, services, api.metrics, metricsHandlers(deps.metrics))
    implement(app, services, api.accounts, { ...signInHandlers(signIn), ...accountHandlers(accounts) })
    implement(app, services, api.users, userHandlers({ db, clock, nudgeOutbox }))
    implement(app, services, api.reports, reportHandlers(reports))
    implement(app, services, api.reportSettings, reportSettingsHandlers(reports))
    implement(app, services, api.support, supportHandlers({ ...deps, ...accounts }))
  })
}

/** reCAPTCHA answers count only when they were given on the portal's own host. */
function recaptchaOf({ recaptcha, publicUrl }: AppDeps['options']) {
  return createRecaptcha(recaptcha?.secretKey ?? '', new URL(publicUrl).hostname)
}
