// `npm run doctor`: checks everything that an installation depends on, and suggests remedies.

import { parseArgs } from 'node:util'
import { formatFindings, getExitCode, runDoctor } from './doctor/run-doctor.ts'
import { formatCommand } from './version.ts'

const USAGE = `Uso: ${formatCommand('doctor')} [--json] [--all] [--mail-to E-MAIL] [--backups PASTA]

  --json             uma linha de JSON por verificação, para scripts
  --all              também as configurações não definidas
  --mail-to E-MAIL   manda um e-mail de teste para lá
  --backups PASTA    onde ficam as cópias de segurança: diz a idade da mais nova

Termina com 0 se está tudo certo, 1 se há avisos, 2 se há falhas, 3 se não pôde verificar.`

try {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      all: { type: 'boolean', default: false },
      'mail-to': { type: 'string' },
      backups: { type: 'string' },
    },
  })
  const findings = await runDoctor(process.env, { mailTo: values['mail-to'], backUps: values.backups })
  process.stdout.write(formatFindings(findings, { isJson: values.json, isAll: values.all }))
  // Ends pending requests to services that do not respond.
  process.exit(getExitCode(findings))
} catch (error) {
  const { code, stack } = error as NodeJS.ErrnoException
  process.stderr.write(`${code?.startsWith('ERR_PARSE_ARGS') ? USAGE : stack}\n`)
  process.exit(3)
}
