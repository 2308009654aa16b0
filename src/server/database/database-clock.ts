import { sql } from 'kysely'
import type { Database } from './database.ts'

const READ_EVERY_MS = 10_000

export interface DatabaseClock {
  /** ms since the epoch, by the database's clock. */
  now: () => number
  /** Stops synchronizing. */
  stop(): void
}

/**
 * Follows the database's clock, so that replicas with different clocks agree about stored times and
 * each other's tokens. It is read every ten seconds; in between this process's monotonic timer counts.
 * @param onReading called after each reading with whether the database answered
 */
export async function startDatabaseClock(
  { kind, db }: Database,
  onReading: (isGood: boolean) => void = () => {},
): Promise<DatabaseClock> {
  // The embedded database has this process's clock.
  if (kind === 'embedded') return { now: Date.now, stop() {} }
  let offsetMs: number | undefined
  async function read() {
    const sentAt = performance.now()
    const { rows } = await sql<{ ms: number }>`
      select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`.execute(db)
    const { ms } = rows[0] as { ms: number }
    // The reading happened between request and response; within that range the offset is not corrected.
    const [min, max] = [ms - performance.now(), ms - sentAt]
    offsetMs = Math.min(Math.max(offsetMs ?? (min + max) / 2, min), max)
  }
  await read()
  // While the database is unavailable, the last offset applies.
  const timer = setInterval(
    () =>
      read().then(
        () => onReading(true),
        () => onReading(false),
      ),
    READ_EVERY_MS,
  ).unref()
  return { now: () => performance.now() + (offsetMs as number), stop: () => clearInterval(timer) }
}
