import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { describeOnEachDatabase, openFreshDatabase, setUpDatabase } from '#server/testing/test-database.ts'
import { migrate, migrateDatabase, splitStatements } from './migrate.ts'

const ALL = readdirSync('migrations')
  .filter((name) => name.endsWith('.sql'))
  .sort()

describeOnEachDatabase('migrating', (kind) => {
  const database = setUpDatabase(kind, openFreshDatabase)

  const empty = async () => {
    await sql`drop schema public cascade`.execute(database.db)
    await sql`create schema public`.execute(database.db)
  }
  const applied = async () =>
    (await database.db.selectFrom('schema_migrations').select('name').orderBy('name').execute()).map(
      (row) => row.name,
    )

  test('a second time does nothing', async () => {
    expect(await applied()).toEqual(ALL)
    expect(await migrate(database.db)).toEqual([])
  })

  test('an empty database applies everything, in the order of the names', async () => {
    await empty()
    expect(await migrate(database.db)).toEqual(ALL)
    await database.db.insertInto('portal_facts').values({ name: 'a', value: 'b' }).execute()
  })

  test('three at once apply everything once', async () => {
    await empty()
    const done = await Promise.all([1, 2, 3].map(() => migrate(database.db)))
    expect(done.flat().sort()).toEqual(ALL)
    expect(await applied()).toEqual(ALL)
  })

  test('a database of version 0.1 keeps its people and what that version still reads', async () => {
    const folder = mkdtempSync(`${tmpdir()}/migrations-`)
    for (const name of ALL.filter((name) => name < '0011'))
      copyFileSync(`migrations/${name}`, `${folder}/${name}`)
    await empty()
    await migrate(database.db, pathToFileURL(`${folder}/`))
    rmSync(folder, { recursive: true })
    await sql`insert into profiles (email, full_name, types) values ('a@x.br', 'João', '{CRM}')`.execute(
      database.db,
    )
    expect(await migrate(database.db)).toEqual(ALL.filter((name) => name >= '0011'))
    const { rows } = await sql`select email, is_entitled from profiles
      where search_text like '%' || fold_text('JOÃO') || '%'`.execute(database.db)
    expect(rows).toEqual([{ email: 'a@x.br', is_entitled: true }])
  })

  test('a database of a newer version is refused, and left as it is', async () => {
    await database.db.insertInto('schema_migrations').values({ name: '9999-next.sql' }).execute()
    for (const start of [migrate, () => migrateDatabase(database)])
      await expect(start(database.db)).rejects.toThrow(/versão mais nova.*9999-next\.sql/)
    await database.db.deleteFrom('schema_migrations').where('name', '=', '9999-next.sql').execute()
    expect(await migrate(database.db)).toEqual([])
  })

  test('waits for the one that migrates already', async ({ skip }) => {
    skip(kind === 'embedded', 'one process has it to itself')
    await empty()
    const events: string[] = []
    await database.db.connection().execute(async (other) => {
      await sql`select pg_advisory_lock(740210411)`.execute(other)
      const waiting = migrate(database.db).then(() => events.push('migrated'))
      await sql`select pg_sleep(0.3)`.execute(other)
      events.push('released')
      await sql`select pg_advisory_unlock(740210411)`.execute(other)
      await waiting
    })
    expect(events).toEqual(['released', 'migrated'])
  })
})

describe('a migration file is cut into statements', () => {
  test('at semicolons that end a line', () => {
    expect(splitStatements('create table a (b int);\n\n-- why\ncreate index c\n  on a (b);\n')).toEqual([
      'create table a (b int);',
      '-- why\ncreate index c\n  on a (b);',
    ])
  })

  test('not inside a function’s body, nor for a semicolon in a comment', () => {
    const body = 'create function f() returns int language plpgsql as $$\nbegin\n  return 1;\nend $$;'
    expect(splitStatements(`${body}\nselect 1 -- one;\n  + 1;`)).toEqual([body, 'select 1 -- one;\n  + 1;'])
  })

  test('with the last one whole though nothing ends it, and comments alone left out', () => {
    expect(splitStatements('select 1;\nselect 2')).toEqual(['select 1;', 'select 2'])
    expect(splitStatements('select 1;\n-- the end\n')).toEqual(['select 1;'])
  })
})
