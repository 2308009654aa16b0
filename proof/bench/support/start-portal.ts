import { join } from 'node:path'
// @ts-expect-error: a plain script without types
import { serverFlags } from '#scripts/server-flags.mjs'
import { ROOT } from './paths.ts'
import { type RunningProcess, runProcess } from './run-process.ts'
import { waitUntilAnswers } from './wait-until-answers.ts'

export interface StartedPortal extends RunningProcess {
  url: string
  /** Milliseconds from the start of the process to the first good answer of /api/health/ready. */
  readyMs: number
}

/** The compile cache that `npm start` uses as well (scripts/start.mjs). */
const COMPILE_CACHE = join(ROOT, 'node_modules', '.cache', 'node')

/**
 * Starts the portal's server in a process of its own, in demo mode unless the environment says otherwise, and waits
 * until it is ready. The page must have been built.
 * @param folder of another checkout to be measured beside this one
 */
export async function startPortal(
  port: number,
  env: Record<string, string>,
  nodeFlags: string[] = [],
  folder = ROOT,
): Promise<StartedPortal> {
  const started = runProcess(process.execPath, [...serverFlags, ...nodeFlags, 'src/server/main.ts'], {
    cwd: folder,
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE, PORT: String(port), ...env },
  })
  const url = `http://127.0.0.1:${port}`
  const readyMs = await waitUntilAnswers(`${url}/api/health/ready`, started)
  return { ...started, url, readyMs }
}
