import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { findPgBouncer } from '#scripts/find-programs.mjs'
import { findServerUser } from '#scripts/throw-away-postgres.mjs'
import { findFreePort } from './portal-process.ts'

export interface PgBouncer {
  /** The server's URL with the address of PgBouncer. */
  url: string
  stop(): Promise<void>
}

/**
 * Starts a real PgBouncer in transaction mode, with fewer server connections than clients.
 * @param serverUrl of a server with password or trust authentication
 * @param more settings
 */
export async function startPgBouncer(serverUrl: string, more: string[] = []): Promise<PgBouncer> {
  const server = new URL(serverUrl)
  // PgBouncer refuses to run as root.
  const owner = process.getuid?.() === 0 ? findServerUser() : undefined
  const folder = mkdtempSync('/tmp/patio-pgbouncer-')
  const port = await findFreePort()
  const login = `user=${server.username} password=${decodeURIComponent(server.password)}`
  const settings = [
    '[databases]',
    `* = host=${server.hostname} port=${server.port} ${server.password ? login : `user=${server.username}`}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    // Accepts every client as the user above.
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 3',
    `logfile = ${join(folder, 'log')}`,
    ...more,
  ]
  writeFileSync(join(folder, 'pgbouncer.ini'), settings.join('\n'))
  if (owner) for (const path of [folder, join(folder, 'pgbouncer.ini')]) chownSync(path, owner.uid, owner.gid)
  const child = spawn(findPgBouncer() as string, [join(folder, 'pgbouncer.ini')], {
    ...owner,
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  const url = new URL(serverUrl)
  url.host = `127.0.0.1:${port}`
  await waitUntilServing(url.href)
  return {
    url: url.href,
    async stop() {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}

async function waitUntilServing(url: string): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    const isUp = await client.connect().then(
      () => true,
      () => false,
    )
    await client.end().catch(() => {})
    if (isUp) return
    await wait(50)
  }
  throw new Error('PgBouncer did not come up')
}
