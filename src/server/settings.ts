import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { CLOUDS, type CloudName } from './power-bi/clouds.ts'
import {
  applicationId,
  certificate,
  companyDomain,
  ESCAPES,
  emailAddress,
  flag,
  hostName,
  httpUrl,
  list,
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

/** What docs/settings.md says of a setting. */
interface Described {
  /** In English Markdown. */
  what: string
  /** Where the default is not the schema's. */
  shownDefault?: string
  /** Its value is shown nowhere. */
  isSecret?: boolean
}
const described = <S extends z.ZodType>(schema: S, what: string, more: Omit<Described, 'what'> = {}): S =>
  schema.meta({ ...more, what })
const secret = { isSecret: true }

/** Every setting, in the groups of docs/settings.md. */
export const SETTING_GROUPS = {
  'The process': {
    NODE_ENV: described(
      z.string().optional(),
      '`production` asks for everything that real people need, and refuses what is for trials only',
    ),
    PORT: described(wholeNumber(1, 65535).default(4000), 'where it listens'),
    HOST: described(text.optional(), 'the address it listens on; demo mode takes loopback only', {
      shownDefault: '`127.0.0.1` in demo mode, else `0.0.0.0`',
    }),
    PUBLIC_URL: described(
      origin.optional(),
      'the address people open, without a path; links in mails lead there and nowhere else; demo mode takes localhost only',
      { shownDefault: '`http://localhost:PORT` in demo mode' },
    ),
    TRUSTED_PROXIES: described(
      proxies,
      'addresses and CIDR ranges (`10.0.0.5,10.1.0.0/16`) of proxies whose `X-Forwarded-For` counts; names and `/0` stop the start, none behind https is warned of',
      { shownDefault: '–' },
    ),
    SHUTDOWN_GRACE_SECONDS: described(
      wholeNumber(0, 60).optional(),
      '0 to 60: how long connections are still taken after SIGTERM, while `ready` already says no',
      { shownDefault: '`3`; `0` in demo mode' },
    ),
    LOG_LEVEL: described(
      z
        .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'], {
          error: 'use fatal, error, warn, info, debug ou silent',
        })
        .optional(),
      '`fatal`, `error`, `warn`, `info`, `debug`, `silent`',
      { shownDefault: '`info`; demo `warn`' },
    ),
    LOG_IPS: described(
      flag.default(false),
      'whether the lines of the request log name the caller’s IP, beside the id of who is signed in',
    ),
    METRICS_TOKEN: described(
      z.string().min(32, { error: 'use pelo menos 32 caracteres aleatórios' }).optional(),
      'at least 32 characters; opens `GET /api/metrics`, which is closed to everybody without it',
      secret,
    ),
  },
  'The database': {
    DATABASE_URL: described(
      postgresUrl.optional(),
      '`postgres://user:password@host:5432/database`, several hosts comma-separated; without it, the embedded database',
      secret,
    ),
    DATABASE_DIRECT_URL: described(
      postgresUrl.optional(),
      'the same database past a pooler, for migrations and `LISTEN`',
      secret,
    ),
    DATA_DIR: described(
      text.default('./data'),
      'the embedded database and the demo’s secret; the process’s user alone gets in (`0700`), and a wider folder is closed with a warning',
    ),
  },
  'People and sessions': {
    COMPANY_EMAIL_DOMAIN: described(
      companyDomain.optional(),
      'the one domain whose addresses may have accounts',
      {
        shownDefault: 'demo: `grupopatio.com.br`',
      },
    ),
    BUILTIN_ADMIN_EMAIL: described(
      emailAddress.optional(),
      'the address that signs in without the human check, under stricter limits',
      { shownDefault: 'demo: `admin@grupopatio.com.br`' },
    ),
    SESSION_SECRET: described(
      list.optional(),
      'at least 32 random characters; several, comma-separated, to rotate: the first signs, all verify',
      { ...secret, shownDefault: 'demo: random for each data directory' },
    ),
    SESSION_MAX_DAYS: described(
      wholeNumber(1, 365).default(7),
      '1 to 365: how long a session lives at most, however often it is refreshed',
    ),
    RECAPTCHA_SITE_KEY: described(
      text.optional(),
      'reCAPTCHA v2; without it ALTCHA, which needs no third party',
    ),
    RECAPTCHA_SECRET_KEY: described(text.optional(), 'its other half: both or none', secret),
    ALTCHA_COST: described(
      wholeNumber(1, 1_000_000).default(5000),
      'work of each guess; at least 1000 in production',
    ),
    CONTACT_CAPTCHA: described(flag.default(false), 'asks for the human check on the contact form as well'),
  },
  'Power BI': {
    POWERBI_TENANT_ID: described(
      tenantId.optional(),
      'the directory: a UUID, or one of its domains; see [power-bi.md](power-bi.md)',
    ),
    POWERBI_CLIENT_ID: described(applicationId.optional(), 'the service principal’s application id, a UUID'),
    POWERBI_CLIENT_SECRET: described(
      text.optional(),
      'its secret (the value, not the id of the secret)',
      secret,
    ),
    POWERBI_CLIENT_CERTIFICATE: described(
      certificate.optional(),
      'instead of the secret: PEM of certificate and private key in one text',
      secret,
    ),
    POWERBI_CLOUD: described(
      z
        .enum(CLOUD_NAMES, {
          error: () => `use ${new Intl.ListFormat('pt-BR', { type: 'disjunction' }).format(CLOUD_NAMES)}`,
        })
        .default('public'),
      'Microsoft’s cloud: `public`, `us-gov` (GCC), `us-gov-high`, `us-gov-dod`, `china`; sets directory, scope, API and the hosts below',
    ),
    POWERBI_HOSTS: described(
      list.pipe(z.array(hostName).min(1)).optional(),
      'hosts that may be framed; the first serves `/reportEmbed`',
      { shownDefault: 'those of the cloud: `app.powerbi.com,msit.powerbi.com`' },
    ),
    POWERBI_RLS_ROLES: described(
      list.pipe(z.array(z.string().max(50)).min(1).max(50)).default(['Portal']),
      'roles of the effective identity',
    ),
    POWERBI_ALLOW_WITHOUT_RLS: described(
      flag.default(false),
      'lets models without row-level security through, unfiltered',
    ),
    POWERBI_TOKEN_MINUTES: described(
      wholeNumber(1, 60).default(30),
      'life of embed tokens, which cannot be recalled',
    ),
  },
  Mail: {
    SMTP_URL: described(
      z.url({ protocol: /^smtps?$/, error: `informe uma URL smtp:// ou smtps://; ${ESCAPES}` }).optional(),
      'the mail server: `smtps://user:password@host` (port 465), or `smtp://…?requireTLS=true` (587, STARTTLS); without `requireTLS` mails may leave unencrypted, which is warned of at the start',
      secret,
    ),
    MAIL_FROM: described(sender.optional(), 'the sender: `Pátio <portal@example.com.br>`'),
  },
  'The group’s name and look': {
    GROUP_NAME: described(
      text.max(80).default('Grupo Pátio'),
      'name in header, footer and mails: set it and the two links, or a stranger’s stand there',
    ),
    GROUP_SITE_URL: described(httpUrl.default('https://www.grupopatio.com.br'), 'link of the name'),
    GROUP_DEALERSHIPS_URL: described(
      httpUrl.default('https://www.grupopatio.com.br/concessionarias'),
      'link to the dealerships',
    ),
    BRAND_COLOR: described(
      z
        .string()
        .regex(/^#[0-9a-f]{6}$/i, { error: 'use uma cor como #0f5f8c' })
        .default('#0f5c7d'),
      'accent colour',
    ),
    BRAND_LOGO: described(readableFile.optional(), 'path of an SVG or PNG logo'),
  },
  'How long data are kept': {
    RETENTION_UNVERIFIED_DAYS: described(
      wholeNumber(1, 365).default(7),
      'how long a sign-up waits for its verification',
    ),
    RETENTION_MAIL_DAYS: described(
      wholeNumber(1, 365).default(30),
      'how long mails stay in the outbox, sent or not',
    ),
    RETENTION_MESSAGES_MONTHS: described(wholeNumber(1, 120).default(12), 'support messages'),
    RETENTION_ACCESS_MONTHS: described(
      wholeNumber(6, 120).default(6),
      'who signed in and who saw which report; not less than 6 (Marco Civil, art. 15)',
    ),
    RETENTION_ATTEMPTS_DAYS: described(
      wholeNumber(1, 730).default(90),
      '1 to 730: counted sign-ins that were refused',
    ),
    RETENTION_AUDIT_MONTHS: described(wholeNumber(1, 120).default(24), 'audit trail'),
  },
  'For trials and tests': {
    PATIO_DEMO: described(
      flag.optional(),
      'demo mode; refused in production. It does not start with a `PUBLIC_URL` that others reach, a `SESSION_SECRET`, `SMTP_URL` or Power BI credentials',
      { shownDefault: '`true` unless `NODE_ENV=production`' },
    ),
    RATE_LIMITS: described(
      z.enum(['on', 'off'], { error: 'use on ou off' }).default('on'),
      '`off` for tests; refused in production',
    ),
    POWERBI_EMULATOR_LATENCY_MS: described(
      wholeNumber(0, 60_000).default(0),
      'how slow the demo’s Power BI is',
    ),
    POWERBI_EMULATOR_DIRECTORY_LATENCY_MS: described(
      wholeNumber(0, 60_000).default(0),
      'how slow its directory is',
    ),
  },
}

