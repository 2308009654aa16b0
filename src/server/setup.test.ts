import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from './config.ts'
import { checkSettings } from './setting-warnings.ts'
import { BARE_ENVIRONMENT } from './testing/portal-process.ts'
import { startSmtpInbox } from './testing/smtp-inbox.ts'

const SETUP = fileURLToPath(new URL('setup.ts', import.meta.url))

async function runSetup(args: string[], answers: string[]) {
  const child = spawn(process.execPath, [SETUP, ...args], { env: BARE_ENVIRONMENT })
  child.stdin.end(`${answers.join('\n')}\n`)
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { output, errors, code }
}

test('setup asks until answers are valid, writes a file that the portal accepts, and checks it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'patio-setup-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [file, secret] = [join(folder, 'patio.env'), join(folder, 'powerbi')]
  writeFileSync(secret, 'canary-client-secret\n', { mode: 0o600 })
  const answers = [
    'https://127.0.0.1:9/portal',
    'https://127.0.0.1:9',
    '',
    'example.com',
    'Grupo Exemplo',
    'https://www.example.com',
    'https://www.example.com/lojas',
    '',
    folder,
    '',
    'smtp://ana:canary-password@127.0.0.1:9?requireTLS=true&name=a',
    'n',
    'Grupo Exemplo <portal@example.com>',
    '-',
    'selos@example.com',
    'Contoso',
    'example.com',
    '0f8a2c55-7b1d-4b52-9a3e-6d2f1c9b8e70',
    `@${secret}`,
    'n',
  ]
  const { output, code } = await runSetup([file], answers)
  expect(code).toBe(2)
  for (const asked of ['informe só o endereço', 'É preciso responder.', 'informe o ID do diretório'])
    expect(output).toContain(asked)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  // A shell reads the same values from the file.
  const shell = execFileSync('sh', ['-c', `set -a; . ${file}; printf '%s %s' "$SMTP_URL" "$DATA_DIR"`], {
    encoding: 'utf8',
  })
  expect(shell).toBe(`smtp://ana:canary-password@127.0.0.1:9?requireTLS=true&name=a ${folder}`)
  const written = Object.fromEntries(
    lines.map((line) => [line.split('=', 1)[0], line.slice(line.indexOf('=') + 1).replace(/^"(.*)"$/, '$1')]),
  )
  const config = readConfig(written)
  // The proxy is on this machine, with one portal.
  expect(config).toMatchObject({
    host: '127.0.0.1',
    publicUrl: 'https://127.0.0.1:9',
    mailFrom: 'Grupo Exemplo <portal@example.com>',
    trail: { hashMail: 'selos@example.com' },
  })
  expect(config.powerBi.clientSecret).toBe('canary-client-secret')
  expect(checkSettings(written, config)).toEqual([])
  expect(output).toContain(`EnvironmentFile=${file}`)
  expect(output).toContain('127.0.0.1:9 {\n\treverse_proxy')
  expect(output).not.toMatch(/:4001|postgres-primary/)
  expect(output).toMatch(/^falha {2}PUBLIC_URL/m)
  for (const hidden of ['canary-client-secret', 'canary-password', written.SESSION_SECRET])
    expect(output).not.toContain(hidden)

  expect((await runSetup([join(folder, 'none', 'file')], answers)).output).toBe('')
  expect((await runSetup([], [])).errors).toMatch(/^Uso: /)
}, 60_000)

const BEFORE_DATABASE = [
  'https://127.0.0.1:9',
  '',
  'example.com',
  'Grupo Exemplo',
  'https://www.example.com',
  'https://www.example.com/lojas',
]
const POWER_BI = ['example.com', '0f8a2c55-7b1d-4b52-9a3e-6d2f1c9b8e70', 'canary-client-secret', 'n']

function createSetupFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'patio-setup-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return { folder, file: join(folder, 'patio.env') }
}

