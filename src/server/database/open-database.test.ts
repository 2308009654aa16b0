import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLog } from '#server/log.ts'
import { DatabaseOpenError } from './database.ts'
import { migrate } from './migrate.ts'
import { openEmbedded } from './open-embedded.ts'
import { openServer } from './open-server.ts'

describe('the embedded database', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'patio-embedded-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test('is durable, keeps its data, and allows one process', { timeout: 60_000 }, async () => {
    const dataDir = join(folder, 'data')
    const first = await openEmbedded(dataDir)
    await migrate(first.db)
    await first.db.insertInto('portal_facts').values({ name: 'kept', value: 'é claro' }).execute()
    const setting = async (name: string) =>
      (await sql<{ value: string }>`select current_setting(${name}) as value`.execute(first.db)).rows[0]
        ?.value
    expect([await setting('fsync'), await setting('wal_sync_method')]).toEqual(['on', 'fsync'])
    await expect(openEmbedded(dataDir)).rejects.toThrow(/já está em uso pelo processo/)
    await first.close()

    const second = await openEmbedded(dataDir)
    expect(await migrate(second.db)).toEqual([])
    const facts = await second.db.selectFrom('portal_facts').selectAll().where('name', '=', 'kept').execute()
    expect(facts).toEqual([{ name: 'kept', value: 'é claro' }])
    await second.close()
  })

  test('is private, and fixes the permissions of an older directory', { timeout: 60_000 }, async () => {
    const dataDir = join(folder, 'open')
    const warnings: unknown[] = []
    const log = createLog('warn', { write: (line) => warnings.push(JSON.parse(line)) })
    const openToOthers = () =>
      [
        dataDir,
        ...readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).map((name) => join(dataDir, name)),
      ]
        .filter((file) => (statSync(file).mode & 0o077) !== 0)
        .map((file) => file.slice(dataDir.length))
    const umask = process.umask(0o077)
    const first = await openEmbedded(dataDir, log)
    await migrate(first.db)
    expect(openToOthers()).toEqual([])
    await first.close()
    expect(warnings).toEqual([])

    for (const file of ['', 'postgres', 'postgres/base', 'postgres/global/pg_control', 'postgres/PG_VERSION'])
      chmodSync(join(dataDir, file), file.includes('pg_control') ? 0o666 : 0o755)
    const second = await openEmbedded(dataDir, log)
    expect(openToOthers()).toEqual([])
    expect(warnings).toMatchObject([{ level: 40, dataDir, count: 5 }])
    await second.close()
    process.umask(umask)
  })

  test('lets the event loop turn while queries queue', { timeout: 60_000 }, async () => {
    const database = await openEmbedded(join(folder, 'queue'))
    let [turns, isOver] = [0, false]
    const countTurns = () => {
      turns++
      if (!isOver) setImmediate(countTurns)
    }
    countTurns()
    const ask = () => sql`select generate_series(1, 2000)`.execute(database.db)
    await Promise.all(Array.from({ length: 200 }, ask))
    isOver = true
    // Without turns, requests wait until the last query is over.
    expect(turns).toBeGreaterThan(5)
    await database.close()
  })

  test('reports an error and releases its directory if it cannot be opened', async () => {
    const dataDir = mkdtempSync(join(folder, 'broken-'))
    writeFileSync(join(dataDir, 'postgres'), 'not a folder')
    for (let attempt = 0; attempt < 2; attempt++)
      await expect(openEmbedded(dataDir)).rejects.toThrow(/^Não foi possível abrir o banco embutido em /)
  })
})

describe('a database server', () => {
  test('is named without its password if it does not answer', async () => {
    const failure = openServer({
      url: 'postgres://patio:canary@127.0.0.1:4369/patio',
      onConnectionError: () => {},
    })
    await expect(failure).rejects.toThrow(DatabaseOpenError)
    await expect(failure).rejects.toThrow(/^Banco de dados inacessível em 127\.0\.0\.1:4369\/patio: /)
    await expect(failure).rejects.not.toThrow(/canary/)
  })

  test('returns counts as numbers and sets time-out and jit on every connection', async ({ skip }) => {
    const url = process.env.TEST_DATABASE_URL
    if (!url) return skip('no server')
    const server = await openServer({ url, onConnectionError: () => {} })
    const { rows } = await sql<{ count: number; timeout: string; jit: string }>`
      select count(*) as count, current_setting('statement_timeout') as timeout,
        current_setting('jit') as jit from pg_database`.execute(server.db)
    expect(rows[0]).toEqual({ count: expect.any(Number), timeout: '3400ms', jit: 'off' })
    await server.close()
  })
})
