import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { Config } from './config.ts'
import { canSendUnencrypted } from './mail/smtp-mailer.ts'
import { readValues, SETTING_NAMES, type SettingName } from './settings.ts'

/** Prefixes of the portal's own settings. */
const OWN_PREFIXES = /^(PATIO|POWERBI|RETENTION|ALTCHA|RECAPTCHA)_/
/** Set by Kubernetes for a service named patio. */
const KUBERNETES_NAMES = /^PATIO_(SERVICE_|PORT(_|$))/

/**
 * Lists probable mistakes that do not prevent the start: one line each, with the name and no value.
 * @param config omitted if the environment is invalid
 */
export function checkSettings(environment: NodeJS.ProcessEnv, config?: Config): string[] {
  const values = readValues(environment, [])
  const warnings = Object.keys(environment).flatMap((name) => findMisspelling(name, environment[name] ?? ''))
  for (const name of SETTING_NAMES)
    if (environment[name] && environment[`${name}_FILE`])
      warnings.push(`${name}: está definida também como ${name}_FILE, e vale o arquivo`)
  if (config?.isProduction && config.publicUrl.startsWith('https:') && !values.TRUSTED_PROXIES?.trim())
    warnings.push(
      'TRUSTED_PROXIES: vazia; atrás de um proxy todos parecem vir dele e dividem os mesmos limites de tentativas: informe o endereço do proxy',
    )
  if (config?.smtpUrl && canSendUnencrypted(config.smtpUrl))
    warnings.push('SMTP_URL: e-mails com links podem sair sem criptografia: use smtps:// ou ?requireTLS=true')
  for (const name of ['BRAND_LOGO', 'BRAND_PICTURE'] as const)
    if (values[name] && !isImage(values[name]))
      warnings.push(`${name}: o arquivo não é uma imagem SVG (com nome .svg), PNG, JPEG, WebP ou AVIF`)
  return warnings
}

/** Looks at the first bytes; browsers take the type of SVG alone from the name. */
function isImage(file: string): boolean {
  let start: string
  try {
    start = readFileSync(file, 'latin1').slice(0, 4096)
  } catch {
    // A fault of its own.
    return true
  }
  return extname(file).toLowerCase() === '.svg'
    ? /<svg[\s>]/i.test(start)
    : /^(\x89PNG\r\n|\xff\xd8\xff|RIFF.{4}WEBP|.{4}ftypavi)/s.test(start)
}

/** Finds names that are not read but resemble a setting. */
function findMisspelling(name: string, value: string): string[] {
  const plain = name.replace(/_FILE$/, '')
  const isKnown = (SETTING_NAMES as string[]).includes(plain)
  if (isKnown || value === '' || KUBERNETES_NAMES.test(name)) return []
  const meant = SETTING_NAMES.find((known) => isNear(known, name))
  if (meant) return [`${name}: o portal não lê este nome; talvez seja ${meant}`]
  return OWN_PREFIXES.test(name)
    ? [`${name}: o portal não lê este nome; docs/settings.md tem todos os que lê`]
    : []
}

/** Finds a variable that is set, not read, and resembles this setting. */
export function findSimilarName(environment: NodeJS.ProcessEnv, setting: SettingName): string | undefined {
  return Object.keys(environment).find((name) => {
    const isKnown = (SETTING_NAMES as string[]).includes(name.replace(/_FILE$/, ''))
    return environment[name] && !isKnown && isNear(setting, name)
  })
}

/** Scales with the length: HOME is not a misspelled HOST. */
function isNear(known: string, variable: string): boolean {
  const name = variable.replace(/_FILE$/, '').toUpperCase()
  const limit = Math.max(1, Math.floor(known.length / 5))
  return Math.abs(known.length - name.length) <= limit && computeEditDistance(known, name, limit) <= limit
}

/** Computes the Levenshtein distance, up to `limit`. */
function computeEditDistance(one: string, other: string, limit: number): number {
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 0; row < one.length && Math.min(...previous) <= limit; row++) {
    const next = [row + 1]
    for (let column = 0; column < other.length; column++)
      next.push(
        Math.min(
          (previous[column] as number) + (one[row] === other[column] ? 0 : 1),
          (previous[column + 1] as number) + 1,
          (next[column] as number) + 1,
        ),
      )
    previous = next
  }
  return Math.max(previous[other.length] as number, Math.min(...previous))
}
