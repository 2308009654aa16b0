import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { addTotals, countPlaywright, countVitest, formatTotals, noTests, readTotals } from './count-tests.mjs'

test('counts a file that Vitest cannot load as one failure, and failed tests only once', () => {
  const report = {
    numPassedTests: 5,
    numFailedTests: 1,
    numPendingTests: 2,
    numTodoTests: 1,
    testResults: [
      { status: 'failed', assertionResults: [] },
      { status: 'failed', assertionResults: [{ status: 'failed' }] },
      { status: 'passed', assertionResults: [{ status: 'passed' }] },
    ],
  }
  expect(countVitest(report)).toEqual({ passed: 5, failed: 2, skipped: 3 })
})

test('counts Playwright’s results', () => {
  const stats = { expected: 4, unexpected: 1, flaky: 0, skipped: 2 }
  expect(countPlaywright({ stats })).toEqual({ passed: 4, failed: 1, skipped: 2 })
})

test('counts a missing or truncated report as zero', () => {
  const folder = mkdtempSync(join(tmpdir(), 'patio-report-'))
  writeFileSync(join(folder, 'cut.json'), '{"stats":')
  expect(readTotals(join(folder, 'none.json'), countPlaywright)).toEqual(noTests)
  expect(readTotals(join(folder, 'cut.json'), countPlaywright)).toEqual(noTests)
  rmSync(folder, { recursive: true })
})

test('formats the totals on one line, with skipped tests only if any', () => {
  const sum = addTotals([
    { passed: 2, failed: 1, skipped: 0 },
    { passed: 3, failed: 0, skipped: 4 },
  ])
  expect(formatTotals(sum)).toBe('5 passed, 1 failed, 4 skipped')
  expect(formatTotals({ ...noTests, passed: 5 })).toBe('5 passed, 0 failed')
})
