import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ConfigError, readConfig } from './config.ts'

const SECRET = '5d0c1f7b9a3e48c6b2f1e0d9c8b7a695'
const DEMO = { PATIO_DEMO: 'true' }

function readFaults(environment: Record<string, string | undefined>): string[] {
  try {
    readConfig(environment)
    return []
  } catch (error) {
    return (error as ConfigError).faults
  }
}

describe('NAME_FILE', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'patio-config-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test('replaces NAME, without the file’s trailing newline', () => {
    const file = join(folder, 'secret')
    writeFileSync(file, `${SECRET}\n`)
    expect(
      readConfig({ ...DEMO, RECAPTCHA_SITE_KEY: 'x', RECAPTCHA_SECRET_KEY_FILE: file }).recaptcha,
    ).toEqual({
      siteKey: 'x',
      secretKey: SECRET,
    })
  })

  test('is reported once if it cannot be read', () => {
    const faults = readFaults({
      ...DEMO,
      SESSION_SECRET: undefined,
      SESSION_SECRET_FILE: join(folder, 'missing'),
    })
    expect(faults).toEqual([expect.stringMatching(/^SESSION_SECRET_FILE: não foi possível ler/)])
  })

  test('does not leak an invalid value', () => {
    const file = join(folder, 'wrong')
    writeFileSync(file, 'canary')
    expect(readFaults({ ...DEMO, SESSION_SECRET_FILE: file }).join()).not.toContain('canary')
  })
})
