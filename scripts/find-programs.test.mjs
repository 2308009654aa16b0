import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findOnPath, listInstalledBrowsers, listPostgresFolders, listVersions } from './find-programs.mjs'
import { findServerUser } from './throw-away-postgres.mjs'

/** @type {string} */
let base
const path = process.env.PATH

/** @param {string} file */
function makeProgram(file, mode = 0o755) {
  mkdirSync(join(base, file, '..'), { recursive: true })
  writeFileSync(join(base, file), '')
  chmodSync(join(base, file), mode)
  return join(base, file)
}

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'patio-programs-'))
})
afterEach(() => {
  process.env.PATH = path
  rmSync(base, { recursive: true })
})

test('findOnPath returns the first executable in PATH', () => {
  makeProgram('first/chromium', 0o644)
  mkdirSync(join(base, 'second/chromium'), { recursive: true })
  const third = makeProgram('third/chromium')
  const folders = ['first', 'second', 'third'].map((name) => join(base, name))
  expect(findOnPath('chromium', folders.join(delimiter))).toBe(third)
  expect(findOnPath('google-chrome', folders.join(delimiter))).toBeUndefined()
})

test('listInstalledBrowsers finds browsers in PATH and in the applications of macOS', () => {
  const onPath = makeProgram('bin/google-chrome-stable')
  const app = makeProgram('home/Applications/Google Chrome.app/Contents/MacOS/Google Chrome')
  const found = listInstalledBrowsers({ path: join(base, 'bin'), home: join(base, 'home') })
  expect(found.filter((browser) => browser.startsWith(base))).toEqual([onPath, app])
})

test('listInstalledBrowsers omits the headless shell if there is a browser', () => {
  const shell = makeProgram('bin/chromium-headless-shell')
  const found = listInstalledBrowsers({ path: join(base, 'bin') })
  expect(found).not.toContain(shell)
  expect(found.filter((browser) => browser.startsWith('/usr/lib/'))).toEqual([])
})

test('listVersions sorts versions numerically', () => {
  for (const version of ['9', '15', '17', 'doc']) mkdirSync(join(base, version))
  expect(listVersions(base, /^\d+$/)).toEqual(['17', '15', '9'].map((version) => join(base, version, 'bin')))
  expect(listVersions(join(base, 'none'), /./)).toEqual([])
})

test('listPostgresFolders ignores a folder without initdb', () => {
  makeProgram('half/postgres')
  makeProgram('whole/postgres')
  makeProgram('whole/initdb')
  process.env.PATH = [join(base, 'half'), join(base, 'whole')].join(delimiter)
  expect(listPostgresFolders()[0]).toBe(join(base, 'whole'))
})

test('findServerUser returns postgres, else nobody', () => {
  const nobody = 'root:x:0:0::/root:/bin/sh\nnobody:x:65534:65533::/:/bin/false\n'
  expect(findServerUser(nobody)).toEqual({ uid: 65534, gid: 65533 })
  expect(findServerUser(`${nobody}postgres:x:101:104::/:/bin/sh\n`)).toEqual({ uid: 101, gid: 104 })
  expect(() => findServerUser('root:x:0:0::/:/bin/sh')).toThrow('postgres ou nobody')
})
