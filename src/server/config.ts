import { CLOUDS } from './power-bi/clouds.ts'
import { findSimilarName } from './setting-warnings.ts'
import { type Environment, parseVariables, readValues, type SettingName, traceSettings } from './settings.ts'

const MISSING = 'falta (obrigatória fora da demonstração)'
/** Below this, challenges cost a script too little; allowed outside production only. */
const MIN_ALTCHA_COST = 1000
const MIN_SECRET_LENGTH = 32
/** Enough for a load balancer that checks every second. */
const SHUTDOWN_GRACE_SECONDS = 3

/** All settings, parsed once from the environment. */
export type Config = ReturnType<typeof buildConfig>

/** Thrown with all faults of the environment, one readable line each. */
export class ConfigError extends Error {
  readonly faults: string[]
  constructor(faults: string[]) {
    super(`Configuração inválida:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
    this.faults = faults
  }
}

/**
 * Parses the environment.
 * @throws ConfigError naming every variable that is missing or wrong, never its value
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const faults: string[] = []
  const env = parseVariables(readValues(environment, faults), faults)
  const isProduction = env.NODE_ENV === 'production'
  const isDemo = env.PATIO_DEMO ?? !isProduction
  // At most one line per variable: a wrong one is not also missing.
  const named = new Set(faults.map(getVariableName))
  const further = findFaults(env, isDemo, isProduction, (name) => {
    const similar = findSimilarName(environment, name)
    return similar ? `${MISSING}; está definida ${similar}, que o portal não lê` : MISSING
  })
  faults.push(...further.filter((fault) => !named.has(getVariableName(fault))))
  if (faults.length > 0) throw new ConfigError(faults)

  return buildConfig(env, { isDemo, isProduction }, environment)
}

/** Reads where the database is; needs, checks and reads no other setting, as an auditor has no secrets. */
export function readDatabasePlace(environment: NodeJS.ProcessEnv): Pick<Config, 'databaseUrl' | 'dataDir'> {
  const own = Object.entries(environment).filter(([name]) => /^(DATABASE_URL|DATA_DIR)(_FILE)?$/.test(name))
  return readConfig(Object.fromEntries(own))
}

/** Returns NAME for 'NAME: …' and 'NAME_FILE: …'. */
function getVariableName(fault: string): string {
  return (fault.split(':', 1)[0] as string).replace(/_FILE$/, '')
}

function buildConfig(
  env: Environment,
  { isDemo, isProduction }: { isDemo: boolean; isProduction: boolean },
  environment: NodeJS.ProcessEnv,
) {
  const cloud = CLOUDS[env.POWERBI_CLOUD]
  const companyEmailDomain = env.COMPANY_EMAIL_DOMAIN ?? 'grupopatio.com.br'
  return {
    isDemo,
    isProduction,
    /** Origin of each setting, with the values of non-secret ones. */
    shown: traceSettings(environment),
    port: env.PORT,
    host: env.HOST ?? (isDemo ? '127.0.0.1' : '0.0.0.0'),
    // Time to accept connections after SIGTERM while reporting not ready; a demo stops at once.
    shutdownGraceSeconds: env.SHUTDOWN_GRACE_SECONDS ?? (isDemo ? 0 : SHUTDOWN_GRACE_SECONDS),
    /** Origin of the portal, used in all links of mails. */
    publicUrl: env.PUBLIC_URL ?? `http://localhost:${env.PORT}`,
    databaseUrl: env.DATABASE_URL,
    databaseDirectUrl: env.DATABASE_DIRECT_URL,
    dataDir: env.DATA_DIR,
    companyEmailDomain,
    builtinAdminEmail: env.BUILTIN_ADMIN_EMAIL ?? (isDemo ? 'admin@grupopatio.com.br' : undefined),
    group: {
      name: env.GROUP_NAME,
      siteUrl: env.GROUP_SITE_URL,
      dealershipsUrl: env.GROUP_DEALERSHIPS_URL,
      dataProtectionOfficer: env.DATA_PROTECTION_OFFICER,
      color: env.BRAND_COLOR,
      logo: env.BRAND_LOGO,
      picture: env.BRAND_PICTURE,
    },
    /** The first signs, all verify. Empty in demo mode, which stores a random one in the data directory. */
    sessionSecrets: env.SESSION_SECRET ?? [],
    sessionMaxDays: env.SESSION_MAX_DAYS,
    secondFactor: {
      requiredOf: env.REQUIRE_SECOND_FACTOR ?? ('nobody' as const),
      graceDays: env.SECOND_FACTOR_GRACE_DAYS,
    },
    groupNetworks: env.GROUP_NETWORKS,
    /** Empty in demo mode, which sends no mail. */
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
      secretEnds: env.POWERBI_SECRET_ENDS,
      credentialFiles: {
        secret: environment.POWERBI_CLIENT_SECRET_FILE,
        certificate: environment.POWERBI_CLIENT_CERTIFICATE_FILE,
      },
      ...cloud,
      hosts: env.POWERBI_HOSTS ?? [...cloud.hosts],
      rlsRoles: env.POWERBI_RLS_ROLES,
      allowWithoutRls: env.POWERBI_ALLOW_WITHOUT_RLS,
      tokenMinutes: env.POWERBI_TOKEN_MINUTES,
      emulatorLatencyMs: env.POWERBI_EMULATOR_LATENCY_MS,
      emulatorDirectoryLatencyMs: env.POWERBI_EMULATOR_DIRECTORY_LATENCY_MS,
    },
    exports: env.EXPORTS === 'on',
    /** Sign-in with Microsoft; undefined where it is not configured. */
    entra:
      env.ENTRA_TENANT_ID && env.ENTRA_CLIENT_ID
        ? {
            // One tenant's exact issuer, never that of all tenants.
            issuer: env.ENTRA_ISSUER ?? `${cloud.authority}/${env.ENTRA_TENANT_ID}/v2.0`,
            tenantId: env.ENTRA_TENANT_ID.toLowerCase(),
            clientId: env.ENTRA_CLIENT_ID,
            clientSecret: env.ENTRA_CLIENT_SECRET,
            clientCertificate: env.ENTRA_CLIENT_CERTIFICATE,
            secretEnds: env.ENTRA_SECRET_ENDS,
            multiFactor: env.ENTRA_MULTI_FACTOR === 'off' ? undefined : env.ENTRA_MULTI_FACTOR,
          }
        : undefined,
    entraSessionHours: env.ENTRA_SESSION_HOURS,
    /** Whether passwords open no session, but for the built-in administrator's. */
    onlyMicrosoft: env.SIGN_IN === 'microsoft',
    trustedProxies: env.TRUSTED_PROXIES,
    retention: {
      unverifiedDays: env.RETENTION_UNVERIFIED_DAYS,
      requestsDays: env.RETENTION_REQUESTS_DAYS,
      invitationsDays: env.RETENTION_INVITATIONS_DAYS,
      devicesDays: env.RETENTION_DEVICES_DAYS,
      mailDays: env.RETENTION_MAIL_DAYS,
      messagesMonths: env.RETENTION_MESSAGES_MONTHS,
      suspectDays: env.RETENTION_SUSPECT_DAYS,
      accessMonths: env.RETENTION_ACCESS_MONTHS,
      attemptsDays: env.RETENTION_ATTEMPTS_DAYS,
      auditMonths: env.RETENTION_AUDIT_MONTHS,
      usageMonths: env.RETENTION_USAGE_MONTHS,
      subscriptionsDays: env.RETENTION_SUBSCRIPTIONS_DAYS,
      noticesDays: env.RETENTION_NOTICES_DAYS,
    },
    trail: {
      hashMail: env.AUDIT_HASH_MAIL,
      isOnStdout: env.AUDIT_STDOUT,
      webhook:
        env.AUDIT_WEBHOOK_URL && env.AUDIT_WEBHOOK_SECRET
          ? { url: env.AUDIT_WEBHOOK_URL, secret: env.AUDIT_WEBHOOK_SECRET }
          : undefined,
    },
    metricsToken: env.METRICS_TOKEN,
    logIps: env.LOG_IPS,
    logProbes: env.LOG_PROBES,
    // The demo logs to a terminal.
    logLevel: env.LOG_LEVEL ?? (isDemo ? 'warn' : 'info'),
    rateLimits: env.RATE_LIMITS === 'on',
  }
}

