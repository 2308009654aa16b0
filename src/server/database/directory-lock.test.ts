import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DatabaseOpenError } from './database.ts'
import { lockDirectory } from './directory-lock.ts'

/** Reports that it runs, claims the directory at our signal, and lives until we end it. */
const LOCK_AND_WAIT = `
import { lockDirectory } from '#server/database/directory-lock.ts'
process.stdin.once('data', () => {
  try {
    lockDirectory(process.argv[1])
    process.stdout.write('locked')
  } catch (error) {
    process.stdout.write(error.message)
  }
})
process.stdout.write('ready')`

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'patio-lock-'))
})
afterEach(() => rmSync(folder, { recursive: true }))
const claims = () => readdirSync(folder).filter((name) => name.endsWith('.lock'))

/** Starts processes that claim the directory at the same moment. */
async function startOthers(count: number) {
  const children = Array.from({ length: count }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', LOCK_AND_WAIT, folder], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  )
  await Promise.all(children.map((child) => once(child.stdout, 'data')))
  for (const child of children) child.stdin.write('go')
  return Promise.all(
    children.map(async (child) => ({
      pid: child.pid as number,
      output: String(await once(child.stdout, 'data')),
      async kill() {
        const gone = once(child, 'exit')
        child.kill('SIGKILL')
        await gone
      },
    })),
  )
}

async function startOther() {
  const [other] = await startOthers(1)
  if (!other) throw new Error('nothing was started')
  return other
}

test('lockDirectory refuses a directory in use by a living process, naming both', async () => {
  const other = await startOther()
  expect(other.output).toBe('locked')
  expect(() => lockDirectory(folder)).toThrow(DatabaseOpenError)
  expect(() => lockDirectory(folder)).toThrow(
    `A pasta de dados ${folder} já está em uso pelo processo ${other.pid}. Encerre-o ou defina outra DATA_DIR.`,
  )
  await other.kill()
})

test('lockDirectory takes over the lock of a killed process', async () => {
  const other = await startOther()
  await other.kill()
  expect(claims()).toEqual([expect.stringContaining(`-${other.pid}-`)])
  const release = lockDirectory(folder)
  expect(claims()).toEqual([expect.stringContaining(`-${process.pid}-`)])
  release()
})

test('lockDirectory takes over a lock whose pid belongs to another process now', () => {
  for (const pid of [process.ppid, process.pid]) {
    writeFileSync(join(folder, `patio-${pid}-1.lock`), '')
    lockDirectory(folder)()
    expect(claims()).toEqual([])
  }
})

test('lockDirectory refuses a second lock of this process, until the first is released', () => {
  const release = lockDirectory(folder)
  expect(() => lockDirectory(folder)).toThrow(/já está em uso pelo processo/)
  release()
  expect(claims()).toEqual([])
  lockDirectory(folder)()
})

test('lockDirectory gives a stale lock to one of several processes', async () => {
  writeFileSync(join(folder, 'patio-99999999-1.lock'), '')
  const others = await startOthers(4)
  expect(others.filter((other) => other.output === 'locked')).toHaveLength(1)
  expect(others.filter((other) => /em uso/.test(other.output))).toHaveLength(3)
  await Promise.all(others.map((other) => other.kill()))
})

test('lockDirectory reports a directory that cannot be created or written', () => {
  writeFileSync(join(folder, 'a-file'), '')
  expect(() => lockDirectory(join(folder, 'a-file', 'data'))).toThrow(
    /^Não foi possível usar a pasta de dados/,
  )
  lockDirectory(join(folder, 'new', 'and', 'deep'))()
})
