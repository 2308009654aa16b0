import { exitStatus, interruptedBy } from './run-command.mjs'

/** @returns {number} exit code of work that did not succeed: 1, or 128 + n when a signal ended it */
export const failureStatus = () => (interruptedBy() ? exitStatus(null, interruptedBy() ?? null) : 1)

/**
 * Says what went wrong and sets the exit code.
 * @param {unknown} error
 */
export function failWith(error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = failureStatus()
}
