import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findOnPath } from '#scripts/find-programs.mjs'
import { root } from '#scripts/run-command.mjs'
import { waitUntil } from './load.ts'
import { runProcess } from './processes.ts'
import { send } from './requests.ts'
import { type CleanUp, makeTempFolder } from './run-task.ts'

/** Finds programs that distributions install for root only. */
export const findSystemProgram = (name: string): string | undefined =>
  findOnPath(name, `${process.env.PATH}:/usr/sbin:/usr/local/sbin`)

interface Wanted {
  port: number
  portals: readonly number[]
  /** The port that leads to a Patroni cluster's primary. */
  primary?: { port: number; nodes: readonly { port: number; restPort: number }[] }
}

/**
 * Starts HAProxy with deploy/haproxy.cfg, without TLS and with local addresses. It ends with the run.
 * @returns the portals' URL
 */
export async function startHaproxy(wanted: Wanted, cleanUp: CleanUp): Promise<string> {
  const file = join(makeTempFolder(cleanUp), 'haproxy.cfg')
  writeFileSync(file, adaptConfiguration(wanted))
  const started = runProcess(findSystemProgram('haproxy') as string, ['-db', '-f', file])
  cleanUp(started.stop)
  const url = `http://127.0.0.1:${wanted.port}`
  const isUp = async () => (await send(url, { path: '/api/health/ready' })).status > 0
  if (!Number.isFinite(await waitUntil(isUp, 20_000)))
    throw new Error(`HAProxy did not come up: ${started.errors()}`)
  return url
}

function adaptConfiguration({ port, portals, primary }: Wanted): string {
  const shipped = readFileSync(join(root, 'deploy/haproxy.cfg'), 'utf8')
  const [portal = '', database = ''] = shipped.split(/(?=^listen postgres-primary)/m)
  const servers = (text: string, lines: string[]) =>
    text.replace(/(^ +server .*\n)+/m, lines.map((line) => `    server ${line}\n`).join(''))
  const adapted = servers(
    portal
      .replace(/^ +bind :80$/m, `    bind 127.0.0.1:${port}`)
      // Twice as many files as connections, which the limit here may not allow.
      .replace(/maxconn \d+/, 'maxconn 2000')
      .replace(/^ +(bind :443|http-request redirect).*\n/gm, '')
      .replaceAll('/etc/haproxy/patio-503.html', join(root, 'deploy/503.html')),
    portals.map((each, index) => `portal-${index + 1} 127.0.0.1:${each}`),
  )
  if (!primary) return adapted
  const nodes = primary.nodes.map(
    (node, index) => `node-${index + 1} 127.0.0.1:${node.port} port ${node.restPort}`,
  )
  const listening = database
    .replace('bind 127.0.0.1:5000', `bind 127.0.0.1:${primary.port}`)
    .replace(' port 8008', '')
  return adapted + servers(listening, nodes)
}
