import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, createReadStream, createWriteStream, readdirSync, rmSync } from 'node:fs'
import { createConnection, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Db } from '#server/database/schema.ts'
import type { Log } from '#server/log.ts'
import { recordBackUp, waitForDrain, writeBackUp } from './back-up.ts'

// Only the server process can open the embedded database, so it serves backups through a socket in
// the data directory, for the portal's user alone. The client confirms a stored backup with KEPT.

const KEPT = 'kept'
const getSocketPath = (dataDir: string) => join(dataDir, 'back-up.sock')

/** Sends a backup to each client. @returns stops accepting connections */
export function serveBackUps(db: Db, dataDir: string, log: Log): () => void {
  const path = getSocketPath(dataDir)
  // A killed process may leave one; the lock of the directory excludes another server.
  rmSync(path, { force: true })
  // 0.2 leaves its buffer when it is killed.
  for (const name of readdirSync(dataDir))
    if (/^back-up-.*\.tmp$/.test(name)) rmSync(join(dataDir, name), { force: true })
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {})
    serveOne(db, dataDir, socket).catch((error) => {
      log.error({ err: error }, 'back-up failed')
      socket.destroy()
    })
  })
  server.on('error', (error) => log.error({ err: error }, 'back-ups cannot be served'))
  server.listen(path, () => chmodSync(path, 0o600))
  return () => server.close()
}

/**
 * Buffers in a file, because a stalled reader must not hold the database's only connection. The file
 * has no name while it is written, so that a killed process leaves none.
 */
async function serveOne(db: Db, dataDir: string, socket: Socket): Promise<void> {
  const path = join(dataDir, `back-up-${randomUUID()}.tmp`)
  const out = createWriteStream(path, { flags: 'wx', mode: 0o600 })
  await once(out, 'open')
  const buffered = createReadStream(path)
  try {
    await once(buffered, 'open')
    rmSync(path)
    await writeBackUp(db, out)
    const answer = readAll(socket)
    await pipeline(buffered, socket)
    if ((await answer) === KEPT) await recordBackUp(db)
    socket.destroy()
  } finally {
    out.destroy()
    buffered.destroy()
  }
}

async function readAll(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('utf8').on('data', (part) => {
    text += part
  })
  // A broken connection sends nothing.
  await Promise.race([once(socket, 'end'), once(socket, 'close')]).catch(() => {})
  return text
}

/**
 * Fetches a backup from the portal that runs on a data directory.
 * @param keep stores the complete backup; afterwards the portal records it
 * @returns the result of `keep`; undefined when no portal runs there
 */
export async function fetchServedBackUp<T>(
  dataDir: string,
  out: Writable,
  keep: () => Promise<T>,
): Promise<T | undefined> {
  const socket = createConnection({ path: getSocketPath(dataDir), allowHalfOpen: true })
  try {
    await once(socket, 'connect')
  } catch {
    return undefined
  }
  try {
    for await (const part of socket.iterator({ destroyOnReturn: false })) {
      if (!out.destroyed && !out.write(part)) await waitForDrain(out)
    }
    out.end()
    const kept = await keep()
    socket.end(KEPT)
    await once(socket, 'close')
    return kept
  } finally {
    socket.destroy()
  }
}
