import { chmodSync, rmSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Db } from '#server/database/schema.ts'
import type { Log } from '#server/log.ts'
import { writeBackUp } from './back-up.ts'

// The embedded database belongs to the process that serves the portal: it hands its back-up out through a socket in the
// data directory, which nobody but the portal's own user can open.

const socketIn = (dataDir: string) => join(dataDir, 'back-up.sock')

/** Gives a back-up to whoever connects. @returns takes nobody more */
export function serveBackUps(db: Db, dataDir: string, log: Log): () => void {
  const path = socketIn(dataDir)
  // One that a killed process has left; the directory's lock says that no other serves.
  rmSync(path, { force: true })
  const server = createServer((socket) => {
    socket.on('error', () => {})
    writeBackUp(db, socket).catch((error) => {
      log.error({ err: error }, 'back-up failed')
      socket.destroy()
    })
  })
  server.on('error', (error) => log.error({ err: error }, 'back-ups cannot be served'))
  server.listen(path, () => chmodSync(path, 0o600))
  return () => server.close()
}

/**
 * Takes a back-up from the portal that runs on a data directory.
 * @param out takes the lines as text
 * @returns false when no portal runs there
 */
export async function takeServedBackUp(dataDir: string, out: Writable): Promise<boolean> {
  const socket = createConnection(socketIn(dataDir))
  try {
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  } catch {
    return false
  }
  await pipeline(socket, out)
  return true
}
