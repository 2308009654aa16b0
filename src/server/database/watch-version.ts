import { sql } from 'kysely'
import type { Database } from './database.ts'
import type { Db } from './schema.ts'

/** A replica counts as gone after longer than it takes to reconnect. */
const TIMES = { readEveryMs: 2_000, goneAfterMs: 30_000 }

export interface VersionWatch {
  /** Whether a replica of that version was connected within the last half minute. */
  isActive: () => boolean
  stop(): void
}

/** Watches for replicas of another version by the names of their connections. */
export async function watchVersion(
  { kind, db }: Database,
  version: string,
  { readEveryMs, goneAfterMs } = TIMES,
): Promise<VersionWatch> {
  // The embedded database serves one process.
  if (kind === 'embedded') return { isActive: () => false, stop() {} }
  let seenAt = Number.NEGATIVE_INFINITY
  const isActive = () => performance.now() - seenAt < goneAfterMs
  async function read() {
    if (await isConnected(db, version)) seenAt = performance.now()
  }
  await read()
  const keep = () => {
    if (isActive()) seenAt = performance.now()
  }
  const timer = setInterval(() => void read().catch(keep), readEveryMs).unref()
  return { isActive, stop: () => clearInterval(timer) }
}

/** Whether a replica of that version has a connection to a server. */
export async function isConnected(db: Db, version: string): Promise<boolean> {
  // 0.2 does not say its version; goes with 0.4.
  const suffix = version.startsWith('0.2.') ? '' : ` ${version}`
  const names = sql.join([`patio${suffix}`, `patio-listen${suffix}`])
  const { rows } = await sql`select from pg_stat_activity
    where datname = current_database() and application_name in (${names}) limit 1`.execute(db)
  return rows.length > 0
}
