import { createHmac } from 'node:crypto'
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { sql } from 'kysely'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { listTrailChecks } from '#server/doctor/check-trail.ts'
import { runChecks } from '#server/doctor/run-checks.ts'
import { createLog } from '#server/log.ts'
import { openAdmin } from '#server/testing/admin-calls.ts'
import { addPerson, send } from '#server/testing/builders.ts'
import { createCertificate } from '#server/testing/make-certificate.ts'
import { findFreePort } from '#server/testing/portal-process.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase, openEmptyDatabase } from '#server/testing/test-database.ts'
import { recordAudit } from './audit.ts'
import { recordRestore, restoreBackUp, writeBackUp } from './back-up.ts'
import { createTrailSealer } from './seal-trail.ts'
import { createStreamReceiver, createTrailSender, createWebhook, type Receiver } from './send-trail.ts'

const DAY = 24 * 60 * 60_000
const SECRET = 'a secret of the receiver, long enough'

type Answer = (request: IncomingMessage, response: ServerResponse) => void
interface Delivery {
  id: string
  time: string
  signature: string
  body: string
}

describeOnEachDatabase('sending the trail', (kind) => {
  const portal = setUpPortal({ kind })
  const request = { requestId: 'r', ip: '203.0.113.7', forwarded: 'none' as const, userAgent: 'Navegador' }

  beforeEach(async () => {
    await portal.database.db.transaction().execute(async (transaction) => {
      await sql`set local session_replication_role = replica`.execute(transaction)
      await sql`truncate audit_entries, access_records, trail_seals, trail_erasures, trail_cursors, job_claims`.execute(
        transaction,
      )
      await sql`update trail_chains set position = 0, checkpoint_position = 0`.execute(transaction)
    })
  })

  const services = () => ({ db: portal.database.db, log: createLog('silent'), clock: portal.clock })
  async function seal(): Promise<void> {
    const sealer = createTrailSealer(services())
    await sealer.runNow()
    await sealer.stop()
  }
  async function write(...actions: ('types-set' | 'role-changed')[]): Promise<void> {
    for (const action of actions)
      await recordAudit(
        { db: portal.database.db, clock: portal.clock, request },
        { action, before: { types: [] } },
      )
    await seal()
  }
  /** One turn of a replica's sender. */
  async function sendDue(receiver: Receiver): Promise<void> {
    const sender = createTrailSender(services(), receiver)
    await sender.runNow()
    await sender.stop()
  }
  const readCursor = () =>
    portal.database.db.selectFrom('trail_cursors').selectAll().where('chain', '=', 'audit').executeTakeFirst()

  /** Starts a receiver of batches. @param state.answer 204 by default */
  async function startReceiver(tls?: { cert: Buffer; key: Buffer }) {
    const deliveries: Delivery[] = []
    const state = { answer: ((_, response) => response.writeHead(204).end()) as Answer }
    const handle = async (asked: IncomingMessage, response: ServerResponse) => {
      const body = await text(asked)
      const read = (name: string) => String(asked.headers[name])
      deliveries.push({
        id: read('webhook-id'),
        time: read('webhook-timestamp'),
        signature: read('webhook-signature'),
        body,
      })
      state.answer(asked, response)
    }
    const server = tls ? createHttpsServer(tls, handle) : createHttpServer(handle)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const url = `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}/trail`
    const webhook = createWebhook({ url, secret: SECRET, timeoutMs: 500 })
    await sendDue(webhook)
    return { deliveries, state, webhook, url }
  }
  const readRows = (deliveries: Delivery[]) =>
    deliveries.flatMap(({ body }) =>
      body
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    )

  test('posts sealed rows in order, each once, signed over id, time and body', async () => {
    const { deliveries, webhook } = await startReceiver()
    await write('types-set', 'role-changed')
    await recordAudit({ ...services(), request }, { action: 'types-set' })
    await sendDue(webhook)
    await sendDue(webhook)
    expect(readRows(deliveries)).toMatchObject([
      {
        trail: 'audit',
        position: 1,
        kind: 'entry',
        action: 'types-set',
        ip: request.ip,
        before: { types: [] },
      },
      {
        trail: 'audit',
        position: 2,
        kind: 'entry',
        action: 'role-changed',
        hash: expect.stringMatching(/^.{64}$/),
      },
    ])
    const [{ id, time, signature, body } = {} as Delivery] = deliveries
    expect(deliveries).toHaveLength(1)
    expect(id).toMatch(/^audit-1-2-[0-9a-f]{8}$/)
    expect(Math.abs(Date.now() / 1000 - Number(time))).toBeLessThan(60)
    const expected = createHmac('sha256', SECRET).update(`${id}.${time}.${body}`).digest('base64')
    expect(signature).toBe(`v1,${expected}`)
  })

  test('sends more rows than a batch has', async () => {
    const { deliveries, webhook } = await startReceiver()
    await sql`insert into audit_entries (action) select 'types-set' from generate_series(1, 450)`.execute(
      portal.database.db,
    )
    await seal()
    await sendDue(webhook)
    expect(deliveries).toHaveLength(3)
    expect(readRows(deliveries).map(({ position }) => position)).toEqual(
      Array.from({ length: 450 }, (_, index) => index + 1),
    )
  })

  test.each<[string, Answer, string]>([
    ['fails', (_, response) => response.writeHead(500).end('no'), 'HTTP 500'],
    ['redirects', (_, response) => response.writeHead(307, { location: '/elsewhere' }).end(), 'HTTP 307'],
    ['is too slow', () => {}, 'ETIMEDOUT'],
    ['hangs up', (asked) => asked.socket.destroy(), 'UND_ERR_SOCKET'],
  ])('sends the same batch again to a receiver that %s', async (_, answer, cause) => {
    const { deliveries, state, webhook } = await startReceiver()
    const accept = state.answer
    state.answer = answer
    await write('types-set')
    await sendDue(webhook)
    expect(await readCursor()).toMatchObject({ position: 0, failures: 1, last_error: cause })
    await write('role-changed')
    await sendDue(webhook)
    expect(deliveries).toHaveLength(1)

    state.answer = accept
    portal.clock.advance(7_000)
    await sendDue(webhook)
    expect(deliveries.map(({ id }) => id.slice(0, 10))).toEqual(['audit-1-1-', 'audit-1-1-', 'audit-2-2-'])
    expect(deliveries[1]?.body).toBe(deliveries[0]?.body)
    expect(await readCursor()).toMatchObject({ position: 2, failures: 0, failed_at: null, last_error: null })
  })

  test('sends nothing to a receiver whose certificate is not trusted', async () => {
    const { folder, certificate, key } = createCertificate()
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const tls = { cert: readFileSync(certificate), key: readFileSync(key) }
    const { deliveries, webhook } = await startReceiver(tls)
    await write('types-set')
    await sendDue(webhook)
    expect(deliveries).toEqual([])
    expect(await readCursor()).toMatchObject({ position: 0, last_error: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  })

  test('loses nothing while the receiver is down for a day', async () => {
    const port = await findFreePort()
    const webhook = createWebhook({ url: `http://127.0.0.1:${port}/`, secret: SECRET })
    await sendDue(webhook)
    for (let hour = 0; hour < 24; hour++) {
      await write('types-set')
      await sendDue(webhook)
      portal.clock.advance(DAY / 24)
    }
    expect(await readCursor()).toMatchObject({ position: 0, failures: 24, last_error: 'ECONNREFUSED' })
    const rows: string[] = []
    const server = createHttpServer(async (asked, response) => {
      rows.push(...(await text(asked)).trim().split('\n'))
      response.writeHead(200).end()
    })
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    await sendDue(webhook)
    expect(rows.map((row) => JSON.parse(row).position)).toEqual(
      Array.from({ length: 24 }, (_, index) => index + 1),
    )
  })

  test('waits as long as the receiver asks for, an hour at most', async () => {
    const { deliveries, state, webhook } = await startReceiver()
    state.answer = (_, response) => response.writeHead(429, { 'retry-after': '86400' }).end()
    await write('types-set')
    await sendDue(webhook)
    portal.clock.advance(59 * 60_000)
    await sendDue(webhook)
    expect(deliveries).toHaveLength(1)
    portal.clock.advance(62_000)
    await sendDue(webhook)
    expect(deliveries).toHaveLength(2)
  })

  test('sends each row once from two replicas', async () => {
    const { deliveries, webhook } = await startReceiver()
    const senders = [createTrailSender(services(), webhook), createTrailSender(services(), webhook)]
    for (let turn = 0; turn < 5; turn++) {
      await write('types-set')
      await Promise.all(senders.map((sender) => sender.runNow()))
    }
    expect(readRows(deliveries).map(({ position }) => position)).toEqual([1, 2, 3, 4, 5])
    for (const sender of senders) await sender.stop()
  })

  /** Cuts the last rows off as whoever owns the database can, with their seals, and sets the head back. */
  const cut = (from: number) =>
    portal.database.db.transaction().execute(async (transaction) => {
      await sql`set local session_replication_role = replica`.execute(transaction)
      await sql`delete from audit_entries where id in (
        select entry_id from trail_seals where chain = 'audit' and position >= ${from})`.execute(transaction)
      await sql`delete from trail_seals where chain = 'audit' and position >= ${from}`.execute(transaction)
      await sql`update trail_chains h set position = s.position, hash = s.hash from trail_seals s
        where h.chain = 'audit' and s.chain = 'audit' and s.position = ${from - 1}`.execute(transaction)
    })
  const readBreaks = () =>
    portal.database.db
      .selectFrom('audit_entries')
      .select(['before', 'after', 'actor_id'])
      .where('action', '=', 'trail-broken')
      .execute()

  test.each([
    ['behind', 0],
    ['at the same place with another hash', 2],
    ['ahead with other seals', 5],
  ])('raises an alarm when the end was cut off and the head is %s', async (_, writtenSince) => {
    const { deliveries, webhook } = await startReceiver()
    await write('types-set', 'types-set', 'types-set', 'types-set')
    await sendDue(webhook)
    const hash = readRows(deliveries).at(-1)?.hash
    await cut(3)
    portal.clock.advance(60_000)
    for (let index = 0; index < writtenSince; index++) await write('role-changed')
    await sendDue(webhook)
    await seal()
    await sendDue(webhook)
    expect(await readBreaks()).toEqual([
      {
        before: { trail: 'audit', position: 4, hash },
        after: { position: 2, receiver: 'webhook' },
        actor_id: null,
      },
    ])
    // What was sealed since the cut is sent, though its positions were used before.
    const later = readRows(deliveries).slice(4)
    expect(later.map(({ position, action }) => [position, action])).toEqual([
      ...Array.from({ length: writtenSince }, (_, index) => [3 + index, 'role-changed']),
      [3 + writtenSince, 'trail-broken'],
    ])
    await sendDue(webhook)
    expect(await readBreaks()).toHaveLength(1)
  })

  test('raises no alarm after retention, deletions and failed attempts', async () => {
    const { db } = portal.database
    const { state, webhook } = await startReceiver()
    const accept = state.answer
    await write('types-set', 'types-set')
    await sendDue(webhook)
    const until = new Date(portal.clock() + DAY)
    await sql`select delete_old_trail('audit', ${until}, 100)`.execute(db)
    await sendDue(webhook)
    state.answer = (_, response) => response.writeHead(500).end()
    await write('role-changed')
    await sendDue(webhook)
    state.answer = accept
    await sql`select delete_old_trail('audit', ${new Date(portal.clock() + 60 * DAY)}, 100)`.execute(db)
    portal.clock.advance(DAY)
    await sendDue(webhook)
    await write('types-set')
    await sendDue(webhook)
    expect(await readCursor()).toMatchObject({ position: 4 })
    expect(await readBreaks()).toEqual([])
  })

  test('raises no alarm after a restore, which it tells the receiver', async () => {
    const { deliveries, webhook } = await startReceiver()
    await write('types-set', 'types-set')
    await sendDue(webhook)
    const folder = mkdtempSync(join(tmpdir(), 'patio-restore-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'copy')
    const lines = new PassThrough()
    const copied = pipeline(lines, createGzip(), createWriteStream(file))
    await Promise.all([writeBackUp(portal.database.db, lines), copied])
    await write('types-set', 'types-set')
    await sendDue(webhook)

    const target = await openEmptyDatabase(kind)
    onTestFinished(() => target.close())
    const restored = { ...services(), db: target.db }
    await recordRestore({ ...restored, request }, await restoreBackUp(target, file))
    for (const worker of [createTrailSealer(restored), createTrailSender(restored, webhook)]) {
      await worker.runNow()
      await worker.stop()
    }
    expect(readRows(deliveries).slice(4)).toMatchObject([
      { position: 3, action: 'database-restored', after: { audit: 2, access: 0 } },
    ])
    const checks = listTrailChecks(target.db, {
      trail: { hashMail: 'selos@example.com', isOnStdout: false, webhook: undefined },
    })
    expect(await runChecks(checks)).toMatchObject([{ grade: 'good' }, { grade: 'good' }])
  })

  test('tells the receiver which rows a deletion erased', async () => {
    const admin = await openAdmin(portal)
    const person = await addPerson(portal)
    const { deliveries, webhook } = await startReceiver()
    await recordAudit({ ...services(), request }, { action: 'types-set', target: person })
    await seal()
    await sendDue(webhook)
    const [sent] = readRows(deliveries)
    expect(sent).toMatchObject({ target_email: person.email })
    await send(portal, 'POST', '/api/functions/delete-users', {
      token: admin.token,
      body: { userIds: [person.user_id] },
    })
    await seal()
    await sendDue(webhook)
    expect(readRows(deliveries)).toContainEqual(
      expect.objectContaining({ kind: 'erasure', id: sent?.id, target_email: null, action: 'types-set' }),
    )
    expect(deliveries[1]?.body).not.toContain(person.email)
  })

  test('writes lines to standard output', async () => {
    const written: string[] = []
    const stream = new Writable({
      write(chunk, _, done) {
        written.push(String(chunk))
        done()
      },
    })
    await sendDue(createStreamReceiver(stream))
    await write('types-set')
    await sendDue(createStreamReceiver(stream))
    expect(written.join('')).toMatch(/^\{"trail":"audit","position":1,.*\}\n$/)
  })
})
