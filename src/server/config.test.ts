import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ConfigError, REQUIRED, readConfig } from './config.ts'
import { checkSettings } from './setting-warnings.ts'
import { getSettingDefault, isSecretSetting, SETTING_NAMES, type SettingName } from './settings.ts'

const SECRET = '5d0c1f7b9a3e48c6b2f1e0d9c8b7a695'
const REAL = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://relatorios.example.com',
  DATABASE_URL: 'postgres://patio:pa55@db.example.com/patio',
  COMPANY_EMAIL_DOMAIN: 'example.com',
  SESSION_SECRET: SECRET,
  SMTP_URL: 'smtp://mail.example.com',
  MAIL_FROM: 'Pátio <patio@example.com>',
  POWERBI_TENANT_ID: 'example.onmicrosoft.com',
  POWERBI_CLIENT_ID: '0f8a2c55-7b1d-4b52-9a3e-6d2f1c9b8e70',
  POWERBI_CLIENT_SECRET: 'power-bi-secret',
}

function readFaults(environment: Record<string, string | undefined>): string[] {
  try {
    readConfig(environment)
    return []
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    expect((error as Error).message).toMatch(/^Configuração inválida:\n {2}- /)
    return (error as ConfigError).faults
  }
}
const listNames = (environment: Record<string, string | undefined>) =>
  readFaults(environment).map((fault) => fault.split(':')[0])

describe('an empty environment', () => {
  test('configures the demo, on loopback', () => {
    expect(readConfig({})).toMatchObject({
      isDemo: true,
      isProduction: false,
      host: '127.0.0.1',
      shutdownGraceSeconds: 0,
      port: 4000,
      publicUrl: 'http://localhost:4000',
      databaseUrl: undefined,
      dataDir: './data',
      companyEmailDomain: 'grupopatio.com.br',
      builtinAdminEmail: 'admin@grupopatio.com.br',
      sessionSecrets: [],
      rateLimits: true,
      powerBi: {
        hosts: ['app.powerbi.com', 'msit.powerbi.com'],
        rlsRoles: ['Portal'],
        allowWithoutRls: false,
        tokenMinutes: 30,
      },
    })
  })

  test('reports all missing variables at once in production', () => {
    const faults = readFaults({ NODE_ENV: 'production' })
    for (const name of [
      'PUBLIC_URL',
      'SESSION_SECRET',
      'COMPANY_EMAIL_DOMAIN',
      'POWERBI_TENANT_ID',
      'POWERBI_CLIENT_ID',
      'POWERBI_CLIENT_SECRET',
    ])
      expect(
        faults.filter((fault) => fault.startsWith(name)),
        name,
      ).toHaveLength(1)
  })
})

