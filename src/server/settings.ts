import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { CLOUDS, type CloudName } from './power-bi/clouds.ts'
import {
  applicationId,
  certificate,
  companyDomain,
  day,
  directoryId,
  ESCAPES,
  emailAddress,
  flag,
  hostName,
  httpUrl,
  list,
  networks,
  origin,
  postgresUrl,
  proxies,
  readableFile,
  sender,
  tenantId,
  text,
  wholeNumber,
} from './setting-values.ts'

const CLOUD_NAMES = Object.keys(CLOUDS) as CloudName[]

/** All settings; docs/settings.md describes them. */
const environmentSchema = z.object({
  // The process
  NODE_ENV: z.string().optional(),
  PORT: wholeNumber(1, 65535).default(4000),
  HOST: text.optional(),
  PUBLIC_URL: origin.optional(),
  TRUSTED_PROXIES: proxies,
  SHUTDOWN_GRACE_SECONDS: wholeNumber(0, 60).optional(),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'], {
      error: 'use fatal, error, warn, info, debug ou silent',
    })
    .optional(),
  LOG_IPS: flag.default(false),
  LOG_PROBES: flag.default(false),
  METRICS_TOKEN: z.string().min(32, { error: 'use pelo menos 32 caracteres aleatórios' }).optional(),

  // The database
  DATABASE_URL: postgresUrl.optional(),
  DATABASE_DIRECT_URL: postgresUrl.optional(),
  DATA_DIR: text.default('./data'),

  // People and sessions
  COMPANY_EMAIL_DOMAIN: companyDomain.optional(),
  BUILTIN_ADMIN_EMAIL: emailAddress.optional(),
  SESSION_SECRET: list.optional(),
  SESSION_MAX_DAYS: wholeNumber(1, 365).default(7),
  REQUIRE_SECOND_FACTOR: z.enum(['admins', 'everyone'], { error: 'use admins ou everyone' }).optional(),
  SECOND_FACTOR_GRACE_DAYS: wholeNumber(0, 90).default(7),
  GROUP_NETWORKS: networks.optional(),
  RECAPTCHA_SITE_KEY: text.optional(),
  RECAPTCHA_SECRET_KEY: text.optional(),
  ALTCHA_COST: wholeNumber(1, 1_000_000).default(5000),
  CONTACT_CAPTCHA: flag.default(false),

  // Power BI
  POWERBI_TENANT_ID: tenantId.optional(),
  POWERBI_CLIENT_ID: applicationId.optional(),
  POWERBI_CLIENT_SECRET: text.optional(),
  POWERBI_CLIENT_CERTIFICATE: certificate.optional(),
  POWERBI_SECRET_ENDS: day.optional(),
  POWERBI_CLOUD: z
    .enum(CLOUD_NAMES, {
      error: () => `use ${new Intl.ListFormat('pt-BR', { type: 'disjunction' }).format(CLOUD_NAMES)}`,
    })
    .default('public'),
  POWERBI_HOSTS: list.pipe(z.array(hostName).min(1)).optional(),
  POWERBI_RLS_ROLES: list.pipe(z.array(z.string().max(50)).min(1).max(50)).default(['Portal']),
  POWERBI_ALLOW_WITHOUT_RLS: flag.default(false),
  POWERBI_TOKEN_MINUTES: wholeNumber(1, 60).default(30),
  EXPORTS: z.enum(['on', 'off'], { error: 'use on ou off' }).default('on'),

  // Sign-in with Microsoft
  ENTRA_TENANT_ID: directoryId.optional(),
  ENTRA_CLIENT_ID: applicationId.optional(),
  ENTRA_CLIENT_SECRET: text.optional(),
  ENTRA_CLIENT_CERTIFICATE: certificate.optional(),
  ENTRA_SECRET_ENDS: day.optional(),
  ENTRA_SESSION_HOURS: wholeNumber(1, 168).default(12),
  ENTRA_MULTI_FACTOR: z
    .string()
    .regex(/^(off|always|c[1-9]\d?)$/, { error: 'use off, always ou um contexto de autenticação, como c1' })
    .default('off'),
  SIGN_IN: z.enum(['all', 'microsoft'], { error: 'use all ou microsoft' }).default('all'),

  // Mail
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: `informe uma URL smtp:// ou smtps://; ${ESCAPES}` })
    .optional(),
  MAIL_FROM: sender.optional(),

  // The group's name and brand
  GROUP_NAME: text.max(80).default('Grupo Pátio'),
  GROUP_SITE_URL: httpUrl.default('https://www.grupopatio.com.br'),
  GROUP_DEALERSHIPS_URL: httpUrl.default('https://www.grupopatio.com.br/concessionarias'),
  DATA_PROTECTION_OFFICER: sender.optional(),
  BRAND_COLOR: z
    .string()
    .regex(/^#[0-9a-f]{6}$/i, { error: 'use uma cor como #0f5f8c' })
    .default('#0f5c7d'),
  BRAND_LOGO: readableFile.optional(),
  BRAND_PICTURE: readableFile.optional(),

  // Retention
  RETENTION_UNVERIFIED_DAYS: wholeNumber(1, 365).default(7),
  RETENTION_REQUESTS_DAYS: wholeNumber(1, 730).default(90),
  // Their links are good for seven days.
  RETENTION_INVITATIONS_DAYS: wholeNumber(7, 365).default(30),
  RETENTION_DEVICES_DAYS: wholeNumber(1, 730).default(180),
  RETENTION_MAIL_DAYS: wholeNumber(1, 365).default(30),
  RETENTION_MESSAGES_MONTHS: wholeNumber(1, 120).default(12),
  RETENTION_SUSPECT_DAYS: wholeNumber(1, 365).default(30),
  RETENTION_ACCESS_MONTHS: wholeNumber(6, 120).default(6),
  RETENTION_ATTEMPTS_DAYS: wholeNumber(1, 730).default(90),
  RETENTION_AUDIT_MONTHS: wholeNumber(1, 120).default(24),
  RETENTION_USAGE_MONTHS: wholeNumber(1, 120).default(36),
  RETENTION_SUBSCRIPTIONS_DAYS: wholeNumber(1, 730).default(90),
  RETENTION_NOTICES_DAYS: wholeNumber(1, 730).default(90),

  // The trail, outside
  AUDIT_HASH_MAIL: emailAddress.optional(),
  AUDIT_STDOUT: flag.default(false),
  AUDIT_WEBHOOK_URL: httpUrl
    .refine((value) => !/^\w+:\/\/[^/?#]*@/.test(value), { error: 'informe uma URL sem usuário nem senha' })
    .optional(),
  AUDIT_WEBHOOK_SECRET: z.string().min(32, { error: 'use pelo menos 32 caracteres aleatórios' }).optional(),

  // For trials and tests
  PATIO_DEMO: flag.optional(),
  RATE_LIMITS: z.enum(['on', 'off'], { error: 'use on ou off' }).default('on'),
  ENTRA_ISSUER: httpUrl.optional(),
  POWERBI_EMULATOR_LATENCY_MS: wholeNumber(0, 60_000).default(0),
  POWERBI_EMULATOR_DIRECTORY_LATENCY_MS: wholeNumber(0, 60_000).default(0),
})
export type Environment = z.output<typeof environmentSchema>
export type SettingName = keyof Environment

/** All variables that are read; each is in docs/settings.md. */
export const SETTING_NAMES = Object.keys(environmentSchema.shape) as SettingName[]

/** Values that are never shown. */
const SECRETS: readonly SettingName[] = [
  'METRICS_TOKEN',
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'SESSION_SECRET',
  'RECAPTCHA_SECRET_KEY',
  'POWERBI_CLIENT_SECRET',
  'POWERBI_CLIENT_CERTIFICATE',
  'ENTRA_CLIENT_SECRET',
  'ENTRA_CLIENT_CERTIFICATE',
  'SMTP_URL',
  // Many services put a key into its path.
  'AUDIT_WEBHOOK_URL',
  'AUDIT_WEBHOOK_SECRET',
]

export const isSecretSetting = (name: SettingName): boolean => SECRETS.includes(name)

/** Returns the default of a setting as text; undefined if there is none. */
export function getSettingDefault(name: SettingName): string | undefined {
  const value: unknown = environmentSchema.shape[name].safeParse(undefined).data
  const isPlain = ['string', 'number', 'boolean'].includes(typeof value) || Array.isArray(value)
  return isPlain ? String(value) : undefined
}

/** Reads NAME_FILE in place of NAME, so that secrets can be mounted files. */
export function readValues(env: NodeJS.ProcessEnv, faults: string[]): Record<string, string | undefined> {
  const values: Record<string, string | undefined> = {}
  for (const name of SETTING_NAMES) {
    const file = env[`${name}_FILE`]
    // Shells and compose files set an empty variable for "not set".
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

/** Reports invalid variables and omits them, so that the others are still checked. */
export function parseVariables(values: Record<string, string | undefined>, faults: string[]): Environment {
  const parsed = environmentSchema.safeParse(values)
  if (parsed.success) return parsed.data
  const wrong = new Map(parsed.error.issues.map((issue) => [String(issue.path[0]), issue.message]))
  for (const [name, message] of wrong) faults.push(`${name}: ${message}`)
  const rest = Object.entries(values).filter(([name]) => !wrong.has(name))
  return environmentSchema.parse(Object.fromEntries(rest))
}

/** Returns the message of an invalid value, one line. */
export function validateSetting(name: SettingName, value: string): string | undefined {
  return environmentSchema.shape[name].safeParse(value).error?.issues[0]?.message
}

/** Lists the origin of each setting; `shown` is its value, undefined for secrets and unset ones. */
export function traceSettings(environment: NodeJS.ProcessEnv) {
  const values = readValues(environment, [])
  return SETTING_NAMES.map((name) => {
    const from = environment[`${name}_FILE`] ? 'file' : environment[name] ? 'environment' : 'default'
    return {
      name,
      from,
      shown: isSecretSetting(name) ? undefined : (values[name] ?? getSettingDefault(name)),
    } as const
  })
}
