import { sql } from 'kysely'
import { afterEach, expect, test, vi } from 'vitest'
import { describeOnEachDatabase, setUpDatabase } from '#server/testing/test-database.ts'
import { waitFor } from '#server/testing/wait-for.ts'

describeOnEachDatabase('listening', (kind) => {
  const database = setUpDatabase(kind)
  const stops: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop()
  })

  /** Listens, and waits until it is connected. */
  const listen = async () => {
    const onNotification = vi.fn<() => void>()
    stops.push(database.listen('a_channel', onNotification))
    await waitFor(() => expect(onNotification).toHaveBeenCalledOnce())
    return onNotification
  }
  const notify = (channel: string) => sql`select pg_notify(${channel}, '')`.execute(database.db)
  const kill = () =>
    sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'patio-listen %'`.execute(database.db)

  test('notifies every listener of its channel until it stops', async () => {
    const [one, other] = [await listen(), await listen()]
    await notify('another_channel')
    await notify('a_channel')
    for (const heard of [one, other]) await waitFor(() => expect(heard).toHaveBeenCalledTimes(2))
    await stops.shift()?.()
    await notify('a_channel')
    await waitFor(() => expect(other).toHaveBeenCalledTimes(3))
    expect(one).toHaveBeenCalledTimes(2)
  })

  test.skipIf(kind === 'embedded')('reconnects after its connection is killed, repeatedly', async () => {
    const heard = await listen()
    for (const times of [2, 3]) {
      await kill()
      // Without a notification, because some may have been missed.
      await waitFor(() => expect(heard).toHaveBeenCalledTimes(times))
    }
    await notify('a_channel')
    await waitFor(() => expect(heard).toHaveBeenCalledTimes(4))
  })

  test.skipIf(kind === 'embedded')('leaves no connection open', async () => {
    const left = async () => {
      const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
        where datname = current_database() and application_name like 'patio-listen %'`.execute(database.db)
      return rows[0]?.count
    }
    await listen()
    expect(await left()).toBe(1)
    await stops.pop()?.()
    await waitFor(async () => expect(await left()).toBe(0))
  })
})