describe('a complete production environment', () => {
  test('is accepted', () => {
    expect(readConfig(REAL)).toMatchObject({
      isDemo: false,
      isProduction: true,
      host: '0.0.0.0',
      shutdownGraceSeconds: 3,
      publicUrl: 'https://relatorios.example.com',
      builtinAdminEmail: undefined,
      sessionSecrets: [SECRET],
      logLevel: 'info',
    })
  })

  test.each([
    ['PUBLIC_URL', 'http://relatorios.example.com'],
    ['PUBLIC_URL', 'relatorios.example.com'],
    ['PUBLIC_URL', 'javascript:alert(1)'],
    ['PUBLIC_URL', 'https://relatorios.example.com/portal'],
    ['PUBLIC_URL', 'https://relatorios.example.com/?x=1'],
    ['PUBLIC_URL', 'https://ana:pa55@relatorios.example.com'],
    ['DATABASE_URL', 'mysql://db/patio'],
    ['DATABASE_URL', 'postgres://db/patio?sslmode=verify-full&sslrootcert=/nowhere/ca.pem'],
    ['DATABASE_DIRECT_URL', 'postgres://db/patio?sslrootcert=package.json'],
    ['POWERBI_TENANT_ID', 'Contoso'],
    ['POWERBI_TENANT_ID', 'https://login.microsoftonline.com/contoso.com'],
    ['POWERBI_CLIENT_ID', 'portal-app'],
    ['POWERBI_CLIENT_ID', 'contoso.com'],
    ['POWERBI_CLIENT_CERTIFICATE', '/run/secrets/powerbi.pem'],
    ['POWERBI_CLIENT_CERTIFICATE_FILE', '/nowhere/powerbi.pem'],
    ['POWERBI_CLIENT_CERTIFICATE_FILE', 'package.json'],
    ['SESSION_SECRET', 'short'],
    ['SESSION_SECRET', 'a'.repeat(64)],
    ['SESSION_SECRET', `${SECRET},short`],
    ['COMPANY_EMAIL_DOMAIN', '@example.com'],
    ['COMPANY_EMAIL_DOMAIN', 'Example.com'],
    ['BUILTIN_ADMIN_EMAIL', 'admin@elsewhere.com'],
    ['BUILTIN_ADMIN_EMAIL', 'admin@sub.example.com'],
    ['BUILTIN_ADMIN_EMAIL', 'admin'],
    ['RECAPTCHA_SITE_KEY', 'site-key-alone'],
    ['ALTCHA_COST', '999'],
    ['ALTCHA_COST', '0'],
    ['RATE_LIMITS', 'off'],
    ['RATE_LIMITS', 'false'],
    ['PATIO_DEMO', 'true'],
    ['PATIO_DEMO', 'sim'],
    ['PORT', 'http'],
    ['PORT', '0'],
    ['PORT', '65536'],
    ['PORT', '80.5'],
    ['SHUTDOWN_GRACE_SECONDS', '-1'],
    ['SHUTDOWN_GRACE_SECONDS', '61'],
    ['SHUTDOWN_GRACE_SECONDS', '1.5'],
    ['POWERBI_HOSTS', 'https://app.powerbi.com'],
    ['POWERBI_HOSTS', 'app.powerbi.com:443'],
    ['POWERBI_HOSTS', ','],
    ['POWERBI_TOKEN_MINUTES', '61'],
    ['POWERBI_ALLOW_WITHOUT_RLS', 'yes'],
    ['BRAND_COLOR', 'red;}'],
    ['DATA_PROTECTION_OFFICER', 'Ana Souza'],
    ['LOG_LEVEL', 'loud'],
    ['METRICS_TOKEN', 'short'],
    ['AUDIT_WEBHOOK_SECRET', 'short'],
    ['AUDIT_WEBHOOK_URL', 'https://ana:pa55@siem.example.com/'],
    ['AUDIT_WEBHOOK_URL', 'https://siem.example.com/without-a-secret'],
    ['AUDIT_WEBHOOK_URL', 'siem.example.com'],
    ['TRUSTED_PROXIES', '10.0.0.0/0'],
    ['TRUSTED_PROXIES', '10.0.0.1, proxy.internal'],
    ['RETENTION_ACCESS_MONTHS', '5'],
    ['RETENTION_UNVERIFIED_DAYS', '0'],
    ['RETENTION_AUDIT_MONTHS', 'never'],
  ])('rejects %s=%s with one Portuguese line', (name, value) => {
    const faults = readFaults({ ...REAL, [name]: value })
    expect(faults).toHaveLength(1)
    expect(faults[0]).toMatch(new RegExp(`^${name.replace(/_FILE$/, '')}.*: .{5,}`))
    expect(faults[0]).not.toMatch(/\b(invalid|expected|too|must|received)\b/i)
  })

  test('reports each invalid and each missing variable once', () => {
    const names = listNames({
      ...REAL,
      PORT: 'x',
      PUBLIC_URL: 'x',
      SESSION_SECRET: undefined,
      RATE_LIMITS: 'off',
    })
    expect(names.sort()).toEqual(['PORT', 'PUBLIC_URL', 'RATE_LIMITS', 'SESSION_SECRET'])
  })

  test('names a similar variable that is set in the line of a missing setting', () => {
    const { SMTP_URL, ...rest } = REAL
    const similar = { ...rest, SMTP_URL: undefined, SMTP_URI: SMTP_URL, HOME: '/root' }
    expect(readFaults(similar)).toEqual([
      'SMTP_URL: falta (obrigatória fora da demonstração); está definida SMTP_URI, que o portal não lê',
    ])
    const secret = { ...REAL, POWERBI_CLIENT_SECRET: undefined, POWERBI_CLIENT_SECERT_FILE: '/run/x' }
    expect(readFaults(secret)).toEqual([expect.stringContaining('POWERBI_CLIENT_SECERT_FILE, que')])
    expect(readFaults({ ...REAL, SMTP_URL: undefined })).toEqual([expect.stringMatching(/demonstração\)$/)])
  })

  test('never contains a value in its error', () => {
    const canary = 'canary-7f3a'
    const output = readFaults(Object.fromEntries(SETTING_NAMES.map((name) => [name, canary]))).join('\n')
    expect(output).not.toContain(canary)
    expect(output).toContain('SESSION_SECRET')
  })
})

