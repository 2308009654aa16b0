import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from './paths.ts'
import { say } from './run-task.ts'

const FOLDER = join(ROOT, 'bench', 'peers')
const run = promisify(execFile)

/** Whether node_modules holds the versions that package.json pins. */
function isInstalled(): boolean {
  const { dependencies } = JSON.parse(readFileSync(join(FOLDER, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  return Object.entries(dependencies).every(([name, version]) => {
    const file = join(FOLDER, 'node_modules', name, 'package.json')
    return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).version === version
  })
}

/** Installs the peers and the load generator, which the project itself does not need, when they are missing. */
export async function installPeers(): Promise<void> {
  if (isInstalled()) return
  say('installing bench/peers …')
  await run('npm', ['ci', '--no-fund', '--no-audit'], { cwd: FOLDER, shell: process.platform === 'win32' })
}

export interface Load {
  url: string
  headers: Record<string, string>
  connections: number
  seconds: number
}

export interface LoadResult {
  requests: number
  perSecond: number
  p99Ms: number
}

/**
 * Loads an address with autocannon, in a process of its own.
 * @throws Error when any reply is not 2xx: a server that refuses is fast
 */
export async function runLoad(load: Load): Promise<LoadResult> {
  const limit = { timeout: (load.seconds + 30) * 1000 }
  const { stdout } = await run(process.execPath, [join(FOLDER, 'run-load.mjs'), JSON.stringify(load)], limit)
  const result = JSON.parse(stdout) as LoadResult & { failures: number }
  if (result.failures > 0) throw new Error(`${result.failures} replies of ${load.url} were not 2xx`)
  return result
}
