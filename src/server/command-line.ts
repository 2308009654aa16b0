// `patio COMMAND`: what a release runs, under its own Node and without npm.
import { readFileSync } from 'node:fs'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { VERSION } from './version.ts'

interface Command {
  takes: string
  does: string
  /** Reads what stands behind the command's name from process.argv, as when npm runs it. */
  run: () => Promise<unknown>
  /** What the module expects before that. */
  before?: string
}

const COMMANDS: Record<string, Command> = {
  start: { takes: '', does: 'prepara o banco de dados e atende', run: () => import('./main.ts') },
  setup: {
    takes: 'ARQUIVO',
    does: 'pergunta, escreve as configurações e as verifica',
    run: () => import('./setup.ts'),
  },
  doctor: { takes: '', does: 'verifica tudo em que o portal se apoia', run: () => import('./doctor.ts') },
  admin: { takes: 'COMANDO EMAIL', does: 'administradores', run: () => import('./admin.ts') },
  backup: {
    takes: 'ARQUIVO',
    does: 'cópia de segurança, com o portal no ar',
    run: () => import('./back-up.ts'),
    before: 'backup',
  },
  restore: {
    takes: 'ARQUIVO',
    does: 'restaura uma cópia em um banco vazio',
    run: () => import('./back-up.ts'),
    before: 'restore',
  },
}

const usage = () => {
  const lines = Object.entries(COMMANDS).map(
    ([name, { takes, does }]) => `  ${`${name} ${takes}`.padEnd(22)} ${does}`,
  )
  return [
    `Pátio ${VERSION}. Uso: patio COMANDO`,
    '',
    ...lines,
    `  ${'--version'.padEnd(22)} a versão`,
    '',
    'As configurações vêm do ambiente, ou de um arquivo: patio --env-file=ARQUIVO COMANDO. docs/settings.md tem todas.',
  ].join('\n')
}

/** Node looks for NODE_EXTRA_CA_CERTS before it reads a file of settings. What cannot be read the doctor tells of. */
function trustOwnAuthorities(file: string | undefined): void {
  if (!file || getCACertificates('extra').length > 0) return
  try {
    const own =
      readFileSync(file, 'utf8').match(/-----BEGIN CERT[^-]*-----[^-]+-----END CERT[^-]*-----/g) ?? []
    setDefaultCACertificates([...getCACertificates('default'), ...own])
  } catch {}
}

const [name = ''] = process.argv.slice(2)
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
if (command) {
  trustOwnAuthorities(process.env.NODE_EXTRA_CA_CERTS)
  process.argv.splice(2, 1, ...(command.before ? [command.before] : []))
  await command.run()
} else if (name === '--version' || name === 'version') {
  process.stdout.write(`${VERSION}\n`)
} else {
  const isAsked = name === '' || name === 'help' || name === '--help'
  const stream = isAsked ? process.stdout : process.stderr
  stream.write(`${isAsked ? '' : `Comando desconhecido: ${name}\n\n`}${usage()}\n`)
  if (!isAsked) process.exitCode = 1
}