describe('readConfig', () => {
  test('parses secrets as a list, newest first', () => {
    const older = [...SECRET].reverse().join('')
    expect(readConfig({ ...REAL, SESSION_SECRET: ` ${SECRET} , ${older},` }).sessionSecrets).toEqual([
      SECRET,
      older,
    ])
  })

  test('removes the public URL’s slash, lower-cases e-mails, and treats empty as not set', () => {
    const config = readConfig({
      ...REAL,
      PUBLIC_URL: 'https://relatorios.example.com/',
      BUILTIN_ADMIN_EMAIL: 'Admin@Example.com',
      PORT: '',
      LOG_LEVEL: '',
    })
    expect(config).toMatchObject({ publicUrl: 'https://relatorios.example.com', port: 4000 })
    expect(config.builtinAdminEmail).toBe('admin@example.com')
  })

  test('requires the real settings with PATIO_DEMO=false outside production', () => {
    expect(listNames({ PATIO_DEMO: 'false' })).toContain('SESSION_SECRET')
  })

  test.each([
    'SESSION_SECRET',
    'SMTP_URL',
    'POWERBI_TENANT_ID',
    'POWERBI_CLIENT_ID',
    'POWERBI_CLIENT_SECRET',
    'PUBLIC_URL',
  ] as const)('rejects %s in demo mode, which suggests a missing NODE_ENV', (name) => {
    for (const mode of [{}, { PATIO_DEMO: 'true' }, { NODE_ENV: 'staging' }]) {
      const faults = readFaults({ ...mode, [name]: REAL[name] })
      expect(faults).toEqual([expect.stringMatching(`^${name}: .*NODE_ENV=production`)])
    }
  })

  test('accepts the demo’s own address, but no other host', () => {
    for (const url of ['http://localhost:4000', 'http://127.0.0.1'])
      expect(readConfig({ PUBLIC_URL: url }).publicUrl).toBe(url)
    for (const url of ['http://localhost.example.com', 'https://10.0.0.7', 'http://127.0.0.1.nip.io'])
      expect(listNames({ PUBLIC_URL: url })).toEqual(['PUBLIC_URL'])
  })

  test('accepts only loopback as the demo’s HOST', () => {
    expect(listNames({ HOST: '0.0.0.0' })).toEqual(['HOST'])
    expect(readConfig({ HOST: 'localhost' }).host).toBe('localhost')
  })
})

