import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { EMULATED_CLIENT_ID, EMULATED_TENANT_ID } from '#emulators/power-bi/catalogue.ts'
import { createPowerBiEmulator, type PowerBiEmulatorOptions } from '#emulators/power-bi/emulator.ts'
import { createApp, type PortalServices, portalMails } from '#server/app.ts'
import type { Database } from '#server/database/database.ts'
import { createJobQueue, type JobQueue } from '#server/database/job-queue.ts'
import { readEmulatedData } from '#server/demo/start-demo.ts'
import { createServiceStatus } from '#server/doctor/service-status.ts'
import { parseProxies } from '#server/http/client-ip.ts'
import { createSecurityHeaders } from '#server/http/headers.ts'
import { listen } from '#server/http/listen.ts'
import { createKeyring, type Keyring } from '#server/keyring.ts'
import { createLiveStreams } from '#server/live/live-streams.ts'
import { createLog } from '#server/log.ts'
import { createOutbox, type Outbox } from '#server/mail/outbox.ts'
import type { Mail, Mailer } from '#server/mail/smtp-mailer.ts'
import { createMetrics, type Metrics } from '#server/operations/metrics.ts'
import { createPowerBi, type PowerBiOptions } from '#server/power-bi/power-bi-client.ts'
import { createReportJobs } from '#server/reports/report-mail.ts'
import { createUnsubscribeTokens } from '#server/reports/report-subscriptions.ts'
import { VERSION } from '#server/version.ts'
import type { DatabaseKind } from './test-database.ts'

export const TEST_SECRET = 'a secret of the test-suite, long enough'
const SESSION_MAX_DAYS = 7
const CLIENT_SECRET = 'emulated client secret'

/** A fake clock, which only moves by advance(). */
export interface TestClock {
  (): number
  advance(ms: number): void
}

export function createTestClock(): TestClock {
  let now = Date.now()
  return Object.assign(() => now, {
    advance: (ms: number) => {
      now += ms
    },
  })
}

/** A complete portal on real HTTP, with an emulated Power BI. */
export interface TestPortal {
  url: string
  database: Database
  clock: TestClock
  keyring: Keyring
  metrics: Metrics
  /** URL of the emulator's instruments: calls, faults, data. */
  emulatorUrl: string
  /** Not started: tests deliver with deliverDue(). */
  outbox: Outbox
  /** Not started: tests run due steps with runDue(). */
  jobs: JobQueue
  /** The sent mails, oldest first; empty with a custom mailer. */
  mails: Mail[]
  stop(): Promise<void>
}

export interface TestPortalOptions extends Partial<PortalServices['options']> {
  kind: DatabaseKind
  /** An open database, for a second replica; stop() does not close it. */
  database?: Database
  allowWithoutRls?: boolean
  timeouts?: PowerBiOptions['timeouts']
  log?: PortalServices['log']
  /** The request log, `log` by default. */
  requestLog?: PortalServices['log']
  logIps?: boolean
  logProbes?: boolean
  /** The secret of the emulated directory. */
  clientSecret?: string
  mailer?: Mailer
  /** The built page, for browser tests. */
  page?: PortalServices['page']
  /** Another portal's clock, for a replica. */
  clock?: TestClock
  /** The values of SESSION_SECRET, newest first. */
  secrets?: string[]
  /** A directory that signs people in. */
  microsoft?: PortalServices['microsoft']
}