/** Settings required outside demo mode. */
export const REQUIRED = [
  'PUBLIC_URL',
  'SESSION_SECRET',
  'COMPANY_EMAIL_DOMAIN',
  'SMTP_URL',
  'MAIL_FROM',
  'POWERBI_TENANT_ID',
  'POWERBI_CLIENT_ID',
] as const

/** Settings that make no sense in demo mode: their presence means that NODE_ENV is missing. */
const FORBIDDEN_IN_DEMO = [
  'SESSION_SECRET',
  'SMTP_URL',
  'POWERBI_TENANT_ID',
  'POWERBI_CLIENT_ID',
  'POWERBI_CLIENT_SECRET',
  'POWERBI_CLIENT_CERTIFICATE',
  'ENTRA_CLIENT_SECRET',
  'ENTRA_CLIENT_CERTIFICATE',
] as const

/** URLs of this machine. */
const LOCAL_URL = /^https?:\/\/(localhost|127\.0\.0\.1)(:|$)/

/** Lists faults of combinations: missing variables, conflicts, and values for trials only. */
function findFaults(
  env: Environment,
  isDemo: boolean,
  isProduction: boolean,
  describeMissing: (name: SettingName) => string,
): string[] {
  const isWeak = (secret: string) => secret.length < MIN_SECRET_LENGTH || new Set(secret).size < 8
  const { BUILTIN_ADMIN_EMAIL: admin, COMPANY_EMAIL_DOMAIN: domain, PUBLIC_URL: url } = env
  // In production demo mode itself is the fault.
  const isOnlyDemo = isDemo && !isProduction
  const forgotten = 'a demonstração não usa isto; para atender pessoas de verdade, defina NODE_ENV=production'
  const rules: [isBroken: unknown, fault: string][] = [
    [
      Boolean(env.RECAPTCHA_SITE_KEY) !== Boolean(env.RECAPTCHA_SECRET_KEY),
      'RECAPTCHA_SITE_KEY e RECAPTCHA_SECRET_KEY: informe as duas ou nenhuma',
    ],
    [
      Boolean(env.AUDIT_WEBHOOK_URL) !== Boolean(env.AUDIT_WEBHOOK_SECRET),
      'AUDIT_WEBHOOK_URL e AUDIT_WEBHOOK_SECRET: informe as duas ou nenhuma',
    ],
    [
      isProduction && env.AUDIT_WEBHOOK_URL?.startsWith('http:') && !LOCAL_URL.test(env.AUDIT_WEBHOOK_URL),
      'AUDIT_WEBHOOK_URL: use https:// em produção',
    ],
    [
      env.SESSION_SECRET?.some(isWeak),
      `SESSION_SECRET: use pelo menos ${MIN_SECRET_LENGTH} caracteres aleatórios em cada segredo`,
    ],
    [
      isDemo && env.HOST && !['127.0.0.1', 'localhost'].includes(env.HOST),
      'HOST: o modo de demonstração só atende em 127.0.0.1 ou localhost',
    ],
    [
      isOnlyDemo && url && !LOCAL_URL.test(url),
      'PUBLIC_URL: a demonstração só atende em localhost; para atender pessoas de verdade, defina NODE_ENV=production',
    ],
    ...FORBIDDEN_IN_DEMO.map((name): [boolean, string] => [
      isOnlyDemo && Boolean(env[name]?.length),
      `${name}: ${forgotten}`,
    ]),
    [
      admin && domain && !admin.endsWith(`@${domain}`),
      'BUILTIN_ADMIN_EMAIL: precisa ser do domínio COMPANY_EMAIL_DOMAIN',
    ],
    ...REQUIRED.map((name): [boolean, string] => [
      !isDemo && !env[name]?.length,
      `${name}: ${describeMissing(name)}`,
    ]),
    [
      !isDemo && !env.POWERBI_CLIENT_SECRET && !env.POWERBI_CLIENT_CERTIFICATE,
      `POWERBI_CLIENT_SECRET ou POWERBI_CLIENT_CERTIFICATE: ${describeMissing('POWERBI_CLIENT_SECRET')}`,
    ],
    [
      isProduction && url && !url.startsWith('https:') && !LOCAL_URL.test(url),
      'PUBLIC_URL: use https:// em produção',
    ],
    [
      [env.ENTRA_TENANT_ID, env.ENTRA_CLIENT_ID, env.ENTRA_CLIENT_SECRET ?? env.ENTRA_CLIENT_CERTIFICATE]
        .map(Boolean)
        .some((isSet, _, all) => isSet !== all[0]),
      'ENTRA_TENANT_ID, ENTRA_CLIENT_ID e ENTRA_CLIENT_SECRET (ou ENTRA_CLIENT_CERTIFICATE): informe todas ou nenhuma',
    ],
    [
      env.SIGN_IN === 'microsoft' && !isDemo && !env.ENTRA_TENANT_ID,
      'SIGN_IN: microsoft pede ENTRA_TENANT_ID, ENTRA_CLIENT_ID e ENTRA_CLIENT_SECRET',
    ],
    [isProduction && env.ENTRA_ISSUER, 'ENTRA_ISSUER: só existe para demonstração e testes'],
    [env.DATABASE_DIRECT_URL && !env.DATABASE_URL, 'DATABASE_DIRECT_URL: só vale junto com DATABASE_URL'],
    [isProduction && env.RATE_LIMITS === 'off', 'RATE_LIMITS: não pode ser desligado em produção'],
    [isProduction && env.PATIO_DEMO, 'PATIO_DEMO: o modo de demonstração não existe em produção'],
    [
      isProduction && env.ALTCHA_COST < MIN_ALTCHA_COST,
      `ALTCHA_COST: use pelo menos ${MIN_ALTCHA_COST} em produção`,
    ],
  ]
  return rules.flatMap(([isBroken, fault]) => (isBroken ? [fault] : []))
}
