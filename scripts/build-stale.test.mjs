import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findStaleDigest, hashFiles } from './build-stale.mjs'

/** @type {string} */
let base
const entries = ['src', 'index.html']

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'patio-hash-'))
  mkdirSync(join(base, 'src/deep'), { recursive: true })
  writeFileSync(join(base, 'src/a.ts'), 'one')
  writeFileSync(join(base, 'src/deep/b.ts'), 'two')
  writeFileSync(join(base, 'index.html'), '<p>')
})
afterEach(() => rmSync(base, { recursive: true }))

test('the digest ignores dates, tests and the order of entries', () => {
  const before = hashFiles(base, entries)
  utimesSync(join(base, 'src/a.ts'), 1, 1)
  writeFileSync(join(base, 'src/a.test.ts'), 'test')
  expect(hashFiles(base, [...entries].reverse())).toBe(before)
})

test.each([
  ['a changed file', () => writeFileSync(join(base, 'src/deep/b.ts'), 'twO')],
  ['a new file', () => writeFileSync(join(base, 'src/deep/c.ts'), '')],
  ['a removed file', () => rmSync(join(base, 'index.html'))],
  [
    'two files concatenated into one',
    () => {
      writeFileSync(join(base, 'src/a.ts'), 'onesrc/deep/b.ts\0two')
      rmSync(join(base, 'src/deep/b.ts'))
    },
  ],
])('the digest changes with %s', (_what, change) => {
  const before = hashFiles(base, entries)
  change()
  expect(hashFiles(base, entries)).not.toBe(before)
})

test('a build is stale until its digest is stored, and after its folder or a source is removed', () => {
  const target = { folder: 'web', announcement: '', config: '', inputs: entries }
  const digest = findStaleDigest(target, base)
  expect(digest).toBe(hashFiles(base, entries))
  mkdirSync(join(base, 'dist/web'), { recursive: true })
  expect(findStaleDigest(target, base)).toBe(digest)
  writeFileSync(join(base, 'dist/web.sha256'), digest ?? '')
  expect(findStaleDigest(target, base)).toBeUndefined()
  rmSync(join(base, 'dist/web'), { recursive: true })
  expect(findStaleDigest(target, base)).toBe(digest)
})
