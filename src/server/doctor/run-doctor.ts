import { randomUUID } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Finding, joinAreas } from '#contract/health.ts'
import { escapeJsonLine, toOneLine } from '#contract/text-rules.ts'
import { withTimeout } from '#contract/timing.ts'
import { type Config, ConfigError, readConfig } from '#server/config.ts'
import { useCorporateProxy } from '#server/corporate-proxy.ts'
import { type Database, DatabaseOpenError } from '#server/database/database.ts'
import { listMigrations, listPending } from '#server/database/migrate.ts'
import { openDatabase } from '#server/database/open-database.ts'
import { readDemoSecret } from '#server/demo/demo-installation.ts'
import { createKeyring } from '#server/keyring.ts'
import { createLog } from '#server/log.ts'
import type { PowerBi } from '#server/power-bi/power-bi.ts'
import { createPowerBi } from '#server/power-bi/power-bi-client.ts'
import { createFolderCheck } from './check-machine.ts'
import { listConfigChecks, listSettingChecks } from './check-settings.ts'
import { listPortalChecks } from './portal-checks.ts'
import { type Check, check, fault, good, runChecks } from './run-checks.ts'

const OPEN_MS = 20_000
const MARKS = { good: 'ok    ', warning: 'aviso ', fault: 'falha ' }

/** Checks the installation of the environment, without changes. */
export async function runDoctor(
  environment: NodeJS.ProcessEnv,
  { mailTo, backUps }: { mailTo?: string | undefined; backUps?: string | undefined },
): Promise<Finding[]> {
  let config: Config
  try {
    config = readConfig(environment)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [
      ...toFindings(error),
      ...(await runChecks([...listConfigChecks(environment, undefined), ...listSettingChecks(environment)])),
    ]
  }
  useCorporateProxy(environment)
  const { database, checks } = await tryOpenDatabase(config)
  try {
    const powerBi = config.isDemo ? undefined : openPowerBi(config)
    const others = listPortalChecks({
      config,
      environment,
      keyring: createKeyring(readSecrets(config)),
      db: database?.db,
      powerBi,
      mailTo,
    })
    return await runChecks([...checks, ...others, ...(backUps ? [createFolderCheck(backUps)] : [])])
  } finally {
    await database?.close()
  }
}

/** Opens the service outside a portal, without log and metrics. */
export const openPowerBi = ({ powerBi }: Config): PowerBi =>
  createPowerBi({
    directory: powerBi,
    ...powerBi,
    log: createLog('silent'),
    countCall: () => {},
    clock: Date.now,
  })

/** Does not create the demo's secret: without one no portal is running. */
function readSecrets({ sessionSecrets, dataDir }: Config): string[] {
  if (sessionSecrets.length > 0) return sessionSecrets
  return [existsSync(join(dataDir, 'demo-secret')) ? readDemoSecret(dataDir) : randomUUID()]
}

function toFindings({ faults }: ConfigError): Finding[] {
  return faults.map((says) => ({
    check: 'settings',
    ...fault(`${says}.`, 'Corrija a configuração; docs/settings.md explica cada nome.'),
  }))
}

/** Opens the database if possible: the embedded one may be in use, and is not created here. */
async function tryOpenDatabase(config: Config): Promise<{ database: Database | undefined; checks: Check[] }> {
  const createResult = (found: ReturnType<typeof good>) => ({
    database: undefined,
    checks: [check('database', 'Banco de dados', 1_000, async () => found)],
  })
  try {
    if (!config.databaseUrl && !statSync(join(config.dataDir, 'postgres'), { throwIfNoEntry: false }))
      return createResult(good('Banco de dados: o embutido ainda não existe; o primeiro início o cria.'))
    const opening = openDatabase(config, createLog('silent'), true)
    const database = await withTimeout(opening, OPEN_MS, () => undefined)
    if (!database)
      opening.then(
        (late) => late.close(),
        () => {},
      )
    if (database && (await isEmpty(database))) {
      await database.close()
      return createResult(good('Banco de dados: vazio; o primeiro início cria as tabelas.'))
    }
    const embedded = createResult(good('Banco de dados: o embutido, nesta máquina.'))
    return { database, checks: config.databaseUrl ? [] : embedded.checks }
  } catch (error) {
    // The check of DATA_DIR names a folder that cannot be entered.
    if ((error as NodeJS.ErrnoException).syscall === 'stat') return { database: undefined, checks: [] }
    if (!(error instanceof DatabaseOpenError)) throw error
    // The servers' own check is more precise.
    if (config.databaseUrl)
      return /DATABASE_(DIRECT_)?URL/.test(error.message)
        ? createResult(fault(error.message, 'Confira os dois endereços.'))
        : { database: undefined, checks: [] }
    return /já está em uso/.test(error.message)
      ? createResult(
          good(
            'Banco de dados: o embutido está em uso pelo portal; “Saúde do portal” em /admin olha para dentro dele.',
          ),
        )
      : createResult(fault(error.message, 'Confira DATA_DIR e de quem é a pasta.'))
  }
}

/** An empty database has no contents to check. */
async function isEmpty({ db }: Database): Promise<boolean> {
  const names = await listMigrations()
  return (await listPending(db, names).catch(() => [])).length === names.length
}

interface Format {
  /** For scripts. */
  isJson?: boolean
  /** Also the settings that are not set. */
  isAll?: boolean
}

/** Formats one line per finding, as JSON for scripts; for people, one per cause that reports share. */
export function formatFindings(findings: readonly Finding[], { isJson, isAll }: Format = {}): string {
  if (isJson) return findings.map((finding) => `${escapeJsonLine(JSON.stringify(finding))}\n`).join('')
  const hidden = isAll ? [] : findings.filter(isUnset)
  const seen = new Set<string>()
  const lines = joinAreas(findings.filter((finding) => !hidden.includes(finding))).map(
    ({ grade, says, todo }) => {
      const shown = todo && seen.has(todo) ? 'Como acima.' : todo
      if (todo) seen.add(todo)
      return `${MARKS[grade]} ${says}${shown ? ` → ${shown}` : ''}`
    },
  )
  if (hidden.length > 0)
    lines.push(`${MARKS.good} ${hidden.length} configurações não definidas ou padrão; --all as mostra.`)
  return lines.map((line) => `${toOneLine(line)}\n`).join('')
}

const isUnset = ({ check, says }: Finding) =>
  check.startsWith('setting-') && /: (não definida|padrão)\b/.test(says)

/** Returns 0 if all is well, 1 with warnings, 2 with faults. */
export function getExitCode(findings: readonly Finding[]): number {
  if (findings.some(({ grade }) => grade === 'fault')) return 2
  return findings.some(({ grade }) => grade === 'warning') ? 1 : 0
}
