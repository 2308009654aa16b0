import { existsSync, readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LOGO_PATH, type PortalSettings } from '#contract/portal.ts'
import { createMicrosoftDirectory } from './accounts/microsoft-directory.ts'
import { createLeaversJob } from './accounts/microsoft-leavers.ts'
import { createTokens, resealFactors } from './accounts/tokens.ts'
import { createApp, portalMails } from './app.ts'
import type { Config } from './config.ts'
import { type Database, DatabaseOpenError } from './database/database.ts'
import { type DatabaseClock, startDatabaseClock } from './database/database-clock.ts'
import { createJobQueue } from './database/job-queue.ts'
import { migrateDatabase } from './database/migrate.ts'
import { openDatabase } from './database/open-database.ts'
import { watchVersion } from './database/watch-version.ts'
import { isMarkedAsDemo, readDemoSecret } from './demo/demo-installation.ts'
import type { Demo } from './demo/start-demo.ts'
import { createServiceStatus, trackStatus, trackUpstreamStatus } from './doctor/service-status.ts'
import { createSecurityHeaders } from './http/headers.ts'
import { drain, listen } from './http/listen.ts'
import { createKeyring } from './keyring.ts'
import { createLiveStreams } from './live/live-streams.ts'
import { createRequestLog, type Log } from './log.ts'
import { createOutbox } from './mail/outbox.ts'
import { createSmtpMailer, type Mailer } from './mail/smtp-mailer.ts'
import { createMetrics } from './operations/metrics.ts'
import { createRetentionJob } from './operations/retention-job.ts'
import { createTrailSealer } from './operations/seal-trail.ts'
import { createReceivers, createTrailSender } from './operations/send-trail.ts'
import { createPowerBi } from './power-bi/power-bi-client.ts'
import { replaceSecrets } from './replace-secrets.ts'
import { createUsageJob } from './reports/count-usage.ts'
import { createReportJobs } from './reports/report-mail.ts'
import { createUnsubscribeTokens } from './reports/report-subscriptions.ts'
import { queueUsageMails } from './reports/usage-mail.ts'
import { VERSION } from './version.ts'

const BUILT = fileURLToPath(new URL('../../dist', import.meta.url))
const DRAIN_MS = 25_000

export interface Portal {
  server: Server
  /**
   * Rereads secrets from the files of its settings, all or none.
   * @returns names of changed settings that need a restart
   * @throws ConfigError if anything is invalid
   */
  replaceSecrets(environment: NodeJS.ProcessEnv): string[]
  /** Reports not ready, serves for the grace, finishes running requests, closes the database. */
  stop(): Promise<void>
}

export class NotBuiltError extends Error {}

/**
 * Opens and migrates the database, and serves the portal.
 * @throws DatabaseOpenError, NotBuiltError, or the system's error if it cannot listen
 */