export async function startTestPortal(options: TestPortalOptions): Promise<TestPortal> {
  const mails: Mail[] = []
  const {
    kind,
    database: shared,
    allowWithoutRls = false,
    timeouts = {},
    log = createLog('silent'),
    requestLog = log,
    logIps = false,
    logProbes = false,
    clientSecret = CLIENT_SECRET,
    clock = createTestClock(),
    secrets = [TEST_SECRET],
    page,
    microsoft,
    mailer = { deliver: async (mail) => void mails.push(mail) },
    ...overrides
  } = options
  const database = shared ?? (await openOwnDatabase(kind))
  const keyring = createKeyring(secrets)
  const metrics = createMetrics(database, { version: VERSION, clock })
  const emulator = await startEmulator(clock, clientSecret, () => readEmulatedData(database.db))
  const tokenEndpoint = `${emulator.url}/directory/${EMULATED_TENANT_ID}/oauth2/v2.0/token`
  const mailContext = {
    db: database.db,
    mailer,
    log,
    clock,
    publicUrl: options.publicUrl ?? 'http://localhost',
    groupName: 'Grupo Pátio',
    signUnsubscribe: (id: string) => createUnsubscribeTokens(keyring).sign(id, clock()),
  }
  const outbox = createOutbox({ ...mailContext, mails: portalMails, listen: database.listen })
  const serviceStatus = createServiceStatus(clock)
  const liveStreams = createLiveStreams({
    database,
    log,
    metrics,
    serviceStatus,
    clock,
    sessionMaxDays: options.sessionMaxDays ?? SESSION_MAX_DAYS,
  })
  const powerBi = createPowerBi({
    directory: {
      tenantId: EMULATED_TENANT_ID,
      clientId: EMULATED_CLIENT_ID,
      clientSecret,
      tokenEndpoint,
    },
    apiBase: `${emulator.url}/api`,
    tokenMinutes: 30,
    allowWithoutRls,
    log,
    countCall: metrics.countUpstreamCall,
    clock,
    timeouts,
  })
  const { rlsRoles = ['Portal'], exports = true } = options
  const jobs = createJobQueue({
    db: database.db,
    log,
    clock,
    ...createReportJobs({ ...mailContext, keyring, powerBi, rlsRoles, exports }),
  })
  const app = createApp({
    database,
    liveStreams,
    keyring,
    log,
    metrics,
    clock,
    isDraining: () => false,
    validatesReplies: true,
    runPortalChecks: async () => [],
    serviceStatus,
    ...(page && { page }),
    powerBi,
    microsoft,
    options: {
      builtinAdminEmail: 'admin@grupopatio.com.br',
      companyEmailDomain: 'grupopatio.com.br',
      groupName: 'Grupo Pátio',
      rateLimits: true,
      sessionMaxDays: SESSION_MAX_DAYS,
      secondFactor: { requiredOf: 'nobody', graceDays: 7 },
      groupNetworks: undefined,
      altchaCost: 1,
      recaptcha: undefined,
      publicUrl: 'http://localhost',
      rlsRoles,
      powerBiHosts: ['app.powerbi.com', 'msit.powerbi.com'],
      contactCaptcha: false,
      entraSessionHours: 12,
      onlyMicrosoft: false,
      exports,
      trustedProxies: parseProxies([]),
      metricsToken: undefined,
      allowedHosts: undefined,
      ...overrides,
    },
  })
  const server = await listen(app, {
    host: '127.0.0.1',
    port: 0,
    headers: createSecurityHeaders(false, ['app.powerbi.com']),
    requestLog,
    logIps,
    logProbes,
    countRequest: metrics.countRequest,
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    database,
    clock,
    keyring,
    metrics,
    emulatorUrl: emulator.url,
    outbox,
    jobs,
    mails,
    async stop() {
      await Promise.all([outbox.stop(), jobs.stop(), liveStreams.stop()])
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await emulator.stop()
      if (!shared) await database.close()
    },
  }
}

async function openOwnDatabase(kind: DatabaseKind): Promise<Database> {
  // Browser tests bring a database and run without Vitest, which this module needs.
  const { openTestDatabase } = await import('./test-database.ts')
  return openTestDatabase(kind)
}

/** Starts the Power BI emulator on a free port. @returns its base URL */
export async function startEmulator(
  clock: () => number,
  clientSecret: string,
  readData: PowerBiEmulatorOptions['readData'] & object,
) {
  const emulator = createPowerBiEmulator({ secret: TEST_SECRET, clientSecret, clock, readData })
  const server = createServer(
    getRequestListener((request) => emulator.handle(request), { overrideGlobalObjects: false }),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/demo/power-bi`,
    stop() {
      // Does not wait for delayed replies.
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}
