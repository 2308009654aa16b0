import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { createTransport } from 'nodemailer'
import { beforeEach, expect, test } from 'vitest'
import type { Database } from '#server/database/database.ts'
import { createLog } from '#server/log.ts'
import { openAdmin } from '#server/testing/admin-calls.ts'
import { addPerson, send } from '#server/testing/builders.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { pseudonymizeRecords } from '#server/users/erase-names.ts'
import { recordAccess, recordAudit } from './audit.ts'
import { createTrailSealer } from './seal-trail.ts'
import type { Chain } from './trail-chain.ts'
import { findAnchors, verifyChain } from './verify-trail.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * 60 * MINUTE

describeOnEachDatabase('chain of the trail', (kind) => {
  const portal = setUpPortal({ kind })
  const request = { requestId: 'r', ip: '203.0.113.7', forwarded: 'none' as const, userAgent: 'Navegador' }

  beforeEach(async () => {
    const { db } = portal.database
    await run(
      'truncate audit_entries, access_records, trail_seals, trail_erasures, trail_cursors, job_claims',
    )
    await run(`update trail_chains set position = 0, checkpoint_position = 0,
      hash = decode(repeat('00', 32), 'hex'), checkpoint_hash = decode(repeat('00', 32), 'hex')`)
    await db.deleteFrom('profiles').execute()
  })

  /** Runs statements as whoever owns the database can: without the guards. */
  async function run(...statements: string[]): Promise<void> {
    await portal.database.db.transaction().execute(async (transaction) => {
      await sql`set local session_replication_role = replica`.execute(transaction)
      for (const statement of statements) await sql.raw(statement).execute(transaction)
    })
  }
  const services = () => ({ db: portal.database.db, log: createLog('silent'), clock: portal.clock })
  const createSealer = (database: Pick<Database, 'db'> = portal.database, hashMail?: string) =>
    createTrailSealer({ db: database.db, log: createLog('silent'), clock: portal.clock, hashMail })
  async function seal(): Promise<void> {
    const sealer = createSealer()
    await sealer.runNow()
    await sealer.stop()
  }
  const verify = (chain: Chain = 'audit', ...anchors: string[]) =>
    verifyChain(portal.database.db, chain, anchors.flatMap(findAnchors))
  const context = () => ({ db: portal.database.db, clock: portal.clock, request })
  /** Writes entries, one a minute. */
  async function write(count: number, target?: { user_id: string; email: string }): Promise<void> {
    for (let index = 0; index < count; index++) {
      portal.clock.advance(MINUTE)
      const change = { before: { types: [] }, after: { types: ['CRM', `${index}`] } }
      await recordAudit(context(), { action: 'types-set', ...(target && { target }), ...change })
    }
  }
  const INTACT = { faults: 0, findings: [], notes: [] }

  test('holds rows of both classes, in the order of sealing', async () => {
    const person = await addPerson(portal)
    await write(3, person)
    await recordAccess(context(), { action: 'report', userId: person.user_id, reportId: 'r' })
    await seal()
    await write(2)
    await seal()
    expect(await verify('audit')).toMatchObject({ ...INTACT, entries: 5, position: 5, unsealed: 0 })
    expect(await verify('access')).toMatchObject({ ...INTACT, entries: 1, position: 1 })
  })

  test('is sealed by a clock with fractions, as that of a server is', async () => {
    await write(2)
    const sealer = createTrailSealer({ ...services(), clock: () => portal.clock() + 0.12345678 })
    await sealer.runNow()
    await sealer.stop()
    expect(await verify()).toMatchObject({ ...INTACT, entries: 2, unsealed: 0 })
  })

  test('seals more rows than a batch has', async () => {
    await sql`insert into audit_entries (at, action) select now(), 'types-set' from generate_series(1, 2203)`.execute(
      portal.database.db,
    )
    await seal()
    expect(await verify()).toMatchObject({ ...INTACT, entries: 2203, unsealed: 0 })
  })

  const id = (place: number) =>
    `(select entry_id from trail_seals where chain = 'audit' and position = ${place})`
  test.each([
    [
      'a changed time',
      `update audit_entries set at = at + interval '1 second' where id = ${id(3)}`,
      /foi alterada/,
    ],
    ['a changed act', `update audit_entries set action = 'role-changed' where id = ${id(3)}`, /foi alterada/],
    [
      'a changed value',
      `update audit_entries set after = '{"types": []}' where id = ${id(3)}`,
      /foi alterada/,
    ],
    ['a changed origin', `update audit_entries set ip = '198.51.100.1' where id = ${id(3)}`, /foi alterada/],
    ['a removed row', `delete from audit_entries where id = ${id(3)}`, /foi removida/],
    ['a removed last row', `delete from audit_entries where id = ${id(5)}`, /foi removida/],
    [
      'a row removed with its seal',
      `delete from audit_entries where id = ${id(3)}; delete from trail_seals where position = 3`,
      /faltam os selos 3 a 3/,
    ],
    [
      'an end removed with its seals',
      `delete from audit_entries where id >= ${id(4)}; delete from trail_seals where position >= 4`,
      /o fim foi retirado/,
    ],
    [
      'swapped rows',
      `create temp table swapped on commit drop as select * from audit_entries where id in (${id(2)}, ${id(4)});
       update audit_entries e set at = s.at, after = s.after from swapped s where s.id <> e.id
         and e.id in (select id from swapped)`,
      /foi alterada/,
    ],
    [
      'swapped seals',
      `update trail_seals set position = -position where position in (2, 4);
       update trail_seals set position = case position when -2 then 4 else 2 end where position < 0`,
      /fora de ordem/,
    ],
    ['a changed seal', `update trail_seals set action = 'x' where position = 3`, /foi alterado ou está fora/],
    ['a removed salt', 'update trail_seals set salt = null where position = 3', /foi alterada/],
    [
      'an inserted row',
      `insert into audit_entries (at, action) select at - interval '2 hours', 'role-changed' from audit_entries limit 1`,
      /foi inserida depois/,
    ],
  ])('finds %s', async (_, forgery, finding) => {
    await write(5)
    await seal()
    expect(await verify()).toMatchObject(INTACT)
    await run(...forgery.split(';'))
    const { faults, findings } = await verify()
    expect(faults).toBeGreaterThan(0)
    expect(findings.join('\n')).toMatch(finding)
  })

  test('finds an inserted row also after it was sealed', async () => {
    await write(5)
    await seal()
    await run(
      `insert into audit_entries (at, action) select at - interval '2 hours', 'x' from audit_entries limit 1`,
    )
    await seal()
    expect((await verify()).findings).toEqual([expect.stringMatching(/linha .*, x, .* foi inserida depois/)])
  })

  test('finds a row that was inserted with a time a quarter of an hour ago', async () => {
    await write(20)
    await seal()
    const past = new Date(portal.clock() - 15 * MINUTE)
    await sql`insert into audit_entries (at, action) values (${past}, 'role-changed')`.execute(
      portal.database.db,
    )
    expect((await verify()).findings).toEqual([expect.stringMatching(/role-changed, .* foi inserida depois/)])
    await seal()
    expect((await verify()).findings).toEqual([expect.stringMatching(/role-changed, .* foi inserida depois/)])
  })

  test('finds a row that was inserted into a quiet time, in which other rows were sealed', async () => {
    const person = await addPerson(portal)
    await write(2)
    await seal()
    portal.clock.advance(6 * HOUR)
    const past = new Date(portal.clock() - 2 * HOUR)
    await recordAccess(context(), { action: 'sign-in', userId: person.user_id })
    await seal()
    portal.clock.advance(12 * HOUR)
    await sql`insert into audit_entries (at, action) values (${past}, 'role-changed')`.execute(
      portal.database.db,
    )
    await seal()
    expect((await verify()).findings).toEqual([expect.stringMatching(/role-changed, .* foi inserida depois/)])
  })

  test('holds rows that are sealed late, after a stop of the portal and at the first start', async () => {
    await write(300)
    await seal()
    portal.clock.advance(12 * HOUR)
    await write(3)
    portal.clock.advance(12 * HOUR)
    await recordAudit(context(), { action: 'role-changed' })
    await seal()
    expect(await verify()).toMatchObject({ ...INTACT, entries: 304, unsealed: 0 })
  })

  test('finds by the hash that a receiver got that the end was cut off and the head set back', async () => {
    const { db } = portal.database
    await write(5)
    await seal()
    await db
      .insertInto('trail_cursors')
      .columns(['receiver', 'chain', 'position', 'hash', 'sealed_at'])
      .expression((eb) =>
        eb
          .selectFrom('trail_seals')
          .select([sql.lit('webhook').as('receiver'), 'chain', 'position', 'hash', 'sealed_at'])
          .where('position', '=', 5),
      )
      .execute()
    const { anchor } = await verify()
    expect(await verify('audit', anchor)).toMatchObject(INTACT)
    await run(
      `delete from audit_entries where id >= ${id(4)}`,
      'delete from trail_seals where position >= 4',
      `update trail_chains set position = 3, hash = (select hash from trail_seals where position = 3) where chain = 'audit'`,
    )
    expect((await verify()).findings).toEqual([expect.stringMatching(/o selo 5, .* não existe: o fim foi/)])
    await run('truncate trail_cursors')
    expect(await verify()).toMatchObject(INTACT)
    expect((await verify('audit', anchor)).findings).toEqual([expect.stringMatching(/selo 5, .* não existe/)])
  })

  test('finds by a hash kept outside that a whole chain was written again', async () => {
    await write(4)
    await seal()
    const { anchor } = await verify()
    expect(await verify('audit', anchor)).toMatchObject(INTACT)
    await run(
      `update audit_entries set action = 'role-changed' where id = ${id(2)}`,
      'truncate trail_seals',
      `update trail_chains set position = 0, hash = decode(repeat('00', 32), 'hex')`,
    )
    await seal()
    expect(await verify()).toMatchObject(INTACT)
    expect((await verify('audit', anchor)).findings).toEqual([expect.stringMatching(/corrente foi refeita/)])
    const beyond = anchor.replace(':4:', ':9:')
    expect((await verify('audit', beyond)).findings).toEqual([expect.stringMatching(/não existe/)])
  })

  test('verifies after a deletion, which erases salts and leaves nothing to guess', async () => {
    const { db } = portal.database
    const admin = await openAdmin(portal)
    const person = await addPerson(portal)
    await write(2, person)
    await write(1, admin)
    await recordAccess(context(), { action: 'report', userId: person.user_id, reportId: 'r' })
    await seal()
    const userIds = [person.user_id]
    await send(portal, 'POST', '/api/functions/delete-users', { token: admin.token, body: { userIds } })
    const salts = await db
      .selectFrom('trail_seals')
      .select(['chain', 'position'])
      .where('salt', 'is', null)
      .execute()
    expect(salts).toHaveLength(3)
    for (const chain of ['audit', 'access'] as const) expect(await verify(chain)).toMatchObject(INTACT)

    await seal()
    expect(await verify('audit')).toMatchObject({ ...INTACT, entries: 4, erasures: 2, unsealed: 0 })
    expect(await verify('access')).toMatchObject({ ...INTACT, entries: 1, erasures: 1 })
    await run(`update audit_entries set after = '{}' where target_id is not null and id = ${id(1)}`)
    expect((await verify('audit')).findings).toEqual([expect.stringMatching(/foi alterada/)])
  })

  test('loses a prefix to retention, and verifies from its checkpoint', async () => {
    const { db } = portal.database
    await write(3)
    await seal()
    const early = (await verify()).anchor
    portal.clock.advance(10 * DAY)
    await write(3)
    await seal()
    const { anchor } = await verify()
    const until = new Date(portal.clock() - DAY)
    const remove = (batch: number) =>
      sql<{ n: number }>`select delete_old_trail('audit', ${until}, ${batch}::int) as n`.execute(db)
    expect((await remove(2)).rows).toEqual([{ n: 2 }])
    expect((await remove(2)).rows).toEqual([{ n: 1 }])
    expect((await remove(2)).rows).toEqual([{ n: 0 }])
    expect(await verify('audit', anchor, early)).toMatchObject({
      ...INTACT,
      checkpoint: 3,
      entries: 3,
      position: 6,
    })
    const first = early.replace(':3:', ':1:')
    expect((await verify('audit', first)).notes).toEqual([expect.stringMatching(/prazo de guarda/)])
    await run(`delete from audit_entries where id = ${id(4)}`, 'delete from trail_seals where position = 4')
    expect((await verify()).findings).toEqual([expect.stringMatching(/faltam os selos 4 a 4/)])
  })

  test('keeps what a receiver at work has not received for 30 days', async () => {
    const { db } = portal.database
    await write(3)
    await seal()
    await db
      .insertInto('trail_cursors')
      .values({ receiver: 'webhook', chain: 'audit', position: 2 })
      .execute()
    await db.insertInto('job_claims').values({ name: 'trail-webhook', claimed_until: new Date() }).execute()
    const remove = async (days: number) => {
      const until = new Date(portal.clock() + days * DAY)
      const { rows } = await sql<{ n: number }>`select delete_old_trail('audit', ${until}, 100) as n`.execute(
        db,
      )
      return rows[0]?.n
    }
    expect(await remove(29)).toBe(2)
    expect(await remove(29)).toBe(0)
    expect(await remove(31)).toBe(1)
  })

  test('rejects the deletion of sealed access records, as 0.2 does it', async () => {
    const { db } = portal.database
    const person = await addPerson(portal)
    await recordAccess(context(), { action: 'sign-in', userId: person.user_id, method: 'password' })
    await seal()
    await recordAccess(context(), { action: 'sign-in', userId: person.user_id })
    await expect(db.deleteFrom('access_records').execute()).rejects.toThrow(/sealed rows go by/)
    expect(await verify('access')).toMatchObject({ ...INTACT, entries: 1, unsealed: 1 })
    await run(`update access_records set method = null where method = 'password'`)
    expect((await verify('access')).findings.join()).toMatch(/foi alterada/)
  })

  test('is not written while 0.2 opens sessions', async () => {
    const { db } = portal.database
    const person = await addPerson(portal)
    const at = new Date(portal.clock())
    const session = {
      user_id: person.user_id,
      kind: 'full' as const,
      refresh_key: Buffer.alloc(8),
      created_at: at,
    }
    await db
      .insertInto('sessions')
      .values({ id: '00000000-0000-4000-8000-000000000001', ...session, refreshed_at: at })
      .execute()
    await write(2)
    await seal()
    expect(await verify()).toMatchObject({ position: 0, unsealed: 2 })
    portal.clock.advance(61 * MINUTE)
    await seal()
    expect(await verify()).toMatchObject({ ...INTACT, position: 2, unsealed: 0 })
  })

  test('survives crashes between rows and seals', async () => {
    await write(3)
    const crashed = createSealer({
      db: portal.database.db.withPlugin({
        transformQuery({ node }) {
          const written = JSON.stringify(node)
          if (written.includes('insert into trail_seals')) throw new Error('the process was killed')
          return node
        },
        transformResult: async ({ result }) => result,
      }),
    })
    await expect(crashed.runNow()).rejects.toThrow('the process was killed')
    expect(await verify()).toMatchObject({ ...INTACT, position: 0, unsealed: 3 })
    await recordAudit(context(), { action: 'types-set' })
    // The lease of the crashed one holds for nine seconds.
    await seal()
    expect(await verify()).toMatchObject({ position: 0 })
    portal.clock.advance(10_000)
    await seal()
    expect(await verify()).toMatchObject({ ...INTACT, entries: 4, unsealed: 0 })
  })

  test('holds while two replicas write and seal, and a row commits late', async () => {
    const people = await Promise.all(Array.from({ length: 20 }, () => addPerson(portal)))
    const sealers = [createSealer(), createSealer()]
    const writers = people.map(async (person) => {
      for (let index = 0; index < 5; index++) {
        await portal.database.db.transaction().execute(async (transaction) => {
          await recordAudit({ ...context(), db: transaction }, { action: 'types-set', target: person })
          await sql`select pg_sleep(${Math.random() / 50})`.execute(transaction)
        })
        await recordAccess(context(), { action: 'sign-in', userId: person.user_id })
      }
    })
    const sealing = (async () => {
      for (let turn = 0; turn < 10; turn++) {
        await Promise.all(sealers.map((sealer) => sealer.runNow()))
        portal.clock.advance(1000)
      }
    })()
    await Promise.all([...writers, sealing])
    for (const sealer of sealers) await sealer.stop()
    await seal()
    expect(await verify('audit')).toMatchObject({ ...INTACT, entries: 100, unsealed: 0 })
    expect(await verify('access')).toMatchObject({ ...INTACT, entries: 100, unsealed: 0 })
  })

  // The embedded database runs nothing beside a transaction.
  test.skipIf(kind === 'embedded')(
    'is not sealed with names that a deletion under way takes out',
    async () => {
      const { db } = portal.database
      const person = await addPerson(portal)
      await write(2, person)
      await recordAccess(context(), { action: 'report', userId: person.user_id })
      await db.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('profiles').where('user_id', '=', person.user_id).execute()
        await pseudonymizeRecords(transaction, [{ ...person, pseudonym: randomUUID() }])
        await seal()
        expect(await verify('audit')).toMatchObject({ position: 0, unsealed: 2 })
      })
      await seal()
      for (const [chain, entries] of [
        ['audit', 2],
        ['access', 1],
      ] as const)
        expect(await verify(chain)).toMatchObject({ ...INTACT, entries, erasures: 0, unsealed: 0 })
    },
  )

  test('takes a row that commits minutes late within the hour', async () => {
    const sealer = createSealer()
    const { rows } = await sql<{ id: number }>`
      select nextval('audit_entries_id_seq')::int as id`.execute(portal.database.db)
    const readSeals = async () =>
      (await portal.database.db.selectFrom('trail_seals').select('entry_id').execute()).map(
        (row) => row.entry_id,
      )
    await write(2)
    for (let pass = 0; pass < 6; pass++) {
      await sealer.runNow()
      portal.clock.advance(MINUTE * 0.45)
    }
    const late = { id: rows[0]?.id as number, action: 'types-set', at: new Date(portal.clock()) }
    await run(`insert into audit_entries (id, at, action) overriding system value
      values (${late.id}, '${late.at.toISOString()}', '${late.action}')`)
    // Without a pause, after which the sealer looks at everything anew.
    for (let pass = 0; pass < 150; pass++) {
      await sealer.runNow()
      portal.clock.advance(MINUTE * 0.45)
    }
    await sealer.stop()
    expect(await readSeals()).toContain(late.id)
    expect(await verify()).toMatchObject({ faults: 0 })
  })

  test('mails its newest hashes each day', async () => {
    const sealer = createSealer(portal.database, 'guarda@exemplo.com.br')
    // There is nothing to mail yet, which costs the first seals no day.
    await sealer.runNow()
    await portal.outbox.deliverDue()
    await write(2)
    await sealer.runNow()
    await sealer.runNow()
    await portal.outbox.deliverDue()
    expect(portal.mails.map(({ to }) => to)).toEqual(['guarda@exemplo.com.br'])
    const { anchor } = await verify()
    expect(portal.mails[0]?.text).toContain(anchor)
    const transport = createTransport({ streamTransport: true, buffer: true })
    const { message } = await transport.sendMail({ text: portal.mails[0]?.text })
    expect(findAnchors(String(message))).toEqual(findAnchors(anchor))
    portal.clock.advance(DAY)
    await sealer.runNow()
    await sealer.stop()
    await portal.outbox.deliverDue()
    expect(portal.mails).toHaveLength(2)
  })
})
