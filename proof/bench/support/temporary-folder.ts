import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CleanUp } from './run-task.ts'

/** A folder that is removed when the run ends, also when it is interrupted. */
export function temporaryFolder(cleanUp: CleanUp): string {
  const folder = mkdtempSync(join(tmpdir(), 'patio-bench-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  cleanUp(() => {
    process.off('exit', remove)
    remove()
  })
  return folder
}
