import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { isPostgresUrl } from './database/server-urls.ts'
import { parseProxies, type TrustedProxies } from './http/caller-ip.ts'
import { CLOUDS, type CloudName } from './power-bi/clouds.ts'

/** Below it a script solves challenges for nothing; only trials may go there. */
const MIN_ALTCHA_COST = 1000
const MIN_SECRET_LENGTH = 32
/** Long enough for a balancer that asks every second. */
const SHUTDOWN_GRACE_SECONDS = 3

z.config(z.locales.pt())

const CLOUD_NAMES = Object.keys(CLOUDS) as CloudName[]

const flag = z.enum(['true', 'false'], { error: 'use true ou false' }).transform((value) => value === 'true')
const list = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
)
const httpUrl = z.url({ protocol: /^https?$/, error: 'informe uma URL http(s)' })
const postgresUrl = z.string().refine(isPostgresUrl, { error: 'informe uma URL postgres://' })
const hostName = z
  .string()
  .regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/, { error: 'use nomes de host em minúsculas, sem porta' })
/** 'Pátio <portal@exemplo.com.br>' or the address alone: one sender, fit for a header. */
const sender = z.string().regex(/^([^\p{Cc}<>",;:]+ <[^\s<>@,;]+@[^\s<>@,;]+>|[^\s<>@,;]+@[^\s<>@,;]+)$/u, {
  error: 'informe um remetente como Pátio <portal@exemplo.com.br>',
})
const wholeNumber = (min: number, max: number) => {
  const error = `use um número inteiro de ${min} a ${max}`
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error })
}
/** The range of everybody would believe whoever asks. */
function readProxies(proxies: string[], { addIssue }: z.RefinementCtx): TrustedProxies {
  try {
    return parseProxies(proxies)
  } catch {
    addIssue('use endereços IP e faixas como 10.0.0.0/8, sem nomes nem /0')
    return z.NEVER
  }
}
const emailAddress = z.email({ error: 'informe um e-mail' }).transform((value) => value.toLowerCase())