const environmentSchema = z.object({
  ...SETTING_GROUPS['The process'],
  ...SETTING_GROUPS['The database'],
  ...SETTING_GROUPS['People and sessions'],
  ...SETTING_GROUPS['Power BI'],
  ...SETTING_GROUPS.Mail,
  ...SETTING_GROUPS['The group’s name and look'],
  ...SETTING_GROUPS['How long data are kept'],
  ...SETTING_GROUPS['For trials and tests'],
})
export type Environment = z.output<typeof environmentSchema>
export type SettingName = keyof Environment

/** Every variable that is read; each stands in docs/settings.md. */
export const SETTING_NAMES = Object.keys(environmentSchema.shape) as SettingName[]

/** What is said of a setting, and the value that it has when nobody sets it, as one would write it. */
export function describeSetting(name: SettingName): Described & { default: string | undefined } {
  const schema: z.ZodType = environmentSchema.shape[name]
  const { what, ...more } = schema.meta() as unknown as Described
  const value = schema.safeParse(undefined).data
  const isPlain = ['string', 'number', 'boolean'].includes(typeof value) || Array.isArray(value)
  return { what, ...more, default: isPlain ? String(value) : undefined }
}

/** NAME_FILE stands in for NAME, so that secrets can come from mounted files. */
export function readValues(env: NodeJS.ProcessEnv, faults: string[]): Record<string, string | undefined> {
  const values: Record<string, string | undefined> = {}
  for (const name of SETTING_NAMES) {
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
export function parseVariables(values: Record<string, string | undefined>, faults: string[]): Environment {
  const parsed = environmentSchema.safeParse(values)
  if (parsed.success) return parsed.data
  const wrong = new Map(parsed.error.issues.map((issue) => [String(issue.path[0]), issue.message]))
  for (const [name, message] of wrong) faults.push(`${name}: ${message}`)
  const rest = Object.entries(values).filter(([name]) => !wrong.has(name))
  return environmentSchema.parse(Object.fromEntries(rest))
}

export const isSecretSetting = (name: SettingName): boolean => describeSetting(name).isSecret === true

/** What is wrong with a value by itself, in a line. */
export function faultOfSetting(name: SettingName, value: string): string | undefined {
  return environmentSchema.shape[name].safeParse(value).error?.issues[0]?.message
}

/** Where each setting comes from; `shown` is its value, left out for secrets and where there is none. */
export function traceSettings(environment: NodeJS.ProcessEnv) {
  const values = readValues(environment, [])
  return SETTING_NAMES.map((name) => {
    const { isSecret, default: plain } = describeSetting(name)
    const from = environment[`${name}_FILE`] ? 'file' : environment[name] ? 'environment' : 'default'
    return { name, from, shown: isSecret ? undefined : (values[name] ?? plain) } as const
  })
}
