import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import type { MessageChange } from '#contract/support.ts'
import type { Database } from '#server/database/database.ts'
import { createLog } from '#server/log.ts'
import { addMessages, CONTACT_FORM } from '#server/testing/inbox-calls.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { waitFor } from '#server/testing/wait-for.ts'
import { createFollower, type Follower } from './follow-changes.ts'

const SLOW = { timeout: 8000 }

describeOnEachDatabase('following message changes', (kind) => {
  const portal = setUpPortal({ kind })
  const followers: Follower[] = []
  afterEach(async () => {
    for (const follower of followers.splice(0)) await follower.stop()
  })

  const follow = async (changes: Partial<Database> = {}) => {
    const events: MessageChange[] = []
    const follower = createFollower({
      database: { ...portal.database, ...changes },
      log: createLog('silent'),
      onChange: (change) => events.push(change),
      isWatched: () => true,
    })
    followers.push(follower)
    await follower.start()
    const listIds = () => events.flatMap((event) => (event.kind === 'changed' ? event.ids : []))
    const waitForIds = (ids: string[], timeout = 5000) =>
      waitFor(() => expect(listIds()).toEqual(expect.arrayContaining(ids)), { timeout, interval: 5 })
    return { events, listIds, waitForIds }
  }
  /** Simulates a pooler, which accepts LISTEN but delivers no notifications. */
  const withoutListen = { listen: () => async () => {} }
  const fetchRows = <Row>(query: ReturnType<typeof sql<Row>>) =>
    query.execute(portal.database.db).then(({ rows }) => rows)
  const listListeners = () =>
    fetchRows(sql<{ pid: number }>`select pid from pg_stat_activity
      where datname = current_database() and application_name = 'patio-listen' and query like 'listen%'`)

  test('finds changes without notifications by polling', async () => {
    const { listIds, waitForIds } = await follow(withoutListen)
    const ids = await addMessages(portal, {})
    await waitForIds(ids, 5000)
    expect(listIds()).toEqual(ids)
  })

  test('delivers each change once across a database outage', async () => {
    let isAway = false
    const { listIds, waitForIds } = await follow({
      runPrepared: (...args) =>
        isAway ? Promise.reject(new Error('away')) : portal.database.runPrepared(...args),
    })
    const before = await addMessages(portal, {})
    await waitForIds(before)
    isAway = true
    const meanwhile = await addMessages(portal, {}, {})
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(listIds()).toEqual(before)
    isAway = false
    await waitForIds(meanwhile, 5000)
    expect(listIds().toSorted()).toEqual([...before, ...meanwhile].toSorted())
  })

  test('retries a failed start', async () => {
    let isAway = true
    const follower = createFollower({
      database: {
        ...portal.database,
        runPrepared: (...args) =>
          isAway ? Promise.reject(new Error('away')) : portal.database.runPrepared(...args),
      },
      log: createLog('silent'),
      onChange: () => {},
      isWatched: () => true,
    })
    followers.push(follower)
    await expect(follower.start()).rejects.toThrow('away')
    isAway = false
    await follower.start()
  })

  test('sends stale when the database was replaced', async () => {
    let isOther = false
    const { events } = await follow({
      async runPrepared<Row>(...[statement, values]: Parameters<Database['runPrepared']>) {
        const rows = await portal.database.runPrepared<Row>(statement, values)
        return isOther ? rows.map((row) => ({ ...row, watermark: '3' })) : rows
      },
    })
    isOther = true
    await waitFor(() => expect(events).toContainEqual({ kind: 'stale' }), { timeout: 8000 })
  })

  test('deletes only changes older than an hour', async () => {
    const { db } = portal.database
    const [old, recent] = await addMessages(portal, {}, {})
    await sql`update changes set at = now() - interval '61 minutes' where subject_id = ${old}`.execute(db)
    await sql`update changes set at = now() - interval '59 minutes' where subject_id = ${recent}`.execute(db)
    await follow()
    const countLeft = async () =>
      (
        await fetchRows(sql<{ subject_id: string }>`select subject_id from changes where kind = 'message'`)
      ).map((row) => row.subject_id)
    await waitFor(async () => expect(await countLeft()).not.toContain(old), { timeout: 8000 })
    expect(await countLeft()).toContain(recent)
  })

  test.skipIf(kind === 'embedded')('delivers no earlier changes', async () => {
    const { db } = portal.database
    // While it runs, later changes stay above the watermark.
    await db.transaction().execute(async (transaction) => {
      await sql`select pg_current_xact_id()`.execute(transaction)
      await addMessages(portal, {})
      const { listIds, waitForIds } = await follow()
      const ids = await addMessages(portal, {})
      await waitForIds(ids)
      expect(listIds()).toEqual(ids)
    })
  })

  test.skipIf(kind === 'embedded')('delivers late commits once', async () => {
    const { listIds, waitForIds } = await follow()
    let late: string | undefined
    let early: string[] = []
    await portal.database.db.transaction().execute(async (transaction) => {
      const row = await transaction
        .insertInto('support_messages')
        .values(CONTACT_FORM)
        .returning('id')
        .executeTakeFirstOrThrow()
      late = row.id
      // Has a higher id than the one above and commits first.
      for (let count = 0; count < 3; count++) {
        early.push(...(await addMessages(portal, {})))
        await waitForIds(early)
      }
      expect(listIds()).toEqual(early)
    })
    await waitForIds([late as string])
    early = [...early, ...(await addMessages(portal, {}))]
    await waitForIds(early)
    expect(listIds().toSorted()).toEqual([...early, late].toSorted())
  })

  test.skipIf(kind === 'embedded')(
    'delivers all changes when the listening connection is killed',
    async () => {
      const { listIds, waitForIds } = await follow()
      const [before] = await waitFor(async () => {
        const found = await listListeners()
        expect(found).toHaveLength(1)
        return found
      }, SLOW)
      const ids = await addMessages(portal, {})
      await sql`select pg_terminate_backend(${before?.pid})`.execute(portal.database.db)
      for (let count = 0; count < 10; count++) ids.push(...(await addMessages(portal, {})))
      await waitForIds(ids)
      const [after] = await waitFor(async () => {
        const found = await listListeners()
        expect(found).toHaveLength(1)
        return found
      }, SLOW)
      expect(after?.pid).not.toBe(before?.pid)
      // Polling alone would take two seconds for each.
      const start = performance.now()
      for (let count = 0; count < 5; count++) {
        const [id = ''] = await addMessages(portal, {})
        ids.push(id)
        await waitForIds([id])
      }
      expect(performance.now() - start).toBeLessThan(5000)
      expect(listIds().toSorted()).toEqual(ids.toSorted())
    },
  )
})
