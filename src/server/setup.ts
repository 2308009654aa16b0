// `npm run setup -- FILE`: asks for the required settings, writes them to a file, and checks them.

import { randomBytes } from 'node:crypto'
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { formatFindings, getExitCode, runDoctor } from './doctor/run-doctor.ts'
import { isSecretSetting, type SettingName, validateSetting } from './settings.ts'
import { formatCommand } from './version.ts'

const SAME_MACHINE = '127.0.0.1'
const DEPLOY = fileURLToPath(new URL('../../deploy', import.meta.url))
const USAGE = `Uso: ${formatCommand('setup')} ARQUIVO   (por exemplo /etc/patio/patio.env; nunca escreve sobre um que existe)`

interface Question {
  name: SettingName
  ask: string
  /** Default for an empty answer; '' omits the setting. Without it an answer is required. */
  fallback?: string
}

const QUESTIONS: readonly Question[] = [
  { name: 'PUBLIC_URL', ask: 'Endereço que as pessoas abrem (https://portal.exemplo.com.br)' },
  { name: 'TRUSTED_PROXIES', ask: 'Endereço do proxy que faz o TLS', fallback: SAME_MACHINE },
  { name: 'COMPANY_EMAIL_DOMAIN', ask: 'Domínio dos e-mails que podem ter conta (exemplo.com.br)' },
  { name: 'GROUP_NAME', ask: 'Nome do grupo' },
  { name: 'GROUP_SITE_URL', ask: 'Site do grupo (https://…)' },
  { name: 'GROUP_DEALERSHIPS_URL', ask: 'Página das concessionárias (https://…)' },
  { name: 'DATABASE_URL', ask: 'PostgreSQL (postgres://…; vazio: o banco embutido)', fallback: '' },
  { name: 'DATA_DIR', ask: 'Pasta dos dados, do usuário do portal', fallback: '/var/lib/patio' },
  { name: 'SMTP_URL', ask: 'Servidor de e-mail (smtps://usuário:senha@host)' },
  { name: 'MAIL_FROM', ask: 'Remetente (Pátio <portal@exemplo.com.br>)' },
  { name: 'POWERBI_TENANT_ID', ask: 'ID do diretório no Microsoft Entra, ou um domínio dele' },
  { name: 'POWERBI_CLIENT_ID', ask: 'ID do aplicativo' },
  { name: 'POWERBI_CLIENT_SECRET', ask: 'Segredo do aplicativo' },
]

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
      if (done) throw new SetupError('As respostas acabaram antes das perguntas; nada foi escrito.')
      return (value as string).trim()
    },
    close: () => lines.close(),
  }
}

class SetupError extends Error {}

/** Asks until the answer is valid. @returns the line of the file, or none */
async function askUntilValid(
  prompt: ReturnType<typeof openPrompt>,
  { name, ask, fallback }: Question,
): Promise<[string, string][]> {
  const isSecret = isSecretSetting(name)
  const hint = isSecret
    ? ' [não aparece; @/caminho: um arquivo que o contém]'
    : fallback
      ? ` [${fallback}]`
      : ''
  for (;;) {
    const answer = (await prompt.ask(`${ask}${hint}`, isSecret)) || fallback
    if (answer === '') return []
    const isFile = isSecret && answer?.startsWith('@')
    const fault = isFile ? checkFile(name, resolve(answer?.slice(1) as string)) : checkAnswer(name, answer)
    if (fault) process.stdout.write(`  ${fault}\n`)
    else return [isFile ? [`${name}_FILE`, resolve((answer as string).slice(1))] : [name, answer as string]]
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
  if (existsSync(file)) throw new SetupError(`${file} já existe. Escolha outro nome, ou mude-o à mão.`)
  assertFolder(dirname(file))
  const prompt = openPrompt()
  const settings: [string, string][] = [['NODE_ENV', 'production']]
  for (const question of QUESTIONS) settings.push(...(await askUntilValid(prompt, question)))
  prompt.close()
  // Only the proxy can then reach the portal.
  if (settings.some(([name, value]) => name === 'TRUSTED_PROXIES' && value === SAME_MACHINE))
    settings.push(['HOST', SAME_MACHINE])
  const secret = () => randomBytes(36).toString('base64url')
  settings.push(['SESSION_SECRET', secret()], ['METRICS_TOKEN', secret()])
  // Quoting that systemd, Node and shells parse alike.
  const text = settings.map(
    ([name, value]) => `${name}=${/^[\w.,:/@+-]*$/.test(value) ? value : `"${value}"`}`,
  )
  writeFileSync(file, `${text.join('\n')}\n`, { mode: 0o600, flag: 'wx' })
  const chosen = Object.fromEntries(settings)
  process.stdout.write(`\n${file} foi escrito, e só o dono o lê.\n${fillTemplates(chosen, file)}\n`)
  process.stdout.write('Verificação; o que depende do portal no ar falha até que ele esteja:\n\n')
  const findings = await runDoctor({ PATH: process.env.PATH, ...chosen }, {})
  process.stdout.write(formatFindings(findings.filter(({ check }) => !check.startsWith('setting-'))))
  return getExitCode(findings)
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
