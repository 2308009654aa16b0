import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip, gunzipSync, gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '#server/database/database.ts'
import type { Db } from '#server/database/schema.ts'
import { createLog } from '#server/log.ts'
import { buildSubscription } from '#server/testing/builders.ts'
import {
  describeOnEachDatabase,
  openEmptyDatabase,
  openFreshDatabase,
} from '#server/testing/test-database.ts'
import {
  inspectBackUp,
  recordBackUp,
  restoreBackUp,
  sendHeldMail,
  verifyBackUp,
  writeBackUp,
} from './back-up.ts'
import { fetchServedBackUp, serveBackUps } from './back-up-socket.ts'
import { createMetrics } from './metrics.ts'
import { readFact } from './portal-facts.ts'

/** Creating databases is slow on a busy machine. */
const SLOW = { timeout: 120_000 }
const ANA = '7d9f8c50-1111-4c7e-9a57-2f1f4d5c0001'
/** Tables that are not restored as they were. */
const HELD = /mail_outbox|portal_facts|report_subscriptions|jobs/
const BIA = '7d9f8c50-1111-4c7e-9a57-2f1f4d5c0002'

async function fill(db: Db): Promise<void> {
  const person = { approved: true, types: ['Vendas'], marcas: ['FIAT', 'GM'], estados: ['RJ'] }
  await db
    .insertInto('profiles')
    .values([
      { user_id: ANA, email: 'ana@exemplo.com.br', full_name: 'Ana "Aço"\nda Conceição', ...person },
      { user_id: BIA, email: 'bia@exemplo.com.br', ...person },
    ])
    .execute()
  await db.insertInto('passwords').values({ user_id: ANA, hash: 'argon', changed_at: new Date() }).execute()
  await db
    .insertInto('email_links')
    .values({
      token_hash: Buffer.from('c0ffee', 'hex'),
      user_id: ANA,
      purpose: 'recovery',
      expires_at: new Date(),
    })
    .execute()
  await sql`insert into sessions (id, user_id, kind, refresh_key, created_at, refreshed_at)
    values (gen_random_uuid(), ${ANA}, 'full', '\\x00', now(), now())`.execute(db)
  await db
    .insertInto('support_messages')
    .values(
      Array.from({ length: 1_200 }, (_, index) => ({
        name: 'Zé',
        email: 'z@x.br',
        phone: '1',
        message: `n${index}`,
      })),
    )
    .execute()
  await db
    .insertInto('audit_entries')
    .values({
      at: new Date(),
      action: 'account-created',
      target_id: ANA,
      after: JSON.stringify({ a: [1, null] }),
    })
    .execute()
  await db
    .insertInto('mail_outbox')
    .values([
      { kind: 'reset', recipient: 'ana@exemplo.com.br' },
      { kind: 'reset', recipient: 'bia@exemplo.com.br', sent_at: new Date() },
    ])
    .execute()
  const at = new Date()
  const subscription = buildSubscription(ANA, at)
  await db
    .insertInto('report_subscriptions')
    .values([subscription, { ...subscription, next_run_at: null }])
    .execute()
  const job = { kind: 'report-mail', user_id: ANA, input: '{}', payload: null, created_at: at, due_at: at }
  await db
    .insertInto('jobs')
    .values([
      { ...job, status: 'running' },
      { ...job, status: 'done', finished_at: at },
    ])
    .execute()
}

/** Reads all rows of a table as sorted text. */
async function readAll(db: Db, table: string): Promise<string[]> {
  const { rows } = await sql<{
    row: string
  }>`select to_jsonb(t)::text as row from ${sql.table(table)} t`.execute(db)
  return rows.map(({ row }) => row).sort()
}

