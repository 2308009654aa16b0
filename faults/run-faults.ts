// Breaks what the portal stands on, one thing after the other, and says what held.
// `npm run faults [-- --short] [--only NAME]`
import { parseArgs } from 'node:util'
import { machineLine } from '#bench/support/figures.ts'
import { runTask, say, undoAfterwards } from '#bench/support/run-task.ts'
// @ts-expect-error: a plain script without types
import { findPostgres } from '#scripts/find-postgres.mjs'
import { backUp } from './back-up.ts'
import { databaseDown } from './database-down.ts'
import { databaseSlow } from './database-slow.ts'
import { diskFull } from './disk-full.ts'
import { killUnderLoad } from './kill-under-load.ts'
import { listenLost } from './listen-lost.ts'
import { mailServerSilent } from './mail-server-silent.ts'
import { migrationBeside } from './migration-beside.ts'
import { powerBiFaults } from './power-bi-faults.ts'
import { sigtermUnderLoad } from './sigterm-under-load.ts'
import type { Fault, Verdict } from './support/fault.ts'
import { twoReplicas } from './two-replicas.ts'

const FAULTS: readonly Fault[] = [
  databaseDown,
  databaseSlow,
  diskFull,
  mailServerSilent,
  powerBiFaults,
  migrationBeside,
  twoReplicas,
  listenLost,
  sigtermUnderLoad,
  backUp,
  killUnderLoad,
]
const NOT_TRIED = 'NOT TRIED'
const FIRST_PORT = Number(process.env.FAULTS_PORT ?? 4500)
const LONGEST_RUN_MS = 20 * 60_000

const { values } = parseArgs({
  options: { short: { type: 'boolean', default: false }, only: { type: 'string' } },
})

async function runFault(fault: Fault, index: number): Promise<Verdict[]> {
  const reason = (await fault.cannotRun?.()) ?? (fault.needsPostgres && (await lackOfPostgres()))
  if (reason) return [{ promise: NOT_TRIED, held: true, seen: reason }]
  return undoAfterwards(async (cleanUp) => {
    try {
      return await fault.run({ isShort: values.short, cleanUp, port: FIRST_PORT + index * 10 })
    } catch (error) {
      return [{ promise: 'the program runs to its end', held: false, seen: String(error) }]
    }
  })
}

async function lackOfPostgres(): Promise<string | undefined> {
  return (await findPostgres()) ? undefined : 'there is no PostgreSQL 15 or later here'
}

function rowsOf(fault: Fault, verdicts: readonly Verdict[]): string[] {
  return verdicts.map(
    ({ promise, held, seen }) => `| ${fault.name} | ${promise} | ${seen} | ${held ? 'held' : 'FAILED'} |`,
  )
}

await runTask(async () => {
  const rows: string[] = []
  for (const [index, fault] of FAULTS.entries()) {
    if (values.only && !fault.name.includes(values.only)) continue
    const startedAt = performance.now()
    const verdicts = await runFault(fault, index)
    const broken = verdicts.filter(({ held }) => !held)
    if (broken.length > 0) process.exitCode = 1
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
    const word = broken.length > 0 ? 'FAILED' : verdicts[0]?.promise === NOT_TRIED ? NOT_TRIED : 'held'
    say(`${word.padEnd(9)} ${fault.name} (${seconds} s)`)
    for (const { promise, seen } of broken) say(`         ${promise}: ${seen}`)
    rows.push(...rowsOf(fault, verdicts))
  }
  process.stdout.write(`\nrun-faults.ts${values.short ? ' --short' : ''}, ${machineLine()}\n\n`)
  process.stdout.write(
    `| fault | promise | seen | verdict |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`,
  )
}, LONGEST_RUN_MS)
