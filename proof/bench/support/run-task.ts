const LONGEST_RUN_MS = 15 * 60_000

/** Ends something that the run has started. */
export type CleanUp = (undo: () => unknown) => void

/** Tells the person in front of the screen how far the run is. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

/**
 * Runs a program that starts processes: ends what it started, the latest first, and fails when it throws.
 * Nothing outlives it: an interrupted or endless run takes its children along.
 */
export async function runTask(
  work: (cleanUp: CleanUp) => Promise<void>,
  longestMs = LONGEST_RUN_MS,
): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  const limit = setTimeout(() => {
    say(`given up after ${longestMs / 60_000} minutes`)
    process.exit(1)
  }, longestMs)
  await undoAfterwards(async (cleanUp) => {
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

/** Does some work, then ends what it started, the latest first; also when it throws. */
export async function undoAfterwards<T>(work: (cleanUp: CleanUp) => Promise<T>): Promise<T> {
  const undos: (() => unknown)[] = []
  try {
    return await work((undo) => undos.push(undo))
  } finally {
    for (const undo of undos.reverse()) {
      // One that fails must not keep the others from being ended.
      try {
        await undo()
      } catch (error) {
        say(`could not clean up: ${error}`)
      }
    }
  }
}