export async function startPortal(config: Config, log: Log): Promise<Portal> {
  const database = await openDatabase(config, log)
  try {
    const portal = await servePortal(config, log, database)
    const stopBackUps =
      database.kind === 'embedded'
        ? (await import('./operations/back-up-socket.ts')).serveBackUps(database.db, config.dataDir, log)
        : undefined
    return {
      ...portal,
      stop() {
        stopBackUps?.()
        return portal.stop()
      },
    }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Migrates an open database and serves the portal; stopping closes it. */
export async function servePortal(
  config: Config,
  log: Log,
  database: Database,
  givenClock?: () => number,
): Promise<Portal> {
  const { db } = database
  await migrateDatabase(database)
  const serviceStatus = createServiceStatus(() => clock(), {
    db: database.kind === 'server' ? db : undefined,
    version: VERSION,
    log,
  })
  const databaseClock = givenClock
    ? undefined
    : await startDatabaseClock(database, (isGood) => serviceStatus.record('database', isGood))
  const clock = givenClock ?? (databaseClock as DatabaseClock).now
  const secrets = config.sessionSecrets.length > 0 ? config.sessionSecrets : [readDemoSecret(config.dataDir)]
  // Production never loads the emulators.
  const demo = config.isDemo
    ? await (await import('./demo/start-demo.ts')).startDemo(config, db, secrets[0] as string)
    : undefined
  if (!demo && (await isMarkedAsDemo(db)))
    throw new DatabaseOpenError('Este banco de dados é de demonstração e não pode ser usado em produção.')

  const mailer = trackStatus(demo?.mailer ?? createMailer(config), serviceStatus)
  const keyring = createKeyring(secrets)
  const mailContext = {
    db,
    log,
    clock,
    mailer,
    publicUrl: config.publicUrl,
    groupName: config.group.name,
    signUnsubscribe: (id: string) => createUnsubscribeTokens(keyring).sign(id, clock()),
  }
  const outbox = createOutbox({
    ...mailContext,
    mails: portalMails,
    listen: database.listen,
  })
  const metrics = createMetrics(database, {
    version: VERSION,
    clock,
    readCertificateEnd: () => powerBi.readCertificateEnd(),
  })
  const { sessionMaxDays } = config
  const liveStreams = createLiveStreams({ database, log, metrics, serviceStatus, clock, sessionMaxDays })
  let isDraining = false
  await resealFactors(database.db, keyring)
  const powerBi = createPowerBi({
    directory: config.powerBi,
    ...config.powerBi,
    ...demo?.powerBi,
    log,
    countCall: trackUpstreamStatus(metrics.countUpstreamCall, serviceStatus),
    clock,
  })
  const entra = config.entra ?? demo?.entra
  const microsoft = entra && createMicrosoftDirectory(entra, config.publicUrl)
  const leavers =
    microsoft &&
    createLeaversJob({
      db,
      log,
      clock,
      microsoft,
      entraSessionHours: config.entraSessionHours,
      tokens: createTokens(keyring, clock),
    })
  const previous = readPreviousPage()
  const previousVersion = previous && (await watchVersion(database, previous.version))
  const { exports } = config
  const { rlsRoles } = config.powerBi
  const jobs = createJobQueue({
    db,
    log,
    clock,
    ...createReportJobs({ ...mailContext, keyring, powerBi, rlsRoles, exports }),
  })
  const app = createApp({
    database,
    liveStreams,
    log,
    metrics,
    clock,
    keyring,
    powerBi,
    microsoft,
    serviceStatus,
    runPortalChecks: async () => {
      // Loaded on demand.
      const { runChecks } = await import('./doctor/run-checks.ts')
      const { listPortalChecks } = await import('./doctor/portal-checks.ts')
      // Not the pool's connections: those are busy, or impatient, when the machine is.
      const own = config.databaseUrl
        ? await openDatabase(config, log, true).catch(() => undefined)
        : { db, close: async () => {} }
      try {
        const options = { config, environment: process.env, keyring, db: own?.db, powerBi, isSelf: true }
        return await runChecks(listPortalChecks(options))
      } finally {
        await own?.close()
      }
    },
    isDraining: () => isDraining,
    options: {
      ...config,
      get metricsToken() {
        return config.metricsToken
      },
      groupName: config.group.name,
      rlsRoles,
      powerBiHosts: config.powerBi.hosts,
      allowedHosts: config.isDemo ? ['localhost', '127.0.0.1'] : undefined,
    },
    page: {
      folder: join(BUILT, 'web'),
      brand: config.group,
      portal: {
        html: readBuilt('web/index.html'),
        screens: JSON.parse(readBuilt('prerender/screens.json')),
        settings: buildPortalSettings(config, demo),
        previous: previous && previousVersion && { html: previous.html, isActive: previousVersion.isActive },
      },
    },
    mounts: demo?.mounts ?? [],
  })
  const isHttps = config.publicUrl.startsWith('https:')
  const server = await listen(app, {
    host: config.host,
    port: config.port,
    headers: createSecurityHeaders(isHttps, config.powerBi.hosts),
    requestLog: createRequestLog(config.logLevel),
    logIps: config.logIps,
    logProbes: config.logProbes,
    countRequest: metrics.countRequest,
  })
  const retention = createRetentionJob({ db, log, clock, periods: config.retention })
  const trailWorkers = [
    createTrailSealer({ db, log, clock, hashMail: config.trail.hashMail }),
    ...createReceivers(config.trail).map((receiver) => createTrailSender({ db, log, clock }, receiver)),
  ]
  const usage = createUsageJob({ db, log, clock }, queueUsageMails)
  outbox.start()
  jobs.start()
  usage.start()
  for (const worker of trailWorkers) worker.start()
  leavers?.start()
  serviceStatus.start()
  // The demo's seeded sign-ups are deliberately old.
  if (!demo) retention.start()
  return {
    server,
    replaceSecrets: (environment) => replaceSecrets(environment, { config, keyring, database }),
    async stop() {
      isDraining = true
      // Late mails are sent by another replica or after the next start. Streams would never end.
      const drained = drain(server, { graceMs: config.shutdownGraceSeconds * 1000, timeoutMs: DRAIN_MS })
      const workers = [
        outbox,
        jobs,
        liveStreams,
        serviceStatus,
        retention,
        usage,
        ...trailWorkers,
        ...(leavers ? [leavers] : []),
      ]
      await Promise.all([drained, ...workers.map((worker) => worker.stop())])
      databaseClock?.stop()
      previousVersion?.stop()
      await database.close()
    },
  }
}

/** Creates a mailer that follows changes of SMTP_URL. */
function createMailer(config: Config): Mailer {
  let [url, mailer] = ['', undefined as Mailer | undefined]
  return {
    async deliver(mail) {
      if (!mailer || url !== config.smtpUrl) {
        url = config.smtpUrl
        mailer = createSmtpMailer({ url, from: config.mailFrom })
      }
      return mailer.deliver(mail)
    },
  }
}

function readBuilt(file: string): string {
  try {
    return readFileSync(join(BUILT, file), 'utf8')
  } catch {
    throw new NotBuiltError('A interface ainda não foi compilada. Use npm start, ou npm run build antes.')
  }
}

/** Returns the page of the version before, which only a release carries. */
function readPreviousPage(): { version: string; html: string } | undefined {
  const file = join(BUILT, 'previous.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

function buildPortalSettings(config: Config, demo: Demo | undefined): PortalSettings {
  return {
    groupName: config.group.name,
    logoPath: config.group.logo ? LOGO_PATH : null,
    groupSiteUrl: config.group.siteUrl,
    groupDealershipsUrl: config.group.dealershipsUrl,
    companyEmailDomain: config.companyEmailDomain,
    humanCheck: config.recaptcha
      ? { kind: 'recaptcha', siteKey: config.recaptcha.siteKey }
      : { kind: 'altcha' },
    contactCaptcha: config.contactCaptcha,
    signIn: !(config.entra ?? demo?.entra) ? 'password' : config.onlyMicrosoft ? 'microsoft' : 'both',
    reportEmbedBase: demo?.reportEmbedBase ?? `https://${config.powerBi.hosts[0]}`,
    powerBiHosts: config.powerBi.hosts,
    isDemo: config.isDemo,
    privacy: {
      ...config.retention,
      sessionMaxDays: config.sessionMaxDays,
      ...(config.group.dataProtectionOfficer && { officer: config.group.dataProtectionOfficer }),
    },
    version: VERSION,
  }
}