const environmentSchema = z.object({
  PORT: z.coerce.number({ error: 'use um número' }).int().min(1).max(65535).default(4000),
  HOST: z.string().min(1).optional(),
  SHUTDOWN_GRACE_SECONDS: wholeNumber(0, 60).optional(),
  PUBLIC_URL: httpUrl.transform((value) => new URL(value).origin).optional(),
  DATABASE_URL: postgresUrl.optional(),
  DATABASE_DIRECT_URL: postgresUrl.optional(),
  DATA_DIR: z.string().min(1).default('./data'),
  COMPANY_EMAIL_DOMAIN: hostName.optional(),
  BUILTIN_ADMIN_EMAIL: emailAddress.optional(),
  GROUP_NAME: z.string().min(1).max(80).default('Grupo Pátio'),
  GROUP_SITE_URL: httpUrl.default('https://www.grupopatio.com.br'),
  GROUP_DEALERSHIPS_URL: httpUrl.default('https://www.grupopatio.com.br/concessionarias'),
  BRAND_COLOR: z
    .string()
    .regex(/^#[0-9a-f]{6}$/i, { error: 'use uma cor como #0f5f8c' })
    .default('#0f5c7d'),
  BRAND_LOGO: z.string().min(1).optional(),
  SESSION_SECRET: list.optional(),
  SESSION_MAX_DAYS: wholeNumber(1, 365).default(7),
  SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'informe uma URL smtp:// ou smtps://' }).optional(),
  MAIL_FROM: sender.optional(),
  RECAPTCHA_SITE_KEY: z.string().min(1).optional(),
  RECAPTCHA_SECRET_KEY: z.string().min(1).optional(),
  CONTACT_CAPTCHA: flag.default(false),
  ALTCHA_COST: z.coerce.number({ error: 'use um número' }).int().min(1).max(1_000_000).default(5000),
  POWERBI_TENANT_ID: z.string().min(1).optional(),
  POWERBI_CLIENT_ID: z.string().min(1).optional(),
  POWERBI_CLIENT_SECRET: z.string().min(1).optional(),
  POWERBI_CLIENT_CERTIFICATE: z.string().min(1).optional(),
  POWERBI_CLOUD: z
    .enum(CLOUD_NAMES, {
      error: `use ${new Intl.ListFormat('pt-BR', { type: 'disjunction' }).format(CLOUD_NAMES)}`,
    })
    .default('public'),
  POWERBI_HOSTS: list.pipe(z.array(hostName).min(1)).optional(),
  POWERBI_RLS_ROLES: list.pipe(z.array(z.string().max(50)).min(1).max(50)).default(['Portal']),
  POWERBI_ALLOW_WITHOUT_RLS: flag.default(false),
  POWERBI_TOKEN_MINUTES: z.coerce.number({ error: 'use um número' }).int().min(1).max(60).default(30),
  POWERBI_EMULATOR_LATENCY_MS: z.coerce
    .number({ error: 'use um número' })
    .int()
    .min(0)
    .max(60_000)
    .default(0),
  POWERBI_EMULATOR_DIRECTORY_LATENCY_MS: z.coerce.number().int().min(0).max(60_000).default(0),
  TRUSTED_PROXIES: list.transform(readProxies).prefault(''),
  RETENTION_UNVERIFIED_DAYS: wholeNumber(1, 365).default(7),
  RETENTION_MAIL_DAYS: wholeNumber(1, 365).default(30),
  RETENTION_MESSAGES_MONTHS: wholeNumber(1, 120).default(12),
  // Marco Civil da Internet, article 15: not less.
  RETENTION_ACCESS_MONTHS: wholeNumber(6, 120).default(6),
  RETENTION_ATTEMPTS_DAYS: wholeNumber(1, 730).default(90),
  RETENTION_AUDIT_MONTHS: wholeNumber(1, 120).default(24),
  METRICS_TOKEN: z.string().min(32, { error: 'use pelo menos 32 caracteres aleatórios' }).optional(),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'], {
      error: 'use fatal, error, warn, info, debug ou silent',
    })
    .optional(),
  LOG_IPS: flag.default(false),
  RATE_LIMITS: z.enum(['on', 'off'], { error: 'use on ou off' }).default('on'),
  PATIO_DEMO: flag.optional(),
  NODE_ENV: z.string().optional(),
})
type Environment = z.output<typeof environmentSchema>

/** Every variable that is read; each stands in docs/deployment.md. */
export const ENVIRONMENT_NAMES = Object.keys(environmentSchema.shape) as (keyof Environment)[]

/** Everything the process reads from its environment, parsed once. */
export type Config = ReturnType<typeof configOf>

