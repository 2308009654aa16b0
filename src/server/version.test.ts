import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { addCommit, VERSION } from './version.ts'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))

test('a build that is not a release says its commit, and a release does not', () => {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  expect(addCommit('9.8.0-dev')).toBe(`9.8.0-dev+${commit}`)
  expect(addCommit('9.8.0')).toBe('9.8.0')
  expect(VERSION).toBe(version.endsWith('-dev') ? `${version}+${commit}` : version)
})

test.each(['docs/deployment.md', 'docs/operations.md', 'deploy/Containerfile'])(
  '%s names the archive and image of this version',
  (file) => {
    // A release also carries the page of the one before it.
    const named = readFileSync(file, 'utf8').matchAll(
      /(?<!--previous )\b(?:patio[-:]|VERSION=)(\d+\.\d+\.\d+)/g,
    )
    const versions = new Set([...named].map(([, each]) => each))
    expect([...versions]).toEqual([version.replace('-dev', '')])
  },
)
