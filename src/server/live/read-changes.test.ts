import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Database } from '#server/database/database.ts'
import { addMessages, CONTACT_FORM } from '#server/testing/inbox-calls.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { createChangeReader, trimChanges } from './read-changes.ts'

describeOnEachDatabase('reading changes', (kind) => {
  const portal = setUpPortal({ kind })

  const createReader = async (replaced: Partial<Database> = {}) => {
    const read = createChangeReader({ ...portal.database, ...replaced })
    expect(await read()).toBeUndefined()
    return { read, readIds: async () => (await read())?.map(({ subject }) => subject) }
  }

  test('returns each later change once', async () => {
    await addMessages(portal, {})
    const { read, readIds } = await createReader()
    const [first, second] = [await addMessages(portal, {}), await addMessages(portal, {})]
    expect(await read()).toMatchObject([
      { kind: 'message', subject: first[0] },
      { kind: 'message', subject: second[0] },
    ])
    expect(await readIds()).toEqual([])
    const third = await addMessages(portal, {})
    expect(await readIds()).toEqual(third)
  })

  test('loses nothing when a read fails', async () => {
    let isAway = false
    const { read, readIds } = await createReader({
      runPrepared: (...args) =>
        isAway ? Promise.reject(new Error('away')) : portal.database.runPrepared(...args),
    })
    isAway = true
    const ids = await addMessages(portal, {})
    await expect(read()).rejects.toThrow('away')
    isAway = false
    expect(await readIds()).toEqual(ids)
  })

  test('returns undefined when the database was replaced', async () => {
    let isOther = false
    const { read } = await createReader({
      async runPrepared<Row>(...[statement, values]: Parameters<Database['runPrepared']>) {
        const rows = await portal.database.runPrepared<Row>(statement, values)
        return isOther ? rows.map((row) => ({ ...row, watermark: '3' })) : rows
      },
    })
    isOther = true
    expect(await read()).toBeUndefined()
  })

  test('names neither many ended sessions nor changed settings, in rows that 0.2 passes over', async () => {
    const { read } = await createReader()
    const { db } = portal.database
    await sql`insert into profiles (email) values ('muitas@x.br')`.execute(db)
    await sql`insert into sessions (id, user_id, kind, refresh_key, created_at, refreshed_at)
      select gen_random_uuid(), user_id, 'full', '', now(), now() from profiles, generate_series(1, 201)
      where email = 'muitas@x.br'`.execute(db)
    await read()
    await db.deleteFrom('sessions').execute()
    await sql`insert into global_powerbi_settings (type, embed_mode) values ('vendas', 'secure_sso')`.execute(
      db,
    )
    expect(await read()).toMatchObject([
      { kind: 'session', subject: null },
      { kind: 'settings', subject: null },
    ])
    const { rows } = await sql`select id from changes
      where kind not in ('message', 'person') and subject_id is null`.execute(db)
    expect(rows).toEqual([])
  })

  test('deletes only changes older than an hour', async () => {
    const { db } = portal.database
    const [old, recent] = await addMessages(portal, {}, {})
    await sql`update changes set at = now() - interval '61 minutes' where subject_id = ${old}`.execute(db)
    await sql`update changes set at = now() - interval '59 minutes' where subject_id = ${recent}`.execute(db)
    await trimChanges(portal.database)
    const { rows } = await sql<{ id: string }>`select subject_id as id from changes`.execute(db)
    expect(rows.map(({ id }) => id)).not.toContain(old)
    expect(rows.map(({ id }) => id)).toContain(recent)
  })

  test.skipIf(kind === 'embedded')('returns late commits once', async () => {
    const { readIds } = await createReader()
    let late: string | undefined
    await portal.database.db.transaction().execute(async (transaction) => {
      const insert = transaction.insertInto('support_messages').values(CONTACT_FORM).returning('id')
      late = (await insert.executeTakeFirstOrThrow()).id
      // Has a higher id than the one above and commits first.
      for (let count = 0; count < 3; count++) {
        const early = await addMessages(portal, {})
        expect(await readIds()).toEqual(early)
      }
    })
    expect(await readIds()).toEqual([late])
    expect(await readIds()).toEqual([])
  })
})