test('setup tries database, mail and directory as they are given, and lets one correct them', async () => {
  const { folder, file } = createSetupFolder()
  const inbox = await startSmtpInbox({ refusesFrom: 'outro@example.com' })
  onTestFinished(inbox.stop)
  const { output } = await runSetup(
    [file],
    [
      ...BEFORE_DATABASE,
      'postgres://ana:canary-password@127.0.0.1:9/patio',
      '',
      '-',
      folder,
      'smtp://127.0.0.1:9',
      's',
      inbox.url,
      'Grupo Exemplo <outro@example.com>',
      'ti@example.com',
      's',
      'Grupo Exemplo <portal@example.com>',
      '',
      '',
      ...POWER_BI,
    ],
  )
  const asked = output.slice(0, output.indexOf('foi escrito'))
  expect(asked).toMatch(
    /PostgreSQL .*\n {2}Verificando…\n {2}Banco de dados em 127\.0\.0\.1:9: ninguém atende .*\nCorrigir agora\?/,
  )
  expect(asked).toMatch(/Servidor de e-mail 127\.0\.0\.1:9: ninguém atende .*\nCorrigir agora\?/)
  expect(asked).toMatch(/Servidor de e-mail 127\.0\.0\.1:\d+: atende e aceita o portal\.\nRemetente/)
  expect(asked).toMatch(
    /E-mail de teste: o servidor não aceitou o remetente .*\(“554 5\.2\.252 SendAsDenied.*MAIL_FROM.*\nCorrigir agora\?/,
  )
  expect(asked).toMatch(/E-mail de teste: o servidor aceitou o e-mail para portal@example\.com/)
  expect(inbox.mails.map(({ from, to }) => [from, ...to])).toEqual([
    ['outro@example.com', 'ti@example.com'],
    ['portal@example.com', 'portal@example.com'],
  ])
  expect(asked).toMatch(/Segredo do aplicativo .*\n {2}Verificando…\n {2}Power BI: [\s\S]*\nCorrigir agora\?/)
  const written = readFileSync(file, 'utf8')
  expect(written).toContain(inbox.url)
  expect(written).not.toContain('DATABASE_URL')
  expect(output).not.toContain('canary')
}, 60_000)

test('setup goes on where it was left', async () => {
  const { folder, file } = createSetupFolder()
  const inbox = await startSmtpInbox()
  onTestFinished(inbox.stop)
  expect((await runSetup([file], [])).errors).toContain('Nada foi escrito.')
  const cut = await runSetup([file], [...BEFORE_DATABASE, '', folder, inbox.url])
  expect([cut.code, cut.errors]).toEqual([3, expect.stringContaining(`Rode de novo para continuar`)])
  expect(existsSync(file)).toBe(false)
  expect(statSync(`${file}.part`).mode & 0o777).toBe(0o600)
  // In the middle of what is tried together.
  const [tenant = '', ...rest] = POWER_BI
  const again = await runSetup([file], ['Grupo Exemplo <portal@example.com>', '-', '', tenant])
  expect(again.output).toMatch(/^Continua de onde parou.*\nRemetente/)
  const { output } = await runSetup([file], rest)
  expect(output).toMatch(/^Continua de onde parou.*\nID do aplicativo/)
  expect(existsSync(`${file}.part`)).toBe(false)
  const written = readFileSync(file, 'utf8')
  expect(written).toContain('COMPANY_EMAIL_DOMAIN=example.com\n')
  expect(written).not.toContain('DATABASE_URL')
}, 60_000)

test('setup changes a file that it wrote: other lines, secrets and rights stay', async () => {
  const { folder, file } = createSetupFolder()
  const inbox = await startSmtpInbox()
  onTestFinished(inbox.stop)
  const sender = 'Grupo Exemplo <portal@example.com>'
  await runSetup([file], [...BEFORE_DATABASE, '', folder, inbox.url, sender, '-', '', ...POWER_BI])
  const before = readFileSync(file, 'utf8')
  writeFileSync(file, `# Our portal\n${before}LOG_IPS=true\n`)
  chmodSync(file, 0o640)
  const keep = (count: number) => new Array<string>(count).fill('')
  const { output } = await runSetup([file], [...keep(3), 'Grupo Novo', ...keep(11), 'n'])
  expect(output).toContain('Nome do grupo [Grupo Exemplo]')
  expect(output).toMatch(/Segredo do aplicativo \[Enter: fica como está; não aparece/)
  expect(readFileSync(file, 'utf8')).toBe(
    `# Our portal\n${before.replace('GROUP_NAME="Grupo Exemplo"', 'GROUP_NAME="Grupo Novo"')}LOG_IPS=true\n`,
  )
  expect(statSync(file).mode & 0o777).toBe(0o640)

  const changed = readFileSync(file, 'utf8')
  const cut = await runSetup([file], keep(3))
  expect([cut.code, cut.errors]).toEqual([3, expect.stringContaining('ficou como estava')])
  writeFileSync(file, `${changed}export X='1'\n`)
  const refused = await runSetup([file], keep(14))
  expect([refused.code, refused.errors]).toEqual([3, expect.stringMatching(/linha \d+: .*mude-a à mão/)])
  expect(readFileSync(file, 'utf8')).toBe(`${changed}export X='1'\n`)
}, 60_000)
