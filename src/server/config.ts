import { type Environment, readEnvironment } from './environment.ts'
import { faultsBetween, faultsOfProduction, faultsOfReal } from './environment-faults.ts'
import type { RetentionPeriods } from './operations/retention-rules.ts'

/** Long enough for a balancer that asks every second. */
const SHUTDOWN_GRACE_SECONDS = 3

/** Thrown with every fault of the environment at once, each a readable line. */
export class ConfigError extends Error {
  readonly faults: string[]
  constructor(faults: string[]) {
    super(`Configuração inválida:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
    this.faults = faults
  }
}

/** Everything the process reads from its environment, parsed once. */
export interface Config {
  isDemo: boolean
  isProduction: boolean
  port: number
  host: string
  /** How long the process still takes connections after SIGTERM, while it already says that it is not ready. */
  shutdownGraceSeconds: number
  /** Origin under which people open the portal; links in mails lead there and nowhere else. */
  publicUrl: string
  databaseUrl: string | undefined
  dataDir: string
  companyEmailDomain: string
  builtinAdminEmail: string | undefined
  group: { name: string; siteUrl: string; dealershipsUrl: string; color: string; logo: string | undefined }
  /** The first signs, all verify. Empty in demo mode: the data directory holds a random one. */
  sessionSecrets: string[]
  /** Empty in demo mode, which sends nothing. */
  smtpUrl: string
  mailFrom: string
  recaptcha: { siteKey: string; secretKey: string } | undefined
  altchaCost: number
  /** Whether the contact form asks for a human check. */
  contactCaptcha: boolean
  powerBi: {
    tenantId: string
    clientId: string
    clientSecret: string | undefined
    clientCertificate: string | undefined
    hosts: string[]
    rlsRoles: string[]
    allowWithoutRls: boolean
    tokenMinutes: number
    emulatorLatencyMs: number
    emulatorDirectoryLatencyMs: number
  }
  trustedProxies: string[]
  retention: RetentionPeriods
  /** Opens /api/metrics; without it the route is closed to everybody. */
  metricsToken: string | undefined
  logLevel: NonNullable<Environment['LOG_LEVEL']>
  rateLimits: boolean
}

/** 'NAME: …' and 'NAME_FILE: …' speak of NAME. */
function variableOf(fault: string): string {
  return (fault.split(':', 1)[0] as string).replace(/_FILE$/, '')
}

/**
 * Parses the environment once.
 * @throws ConfigError naming every variable that is missing or wrong, never its value
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const faults: string[] = []
  const env = readEnvironment(environment, faults)
  const isProduction = env.NODE_ENV === 'production'
  const isDemo = env.PATIO_DEMO ?? !isProduction
  const further = faultsBetween(env, isDemo)
  if (!isDemo) further.push(...faultsOfReal(env))
  if (isProduction) further.push(...faultsOfProduction(env))
  // One line for a variable is enough: a wrong one is not missing as well.
  const named = new Set(faults.map(variableOf))
  faults.push(...further.filter((fault) => !named.has(variableOf(fault))))
  if (faults.length > 0) throw new ConfigError(faults)

  const host = env.HOST ?? (isDemo ? '127.0.0.1' : '0.0.0.0')
  const companyEmailDomain = env.COMPANY_EMAIL_DOMAIN ?? 'grupopatio.com.br'
  return {
    isDemo,
    isProduction,
    port: env.PORT,
    host,
    // Nobody waits for a demo: Ctrl+C ends it at once.
    shutdownGraceSeconds: env.SHUTDOWN_GRACE_SECONDS ?? (isDemo ? 0 : SHUTDOWN_GRACE_SECONDS),
    publicUrl: env.PUBLIC_URL ?? `http://localhost:${env.PORT}`,
    databaseUrl: env.DATABASE_URL,
    dataDir: env.DATA_DIR,
    companyEmailDomain,
    builtinAdminEmail: env.BUILTIN_ADMIN_EMAIL ?? (isDemo ? 'admin@grupopatio.com.br' : undefined),
    group: {
      name: env.GROUP_NAME,
      siteUrl: env.GROUP_SITE_URL,
      dealershipsUrl: env.GROUP_DEALERSHIPS_URL,
      color: env.BRAND_COLOR,
      logo: env.BRAND_LOGO,
    },
    sessionSecrets: env.SESSION_SECRET ?? [],
    smtpUrl: env.SMTP_URL ?? '',
    mailFrom: env.MAIL_FROM ?? `Pátio <portal@${companyEmailDomain}>`,
    recaptcha:
      env.RECAPTCHA_SITE_KEY && env.RECAPTCHA_SECRET_KEY
        ? { siteKey: env.RECAPTCHA_SITE_KEY, secretKey: env.RECAPTCHA_SECRET_KEY }
        : undefined,
    altchaCost: env.ALTCHA_COST,
    contactCaptcha: env.CONTACT_CAPTCHA,
    powerBi: {
      tenantId: env.POWERBI_TENANT_ID ?? '',
      clientId: env.POWERBI_CLIENT_ID ?? '',
      clientSecret: env.POWERBI_CLIENT_SECRET,
      clientCertificate: env.POWERBI_CLIENT_CERTIFICATE,
      hosts: env.POWERBI_HOSTS,
      rlsRoles: env.POWERBI_RLS_ROLES,
      allowWithoutRls: env.POWERBI_ALLOW_WITHOUT_RLS,
      tokenMinutes: env.POWERBI_TOKEN_MINUTES,
      emulatorLatencyMs: env.POWERBI_EMULATOR_LATENCY_MS,
      emulatorDirectoryLatencyMs: env.POWERBI_EMULATOR_DIRECTORY_LATENCY_MS,
    },
    trustedProxies: env.TRUSTED_PROXIES,
    retention: {
      unverifiedDays: env.RETENTION_UNVERIFIED_DAYS,
      mailDays: env.RETENTION_MAIL_DAYS,
      messagesMonths: env.RETENTION_MESSAGES_MONTHS,
      accessMonths: env.RETENTION_ACCESS_MONTHS,
      auditMonths: env.RETENTION_AUDIT_MONTHS,
    },
    metricsToken: env.METRICS_TOKEN,
    // The demo talks to a person at a terminal.
    logLevel: env.LOG_LEVEL ?? (isDemo ? 'warn' : 'info'),
    rateLimits: env.RATE_LIMITS === 'on',
  }
}
