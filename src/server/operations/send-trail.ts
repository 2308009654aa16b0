import { createHmac, randomUUID } from 'node:crypto'
import { sql, type Updateable } from 'kysely'
import { escapeJsonLine } from '#contract/text-rules.ts'
import { backoffDelay } from '#contract/timing.ts'
import {
  createLeasedWorker,
  type KeepLease,
  type LeasedWorker,
  type WorkerServices,
} from '#server/database/leased-worker.ts'
import type { Db, Tables } from '#server/database/schema.ts'
import { recordAudit } from './audit.ts'
import { CHAIN_NAMES, CHAINS, type Chain, toHex } from './trail-chain.ts'

/** Of it at least half is left before each batch, which is more than a receiver's time-out. */
const LEASE_MS = 30_000
const TIMEOUT_MS = 10_000
const BATCH_ROWS = 200
const BACKOFF = { firstMs: 5_000, maxMs: 300_000, jitterMs: 1_000 }
const MAX_RETRY_AFTER_MS = 3_600_000

/** Sealed rows in their order, as JSON lines. */
interface TrailBatch {
  /** The same in each attempt: 'audit-1-200-9f2c1be0', with the start of the last hash. */
  id: string
  lines: string
  /** Of its last seal. */
  hash: Uint8Array
  sealedAt: Date
}

/** Where sealed rows go outside the portal. */
export interface Receiver {
  name: 'stdout' | 'webhook'
  /** @throws Error if the batch did not arrive; its message holds neither secrets nor personal data */
  send(batch: TrailBatch, signal: AbortSignal): Promise<void>
}

class SendError extends Error {
  readonly retryAfterMs: number | undefined
  constructor(message: string, retryAfterMs?: number) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

/** Creates the receivers of the settings. @param trail may get another secret at runtime */
export function createReceivers(trail: {
  isOnStdout: boolean
  webhook: { url: string; secret: string } | undefined
}): Receiver[] {
  const { isOnStdout, webhook } = trail
  return [
    ...(isOnStdout ? [createStreamReceiver(process.stdout)] : []),
    ...(webhook ? [createWebhook(webhook)] : []),
  ]
}

/** Writes lines to a stream; one that nobody reads holds the next batch. */
export const createStreamReceiver = (stream: NodeJS.WritableStream): Receiver => ({
  name: 'stdout',
  send: ({ lines }) =>
    new Promise((resolve, reject) => {
      stream.write(lines, (error) => (error ? reject(error) : resolve()))
    }),
})

/**
 * Posts batches, signed as Standard Webhooks are: over id, time and body. Follows no redirect, which
 * could carry the rows elsewhere.
 */
export function createWebhook(options: { url: string; secret: string; timeoutMs?: number }): Receiver {
  const { url, timeoutMs = TIMEOUT_MS } = options
  return {
    name: 'webhook',
    async send({ id, lines }, signal) {
      const timestamp = Math.floor(Date.now() / 1000)
      const signature = createHmac('sha256', options.secret)
        .update(`${id}.${timestamp}.${lines}`)
        .digest('base64')
      const reply = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          'content-type': 'application/x-ndjson',
          'webhook-id': id,
          'webhook-timestamp': `${timestamp}`,
          'webhook-signature': `v1,${signature}`,
        },
        body: lines,
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      }).catch((error) => {
        const { name, cause } = error as { name?: string; cause?: { code?: string } }
        throw new SendError(cause?.code ?? (name === 'TimeoutError' ? 'ETIMEDOUT' : 'ECONNRESET'))
      })
      await reply.body?.cancel()
      const retryAfterMs = Number(reply.headers.get('retry-after')) * 1000 || 0
      if (!reply.ok) throw new SendError(`HTTP ${reply.status}`, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS))
    },
  }
}

