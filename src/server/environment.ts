import { readFileSync } from 'node:fs'
import * as z from 'zod'

z.config(z.locales.pt())

const flag = z.enum(['true', 'false'], { error: 'use true ou false' }).transform((value) => value === 'true')
const list = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
)
const httpUrl = z.url({ protocol: /^https?$/, error: 'informe uma URL http(s)' })
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
const emailAddress = z.email({ error: 'informe um e-mail' }).transform((value) => value.toLowerCase())

const environmentSchema = z.object({
  PORT: z.coerce.number({ error: 'use um número' }).int().min(1).max(65535).default(4000),
  HOST: z.string().min(1).optional(),
  SHUTDOWN_GRACE_SECONDS: wholeNumber(0, 60).optional(),
  PUBLIC_URL: httpUrl.transform((value) => new URL(value).origin).optional(),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'informe uma URL postgres://' }).optional(),
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
  POWERBI_HOSTS: list.pipe(z.array(hostName).min(1)).default(['app.powerbi.com', 'msit.powerbi.com']),
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
  TRUSTED_PROXIES: list.default([]),
  RETENTION_UNVERIFIED_DAYS: wholeNumber(1, 365).default(7),
  RETENTION_MAIL_DAYS: wholeNumber(1, 365).default(30),
  RETENTION_MESSAGES_MONTHS: wholeNumber(1, 120).default(12),
  // Marco Civil da Internet, article 15: not less.
  RETENTION_ACCESS_MONTHS: wholeNumber(6, 120).default(6),
  RETENTION_AUDIT_MONTHS: wholeNumber(1, 120).default(24),
  METRICS_TOKEN: z.string().min(32, { error: 'use pelo menos 32 caracteres aleatórios' }).optional(),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'], {
      error: 'use fatal, error, warn, info, debug ou silent',
    })
    .optional(),
  RATE_LIMITS: z.enum(['on', 'off'], { error: 'use on ou off' }).default('on'),
  PATIO_DEMO: flag.optional(),
  NODE_ENV: z.string().optional(),
})
/** The environment's variables, parsed one by one. */
export type Environment = z.output<typeof environmentSchema>

/** NAME_FILE stands in for NAME, so that secrets can come from mounted files. */
function readSecretFiles(env: NodeJS.ProcessEnv, faults: string[]): Record<string, string | undefined> {
  const values: Record<string, string | undefined> = {}
  for (const name of Object.keys(environmentSchema.shape)) {
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

/**
 * Reads each variable, or the file that stands in for it.
 * @param faults gets a line for each that is wrong, which then counts as not set
 */
export function readEnvironment(environment: NodeJS.ProcessEnv, faults: string[]): Environment {
  return parseVariables(readSecretFiles(environment, faults), faults)
}
