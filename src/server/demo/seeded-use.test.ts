import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { MIN_GROUP } from '#contract/usage-rules.ts'
import { describeOnEachDatabase, setUpDatabase } from '#server/testing/test-database.ts'
import { seedDemo } from './seed.ts'
import { seedUse } from './seeded-use.ts'

const DAY_MS = 86_400_000
const REPORTS = ['CRM', 'HPD'].map((type) => ({ type, workspaceId: 'w', reportId: type, datasetId: 'd' }))

describeOnEachDatabase('the use of the demonstration', (kind) => {
  const database = setUpDatabase(kind)

  test('whatever the day, each of two reports has failed on a working day of the last 30', async () => {
    const { db } = database
    await seedDemo(db, 'example.com', REPORTS)
    for (let count = 0; count < 63; count++) {
      for (const table of ['usage_open', 'usage_sums', 'usage_timings'] as const)
        await db.deleteFrom(table).execute()
      await db.deleteFrom('portal_facts').where('name', '=', 'usage-counted-until').execute()
      const now = new Date(Date.parse('2026-11-27T15:00:00Z') + count * DAY_MS)
      await seedUse(db, now)
      const { rows } = await sql<{ type: string }>`
        select type from usage_timings join global_powerbi_settings as settings on settings.id = usage_timings.report_id
          join usage_sums on kind = 'report' and code = usage_timings.report_id::text and starts_on = day and period = 'day'
        where step = -1 and day > ${now}::date - 30 and people >= ${sql.lit(MIN_GROUP)}
        group by type order by type`.execute(db)
      expect(rows, now.toISOString()).toEqual([{ type: 'crm' }, { type: 'hpd' }])
    }
  })
})
