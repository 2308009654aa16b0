import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from './config.ts'
import { checkSettings } from './setting-warnings.ts'
import { BARE_ENVIRONMENT } from './testing/portal-process.ts'

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
    'Grupo Exemplo <portal@example.com>',
    'Contoso',
    'example.com',
    '0f8a2c55-7b1d-4b52-9a3e-6d2f1c9b8e70',
    `@${secret}`,
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
  })
  expect(config.powerBi.clientSecret).toBe('canary-client-secret')
  expect(checkSettings(written, config)).toEqual([])
  expect(output).toContain(`EnvironmentFile=${file}`)
  expect(output).toContain('127.0.0.1:9 {\n\treverse_proxy')
  expect(output).not.toMatch(/:4001|postgres-primary/)
  expect(output).toMatch(/^falha {2}PUBLIC_URL/m)
  for (const hidden of ['canary-client-secret', 'canary-password', written.SESSION_SECRET])
    expect(output).not.toContain(hidden)

  const again = await runSetup([file], answers)
  expect([again.code, again.errors]).toEqual([3, expect.stringContaining('já existe')])
  expect((await runSetup([join(folder, 'none', 'file')], answers)).output).toBe('')
  expect((await runSetup([join(folder, 'other')], ['https://127.0.0.1:9'])).errors).toContain(
    'nada foi escrito',
  )
  expect((await runSetup([], [])).errors).toMatch(/^Uso: /)
}, 60_000)
