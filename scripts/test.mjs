// `npm test`: installs missing packages, then checks packages, format, lint
// and types, builds, runs unit, HTTP and browser tests, other engines, and
// short forms of faults and fuzz. See `npm test -- --help`. Plain JavaScript
// for Node >= 20; the tools run on the Node that the project pins.
import { addTotals, formatTotals } from './count-tests.mjs'
import { installTestPrograms } from './find-programs.mjs'
import { installDependencies } from './install-dependencies.mjs'
import { parseTestOptions, usage } from './parse-test-options.mjs'
import { failWith, getFailureStatus, say } from './run-command.mjs'
import { testSteps } from './test-steps.mjs'
import { startTemporaryPostgres } from './throw-away-postgres.mjs'

/** @typedef {import('./test-steps.mjs').StepResult & { title: string, seconds: number }} Outcome */

/** @param {number} seconds */
const formatSeconds = (seconds) => `${seconds.toFixed(1).replace('.', ',')} s`

/**
 * @returns {Promise<Partial<import('./throw-away-postgres.mjs').Cluster>>}
 *   without `stop` if not started here
 */
async function preparePostgres() {
  if (process.env.TEST_DATABASE_URL) return { url: process.env.TEST_DATABASE_URL }
  const cluster = await startTemporaryPostgres()
  if (cluster) return cluster
  const complaint = 'Nenhum PostgreSQL 15 ou mais novo encontrado'
  if (process.env.CI === 'true')
    throw new Error(`${complaint}; em CI os testes em PostgreSQL não podem ser pulados.`)
  say(`\n⚠ ${complaint}: os testes rodam SÓ em PGlite. Instale-o ou defina TEST_DATABASE_URL.`)
  return {}
}

/**
 * @param {import('./test-steps.mjs').Step} step
 * @param {import('./test-steps.mjs').Circumstances} circumstances
 * @returns {Promise<Outcome>}
 */
async function runStep({ title, run }, circumstances) {
  say(`\n▶ ${title}`)
  const start = performance.now()
  const { ok, totals } = await run(circumstances).catch((error) => {
    failWith(error)
    return { ok: false, totals: addTotals([]) }
  })
  const seconds = (performance.now() - start) / 1000
  say(`${ok ? '✓' : '✗'} ${title} (${formatSeconds(seconds)})`)
  return { title, ok, seconds, totals }
}

/** @param {import('./test-steps.mjs').Step} step */
const usesPostgres = ({ isTestRun, needsPostgres }) => isTestRun || Boolean(needsPostgres)

/**
 * @param {readonly import('./test-steps.mjs').Step[]} steps
 * @param {Pick<import('./test-steps.mjs').Circumstances, 'filters' | 'shuffle'>} wanted
 * @param {Outcome[]} outcomes filled as the steps end, the first failure last
 */
async function runSteps(steps, wanted, outcomes) {
  // Test programs are installed in parallel with the packages and the first steps.
  const postgres = steps.some(usesPostgres)
    ? installTestPrograms().then(preparePostgres)
    : Promise.resolve(undefined)
  postgres.catch(() => {})
  try {
    await installDependencies()
    for (const step of steps) {
      const databaseUrl = usesPostgres(step) ? (await postgres)?.url : undefined
      const outcome = await runStep(step, { ...wanted, databaseUrl })
      outcomes.push(outcome)
      if (!outcome.ok) return
    }
  } finally {
    await (await postgres.catch(() => undefined))?.stop?.()
  }
}

/**
 * @param {readonly import('./test-steps.mjs').Step[]} steps the requested ones
 * @param {readonly Outcome[]} outcomes of the steps that ran
 * @returns {boolean} whether all succeeded
 */
function summarize(steps, outcomes) {
  say('\nResumo')
  for (const { title, ok, seconds } of outcomes)
    say(`  ${ok ? '✓' : '✗'} ${title} (${formatSeconds(seconds)})`)
  for (const { title } of steps.slice(outcomes.length)) say(`  - ${title} (não rodou)`)
  const totals = addTotals(outcomes.map((outcome) => outcome.totals))
  const isComplete = outcomes.length === steps.length && outcomes.every(({ ok }) => ok)
  const hasTests = steps.some((step) => step.isTestRun)
  const ranNone = hasTests && totals.passed + totals.failed === 0
  if (isComplete && ranNone) say('Nenhum teste rodou.')
  const isWell = isComplete && !ranNone && totals.failed === 0
  // The last line alone must not look like success after a failed step.
  say(formatTotals(isWell || totals.failed > 0 ? totals : { ...totals, failed: 1 }))
  return isWell
}

/** @param {readonly string[]} args */
async function main(args) {
  const { help, steps: names, ...wanted } = parseTestOptions(args)
  if (help) return say(usage)
  const steps = names.map((name) => testSteps[name])
  /** @type {Outcome[]} */
  const outcomes = []
  await runSteps(steps, wanted, outcomes).catch(failWith)
  if (!summarize(steps, outcomes)) process.exitCode ||= getFailureStatus()
}

await main(process.argv.slice(2)).catch(failWith)
