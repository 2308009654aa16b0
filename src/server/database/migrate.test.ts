import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import { describe, expect, inject, test } from 'vitest'
import { NEW_PASSWORD, refreshSession, signIn, useLink } from '#server/testing/account-calls.ts'
import { send, TEST_PASSWORD } from '#server/testing/builders.ts'
import { runOnServer } from '#server/testing/global-setup.ts'
import { describeOnEachDatabase, openFreshDatabase, setUpDatabase } from '#server/testing/test-database.ts'
import { createTestClock, startTestPortal } from '#server/testing/test-portal.ts'
import { DatabaseOpenError } from './database.ts'
import { migrate, migrateDatabase, splitStatements } from './migrate.ts'
import { openServer } from './open-server.ts'

const ALL = readdirSync('migrations')
  .filter((name) => name.endsWith('.sql'))
  .sort()

/** Values that are in no table: the moment, a browser's tokens, and a mailed link. */
const FILLED = {
  file: 'src/server/database/filled-by-0.1.sql',
  at: Date.parse('2026-11-22T10:52:28.573Z'),
  refreshToken: 'XfOqv2uISPWeU9TY7qsuoAAAAADqOYuIqdFFSb9cJd9kgTCB',
  accessToken:
    'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6IjAxZTZjMGYwIn0.eyJzaWQiOiI1ZGYzYWFiZi02Yjg4LTQ4ZjUtOWU1My1kNGQ4ZWVhYjJlYTAiLCJyYyI6MCwicm9sZSI6ImF1dGhlbnRpY2F0ZWQiLCJzdWIiOiIwMDcxY2FiOC03Nzc1LTRiOWYtYmJjMy1mNGUxZGJjYTFjYTQiLCJhdWQiOiJhdXRoZW50aWNhdGVkIiwiaWF0IjoxNzk1MzQ0NzQ4LCJleHAiOjE3OTUzNDUzNDh9.kmlxWmt8mBGp5wB30eSGPzSBMVcOi3RRvI5anHWS4E0',
  link: 'http://localhost/auth/callback#token_hash=AxaonyOPuWCNlDOYoVyqHxbYo0LD_iM9wrfKv6hk4vE&type=signup',
}

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

  test('does nothing the second time', async () => {
    expect(await applied()).toEqual(ALL)
    expect(await migrate(database.db)).toEqual([])
  })

  test('applies everything to an empty database, in the order of the names', async () => {
    await empty()
    expect(await migrate(database.db)).toEqual(ALL)
    await database.db.insertInto('portal_facts').values({ name: 'a', value: 'b' }).execute()
  })

  test('applies everything once when three start at the same time', async () => {
    await empty()
    const done = await Promise.all([1, 2, 3].map(() => migrate(database.db)))
    expect(done.flat().sort()).toEqual(ALL)
    expect(await applied()).toEqual(ALL)
  })

  test('keeps the data of version 0.1', async () => {
    const folder = mkdtempSync(`${tmpdir()}/migrations-`)
    for (const name of ALL.filter((name) => name < '0011'))
      copyFileSync(`migrations/${name}`, `${folder}/${name}`)
    await empty()
    await migrate(database.db, pathToFileURL(`${folder}/`))
    rmSync(folder, { recursive: true })
    for (const statement of splitStatements(readFileSync(FILLED.file, 'utf8')))
      await sql.raw(statement).execute(database.db)
    expect(await migrate(database.db)).toEqual(ALL.filter((name) => name >= '0011'))
    const clock = createTestClock()
    clock.advance(FILLED.at - clock())
    const portal = await startTestPortal({ kind, database, clock })
    try {
      const { body: admin } = await signIn(portal, 'admin@grupopatio.com.br', TEST_PASSWORD)
      const ask = (method: string, path: string, body?: unknown) =>
        send(portal, method, path, { token: admin.access_token, body })
      const bia = (await signIn(portal, 'bia@grupopatio.com.br', NEW_PASSWORD)).body
      const renewed = await refreshSession(portal, FILLED.refreshToken)
      for (const token of [bia.access_token, FILLED.accessToken, renewed.body.access_token])
        expect((await send(portal, 'GET', '/api/reports/me', { token })).body).toMatchObject({
          approved: true,
          areas: [{ type: 'Vendas', embedMode: 'secure_sso' }],
          marcas: ['FIAT', 'GM'],
          estados: ['RJ', 'ES'],
        })
      expect((await useLink(portal, 'signup', FILLED.link, { password: NEW_PASSWORD })).status).toBe(200)
      expect((await ask('GET', '/api/profiles?q=MINÍSTRA')).body.items).toMatchObject([{ types: ['Vendas'] }])
      expect((await ask('GET', '/api/support-messages')).body.items).toMatchObject([{ name: 'Davi' }])
      const { id } = bia.user
      expect((await ask('GET', `/api/profiles/${id}/history`)).body.items).toHaveLength(6)
      expect((await ask('PATCH', `/api/profiles/${id}`, { types: ['CRM'] })).status).toBe(200)
      expect((await ask('POST', '/api/functions/delete-users', { userIds: [id] })).body.success).toEqual([id])
    } finally {
      await portal.stop()
    }
  })

  test('refuses the database of a newer version, and does not change it', async () => {
    await database.db.insertInto('schema_migrations').values({ name: '9999-next.sql' }).execute()
    for (const start of [migrate, () => migrateDatabase(database)])
      await expect(start(database.db)).rejects.toThrow(/versão mais nova.*9999-next\.sql/)
    await database.db.deleteFrom('schema_migrations').where('name', '=', '9999-next.sql').execute()
    expect(await migrate(database.db)).toEqual([])
  })

  test('names a profile field without a column', async () => {
    await sql`alter table profiles rename column last_sign_in_at to seen_at`.execute(database.db)
    await expect(migrateDatabase(database)).rejects.toThrow(
      "profiles lacks the column 'last_sign_in_at', which profileSchema in src/contract/users.ts names: add a migration",
    )
    await sql`alter table profiles rename column seen_at to last_sign_in_at`.execute(database.db)
  })

  test('works as the database’s owner without superuser rights, and removes old objects', async ({
    skip,
  }) => {
    skip(kind === 'embedded', 'it has one user')
    const name = `${inject('serverDatabases')}_owner`
    const server = new URL(process.env.TEST_DATABASE_URL as string)
    await runOnServer(server, `create role ${name} login password '${name}'`)
    await runOnServer(server, `create database ${name} owner ${name}`)
    const url = Object.assign(new URL(server), { username: name, password: name, pathname: `/${name}` }).href
    const { db, close } = await openServer({ url, onConnectionError: () => {} })
    try {
      expect(await migrate(db)).toEqual(ALL)
      await sql`insert into audit_entries (action) values ('types-set')`.execute(db)
      const { rows } = await sql`select delete_old_audit_entries(now(), 10) as deleted`.execute(db)
      expect(rows).toEqual([{ deleted: 1 }])
      await sql`insert into audit_entries (action) values ('types-set')`.execute(db)
      await expect(db.deleteFrom('audit_entries').execute()).rejects.toThrow('takes no delete')
    } finally {
      await close()
      await runOnServer(server, `drop database ${name} with (force)`)
      await runOnServer(server, `drop role ${name}`)
    }
  })

  test('waits for a concurrent migration', async ({ skip }) => {
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

  test('says in Portuguese that another session holds a table', async ({ skip }) => {
    skip(kind === 'embedded', 'one process has it to itself')
    const folder = mkdtempSync(`${tmpdir()}/migrations-`)
    for (const name of ALL) copyFileSync(`migrations/${name}`, `${folder}/${name}`)
    writeFileSync(`${folder}/9001-held.sql`, 'alter table portal_facts add column held text;')
    const held = database.db.transaction().execute(async (other) => {
      await sql`lock table portal_facts in access share mode`.execute(other)
      const error = await migrate(database.db, pathToFileURL(`${folder}/`), undefined, 2).catch((e) => e)
      expect(error).toBeInstanceOf(DatabaseOpenError)
      expect(error.message).toMatch(/^Outra sessão segura uma tabela .* Encerre-a e inicie de novo/)
      const query = error.message.slice(error.message.indexOf('select'))
      const found = await sql.raw<{ relation: string }>(query).execute(database.db)
      expect(found.rows.map(({ relation }) => relation)).toContain('portal_facts')
    })
    await held
    rmSync(folder, { recursive: true })
  })
})

describe('splitStatements', () => {
  test('splits at semicolons at the end of a line', () => {
    expect(splitStatements('create table a (b int);\n\n-- why\ncreate index c\n  on a (b);\n')).toEqual([
      'create table a (b int);',
      '-- why\ncreate index c\n  on a (b);',
    ])
  })

  test('does not split function bodies, or at a semicolon in a comment', () => {
    const body = 'create function f() returns int language plpgsql as $$\nbegin\n  return 1;\nend $$;'
    expect(splitStatements(`${body}\nselect 1 -- one;\n  + 1;`)).toEqual([body, 'select 1 -- one;\n  + 1;'])
  })

  test('keeps an unterminated last statement, and drops comments', () => {
    expect(splitStatements('select 1;\nselect 2')).toEqual(['select 1;', 'select 2'])
    expect(splitStatements('select 1;\n-- the end\n')).toEqual(['select 1;'])
  })
})
