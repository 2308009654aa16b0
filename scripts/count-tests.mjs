// Reads the totals of a test run from the JSON reports of Vitest and Playwright.
import { existsSync, readFileSync } from 'node:fs'

/**
 * @typedef {object} Totals
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 */

/** @type {Totals} */
export const noTests = { passed: 0, failed: 0, skipped: 0 }

/**
 * @param {string} file
 * @param {(report: any) => Totals} count
 * @returns {Totals} all zero when the report is missing or truncated
 */
export function readTotals(file, count) {
  if (!existsSync(file)) return noTests
  try {
    return count(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return noTests
  }
}

/**
 * @param {{ numPassedTests: number, numFailedTests: number,
 *   numPendingTests: number, numTodoTests: number,
 *   testResults: { status: string, assertionResults: unknown[] }[]
 * }} report Vitest's
 * @returns {Totals} a file that cannot be loaded counts as one failure
 */
export function countVitest(report) {
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  )
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests + report.numTodoTests,
  }
}

/**
 * @param {{ stats: { expected: number, unexpected: number, skipped: number } }} report Playwright's
 * @returns {Totals}
 */
export const countPlaywright = ({ stats: { expected, unexpected, skipped } }) => ({
  passed: expected,
  failed: unexpected,
  skipped,
})

/**
 * @param {readonly Totals[]} all
 * @returns {Totals}
 */
export const addTotals = (all) =>
  all.reduce(
    (sum, each) => ({
      passed: sum.passed + each.passed,
      failed: sum.failed + each.failed,
      skipped: sum.skipped + each.skipped,
    }),
    noTests,
  )

/**
 * @param {Totals} totals
 * @returns {string} `N passed, N failed`, and the skipped ones if any
 */
export const formatTotals = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`