describe('checkSettings', () => {
  const getWarnings = (environment: Record<string, string>) =>
    checkSettings(environment, readConfig(environment))
  const sound = { ...REAL, SMTP_URL: 'smtps://mail.example.com', TRUSTED_PROXIES: '10.0.0.5' }

  test('returns nothing for a valid environment, or for names of other programs', () => {
    const others = {
      HOME: '/root',
      HOSTNAME: 'portal-1',
      NODE_OPTIONS: '--x',
      PATIO_SERVICE_HOST: '10.0.0.1',
      PATIO_PORT_4000_TCP: 'tcp://10.0.0.1:4000',
      HTTPS_PROXY: 'http://proxy:3128',
      npm_config_user_agent: 'npm',
      MAIL_TO: '',
    }
    expect(getWarnings({ ...sound, ...others })).toEqual([])
  })

  test.each([
    ['SMTP_URI', /talvez seja SMTP_URL$/],
    ['DATABSE_URL', /talvez seja DATABASE_URL$/],
    ['public_url', /talvez seja PUBLIC_URL$/],
    ['SESSION_SECRETS_FILE', /talvez seja SESSION_SECRET$/],
    ['TRUSTED_PROXY', /talvez seja TRUSTED_PROXIES$/],
    ['PATIO_PUBLIC_ADDRESS', /docs\/settings\.md/],
    ['POWERBI_SECRET', /docs\/settings\.md/],
  ])('reports the unknown name %s', (name, expected) => {
    const warnings = getWarnings({ ...sound, [name]: 'canary' })
    expect(warnings).toEqual([expect.stringMatching(new RegExp(`^${name}: `))])
    expect(warnings[0]).toMatch(expected)
    expect(warnings[0]).not.toContain('canary')
  })

  test('reports a missing trusted proxy, unencrypted mail, and a value given twice', () => {
    const color = join(mkdtempSync(join(tmpdir(), 'patio-settings-')), 'color')
    writeFileSync(color, '#ffffff\n')
    expect(getWarnings({ ...sound, TRUSTED_PROXIES: ' ' })).toEqual([
      expect.stringMatching(/^TRUSTED_PROXIES: /),
    ])
    expect(getWarnings({ ...sound, SMTP_URL: REAL.SMTP_URL })).toEqual([expect.stringMatching(/^SMTP_URL: /)])
    expect(getWarnings({ ...sound, BRAND_COLOR: '#000000', BRAND_COLOR_FILE: color })).toEqual([
      expect.stringMatching(/^BRAND_COLOR: .*BRAND_COLOR_FILE/),
    ])
  })
})

describe('the documents', () => {
  /** Matches names at the beginning of a line, where they are set. */
  const findNames = (text: string, line: RegExp) => [...text.matchAll(line)].map(([, name]) => name as string)

  test('list every setting in docs/settings.md, with its default, and mark secret and required ones', () => {
    const page = readFileSync('docs/settings.md', 'utf8')
    const rows = [...page.matchAll(/^\| `([A-Z_]+)`( 🔑)? +\| (.*?) +\| (.+?) +\|$/gm)]
    const output = rows.map(([, name, key, shown]) => [name, Boolean(key), shown?.includes('**required**')])
    const meant = SETTING_NAMES.map((name) => [
      name,
      isSecretSetting(name),
      (REQUIRED as readonly string[]).includes(name),
    ])
    // Those that hardly anybody needs stand behind a fold, at the end.
    expect(output.toSorted()).toEqual(meant.toSorted())
    expect(page.slice(page.indexOf('<details>'))).not.toContain('**required**')
    for (const [, name, , shown = ''] of rows) {
      const plain = getSettingDefault(name as SettingName)
      // The page describes defaults that depend on demo mode or the cloud.
      if (plain) expect(shown, name).toContain(`\`${plain}\``)
    }
    const config = readFileSync('src/server/config.ts', 'utf8')
    expect(SETTING_NAMES.filter((name) => !config.includes(`env.${name}`))).toEqual([])
  })

  test('say in docs/operations.md how to rotate each secret', () => {
    const page = readFileSync('docs/operations.md', 'utf8')
    const table = /^\| Secret .*\n((?:\|.*\n)+)/m.exec(page)?.[1] ?? ''
    const secrets = table
      .split('\n')
      .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([A-Z_]+)`/g)])
    expect(secrets.map(([, name]) => name)).toEqual(SETTING_NAMES.filter(isSecretSetting))
  })

  test('list all required production settings in .env.example', () => {
    const example = readFileSync('.env.example', 'utf8')
    const set = findNames(example, /^([A-Z_]+?)(?:_FILE)?=/gm)
    const required = listNames({ NODE_ENV: 'production' }).map((fault) => fault?.split(' ')[0])
    expect(set).toEqual(expect.arrayContaining(required))
    expect(SETTING_NAMES).toEqual(expect.arrayContaining(findNames(example, /^#?([A-Z_]+?)(?:_FILE)?=/gm)))
  })
})