/** Creates the worker that sends sealed rows to a receiver, at least once and in their order. */
export function createTrailSender(services: WorkerServices, receiver: Receiver): LeasedWorker {
  return createLeasedWorker(services, {
    name: `trail-${receiver.name}`,
    leaseMs: LEASE_MS,
    async work(keep, signal) {
      // Apart: one chain's trouble does not hold the other.
      for (const chain of CHAIN_NAMES) await sendChain(services, receiver, chain, keep, signal)
    },
  })
}

async function sendChain(
  services: WorkerServices,
  receiver: Receiver,
  chain: Chain,
  keep: KeepLease,
  signal: AbortSignal,
): Promise<void> {
  const { db, clock, log } = services
  const key = { receiver: receiver.name, chain }
  while (await keep()) {
    const cursor = await readCursor(db, key)
    const { newest } = cursor
    if (cursor.is_broken) {
      await recordBreak(services, key, cursor)
      continue
    }
    if (cursor.position >= newest || (cursor.due_at?.getTime() ?? 0) > clock()) return
    const end = cursor.sending_to ?? Math.min(cursor.position + BATCH_ROWS, newest)
    const update = (values: Updateable<Tables['trail_cursors']>) =>
      db
        .updateTable('trail_cursors')
        .set(values)
        .where('receiver', '=', key.receiver)
        .where('chain', '=', chain)
        // Never back: another replica may have sent it since.
        .where('position', '=', cursor.position)
        .execute()
    if (cursor.sending_to === null) await update({ sending_to: end })
    const batch = await readBatch(db, chain, cursor.position, end)
    try {
      if (batch) await receiver.send(batch, signal)
      else log.warn({ chain, from: cursor.position, to: end }, 'trail rows went before they were sent')
    } catch (error) {
      if (signal.aborted) return
      const { message, retryAfterMs } = error as SendError
      const failures = cursor.failures + 1
      const now = clock()
      const due_at = new Date(now + backoffDelay(failures, { ...BACKOFF, retryAfterMs }))
      await update({ failures, due_at, failed_at: cursor.failed_at ?? new Date(now), last_error: message })
      log.warn({ receiver: receiver.name, chain, failures, cause: message }, 'trail not sent')
      return
    }
    await update({
      position: end,
      hash: batch?.hash ?? null,
      sealed_at: batch?.sealedAt ?? null,
      sending_to: null,
      failures: 0,
      due_at: null,
      failed_at: null,
      last_error: null,
    })
  }
}

interface CursorKey {
  receiver: Receiver['name']
  chain: Chain
}
interface Cursor {
  position: number
  hash: Uint8Array | null
  sending_to: number | null
  failures: number
  due_at: Date | null
  failed_at: Date | null
  /** The chain's head. */
  newest: number
  /** Whether the last sent seal is gone or another; false where retention leaves nothing to compare. */
  is_broken: boolean
}

/** Returns how far a receiver has got; a new one begins with what is sealed from now on. */
async function readCursor(db: Db, { receiver, chain }: CursorKey): Promise<Cursor> {
  // One snapshot: another replica may send meanwhile.
  const read = async () => {
    const { rows } = await sql<Cursor>`
      select c.position, c.hash, c.sending_to, c.failures, c.due_at, c.failed_at, h.position as newest,
        coalesce(c.sending_to > h.position, false) or c.hash is not null
          and c.position >= h.checkpoint_position and c.hash is distinct from case c.position
            when h.checkpoint_position then h.checkpoint_hash else s.hash end as is_broken
      from trail_cursors c join trail_chains h on h.chain = c.chain
      left join trail_seals s on s.chain = c.chain and s.position = c.position and s.position <= h.position
      where c.receiver = ${receiver} and c.chain = ${chain}`.execute(db)
    return rows[0]
  }
  const known = await read()
  if (known) return known
  await sql`
    insert into trail_cursors (receiver, chain, position, hash, sealed_at)
    select ${receiver}, h.chain, h.position, s.hash, s.sealed_at from trail_chains h
    left join trail_seals s on s.chain = h.chain and s.position = h.position where h.chain = ${chain}
    on conflict do nothing`.execute(db)
  return (await read()) as Cursor
}