describeOnEachDatabase('backup', (kind) => {
  let folder: string
  let file: string
  let source: Database
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'patio-back-up-'))
    file = join(folder, 'patio.backup')
    source = await openFreshDatabase(kind)
    await fill(source.db)
    const lines = new PassThrough()
    await Promise.all([writeBackUp(source.db, lines), pipeline(lines, createGzip(), createWriteStream(file))])
  })
  afterAll(async () => {
    await source.close()
    await rm(folder, { recursive: true })
  })

  it('restores everything but sessions into an empty database, and holds unsent mail', SLOW, async () => {
    const target = await openEmptyDatabase(kind)
    const { db } = target
    const { rowCounts } = await restoreBackUp(target, file)
    expect(rowCounts).toMatchObject({ profiles: 2, support_messages: 1_200, audit_entries: 1 })
    for (const table of Object.keys(rowCounts).filter((name) => !HELD.test(name)))
      expect(await readAll(db, table), table).toEqual(await readAll(source.db, table))
    expect(await readAll(db, 'sessions')).toEqual([])
    expect(await readAll(db, 'schema_migrations')).toHaveLength(
      (await readAll(source.db, 'schema_migrations')).length,
    )
    // Sequences continue, and triggers are enabled again.
    await db.insertInto('audit_entries').values({ at: new Date(), action: 'account-created' }).execute()
    await db.updateTable('support_messages').set({ is_read: true }).where('message', '=', 'n0').execute()
    expect((await readAll(db, 'support_message_changes')).length).toBe(
      (await readAll(source.db, 'support_message_changes')).length + 1,
    )
    const due = db
      .selectFrom('mail_outbox')
      .select('id')
      .where('sent_at', 'is', null)
      .where('due_at', '<=', sql<Date>`now()`)
    expect(await due.execute()).toEqual([])
    const readRuns = async () => {
      const rows = await db.selectFrom('report_subscriptions').select('next_run_at').execute()
      return rows.map(({ next_run_at }) => next_run_at?.getUTCFullYear()).toSorted()
    }
    expect(await readRuns()).toEqual([9000, undefined])
    expect(await db.selectFrom('jobs').select('status').execute()).toEqual([{ status: 'done' }])
    expect(await sendHeldMail(db)).toBe(1)
    expect(await due.execute()).toHaveLength(1)
    expect(await readRuns()).not.toContain(9000)
    await target.close()
  })

  it('reports when it was written and is verified in memory', SLOW, async () => {
    await recordBackUp(source.db)
    const written = await createMetrics(source, { version: '0', clock: Date.now }).write()
    const seconds = Number(/^patio_last_backup_timestamp_seconds (\S+)$/m.exec(written)?.[1])
    expect(seconds * 1000).toBeGreaterThan(Date.now() - 120_000)
    expect((await verifyBackUp(file)).rowCounts.profiles).toBe(2)
  })

  it('is not restored into a database that is not empty', SLOW, async () => {
    await expect(restoreBackUp(source, file)).rejects.toThrow('O banco de destino não está vazio')
  })

  it('is rejected without effect when truncated, damaged, newer or invalid', SLOW, async () => {
    const target = await openEmptyDatabase(kind)
    const bytes = await readFile(file)
    const text = gunzipSync(bytes).toString()
    const damaged = Buffer.from(bytes)
    damaged.fill(0, bytes.length >> 1, (bytes.length >> 1) + 50)
    const cases: [Buffer | string, string][] = [
      [bytes.subarray(0, bytes.length >> 1), 'incompleta'],
      [damaged, 'incompleta'],
      [gzipSync(text.slice(0, text.lastIndexOf('{"end":'))), 'incompleta'],
      [gzipSync(text.replace(/\n\{"user_id".*\n/, '\n')), 'incompleta'],
      [gzipSync(text.replace('0011-', '9011-')), 'versão mais nova'],
      ['{}', 'não é uma cópia'],
      [gzipSync('{}\n'), 'não é uma cópia'],
    ]
    for (const [content, reason] of cases) {
      const other = join(folder, 'other')
      await writeFile(other, content)
      await expect(restoreBackUp(target, other), reason).rejects.toThrow(reason)
    }
    await expect(inspectBackUp(join(folder, 'missing'))).rejects.toThrow('não pode ser lido')
    const { rows } = await sql`select 1 from pg_class where relnamespace = 'public'::regnamespace`.execute(
      target.db,
    )
    expect(rows).toEqual([])
    await target.close()
  })
})

it('serves a backup from the running portal without blocking on a stalled reader', SLOW, async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'patio-socket-'))
  const { db, close } = await openFreshDatabase('embedded')
  await fill(db)
  await writeFile(join(dataDir, 'back-up-of-a-killed-0.2.tmp'), '')
  const stop = serveBackUps(db, dataDir, createLog('silent'))
  const path = join(dataDir, 'back-up.sock')
  await expect.poll(async () => (await stat(path)).mode & 0o777).toBe(0o600)
  const idler = createConnection(path)
  // More than socket buffers hold, so that a transaction would wait for the reader.
  await once(idler, 'readable')
  expect(await readAll(db, 'user_roles')).toEqual([])
  // Nothing would be left by a kill.
  expect(await readdir(dataDir)).toEqual(['back-up.sock'])
  idler.destroy()
  expect(await readFact(db, 'last-back-up')).toBeUndefined()

  const file = join(dataDir, 'served.backup')
  const gzip = createGzip()
  const written = pipeline(gzip, createWriteStream(file))
  const summary = await fetchServedBackUp(dataDir, gzip, () => written.then(() => inspectBackUp(file)))
  expect(summary?.rowCounts).toMatchObject({ profiles: 2, support_messages: 1_200 })
  await expect.poll(() => readFact(db, 'last-back-up')).toBeInstanceOf(Date)
  stop()
  expect(await fetchServedBackUp(join(dataDir, 'elsewhere'), createGzip(), async () => true)).toBeUndefined()
  await close()
  await rm(dataDir, { recursive: true })
})
