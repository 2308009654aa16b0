import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLog } from '#server/log.ts'
import { addPerson } from '#server/testing/builders.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { waitFor } from '#server/testing/wait-for.ts'
import { createJobQueue, type JobStep, queueJob } from './job-queue.ts'

describeOnEachDatabase('job queue', (kind) => {
  const portal = setUpPortal({ kind })
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
  afterEach(() => void vi.useRealTimers())

  test('keeps the lease of a step that takes longer than one, which no other replica repeats', async () => {
    const { db } = portal.database
    const services = { db, clock: portal.clock, log: createLog('silent') }
    const ends: ((step: JobStep) => void)[] = []
    const runStep = { export: () => new Promise<JobStep>((resolve) => ends.push(resolve)) }
    const [queue, replica] = [
      createJobQueue({ ...services, runStep }),
      createJobQueue({ ...services, runStep }),
    ]
    const { user_id: userId } = await addPerson(portal)
    await queueJob(services, { kind: 'export', userId, input: {}, payload: null })
    const running = queue.runDue()
    const readLease = async () => {
      const { leased_until } = await db.selectFrom('jobs').select('leased_until').executeTakeFirstOrThrow()
      return leased_until?.getTime()
    }
    await waitFor(() => expect(ends).toHaveLength(1))
    for (let beats = 0; beats < 6; beats++) {
      portal.clock.advance(15_000)
      vi.advanceTimersByTime(15_000)
      await waitFor(async () => expect(await readLease()).toBe(portal.clock() + 60_000))
      await replica.runDue()
    }
    expect(ends).toHaveLength(1)
    ends[0]?.({ kind: 'done', progress: {} })
    await running
    expect(await db.selectFrom('jobs').select('status').execute()).toEqual([{ status: 'done' }])
  })
})