/** Raises the alarm that sent rows were cut off or replaced, and goes back to what was sealed since. */
async function recordBreak(
  { db, clock, log }: WorkerServices,
  { receiver, chain }: CursorKey,
  { position, hash }: Cursor,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ position: number }>`
      update trail_cursors c set position = s.position, hash = s.hash, sealed_at = s.sealed_at, sending_to = null
      from (select s.position, s.hash, s.sealed_at from trail_cursors c
          join trail_chains h on h.chain = c.chain
          join trail_seals s on s.chain = c.chain and s.position <= least(c.position, h.position)
            and s.sealed_at <= c.sealed_at
          where c.receiver = ${receiver} and c.chain = ${chain}
        union all select checkpoint_position, null, null from trail_chains where chain = ${chain}
        order by position desc limit 1) s
      where c.receiver = ${receiver} and c.chain = ${chain}
        and c.position = ${position} and c.hash is not distinct from ${hash}::bytea
      returning c.position`.execute(transaction)
    if (!rows[0]) return
    const request = { requestId: randomUUID(), ip: '', forwarded: 'none' as const, userAgent: '' }
    await recordAudit(
      { db: transaction, clock, request },
      {
        action: 'trail-broken',
        before: { trail: chain, position, hash: hash && toHex(hash) },
        after: { position: rows[0].position, receiver },
      },
    )
    log.error({ receiver, chain, position }, 'trail broken')
  })
}

interface SentRow {
  position: number
  kind: string
  id: number
  at: Date
  action: string
  sealed_at: Date
  hash: Uint8Array
  row: Record<string, unknown> | null
}

/** Reads the rows after `start` up to `end` as they are now; undefined when retention removed all. */
async function readBatch(db: Db, chain: Chain, start: number, end: number): Promise<TrailBatch | undefined> {
  const { table, fields, added } = CHAINS[chain]
  const columns = sql.join(
    [...fields, ...(added ? [added] : [])].flatMap((name) => [sql.lit(name), sql`e.${sql.ref(name)}`]),
  )
  const { rows } = await sql<SentRow>`
    select s.position, s.kind, s.entry_id as id, s.at, s.action, s.sealed_at, s.hash,
      case when e.id is not null then json_build_object(${columns}) end as row
    from trail_seals s left join ${sql.table(table)} e on e.id = s.entry_id
    where s.chain = ${chain} and s.position > ${start} and s.position <= ${end} order by s.position`.execute(
    db,
  )
  const last = rows.at(-1)
  if (!last) return undefined
  const lines = rows.map(({ row, hash, ...seal }) =>
    escapeJsonLine(JSON.stringify({ trail: chain, ...seal, ...row, hash: toHex(hash) })),
  )
  const id = `${chain}-${start + 1}-${end}-${toHex(last.hash).slice(0, 8)}`
  return { id, lines: `${lines.join('\n')}\n`, hash: last.hash, sealedAt: last.sealed_at }
}

const CURSOR_DELAY = sql`coalesce(extract(epoch from now() - (
  select s.sealed_at from trail_seals s where s.chain = c.chain and s.position > c.position
  order by s.position limit 1)), 0)`

/** How long the oldest row has waited for a receiver that was at work within the last day. */
export const SEND_DELAY = sql`(select max(${CURSOR_DELAY}) from trail_cursors c join job_claims j
  on j.name = 'trail-' || c.receiver and j.claimed_until > now() - interval '1 day')`

/** @returns how long the oldest row of each chain has waited for each receiver, longest first */
export async function readSendDelays(
  db: Db,
): Promise<{ receiver: string; seconds: number; last_error: string | null }[]> {
  const { rows } = await sql<{ receiver: string; seconds: number; last_error: string | null }>`
    select c.receiver, ${CURSOR_DELAY}::float8 as seconds, c.last_error
    from trail_cursors c order by seconds desc`.execute(db)
  return rows
}
