import { setTimeout as wait } from 'node:timers/promises'
import { atMost, defineFault, exactly, startOnPostgres } from '#proof/shared/fault.ts'
import { keepAsking, timeUntil } from '#proof/shared/load.ts'
import { signInAsAdmin } from '#proof/shared/people.ts'
import { runSql } from '#proof/shared/postgres.ts'
import { ask } from '#proof/shared/requests.ts'

const LOCKED_MS = 7_000

/** Somebody holds a lock on a table that every request needs. */
export const databaseSlow = defineFault({
  name: 'database slow',
  needsPostgres: true,
  async run(run) {
    const { databaseUrl, portal } = await startOnPostgres(run, 'slow')
    const token = await signInAsAdmin(portal.url)
    const read = () => ask(portal.url, { path: '/api/profiles/me', token })
    await read()
    const [answers, alive] = await runSql(databaseUrl, async (client) => {
      await client.query('begin; lock table sessions in access exclusive mode')
      const reads = keepAsking(100, read)
      const beats = keepAsking(100, () => ask(portal.url, { path: '/api/health/live' }))
      await wait(LOCKED_MS)
      // What is asked now waits for the lock; it is not counted, the lock goes before its time.
      const asked = await Promise.race([reads.stop(), wait(6_000).then(() => [])])
      const lived = await beats.stop()
      await client.query('rollback')
      return [asked, lived] as const
    })
    const recoveredMs = await timeUntil(async () => (await read()).status === 200, 10_000)
    return [
      {
        promise: 'every answer is a 503',
        held: answers.length > 0 && answers.every(({ status }) => status === 503),
        seen: `${answers.filter(({ status }) => status === 503).length} of ${answers.length}`,
      },
      atMost('slowest 503', Math.max(...answers.map(({ ms }) => ms)), 5_000, 'ms'),
      atMost('liveness meanwhile', Math.max(...alive.map(({ ms }) => ms)), 100, 'ms'),
      exactly('liveness failures', alive.filter(({ status }) => status !== 200).length, 0),
      atMost('first good answer afterwards', recoveredMs, 1_000, 'ms'),
    ]
  },
})
