import { api } from '#contract/index.ts'
import type { Database } from '#server/database/database.ts'
import { accountHandlers } from './accounts/account-handlers.ts'
import { createAltcha } from './accounts/altcha.ts'
import { createAuthenticate } from './accounts/check-session.ts'
import { createHumanCheck } from './accounts/human-check.ts'
import { createSessionTools } from './accounts/open-session.ts'
import { passwordHandlers } from './accounts/password-routes.ts'
import { createRecaptcha } from './accounts/recaptcha.ts'
import { signInHandlers } from './accounts/sign-in-routes.ts'
import { healthHandlers } from './http/health-routes.ts'
import { createHttpApp, type HttpApp, type Mount } from './http/http-app.ts'
import { implement } from './http/implement.ts'
import { createLimits } from './http/limits.ts'
import { describeApi } from './http/openapi.ts'
import { createIsOperator } from './http/operator-token.ts'
import type { PortalPageOptions } from './http/portal-page.ts'
import type { Keyring } from './keyring.ts'
import type { Log } from './log.ts'
import type { Outbox } from './mail/deliver-outbox.ts'
import type { Metrics } from './operations/metrics.ts'
import { metricsHandlers } from './operations/metrics-routes.ts'
import type { PowerBi } from './power-bi/power-bi.ts'
import { createEmbedTokenCache } from './reports/embed-token-cache.ts'
import { reportHandlers } from './reports/report-routes.ts'
import { reportSettingsHandlers } from './reports/report-settings-routes.ts'
import type { MessageStreams } from './support/message-streams.ts'
import { supportHandlers } from './support/support-routes.ts'
import { profileHandlers } from './users/profile-routes.ts'

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
  const isOperator = createIsOperator(options.metricsToken)
  const nudgeOutbox = () => deps.outbox.nudge()
  const signIn = { db, sessions, rules, altcha, takeFromLimit, nudgeOutbox }
  const accounts = { ...options, db, clock, humanCheck, takeFromLimit, nudgeOutbox }
  const embedTokens = {
    db,
    powerBi: deps.powerBi,
    cache: createEmbedTokenCache(clock, deps.metrics.countEmbedToken),
    takeFromLimit,
    rlsRoles: options.rlsRoles,
    clock,
  }

  return createHttpApp({ ...deps, ...options }, (app) => {
    implement(app, authenticate, api.health, healthHandlers(db, deps.isDraining))
    implement(app, authenticate, api.docs, { readOpenApi: describeApi })
    implement(app, authenticate, api.metrics, metricsHandlers(deps.metrics, database), isOperator)
    implement(app, authenticate, api.signIn, { ...signInHandlers(signIn), ...accountHandlers(accounts) })
    implement(app, authenticate, api.passwords, passwordHandlers(accounts))
    implement(app, authenticate, api.profiles, profileHandlers({ db, clock, nudgeOutbox }))
    implement(app, authenticate, api.reports, reportHandlers(embedTokens))
    implement(
      app,
      authenticate,
      api.reportSettings,
      reportSettingsHandlers({ ...options, db, clock, powerBi: deps.powerBi, takeFromLimit }),
    )
    implement(app, authenticate, api.support, supportHandlers({ ...deps, ...accounts }))
  })
}

/** reCAPTCHA answers count only when they were given on the portal's own host. */
function recaptchaOf({ recaptcha, publicUrl }: AppDeps['options']) {
  return createRecaptcha(recaptcha?.secretKey ?? '', new URL(publicUrl).hostname)
}
