import { randomBytes } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { readConfig } from '#server/config.ts'
import type { Database } from '#server/database/database.ts'
import { openPglite } from '#server/database/open-embedded.ts'
import { createKeyring, type Keyring } from '#server/keyring.ts'
import { createLog } from '#server/log.ts'
import { servePortal } from '#server/start.ts'
import { createOnServer, runOnServer } from '#server/testing/global-setup.ts'
import { findFreePort } from '#server/testing/portal-process.ts'
import { snapshotRows } from '#server/testing/snapshot-rows.ts'

const SECRET = randomBytes(32).toString('base64url')

/** The portal as served by `npm start`, within the test process. */
export interface RunningPortal {
  url: string
  database: Database
  keyring: Keyring
  clock: () => number
  /** Advances the portal's clock; the browser has its own. */
  advance(ms: number): void
  /** Starts another process's portal on the same database; stops with this one. */
  startReplica(): Promise<string>
}

/** Starts one portal after the other, each on a freshly seeded database. */
export interface Host {
  /** Resets the database to its seed and starts a portal with these settings; only one runs at a time. */
  start(env: Record<string, string>): Promise<RunningPortal & { stop(): Promise<void> }>
  close(): Promise<void>
}

/** Opens a database; the first portal seeds it, and later ones start from a copy. */
export async function openHost(): Promise<Host> {
  const serverUrl = process.env.TEST_DATABASE_URL
  const database = serverUrl ? await openOnServer(new URL(serverUrl)) : await openInMemory()
  const port = String(await findFreePort())
  let restore: (() => Promise<void>) | undefined
  return {
    async start(env) {
      const settings = { PORT: port, RATE_LIMITS: 'off', ALTCHA_COST: '1', LOG_LEVEL: 'fatal', ...env }
      const config = { ...readConfig({ ...settings, SHUTDOWN_GRACE_SECONDS: '0' }), sessionSecrets: [SECRET] }
      await restore?.()
      const kept = { ...database, close: async () => {} }
      let ahead = 0
      const clock = () => Date.now() + ahead
      const serve = async (served: typeof config) => {
        const { server, stop } = await servePortal(served, createLog('silent'), kept, clock)
        return async () => {
          server.closeAllConnections()
          await stop()
        }
      }
      const stops = [await serve(config)]
      restore ??= await snapshotRows(database)
      return {
        url: config.publicUrl,
        database,
        keyring: createKeyring([SECRET]),
        clock,
        advance: (ms) => {
          ahead += ms
        },
        async startReplica() {
          const replicaPort = await findFreePort()
          stops.push(await serve({ ...config, port: replicaPort }))
          return `http://localhost:${replicaPort}`
        },
        async stop() {
          for (const stop of stops.reverse()) await stop()
        },
      }
    },
    close: () => database.close(),
  }
}

function openInMemory(): Promise<Database> {
  // Tests are too short to recoup the cost of optimizing PGlite.
  setFlagsFromString('--liftoff-only')
  return openPglite({})
}

/** Creates a database on a PostgreSQL server, dropped on close. */
async function openOnServer(server: URL): Promise<Database> {
  const name = `patio_browser_${process.pid}`
  const database = await createOnServer(server, name)
  return {
    ...database,
    async close() {
      await database.close()
      await runOnServer(server, `drop database ${name} with (force)`)
    },
  }
}
