// `patio COMMAND`: entry point of a release, with its own Node and without npm.
import { trustAuthorities } from './authorities.ts'
import { VERSION } from './version.ts'

/** Arguments, description and module of a command; the module reads process.argv, as with npm. */
type Command = [takes: string, does: string, run: () => Promise<unknown>]

const COMMANDS: Record<string, Command> = {
  start: ['', 'prepara o banco de dados e atende', () => import('./main.ts')],
  setup: ['ARQUIVO', 'pergunta, escreve ou muda as configurações e as verifica', () => import('./setup.ts')],
  doctor: ['', 'verifica tudo em que o portal se apoia', () => import('./doctor.ts')],
  admin: ['COMANDO EMAIL', 'administradores', () => import('./admin.ts')],
  backup: ['ARQUIVO', 'cópia de segurança, com o portal no ar', () => import('./back-up.ts')],
  mail: ['retry', 'tenta agora os e-mails que esperam', () => import('./mail.ts')],
  users: ['[--csv]', 'todas as contas', () => import('./audit-command.ts')],
  access: ['--report NOME', 'quem vê o quê, hoje ou em um dia', () => import('./audit-command.ts')],
  trail: ['[--since DIA]', 'a trilha de auditoria', () => import('./audit-command.ts')],
  restore: ['ARQUIVO', 'restaura uma cópia em um banco vazio', () => import('./back-up.ts')],
  'verify-trail': [
    'SELO…',
    'confere a trilha com a sua corrente de selos',
    () => import('./verify-trail.ts'),
  ],
}

const READ_BY_NAME = ['access', 'backup', 'restore', 'trail', 'users']

const usage = () => {
  const lines = Object.entries(COMMANDS).map(
    ([name, [takes, does]]) => `  ${`${name} ${takes}`.padEnd(22)} ${does}`,
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

const [name = ''] = process.argv.slice(2)
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
if (command) {
  trustAuthorities(process.env)
  // One module implements several and reads the command's name.
  if (!READ_BY_NAME.includes(name)) process.argv.splice(2, 1)
  await command[2]()
} else if (name === '--version' || name === 'version') {
  process.stdout.write(`${VERSION}\n`)
} else {
  const isAsked = name === '' || name === 'help' || name === '--help'
  const stream = isAsked ? process.stdout : process.stderr
  stream.write(`${isAsked ? '' : `Comando desconhecido: ${name}\n\n`}${usage()}\n`)
  if (!isAsked) process.exitCode = 1
}
