import { basename } from 'node:path'
import { type Figure, isReached, machineLine, tableOf } from './figures.ts'

const LONGEST_RUN_MS = 15 * 60_000

/** Ends something that the run has started. */
export type CleanUp = (undo: () => unknown) => void

/** Tells the person in front of the screen how far the run is. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** Runs a benchmark: prints its figures and fails the process when a target is missed. */
export async function runBench(measure: (cleanUp: CleanUp) => Promise<Figure[]>): Promise<void> {
  await runTask(async (cleanUp) => {
    const figures = await measure(cleanUp)
    const name = basename(process.argv[1] ?? '')
    process.stdout.write(`\n${name}, ${machineLine()}\n\n${tableOf(figures)}\n`)
    if (figures.some((figure) => isReached(figure) === false)) process.exitCode = 1
  })
}

/**
 * Runs a program that starts processes: ends what it started, the latest first, and fails when it throws.
 * Nothing outlives it: an interrupted or endless run takes its children along.
 */
export async function runTask(work: (cleanUp: CleanUp) => Promise<void>): Promise<void> {
  const undos: (() => unknown)[] = []
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  const limit = setTimeout(() => {
    say(`given up after ${LONGEST_RUN_MS / 60_000} minutes`)
    process.exit(1)
  }, LONGEST_RUN_MS)
  try {
    await work((undo) => undos.push(undo))
  } catch (error) {
    say(error instanceof Error ? (error.stack ?? error.message) : String(error))
    process.exitCode = 1
  } finally {
    clearTimeout(limit)
    await undoAll(undos)
  }
}

/** One that fails must not keep the others from being ended. */
async function undoAll(undos: (() => unknown)[]): Promise<void> {
  for (const undo of undos.reverse()) {
    try {
      await undo()
    } catch (error) {
      say(`could not clean up: ${error}`)
    }
  }
}
