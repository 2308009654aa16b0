// The numbers of a test run, read from what Vitest and Playwright report as JSON.
import { existsSync, readFileSync } from 'node:fs'

/**
 * @typedef {object} Totals
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {readonly string[]} unsteady names of those that passed only on a second try
 */

/** @type {Totals} */
export const noTests = { passed: 0, failed: 0, skipped: 0, unsteady: [] }

/**
 * @param {string} file
 * @param {(report: any) => Totals} count
 * @returns {Totals} all zero when the report was never written or is cut short
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
 * @param {{ numPassedTests: number, numFailedTests: number, numPendingTests: number, numTodoTests: number,
 *   testResults: { status: string, assertionResults: { status: string, fullName: string, failureMessages: string[] }[] }[]
 * }} report Vitest's
 * @returns {Totals} a file that cannot even be loaded counts as one failure
 */
export function countVitest(report) {
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  )
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests + report.numTodoTests,
    unsteady: report.testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0)
      .map(({ fullName }) => fullName),
  }
}

/** @typedef {{ specs: { title: string, tests: { status: string }[] }[], suites?: Suite[] }} Suite */

/**
 * @param {{ stats: { expected: number, unexpected: number, flaky: number, skipped: number }, suites: Suite[] }} report
 *   Playwright's
 * @returns {Totals}
 */
export function countPlaywright({ stats, suites }) {
  /** @type {(suite: Suite) => Suite['specs']} */
  const specsOf = (suite) => [...suite.specs, ...(suite.suites ?? []).flatMap(specsOf)]
  const unsteady = suites
    .flatMap(specsOf)
    .filter(({ tests }) => tests.some(({ status }) => status === 'flaky'))
    .map(({ title }) => title)
  return {
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected,
    skipped: stats.skipped,
    unsteady,
  }
}

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
      unsteady: [...sum.unsteady, ...each.unsteady],
    }),
    noTests,
  )

/**
 * @param {Totals} totals
 * @returns {string} `N passed, N failed`, and the skipped ones when there are any
 */
export const writeTotals = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`
