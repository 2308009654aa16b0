import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BARE_ENVIRONMENT } from '#server/testing/portal-process.ts'

const COMMAND = fileURLToPath(new URL('../back-up.ts', import.meta.url))
const SLOW = 120_000

describe('npm run backup and restore as processes', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'patio-back-up-process-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  function start(args: string[], env: Record<string, string> = {}) {
    const child = spawn(process.execPath, [COMMAND, ...args], {
      env: { ...BARE_ENVIRONMENT, DATA_DIR: folder, ...env },
    })
    const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    return { child, ended: ended.then(([said, complaint, [code]]) => ({ said, complaint, code })) }
  }
  const listParts = async () => (await readdir(folder)).filter((name) => name.includes('.part'))

  test(
    'a killed back-up leaves nothing after the next one, an interrupted one nothing at all',
    async () => {
      // A portal that never sends, so that the command stays in the middle.
      const portal = createServer(() => {}).listen(join(folder, 'back-up.sock'))
      const killed = start(['backup', join(folder, 'monday.backup')])
      await expect.poll(listParts, { timeout: 60_000 }).toHaveLength(1)
      killed.child.kill('SIGKILL')
      await killed.ended
      const [left = ''] = await listParts()
      expect(left).toContain('monday.backup')

      // One of these is perhaps still written, the other no back-up.
      await writeFile(join(folder, 'running.backup.patio.part'), '')
      const foreign = join(folder, 'download.part')
      await writeFile(foreign, '')
      const longAgo = new Date(Date.now() - 2 * 60 * 60_000)
      for (const path of [join(folder, left), foreign]) await utimes(path, longAgo, longAgo)
      const interrupted = start(['backup', join(folder, 'tuesday.backup')])
      const others = ['download.part', 'running.backup.patio.part']
      await expect
        .poll(listParts, { timeout: 60_000 })
        .toEqual([...others, expect.stringContaining('tuesday.backup')])
      interrupted.child.kill('SIGTERM')
      expect((await interrupted.ended).code).toBe(1)
      expect(await listParts()).toEqual(others)
      portal.close()
    },
    SLOW,
  )

  test(
    'errors say in Portuguese what happened and what to do',
    async () => {
      const nowhere = join(folder, 'nowhere', 'patio.backup')
      const cases: [string[], Record<string, string>, RegExp][] = [
        [
          ['backup', nowhere],
          {},
          /nowhere.*: esse caminho não existe \(ENOENT\)\. Crie-o, ou confira o caminho\.\n$/,
        ],
        [['backup', folder], {}, /já existe\. Escolha outro nome\.\n$/],
        [
          ['backup', join(folder, 'x.backup')],
          { DATABASE_URL: 'postgres://patio:secret@127.0.0.1:1/patio' },
          /^Banco de dados inacessível em 127\.0\.0\.1:1\/patio: .* \(ECONNREFUSED\)\. Inicie o serviço, ou confira o endereço e a porta\.\n$/,
        ],
        [['restore', nowhere, '--lost', folder], {}, /não tem um banco de dados do portal\. Informe a pasta/],
        [['restore', nowhere, '--apply'], {}, /^Uso: /],
        [['restore', '--lost', nowhere], {}, /nowhere.*: esse caminho não existe/],
      ]
      for (const [args, env, says] of cases) {
        const { complaint, code } = await start(args, env).ended
        expect([complaint, code]).toEqual([expect.stringMatching(says), 1])
        expect(complaint).not.toMatch(/\n {4}at |secret/)
      }
    },
    SLOW,
  )
})
