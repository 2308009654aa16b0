// `npm run setup -- FILE`: asks for the required settings, tries them, and writes or changes a file.

import { randomBytes } from 'node:crypto'
import { accessSync, constants, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { toOneLine } from '#contract/text-rules.ts'
import { ConfigError, readConfig } from './config.ts'
import { useCorporateProxy } from './corporate-proxy.ts'
import { listServerChecks } from './doctor/check-database.ts'
import { createMailServerCheck, createTestMailCheck } from './doctor/check-mail.ts'
import { listPowerBiChecks } from './doctor/check-power-bi.ts'
import { type Check, runChecks } from './doctor/run-checks.ts'
import { formatFindings, getExitCode, openPowerBi, runDoctor } from './doctor/run-doctor.ts'
import { isSecretSetting, readValues, type SettingName, validateSetting } from './settings.ts'
import { formatCommand } from './version.ts'

const SAME_MACHINE = '127.0.0.1'
const DEPLOY = fileURLToPath(new URL('../../deploy', import.meta.url))
const USAGE = `Uso: ${formatCommand('setup')} ARQUIVO   (por exemplo /etc/patio/patio.env; muda um que já escreveu)`

interface Question {
  name: SettingName
  ask: string
  /** Default for an empty answer; '' omits the setting. Without it an answer is required. */
  fallback?: string
}

/** Questions whose answers are tried together, before they are kept. */
interface Group {
  questions: readonly Question[]
  listChecks?: (settings: Settings, prompt: Prompt) => Check[] | Promise<Check[]>
}

/** Names, with _FILE or without, and values; '' for a question answered with nothing. */
type Settings = Map<string, string>

const readEnvironment = (settings: Settings) => readValues(Object.fromEntries(settings), [])

const GROUPS: readonly Group[] = [
  ...(
    [
      { name: 'PUBLIC_URL', ask: 'Endereço que as pessoas abrem (https://portal.exemplo.com.br)' },
      { name: 'TRUSTED_PROXIES', ask: 'Endereço do proxy que faz o TLS', fallback: SAME_MACHINE },
      { name: 'COMPANY_EMAIL_DOMAIN', ask: 'Domínio dos e-mails que podem ter conta (exemplo.com.br)' },
      { name: 'GROUP_NAME', ask: 'Nome do grupo' },
      { name: 'GROUP_SITE_URL', ask: 'Site do grupo (https://…)' },
      { name: 'GROUP_DEALERSHIPS_URL', ask: 'Página das concessionárias (https://…)' },
    ] as const
  ).map((question) => ({ questions: [question] })),
  {
    questions: [
      { name: 'DATABASE_URL', ask: 'PostgreSQL (postgres://…; vazio: o banco embutido)', fallback: '' },
    ],
    listChecks: (settings) =>
      listServerChecks({ databaseUrl: readEnvironment(settings).DATABASE_URL, databaseDirectUrl: undefined }),
  },
  {
    questions: [
      { name: 'DATA_DIR', ask: 'Pasta dos dados, do usuário do portal', fallback: '/var/lib/patio' },
    ],
  },
  {
    questions: [{ name: 'SMTP_URL', ask: 'Servidor de e-mail (smtps://usuário:senha@host)' }],
    listChecks: (settings) => [createMailServerCheck(readEnvironment(settings).SMTP_URL as string)],
  },
  {
    questions: [{ name: 'MAIL_FROM', ask: 'Remetente (Pátio <portal@exemplo.com.br>)' }],
    listChecks: async (settings, prompt) => {
      type Answered = Record<'SMTP_URL' | 'MAIL_FROM' | 'GROUP_NAME' | 'PUBLIC_URL', string>
      const { SMTP_URL, MAIL_FROM, GROUP_NAME, PUBLIC_URL } = readEnvironment(settings) as Answered
      const own = /[^<\s]+@[^>]+/.exec(MAIL_FROM)?.[0] ?? ''
      const to = await prompt.ask(`Quem recebe um e-mail de teste [${own}; -: ninguém]`, false)
      const sender = { smtpUrl: SMTP_URL, mailFrom: MAIL_FROM, groupName: GROUP_NAME, publicUrl: PUBLIC_URL }
      return to === '-' ? [] : [createTestMailCheck(sender, to || own)]
    },
  },
  {
    questions: [
      {
        name: 'AUDIT_HASH_MAIL',
        ask: 'Quem guarda os selos da trilha, um e-mail por dia, de preferência fora da TI (vazio: ninguém)',
        fallback: '',
      },
    ],
  },
  {
    questions: [
      { name: 'POWERBI_TENANT_ID', ask: 'ID do diretório no Microsoft Entra, ou um domínio dele' },
      { name: 'POWERBI_CLIENT_ID', ask: 'ID do aplicativo' },
      { name: 'POWERBI_CLIENT_SECRET', ask: 'Segredo do aplicativo' },
    ],
    listChecks: (settings) => {
      const config = readConfig({ SESSION_SECRET: createSecret(), ...Object.fromEntries(settings) })
      return listPowerBiChecks(config, openPowerBi(config), undefined)
    },
  },
]

const createSecret = () => randomBytes(36).toString('base64url')

/** Opens a prompt on a terminal or a pipe; secrets are not echoed. */
function openPrompt() {
  const isTerminal = process.stdin.isTTY === true
  let isMuted = false
  const output = new Writable({
    write(chunk, _, done) {
      if (!isMuted) process.stdout.write(chunk)
      done()
    },
  })
  const lines = createInterface({ input: process.stdin, output, terminal: isTerminal })
  const answers = lines[Symbol.asyncIterator]()
  return {
    async ask(question: string, isSecret: boolean): Promise<string> {
      process.stdout.write(`${question}: `)
      isMuted = isSecret
      const { value, done } = await answers.next()
      isMuted = false
      if (isSecret || !isTerminal) process.stdout.write('\n')
      if (done) throw new SetupError('As respostas acabaram antes das perguntas.')
      return (value as string).trim()
    },
    close: () => lines.close(),
  }
}

class SetupError extends Error {}

type Prompt = ReturnType<typeof openPrompt>

const findKey = (settings: Settings, name: string) => [name, `${name}_FILE`].find((key) => settings.has(key))

/** Asks and tries until the answers work, or are to be kept as they are. */
async function askGroup(
  prompt: Prompt,
  { questions, listChecks }: Group,
  settings: Settings,
  save: () => void,
): Promise<void> {
  for (;;) {
    for (const question of questions) {
      await askUntilValid(prompt, question, settings)
      save()
    }
    if (!listChecks || (await tryAnswers(() => listChecks(settings, prompt)))) return
    const answer = await prompt.ask('Corrigir agora? (S/n)', false)
    if (/^n/i.test(answer)) return
  }
}

/** @returns whether nothing failed */
async function tryAnswers(listChecks: () => Check[] | Promise<Check[]>): Promise<boolean> {
  try {
    const checks = await listChecks()
    if (checks.length > 0) process.stdout.write('  Verificando…\n')
    const findings = await runChecks(checks)
    for (const { says, todo } of findings)
      process.stdout.write(`  ${toOneLine(`${says}${todo ? ` ${todo}` : ''}`)}\n`)
    return findings.every(({ grade }) => grade !== 'fault')
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stdout.write(`${error.message}\n`)
    return false
  }
}

/** Asks until the answer is valid, and keeps it; an empty answer keeps an earlier one. */
async function askUntilValid(
  prompt: Prompt,
  { name, ask, fallback }: Question,
  settings: Settings,
): Promise<void> {
  const key = findKey(settings, name)
  const known = key && settings.get(key)
  const isSecret = isSecretSetting(name)
  const hints = [
    ...(known ? [isSecret ? 'Enter: fica como está' : known] : fallback ? [fallback] : []),
    ...(known && fallback === '' ? ['-: nenhum'] : []),
    ...(isSecret ? ['não aparece', '@/caminho: um arquivo que o contém'] : []),
  ]
  const hint = hints.length > 0 ? ` [${hints.join('; ')}]` : ''
  for (;;) {
    const typed = await prompt.ask(`${ask}${hint}`, isSecret)
    if (typed === '' && known) return
    const answer = typed === '-' && fallback === '' ? '' : typed || fallback
    const file = isSecret && answer?.startsWith('@') ? resolve(answer.slice(1)) : undefined
    const fault = file ? checkFile(name, file) : answer === '' ? undefined : checkAnswer(name, answer)
    if (fault) {
      process.stdout.write(`  ${fault}\n`)
      continue
    }
    if (key) settings.delete(key)
    if (file) settings.set(`${name}_FILE`, file)
    else settings.set(name, answer as string)
    return
  }
}

function checkAnswer(name: SettingName, value: string | undefined): string | undefined {
  if (value === undefined) return 'É preciso responder.'
  if (/["'\\$`\n]/.test(value))
    return 'Aspas, cifrões e barras invertidas: ponha o valor em um arquivo e responda @/caminho.'
  return validateSetting(name, value)
}

function checkFile(name: SettingName, file: string): string | undefined {
  return existsSync(file) ? validateSetting(name, readFileSync(file, 'utf8').trim()) : `${file} não existe.`
}

async function setUp(file: string): Promise<number> {
  assertFolder(dirname(file))
  const [isChange, part] = [existsSync(file), `${file}.part`]
  const isResumed = !isChange && existsSync(part)
  const settings = isChange || isResumed ? readSettings(isChange ? file : part) : new Map<string, string>()
  if (isChange) process.stdout.write(`${file} já existe: Enter mantém o que está entre colchetes.\n`)
  if (isResumed) process.stdout.write(`Continua de onde parou; as respostas até lá estão em ${part}.\n`)
  settings.set('NODE_ENV', 'production')
  useCorporateProxy(Object.fromEntries(settings))
  const prompt = openPrompt()
  // After each answer, so that an interruption costs none.
  const save = () => {
    if (!isChange) writeFileSync(part, formatSettings(settings), { mode: 0o600 })
  }
  try {
    for (const group of GROUPS) {
      const questions = group.questions.filter(({ name }) => isOpen(settings, name, isChange))
      if (questions.length > 0) await askGroup(prompt, { ...group, questions }, settings, save)
    }
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    const left = isChange
      ? `${file} ficou como estava.`
      : existsSync(part)
        ? `Rode de novo para continuar: elas estão em ${part}.`
        : 'Nada foi escrito.'
    throw new SetupError(`${error.message} ${left}`)
  } finally {
    prompt.close()
  }
  // Only the proxy can then reach the portal.
  if (settings.get('TRUSTED_PROXIES') === SAME_MACHINE) {
    if (!findKey(settings, 'HOST')) settings.set('HOST', SAME_MACHINE)
  } else if (settings.get('HOST') === SAME_MACHINE) settings.delete('HOST')
  for (const name of ['SESSION_SECRET', 'METRICS_TOKEN'])
    if (!findKey(settings, name)) settings.set(name, createSecret())
  for (const [name, value] of settings) if (value === '') settings.delete(name)
  // An existing file keeps its owner and rights.
  const text = formatSettings(settings, isChange ? readFileSync(file, 'utf8') : '')
  writeFileSync(file, text, isChange ? {} : { mode: 0o600, flag: 'wx' })
  rmSync(part, { force: true })
  const chosen = Object.fromEntries(settings)
  process.stdout.write(
    isChange
      ? `\n${file} foi mudado; o portal o lê ao reiniciar.\n\n`
      : `\n${file} foi escrito, e só o dono o lê.\n${fillTemplates(chosen, file)}\n`,
  )
  process.stdout.write('Verificação; o que depende do portal no ar falha até que ele esteja:\n\n')
  const findings = await runDoctor({ PATH: process.env.PATH, ...chosen }, {})
  process.stdout.write(formatFindings(findings.filter(({ check }) => !check.startsWith('setting-'))))
  return getExitCode(findings)
}

/** Whether to ask: not again after an interruption, nor for a secret that a certificate replaces. */
function isOpen(settings: Settings, name: SettingName, isChange: boolean): boolean {
  if (name === 'POWERBI_CLIENT_SECRET' && findKey(settings, 'POWERBI_CLIENT_CERTIFICATE')) return false
  return isChange || findKey(settings, name) === undefined
}

const LINE = /^(\w+)=(?:"([^"\\$`]*)"|([^\s"'\\$`]*))$/

/** @throws SetupError for lines that setup does not write */
function readSettings(file: string): Settings {
  const lines = readFileSync(file, 'utf8').split('\n')
  return new Map(
    lines.flatMap((line, index): [string, string][] => {
      if (/^\s*(#|$)/.test(line)) return []
      const [, name, quoted, plain] = LINE.exec(line) ?? []
      if (!name)
        throw new SetupError(`${file}, linha ${index + 1}: não é como esta pergunta a escreve; mude-a à mão.`)
      return [[name, quoted ?? plain ?? '']]
    }),
  )
}

/** Formats settings as systemd, Node and shells parse alike; lines of `old` keep their place. */
function formatSettings(settings: Settings, old = ''): string {
  const rest = new Map(settings)
  const format = (name: string, value: string) =>
    `${name}=${/^[\w.,:/@+-]*$/.test(value) ? value : `"${value}"`}`
  const kept = old.split('\n').flatMap((line) => {
    const name = LINE.exec(line)?.[1]
    if (!name) return line === '' ? [] : [line]
    const value = rest.get(name)
    rest.delete(name)
    return value === undefined ? [] : [format(name, value)]
  })
  return `${[...kept, ...[...rest].map(([name, value]) => format(name, value))].join('\n')}\n`
}

/** Checks the folder before asking. */
function assertFolder(folder: string): void {
  try {
    accessSync(folder, constants.W_OK)
  } catch {
    throw new SetupError(`A pasta ${folder} não existe, ou não se pode escrever nela. Crie-a antes.`)
  }
}

/** Fills the answers into the files of the service manager and each proxy, for one portal. */
function fillTemplates({ PUBLIC_URL = '' }: Record<string, string>, file: string): string {
  const { host, hostname } = new URL(PUBLIC_URL)
  const files = ['patio.service', 'Caddyfile', 'nginx.conf', 'haproxy.cfg'].map((name) => {
    const text = readFileSync(join(DEPLOY, name), 'utf8')
      .replace('EnvironmentFile=/etc/patio/patio.env', `EnvironmentFile=${resolve(file)}`)
      .replace('{$PORTAL_HOST:localhost}', host)
      .replaceAll('portal.example.com.br', hostname)
      .replace(/^.*127\.0\.0\.1:4001.*\n/m, '')
      .replace(/\n# DATABASE_URL=[\s\S]*/, '')
    return `──── ${name} ────\n${text}`
  })
  return `\nO serviço e o proxy (um dos três), preenchidos:\n\n${files.join('\n')}`
}

// Files are accessible to the process's user only.
process.umask(0o077)
try {
  const [file, ...rest] = process.argv.slice(2)
  if (!file || file.startsWith('-') || rest.length > 0) throw new SetupError(USAGE)
  process.exit(await setUp(resolve(file)))
} catch (error) {
  const { code, message, stack } = error as NodeJS.ErrnoException
  process.stderr.write(`${error instanceof SetupError || code?.startsWith('E') ? message : stack}\n`)
  process.exit(3)
}
