import { sql } from 'kysely'
import pino from 'pino'
import { beforeEach, expect, test, vi } from 'vitest'
import { readConfig } from '#server/config.ts'
import { createLog } from '#server/log.ts'
import { describeOnEachDatabase, openFreshDatabase, setUpDatabase } from '#server/testing/test-database.ts'
import { createTestClock, type TestClock } from '#server/testing/test-portal.ts'
import { readFact } from './portal-facts.ts'
import { createRetentionJob } from './retention-job.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const PERIODS = readConfig({}).retention

function createReadableLog() {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  return { log, logged: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) }
}

describeOnEachDatabase('retention job', (kind) => {
  const database = setUpDatabase(kind)
  let clock: TestClock
  beforeEach(async () => {
    clock = createTestClock()
    for (const table of ['job_claims', 'rate_limits'] as const) await database.db.deleteFrom(table).execute()
  })
  const createJob = (log = createLog('silent')) =>
    createRetentionJob({ db: database.db, log, clock, periods: PERIODS })
  const ago = (ms: number) => new Date(clock() - ms)
  const addRateLimits = (count: number, resetsAt: Date) =>
    sql`insert into rate_limits (key, taken, resets_at)
      select 'key ' || n, 1, ${resetsAt}::timestamptz from generate_series(1, ${count}::int) n`.execute(
      database.db,
    )
  const countRateLimits = async () => {
    const { n } = await database.db
      .selectFrom('rate_limits')
      .select((row) => row.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow()
    return Number(n)
  }

  test('runs on one of several replicas, and again after the claim has expired', async () => {
    await addRateLimits(3, ago(0))
    const runs = await Promise.all([createJob(), createJob(), createJob()].map((job) => job.runNow()))
    expect(runs.filter(Boolean)).toEqual([{ 'rate limits': 3 }])
    expect(await readFact(database.db, 'last-retention')).toBeInstanceOf(Date)
    expect(await createJob().runNow()).toBeUndefined()
    clock.advance(45 * MINUTE)
    expect(await createJob().runNow()).toEqual({})
  })

  test('deletes in batches and skips locked rows', async () => {
    await addRateLimits(450, ago(0))
    if (kind === 'server') {
      // The embedded database has one connection, so there are no other locks.
      await database.db.transaction().execute(async (transaction) => {
        await sql`select 1 from rate_limits where key = 'key 7' for update`.execute(transaction)
        expect(await createJob().runNow()).toEqual({ 'rate limits': 449 })
      })
      clock.advance(HOUR)
    }
    const left = await countRateLimits()
    expect(await createJob().runNow()).toEqual({ 'rate limits': left })
    expect(await countRateLimits()).toBe(0)
  })

  test('logs a failed rule, continues with the others, and releases the claim', async () => {
    const { log, logged } = createReadableLog()
    await addRateLimits(2, ago(0))
    const completedAt = await readFact(database.db, 'last-retention')
    await sql`alter table sessions rename to sessions_away`.execute(database.db)
    try {
      expect(await createJob(log).runNow()).toEqual({ 'rate limits': 2 })
    } finally {
      await sql`alter table sessions_away rename to sessions`.execute(database.db)
    }
    expect(await readFact(database.db, 'last-retention')).toEqual(completedAt)
    expect(
      logged()
        .filter(({ msg }) => msg === 'retention failed')
        .map(({ rule }) => rule),
    ).toEqual(['unverified sign-ups', 'sessions'])
    expect(logged().at(-1)).toMatchObject({ msg: 'old data deleted', deleted: { 'rate limits': 2 } })
    expect(await createJob().runNow()).toEqual({})
  })

  test('starts no batch after a stop', async () => {
    await addRateLimits(1, ago(0))
    const job = createJob()
    await job.stop()
    expect(await job.runNow()).toEqual({})
    expect(await countRateLimits()).toBe(1)
    expect(await createJob().runNow()).toEqual({ 'rate limits': 1 })
  })
})

test('an unavailable database stops neither the portal nor the job', async () => {
  const database = await openFreshDatabase('embedded')
  await database.close()
  const { log, logged } = createReadableLog()
  const countStalls = () => logged().filter(({ msg }) => msg === 'retention stalled').length
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const job = createRetentionJob({ db: database.db, log, clock: Date.now, periods: PERIODS })
    job.start()
    expect(countStalls()).toBe(0)
    await vi.advanceTimersByTimeAsync(6_000)
    expect(countStalls()).toBe(1)
    await vi.advanceTimersByTimeAsync(6 * MINUTE)
    expect(countStalls()).toBe(2)
    await job.stop()
    await vi.advanceTimersByTimeAsync(3 * HOUR)
    expect(countStalls()).toBe(2)
  } finally {
    vi.useRealTimers()
  }
})