/** Thrown with every fault of the environment at once, each a readable line. */
export class ConfigError extends Error {
  readonly faults: string[]
  constructor(faults: string[]) {
    super(`Configuração inválida:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
    this.faults = faults
  }
}

/**
 * Parses the environment once.
 * @throws ConfigError naming every variable that is missing or wrong, never its value
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const faults: string[] = []
  const env = parseVariables(readValues(environment, faults), faults)
  const isProduction = env.NODE_ENV === 'production'
  const isDemo = env.PATIO_DEMO ?? !isProduction
  // One line for a variable is enough: a wrong one is not missing as well.
  const named = new Set(faults.map(variableOf))
  const further = faultsOf(env, isDemo, isProduction)
  faults.push(...further.filter((fault) => !named.has(variableOf(fault))))
  if (faults.length > 0) throw new ConfigError(faults)

  return configOf(env, { environment, isDemo, isProduction })
}

/** 'NAME: …' and 'NAME_FILE: …' speak of NAME. */
function variableOf(fault: string): string {
  return (fault.split(':', 1)[0] as string).replace(/_FILE$/, '')
}

function configOf(
  env: Environment,
  {
    environment,
    isDemo,
    isProduction,
  }: { environment: NodeJS.ProcessEnv; isDemo: boolean; isProduction: boolean },
) {
  const companyEmailDomain = env.COMPANY_EMAIL_DOMAIN ?? 'grupopatio.com.br'
  return {
    isDemo,
    isProduction,
    port: env.PORT,
    host: env.HOST ?? (isDemo ? '127.0.0.1' : '0.0.0.0'),
    // How long the process still takes connections after SIGTERM, while it already says that it is not ready; a demo
    // ends at once.
    shutdownGraceSeconds: env.SHUTDOWN_GRACE_SECONDS ?? (isDemo ? 0 : SHUTDOWN_GRACE_SECONDS),
    /** Origin under which people open the portal; links in mails lead there and nowhere else. */
    publicUrl: env.PUBLIC_URL ?? `http://localhost:${env.PORT}`,
    databaseUrl: env.DATABASE_URL,
    /** The same database past a pooler. */
    databaseDirectUrl: env.DATABASE_DIRECT_URL,
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
    /** The first signs, all verify. Empty in demo mode: the data directory holds a random one. */
    sessionSecrets: env.SESSION_SECRET ?? [],
    sessionMaxDays: env.SESSION_MAX_DAYS,
    /** Empty in demo mode, which sends nothing. */
    smtpUrl: env.SMTP_URL ?? '',
    mailFrom: env.MAIL_FROM ?? `Pátio <portal@${companyEmailDomain}>`,
    recaptcha:
      env.RECAPTCHA_SITE_KEY && env.RECAPTCHA_SECRET_KEY
        ? { siteKey: env.RECAPTCHA_SITE_KEY, secretKey: env.RECAPTCHA_SECRET_KEY }
        : undefined,
    altchaCost: env.ALTCHA_COST,
    /** Whether the contact form asks for a human check. */
    contactCaptcha: env.CONTACT_CAPTCHA,
    powerBi: {
      tenantId: env.POWERBI_TENANT_ID ?? '',
      clientId: env.POWERBI_CLIENT_ID ?? '',
      clientSecret: env.POWERBI_CLIENT_SECRET,
      clientCertificate: env.POWERBI_CLIENT_CERTIFICATE,
      credentialFiles: {
        secret: environment.POWERBI_CLIENT_SECRET_FILE,
        certificate: environment.POWERBI_CLIENT_CERTIFICATE_FILE,
      },
      authority: CLOUDS[env.POWERBI_CLOUD].authority,
      scope: CLOUDS[env.POWERBI_CLOUD].scope,
      apiBase: CLOUDS[env.POWERBI_CLOUD].apiBase,
      hosts: env.POWERBI_HOSTS ?? [...CLOUDS[env.POWERBI_CLOUD].hosts],
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
      attemptsDays: env.RETENTION_ATTEMPTS_DAYS,
      auditMonths: env.RETENTION_AUDIT_MONTHS,
    },
    /** Opens /api/metrics; without it the route is closed. */
    metricsToken: env.METRICS_TOKEN,
    /** Whether the lines of the request log name the caller's IP. */
    logIps: env.LOG_IPS,
    // The demo talks to a person at a terminal.
    logLevel: env.LOG_LEVEL ?? (isDemo ? 'warn' : 'info'),
    rateLimits: env.RATE_LIMITS === 'on',
  }
}

/** NAME_FILE stands in for NAME, so that secrets can come from mounted files. */
function readValues(env: NodeJS.ProcessEnv, faults: string[]): Record<string, string | undefined> {
  const values: Record<string, string | undefined> = {}
  for (const name of ENVIRONMENT_NAMES) {
    const file = env[`${name}_FILE`]
    // An empty variable is how shells and compose files say "not set".
    values[name] = env[name] === '' ? undefined : env[name]
    if (!file) continue
    try {
      values[name] = readFileSync(file, 'utf8').trim()
    } catch {
      faults.push(`${name}_FILE: não foi possível ler ${file}`)
    }
  }
  return values
}

/** A variable that is wrong is named and then left out, so that the others are still looked at. */
function parseVariables(values: Record<string, string | undefined>, faults: string[]): Environment {
  const parsed = environmentSchema.safeParse(values)
  if (parsed.success) return parsed.data
  const wrong = new Map(parsed.error.issues.map((issue) => [String(issue.path[0]), issue.message]))
  for (const [name, message] of wrong) faults.push(`${name}: ${message}`)
  const rest = Object.entries(values).filter(([name]) => !wrong.has(name))
  return environmentSchema.parse(Object.fromEntries(rest))
}

/** What a portal for real people cannot do without. */
const REQUIRED = [
  'PUBLIC_URL',
  'SESSION_SECRET',
  'COMPANY_EMAIL_DOMAIN',
  'SMTP_URL',
  'MAIL_FROM',
  'POWERBI_TENANT_ID',
  'POWERBI_CLIENT_ID',
] as const

/** What only a portal for real people needs: where it is set and the mode is the demo's, the mode was forgotten. */
const REFUSED_IN_DEMO = [
  'SESSION_SECRET',
  'SMTP_URL',
  'POWERBI_TENANT_ID',
  'POWERBI_CLIENT_ID',
  'POWERBI_CLIENT_SECRET',
  'POWERBI_CLIENT_CERTIFICATE',
] as const

/** Addresses that nobody else reaches. */
const LOCAL_URL = /^https?:\/\/(localhost|127\.0\.0\.1)(:|$)/

/** Variables that are missing, do not go together, or are good enough for trials only. */
function faultsOf(env: Environment, isDemo: boolean, isProduction: boolean): string[] {
  const isWeak = (secret: string) => secret.length < MIN_SECRET_LENGTH || new Set(secret).size < 8
  const { BUILTIN_ADMIN_EMAIL: admin, COMPANY_EMAIL_DOMAIN: domain, PUBLIC_URL: url } = env
  const missing = 'falta (obrigatória fora da demonstração)'
  // In production the mode itself is the fault.
  const isOnlyDemo = isDemo && !isProduction
  const forgotten = 'a demonstração não usa isto; para atender pessoas de verdade, defina NODE_ENV=production'
  const rules: [isBroken: unknown, fault: string][] = [
    [
      Boolean(env.RECAPTCHA_SITE_KEY) !== Boolean(env.RECAPTCHA_SECRET_KEY),
      'RECAPTCHA_SITE_KEY e RECAPTCHA_SECRET_KEY: informe as duas ou nenhuma',
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
    ...REFUSED_IN_DEMO.map((name): [boolean, string] => [
      isOnlyDemo && Boolean(env[name]?.length),
      `${name}: ${forgotten}`,
    ]),
    [
      admin && domain && !admin.endsWith(`@${domain}`),
      'BUILTIN_ADMIN_EMAIL: precisa ser do domínio COMPANY_EMAIL_DOMAIN',
    ],
    ...REQUIRED.map((name): [boolean, string] => [!isDemo && !env[name]?.length, `${name}: ${missing}`]),
    [
      !isDemo && !env.POWERBI_CLIENT_SECRET && !env.POWERBI_CLIENT_CERTIFICATE,
      `POWERBI_CLIENT_SECRET ou POWERBI_CLIENT_CERTIFICATE: ${missing}`,
    ],
    [
      isProduction && url && !url.startsWith('https:') && !LOCAL_URL.test(url),
      'PUBLIC_URL: use https:// em produção',
    ],
    [env.DATABASE_DIRECT_URL && !env.DATABASE_URL, 'DATABASE_DIRECT_URL: só vale junto com DATABASE_URL'],
    [isProduction && env.RATE_LIMITS === 'off', 'RATE_LIMITS: não pode ser desligado em produção'],
    [isProduction && env.PATIO_DEMO, 'PATIO_DEMO: o modo de demonstração não existe em produção'],
    [
      isProduction && env.ALTCHA_COST < MIN_ALTCHA_COST,
      `ALTCHA_COST: use pelo menos ${MIN_ALTCHA_COST} em produção`,
    ],
    [env.BRAND_LOGO && !isReadable(env.BRAND_LOGO), 'BRAND_LOGO: o arquivo não pode ser lido'],
  ]
  return rules.flatMap(([isBroken, fault]) => (isBroken ? [fault] : []))
}

function isReadable(file: string): boolean {
  try {
    readFileSync(file)
    return true
  } catch {
    return false
  }
}
