import { sql } from 'kysely'
import type { Database } from './database.ts'

const READ_EVERY_MS = 10_000

export interface DatabaseClock {
  /** ms since the epoch, as the database's clock has it. */
  now: () => number
  /** Reads the database's clock no more. */
  stop(): void
}

/**
 * Goes by the database's clock, so that replicas whose own clocks differ agree about everything that is kept in it and
 * about each other's tokens. Between readings, one every ten seconds, it goes on by this process's steady timer.
 * @param onReading hears of each reading whether the database answered
 */
export async function startDatabaseClock(
  { kind, db }: Database,
  onReading: (isGood: boolean) => void = () => {},
): Promise<DatabaseClock> {
  // It is part of this process.
  if (kind === 'embedded') return { now: Date.now, stop() {} }
  let aheadMs: number | undefined
  async function read() {
    const asked = performance.now()
    const { rows } = await sql<{ ms: number }>`
      select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`.execute(db)
    const { ms } = rows[0] as { ms: number }
    // It was read at some moment between question and answer: more than that is not known, and not corrected.
    const [least, most] = [ms - performance.now(), ms - asked]
    aheadMs = Math.min(Math.max(aheadMs ?? (least + most) / 2, least), most)
  }
  await read()
  // While the database is away its time is reckoned on.
  const timer = setInterval(
    () =>
      read().then(
        () => onReading(true),
        () => onReading(false),
      ),
    READ_EVERY_MS,
  ).unref()
  return { now: () => performance.now() + (aheadMs as number), stop: () => clearInterval(timer) }
}
