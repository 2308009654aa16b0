// Injects faults one after the other and reports which promises held.
// `npm run faults [-- [release|cluster|mails] [--short] [--only NAME] [--without NAME]]`
import { parseArgs } from 'node:util'
import { type Fault, NotTriedError, type Verdict } from '#proof/shared/fault.ts'
import { describeMachine } from '#proof/shared/figures.ts'
import { runTask, runWithCleanUp, say } from '#proof/shared/run-task.ts'
import { findPostgres } from '#scripts/find-programs.mjs'
import { backUp } from './back-up.ts'
import { cluster, pooledCluster } from './cluster.ts'
import { concurrentMigration } from './concurrent-migration.ts'
import { databaseDown } from './database-down.ts'
import { databaseSilent } from './database-silent.ts'
import { diskFull } from './disk-full.ts'
import { killUnderLoad } from './kill-under-load.ts'
import { refusedFloods } from './refused-floods.ts'
import { isolateNetwork, releaseUpgrade } from './release-upgrade.ts'
import { reportMails } from './report-mails.ts'
import { sigtermUnderLoad } from './sigterm-under-load.ts'

const FAULTS: readonly Fault[] = [
  databaseDown,
  databaseSilent,
  diskFull,
  concurrentMigration,
  sigtermUnderLoad,
  backUp,
  refusedFloods,
  killUnderLoad,
]
const FIRST_PORT = Number(process.env.FAULTS_PORT ?? 4500)
/** The cluster's trials wait for its own timeouts. */
const MAX_RUN_MS = process.argv.includes('cluster') ? 40 * 60_000 : 25 * 60_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    without: { type: 'string', multiple: true, default: [] },
  },
})

/** Groups by what they need installed: the others are not part of `npm test`. */
const GROUPS: Record<string, readonly Fault[]> = {
  portal: FAULTS,
  release: [releaseUpgrade],
  cluster: [cluster, pooledCluster],
  mails: [reportMails],
}
const [group = 'portal', ...others] = positionals
const faults = GROUPS[group]

/** The exit code when nothing failed, but something was not tried. */
const NOT_TRIED = 2

type Word = 'held' | 'not tried' | 'FAILED'

const isNamed = ({ name }: Fault, parts: readonly string[]) => parts.some((part) => name.includes(part))

/** Returns why a fault cannot be tried here, or undefined. */
async function explainWhyNot({ cannotRun, needsPostgres }: Fault): Promise<string | undefined> {
  const lacksPostgres = needsPostgres && !(await findPostgres())
  return lacksPostgres ? 'there is no PostgreSQL 15 or later here' : cannotRun?.()
}

/** Disjoint port ranges: the cluster has many processes. */
const PORTS_EACH = group === 'cluster' ? 30 : 10

/**
 * Tries a fault, or reports why not.
 * @returns its rows of the table
 */
async function tryFault(fault: Fault, index: number): Promise<string[]> {
  const startedAt = performance.now()
  const row = (promise: string, seen: string, word: Word) =>
    `| ${fault.name} | ${promise} | ${seen} | ${word} |`
  const conclude = (word: Word) => {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
    say(`${word.padEnd(9)} ${fault.name} (${seconds} s)`)
    if (word === 'FAILED') process.exitCode = 1
  }
  const skip = (reason: string) => {
    conclude('not tried')
    process.exitCode ||= NOT_TRIED
    say(`          ${reason}`)
    return [row('', reason, 'not tried')]
  }
  const reason = await explainWhyNot(fault)
  if (reason) return skip(reason)
  const port = FIRST_PORT + index * PORTS_EACH
  const verdicts = await runWithCleanUp((cleanUp) =>
    fault.run({ isShort: values.short, cleanUp, port }),
  ).catch((error): Verdict[] | string =>
    error instanceof NotTriedError
      ? error.message
      : [{ promise: 'the program runs to its end', held: false, seen: String(error) }],
  )
  if (typeof verdicts === 'string') return skip(verdicts)
  const broken = verdicts.filter(({ held }) => !held)
  conclude(broken.length > 0 ? 'FAILED' : 'held')
  for (const { promise, seen } of broken) say(`          ${promise}: ${seen}`)
  return verdicts.map(({ promise, held, seen }) => row(promise, seen, held ? 'held' : 'FAILED'))
}

await runTask(async () => {
  if (!faults || others.length > 0) throw new Error(`there are faults of ${Object.keys(GROUPS).join(', ')}`)
  if (group === 'release' && !(await isolateNetwork())) return
  const rows: string[] = []
  for (const [index, fault] of faults.entries()) {
    if (values.only && !isNamed(fault, values.only)) continue
    if (isNamed(fault, values.without)) continue
    rows.push(...(await tryFault(fault, index)))
  }
  if (rows.length === 0) throw new Error(`there is no fault ${values.only}`)
  process.stdout.write(`\nrun-faults.ts${values.short ? ' --short' : ''}, ${describeMachine()}\n\n`)
  process.stdout.write(
    `| fault | promise | seen | verdict |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`,
  )
}, MAX_RUN_MS)
