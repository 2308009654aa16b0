import { statSync } from 'node:fs'
import { listAuthorityFiles, readAuthorities } from '#server/authorities.ts'
import type { Config } from '#server/config.ts'
import { checkSettings } from '#server/setting-warnings.ts'
import { SETTING_NAMES, traceSettings } from '#server/settings.ts'
import { type Check, check, fault, good, type Result, warning } from './run-checks.ts'

const ORIGINS = { file: 'do arquivo', environment: 'do ambiente', default: 'padrão' }

/** Lists the origin of each setting, and its value unless it is secret. */
export function listSettingChecks(environment: NodeJS.ProcessEnv): Check[] {
  return traceSettings(environment).map(({ name, from, shown }) =>
    check(`setting-${name}`, name, 1_000, async () => good(`${name}: ${describeOrigin(from, shown)}.`)),
  )
}

function describeOrigin(from: keyof typeof ORIGINS, shown: string | undefined): string {
  if (from === 'default' && shown === undefined) return 'não definida'
  return shown === undefined ? ORIGINS[from] : `${ORIGINS[from]} (${shown})`
}

/** Checks for probable mistakes in the settings. */
export function listConfigChecks(environment: NodeJS.ProcessEnv, config: Config | undefined): Check[] {
  const run = async () => {
    const doubts = checkSettings(environment, config).map((says) =>
      warning(`${says}.`, 'Corrija a configuração; docs/settings.md explica cada nome.'),
    )
    const found = [...doubts, ...checkFilePermissions(environment), ...checkAuthorities(environment)]
    return found.length > 0 ? found : good('Configuração: nomes e arquivos conferem.')
  }
  return [check('settings', 'Configuração', 2_000, run)]
}

/** Finds secrets that all users of the machine can read. */
function checkFilePermissions(environment: NodeJS.ProcessEnv): Result[] {
  return SETTING_NAMES.flatMap((name) => {
    const file = environment[`${name}_FILE`]
    const mode = file && statSync(file, { throwIfNoEntry: false })?.mode
    if (!mode || process.platform === 'win32' || (mode & 0o004) === 0) return []
    return [
      warning(
        `${name}_FILE: o arquivo pode ser lido por todos nesta máquina.`,
        `chmod 600 ${file}, com o usuário do portal como dono.`,
      ),
    ]
  })
}

/** Node only warns about an unreadable file, and continues without it. */
function checkAuthorities(environment: NodeJS.ProcessEnv): Result[] {
  return listAuthorityFiles(environment).flatMap(({ file, from }) => {
    const about = `NODE_EXTRA_CA_CERTS (${file}, ${from})`
    try {
      if (readAuthorities(file).length > 0) return []
      return [fault(`${about}: o arquivo não tem nenhum certificado PEM.`, 'Ponha nele o da autoridade.')]
    } catch {
      return [
        fault(
          `${about}: o arquivo não pode ser lido, e o portal segue sem ele.`,
          'Confira o caminho e os direitos do arquivo.',
        ),
      ]
    }
  })
}
