// The commands of each step of `npm test`.
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildStale, reportPage, webApp } from './build-stale.mjs'
import { countPlaywright, countVitest, noTests, readTotals } from './count-tests.mjs'
import { ensureChromium, findFirefox, findPgBouncer, findPromtool, findWebKit } from './find-programs.mjs'
import { findNode, getInterruption, getToolEnv, root, runCommand, say } from './run-command.mjs'

/**
 * @typedef {object} Circumstances
 * @property {readonly string[]} filters
 * @property {string} [shuffle] seed of a random order of browser tests, empty for a new one
 * @property {string | undefined} databaseUrl PostgreSQL to test on in addition
 */

/** @typedef {{ ok: boolean, totals: import('./count-tests.mjs').Totals }} StepResult */

/**
 * @typedef {object} Step
 * @property {string} title
 * @property {boolean} isTestRun whether it counts tests; such a step needs PostgreSQL
 * @property {boolean} [needsPostgres] whether it needs PostgreSQL too
 * @property {(circumstances: Circumstances) => Promise<StepResult>} run
 */

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [extra]
 */
async function succeeds(command, args, extra) {
  const { status, output } = await runCommand(command, args, { env: getToolEnv(extra) })
  if (output) process.stderr.write(`${output}\n`)
  return status === 0 && !getInterruption()
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 */
const check = async (command, args) => ({ ok: await succeeds(command, args), totals: noTests })

async function lint() {
  const isFormatted = await succeeds('biome', ['ci', '.'])
  const areWordsPlain = await succeeds(findNode(), ['scripts/check-words.mjs'])
  return { ok: isFormatted && areWordsPlain, totals: noTests }
}

async function buildAndCheckSize() {
  await buildStale([webApp, reportPage])
  const script = 'proof/bench/check-bundle-size.mjs'
  return existsSync(join(root, script)) ? check(findNode(), [script]) : { ok: true, totals: noTests }
}

/**
 * @param {string} report file name below test-results/
 * @param {Parameters<typeof readTotals>[1]} count
 * @param {() => Promise<boolean>} run
 */
async function runTests(report, count, run) {
  const file = join(root, 'test-results', report)
  mkdirSync(join(root, 'test-results'), { recursive: true })
  // A report of an earlier run must not be counted.
  rmSync(file, { force: true })
  return { ok: await run(), totals: readTotals(file, count) }
}

/** @param {Circumstances} circumstances */
async function runUnitTests({ filters, databaseUrl }) {
  if (!findPgBouncer()) say('⚠ Sem PgBouncer: os testes atrás de um pooler foram pulados.')
  if (!findPromtool()) say('⚠ Sem promtool (pacote prometheus): as regras de alerta não foram testadas.')
  const args = ['run', ...(filters.length > 0 ? ['--passWithNoTests', ...filters] : [])]
  return runTests('vitest.json', countVitest, () =>
    succeeds('vitest', args, { TEST_DATABASE_URL: databaseUrl }),
  )
}

/** @param {Circumstances} circumstances */
async function runBrowserTests({ filters, shuffle, databaseUrl }) {
  const chromium = await ensureChromium()
  await buildStale([webApp, reportPage])
  const seed = shuffle || String(Date.now() % 1_000_000)
  const order = shuffle === undefined ? [] : [`--shuffle=${seed}`]
  const args = [
    'test',
    '--project=chromium',
    '--project=translated',
    ...order,
    ...(filters.length > 0 ? ['--pass-with-no-tests', ...filters] : []),
  ]
  // Without PostgreSQL each worker has an embedded database, which takes a sixth longer.
  const env = { CHROMIUM_PATH: chromium, TEST_DATABASE_URL: databaseUrl }
  return runTests('playwright.json', countPlaywright, () => succeeds('playwright', args, env))
}

/** @param {Circumstances} circumstances */
async function runEngineTests({ databaseUrl }) {
  const lacking = [
    ...(findFirefox() ? [] : ['Firefox (pacote firefox-esr)']),
    ...(findWebKit() ? [] : ['WebKitGTK (pacotes webkit2gtk-driver e xvfb)']),
  ]
  if (lacking.length > 0 && process.env.CI === 'true')
    throw new Error(
      `Sem ${lacking.join(' nem ')}; em CI os testes em outros navegadores não podem ser pulados.`,
    )
  for (const engine of lacking) say(`⚠ Sem ${engine}: os testes nele foram pulados.`)
  await buildStale([webApp, reportPage])
  return runTests('playwright.json', countPlaywright, () =>
    succeeds('playwright', ['test', '--project=engines'], { TEST_DATABASE_URL: databaseUrl }),
  )
}

/** Fixed inputs: random ones belong to `npm run fuzz`. */
const shortFuzz = ['proof/fuzz/run-fuzz.ts', '--requests', '4000', '--seed', '20261121']

/** The exit code of proof/faults/run-faults.ts when nothing failed, but something was not tried. */
const NOT_TRIED = 2

/** Mostly idle faults: these run in parallel with the others and the fuzz. */
const parallelFaults = [['silent'], ['back-up', 'migration']]

/** @param {Circumstances} circumstances */
async function runFaults({ databaseUrl }) {
  await buildStale([webApp, reportPage])
  const env = { TEST_DATABASE_URL: databaseUrl }
  /** @param {string} option @param {string[]} names */
  const inject = async (option, names) => {
    const args = ['proof/faults/run-faults.ts', '--short', ...names.flatMap((name) => [option, name])]
    const { status } = await runCommand(findNode(), args, { env: getToolEnv(env) })
    if (status === NOT_TRIED) say('⚠ Uma falha não foi tentada aqui; o motivo está acima.')
    return [0, NOT_TRIED].includes(status) && !getInterruption()
  }
  if (!databaseUrl) say('⚠ Sem PostgreSQL: npm run fuzz foi pulado.')
  const fuzz = () => (databaseUrl ? succeeds(findNode(), shortFuzz, env) : true)
  const work = async () => (await inject('--without', parallelFaults.flat())) && fuzz()
  const held = await Promise.all([...parallelFaults.map((names) => inject('--only', names)), work()])
  return { ok: held.every(Boolean), totals: noTests }
}

/** @type {Record<import('./parse-test-options.mjs').StepName, Step>} */
export const testSteps = {
  packages: {
    title: 'Pacotes',
    isTestRun: false,
    run: () => check(findNode(), ['scripts/check-supply-chain.mjs']),
  },
  lint: { title: 'Formato e lint', isTestRun: false, run: lint },
  types: { title: 'Tipos', isTestRun: false, run: () => check('tsc', ['--noEmit']) },
  build: { title: 'Compilação', isTestRun: false, run: buildAndCheckSize },
  unit: { title: 'Testes de unidade e HTTP', isTestRun: true, run: runUnitTests },
  browser: { title: 'Testes no navegador', isTestRun: true, run: runBrowserTests },
  engines: { title: 'Testes em Firefox e WebKit', isTestRun: true, run: runEngineTests },
  faults: {
    title: 'Falhas e entradas ao acaso (forma curta)',
    isTestRun: false,
    needsPostgres: true,
    run: runFaults,
  },
}
