import { toLines } from '#contract/text-rules.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { useCorporateProxy } from './corporate-proxy.ts'
import { explainDatabaseFailure } from './doctor/explain-error.ts'
import { createLog, type Log } from './log.ts'
import { checkSettings } from './setting-warnings.ts'
import { SETTING_NAMES } from './settings.ts'
import { NotBuiltError, type Portal, startPortal } from './start.ts'
import { formatCommand } from './version.ts'

/** Explains errors that the operator can fix; undefined for others, which are logged with their stack. */
function explain(error: unknown, config: Config | undefined): string | undefined {
  if (error instanceof ConfigError || error instanceof NotBuiltError) return error.message
  const { code, hostname } = error as NodeJS.ErrnoException & { hostname?: string }
  if (code === 'ERR_PROXY_INVALID_CONFIG')
    return 'HTTPS_PROXY ou HTTP_PROXY: informe a URL do proxy, como http://proxy.exemplo.com.br:3128.'
  if (code === 'EADDRINUSE') return `A porta ${config?.port} já está em uso. Defina outra em PORT.`
  if (code === 'EACCES') return `Sem permissão para atender na porta ${config?.port}. Defina outra em PORT.`
  if (code === 'EADDRNOTAVAIL' || (hostname && hostname === config?.host))
    return `O endereço ${config?.host} não existe nesta máquina. Confira HOST.`
  return explainDatabaseFailure(error, config?.databaseUrl)
}

function fail(error: unknown, config: Config | undefined): never {
  const reason = explain(error, config) ?? (error instanceof Error ? error.stack : String(error))
  process.stderr.write(`${toLines(String(reason))}\n`)
  process.exit(1)
}

async function announce(config: Config): Promise<void> {
  const lines = [`Pátio no ar em ${config.publicUrl}`]
  if (config.isDemo) {
    const { DEMO_ACCOUNTS, DEMO_PASSWORD } = await import('./demo/seed.ts')
    const width =
      Math.max(...DEMO_ACCOUNTS.map(({ name }) => name.length)) + config.companyEmailDomain.length + 1
    const accounts = DEMO_ACCOUNTS.map(
      ({ name, label }) => `  ${`${name}@${config.companyEmailDomain}`.padEnd(width)}  ${label}`,
    )
    lines.push('', `Contas de demonstração (senha ${DEMO_PASSWORD}):`, ...accounts, '')
    lines.push(`E-mails capturados: ${config.publicUrl}/demo/mailbox`, '')
  } else if (!config.databaseUrl) {
    lines.push(
      `Banco de dados embutido: um único processo, pasta de dados só dele, cópias de segurança por ${formatCommand('backup')} ARQUIVO.`,
      'Para mais de uma réplica ou mais de um escritório, defina DATABASE_URL.',
    )
  }
  process.stdout.write(`${lines.join('\n')}\n`)
}

function stopOnSignals(portal: Portal): void {
  let isStopping = false
  const stop = () => {
    if (isStopping) return
    isStopping = true
    portal.stop().then(
      () => process.exit(0),
      (error) => fail(error, undefined),
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

/** Rereads secrets on SIGHUP, from a supervisor's reload or a closed terminal, instead of exiting. */
function reloadSecretsOnSighup(portal: () => Portal | undefined, log: Log): void {
  process.on('SIGHUP', () => {
    try {
      const needRestart = portal()?.replaceSecrets(process.env)
      const files = SETTING_NAMES.filter((name) => process.env[`${name}_FILE`])
      if (needRestart) log.info({ files, needRestart }, 'secrets read again')
    } catch (error) {
      if (!(error instanceof ConfigError)) log.error({ err: error }, 'secrets not read again')
      else log.error({ faults: error.faults }, 'secrets not read again: all stay as they were')
    }
  })
}

let config: Config | undefined
// Files are accessible to the process's user only.
process.umask(0o077)
try {
  config = readConfig(process.env)
  for (const warning of checkSettings(process.env, config)) process.stderr.write(`Atenção: ${warning}\n`)
  useCorporateProxy(process.env)
  const log = createLog(config.logLevel)
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'))
  let portal: Portal | undefined
  reloadSecretsOnSighup(() => portal, log)
  portal = await startPortal(config, log)
  stopOnSignals(portal)
  await announce(config)
} catch (error) {
  fail(error, config)
}
