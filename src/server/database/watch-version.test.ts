import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { describeOnEachDatabase, setUpDatabase } from '#server/testing/test-database.ts'
import { waitFor } from '#server/testing/wait-for.ts'
import { watchVersion } from './watch-version.ts'

const SOON = { readEveryMs: 10, goneAfterMs: 200 }

describeOnEachDatabase('watching a version', (kind) => {
  const database = setUpDatabase(kind)

  const watch = async (version: string) => {
    const { isActive, stop } = await watchVersion(database, version, SOON)
    onTestFinished(stop)
    return isActive
  }

  test.skipIf(kind === 'embedded').each([
    ['9.8.6', 'patio 9.8.6'],
    ['9.8.6', 'patio-listen 9.8.6'],
    // 0.2 does not say its version.
    ['0.2.0', 'patio-listen'],
  ])('sees %s while %s is connected', async (version, name) => {
    const [isBeforeActive, isOtherActive] = [await watch(version), await watch('9.8.5')]
    expect(isBeforeActive()).toBe(false)
    await database.db.connection().execute(async (connection) => {
      await sql`select set_config('application_name', ${name}, false)`.execute(connection)
      await waitFor(() => expect(isBeforeActive()).toBe(true))
      expect((await watch(version))()).toBe(true)
      await sql`reset application_name`.execute(connection)
    })
    expect(isOtherActive()).toBe(false)
    await waitFor(() => expect(isBeforeActive()).toBe(false))
  })

  test('sees no version but its own', async () => {
    expect((await watch('0.2.0'))()).toBe(false)
  })
})
