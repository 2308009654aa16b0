import { type Config, ConfigError, readConfig } from './config.ts'
import type { Database } from './database/database.ts'
import type { ReplaceableKeyring } from './keyring.ts'
import type { Credential } from './power-bi/credential-end.ts'
import { traceSettings } from './settings.ts'

/** Services with secrets that can be replaced at runtime. */
interface SecretConsumers {
  /** Its secrets are replaced in place, and read when needed. */
  config: Config
  keyring: ReplaceableKeyring
  database: Pick<Database, 'replaceUrls'>
}

/**
 * Rereads the environment and its files, and replaces all changed secrets or none.
 * @returns names of changed settings that need a restart
 * @throws ConfigError if anything is invalid: nothing changes
 */
export function replaceSecrets(
  environment: NodeJS.ProcessEnv,
  { config, keyring, database }: SecretConsumers,
): string[] {
  const next = readConfig(environment)
  const [old, fresh] = [getDatabaseLocations(config), getDatabaseLocations(next)]
  const moved = Object.keys(old).filter((name) => old[name] !== fresh[name])
  if (moved.length > 0)
    throw new ConfigError(moved.map((name) => `${name}: leva a outro banco de dados; isso pede um reinício`))

  if (next.sessionSecrets.length > 0) keyring.replaceSecrets(next.sessionSecrets)
  if (next.databaseUrl) database.replaceUrls?.(next.databaseUrl, next.databaseDirectUrl)
  replaceCredential(config.powerBi, next.powerBi)
  if (config.entra && next.entra) replaceCredential(config.entra, next.entra)
  const { sessionSecrets, smtpUrl, metricsToken, databaseUrl, databaseDirectUrl } = next
  if (config.trail.webhook && next.trail.webhook) config.trail.webhook.secret = next.trail.webhook.secret
  if (config.recaptcha && next.recaptcha) config.recaptcha.secretKey = next.recaptcha.secretKey
  Object.assign(config, { sessionSecrets, smtpUrl, metricsToken, databaseUrl, databaseDirectUrl })
  const shown = new Map(config.shown.map(({ name, shown: value }) => [name, value]))
  return traceSettings(environment).flatMap(({ name, shown: value }) =>
    shown.get(name) === value ? [] : [name],
  )
}

function replaceCredential(
  old: Credential,
  { clientSecret, clientCertificate, secretEnds }: Credential,
): void {
  Object.assign(old, { clientSecret, clientCertificate, secretEnds })
}

/** Returns the databases' URLs without credentials. */
function getDatabaseLocations({ databaseUrl = '', databaseDirectUrl = '' }: Config): Record<string, string> {
  const place = (url: string) => url.replace(/\/\/[^/?#]*@/, '//')
  return { DATABASE_URL: place(databaseUrl), DATABASE_DIRECT_URL: place(databaseDirectUrl) }
}
