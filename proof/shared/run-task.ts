import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MAX_RUN_MS = 15 * 60_000

/** Registers a function that undoes something the run has started. */
export type CleanUp = (undo: () => unknown) => void

/** Prints the progress of the run. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

/**
 * Runs a program that starts processes: ends them in reverse order, and fails when it
 * throws. Nothing outlives it: an interrupted or timed-out run ends its children too.
 */
export async function runTask(work: (cleanUp: CleanUp) => Promise<void>, maxMs = MAX_RUN_MS): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  const limit = setTimeout(() => {
    say(`given up after ${maxMs / 60_000} minutes`)
    process.exit(1)
  }, maxMs)
  await runWithCleanUp(async (cleanUp) => {
    try {
      await work(cleanUp)
    } catch (error) {
      say(error instanceof Error ? (error.stack ?? error.message) : String(error))
      process.exitCode = 1
    } finally {
      clearTimeout(limit)
    }
  })
}

/** Runs work, then ends what it started in reverse order, also when it throws. */
export async function runWithCleanUp<T>(work: (cleanUp: CleanUp) => Promise<T>): Promise<T> {
  const undos: (() => unknown)[] = []
  try {
    return await work((undo) => undos.push(undo))
  } finally {
    for (const undo of undos.reverse()) {
      // One failure must not keep the others from being ended.
      try {
        await undo()
      } catch (error) {
        say(`could not clean up: ${error}`)
      }
    }
  }
}

/** Creates a folder that is removed when the run ends, also when interrupted. */
export function makeTempFolder(cleanUp: CleanUp): string {
  const folder = mkdtempSync(join(tmpdir(), 'patio-bench-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  cleanUp(() => {
    process.off('exit', remove)
    remove()
  })
  return folder
}
