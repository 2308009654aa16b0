import { basename } from 'node:path'
import { type Figure, isReached, machineLine, tableOf } from './figures.ts'
import { type CleanUp, runTask } from './run-task.ts'

/** Runs a benchmark: prints its figures and fails the process when a target is missed. */
export async function runBench(measure: (cleanUp: CleanUp) => Promise<Figure[]>): Promise<void> {
  await runTask(async (cleanUp) => {
    const figures = await measure(cleanUp)
    const name = basename(process.argv[1] ?? '')
    process.stdout.write(`\n${name}, ${machineLine()}\n\n${tableOf(figures)}\n`)
    if (figures.some((figure) => isReached(figure) === false)) process.exitCode = 1
  })
}
