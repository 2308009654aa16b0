import { randomBytes } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { isPreviousVersionActive } from '#server/accounts/second-factor.ts'
import { createLeasedWorker, type LeasedWorker, type WorkerServices } from '#server/database/leased-worker.ts'
import type { Db } from '#server/database/schema.ts'
import { formatInstant } from '#server/mail/compose-mail.ts'
import { type Mails, queueMail } from '#server/mail/mails.ts'
import { readFact, recordFact } from './portal-facts.ts'
import {
  CHAIN_NAMES,
  CHAINS,
  type Chain,
  type CoveredRow,
  computeCommitment,
  computeHash,
  formatAnchor,
  type Seal,
  selectCovered,
  toHex,
} from './trail-chain.ts'

/** Rare, because sealing holds up the embedded database just when who signed in waits for a report. */
const POLL_MS = 3_000
/** With the poll, a crash leaves rows unsealed for 10 s at most. */
const LEASE_MS = 7_000
/** Few round trips, while the embedded database still answers requests in between. */
const BATCH_ROWS = 1_000
/** Ids that one look for unsealed rows passes over. */
const SLICE = 5_000
/** A transaction that takes longer to commit is found by the next full pass, an hour later at most. */
const SETTLED_MS = 5 * 60_000
/** How often it asks whether a replica of 0.2 is at work. */
const PREVIOUS_VERSION_MS = 30_000
const FULL_PASS_MS = 60 * 60_000
const DAY_MS = 24 * 60 * 60_000
const SALT_BYTES = 16

interface SealerServices extends WorkerServices {
  /** Receives the newest hashes each day. */
  hashMail?: string | undefined
}

/** Creates the worker that seals the trail. */
export function createTrailSealer(services: SealerServices): LeasedWorker {
  const { db, clock, log } = services
  /** The highest id of earlier passes, oldest first. */
  let seen: { at: number; ids: Record<Chain, number> }[] = []
  let fullPassAt = Number.NEGATIVE_INFINITY
  let isAlone = false
  let askedAt = Number.NEGATIVE_INFINITY

  /** Returns the id up to which all rows are sealed. */
  function findStart(chain: Chain): number {
    const now = clock()
    if (now - (seen.at(-1)?.at ?? 0) > SETTLED_MS / 2) seen = []
    while ((seen[1]?.at ?? now) <= now - SETTLED_MS) seen.shift()
    const [oldest] = seen
    if (!oldest) return 0
    return oldest.at <= now - SETTLED_MS ? oldest.ids[chain] : oldest.ids[chain] - SLICE
  }

  return createLeasedWorker(services, {
    name: 'trail-sealer',
    leaseMs: LEASE_MS,
    pollMs: POLL_MS,
    async work(keep) {
      const now = clock()
      if (now - askedAt >= PREVIOUS_VERSION_MS) {
        const wasAlone = isAlone
        isAlone = !(await isPreviousVersionActive(db, now))
        if (wasAlone && !isAlone) log.warn('trail is not sealed while a replica of 0.2 is at work')
        askedAt = now
      }
      if (!isAlone) return
      const ids = { audit: 0, access: 0 }
      const isFullPass = now - fullPassAt >= FULL_PASS_MS
      if (isFullPass) seen = []
      for (const chain of CHAIN_NAMES) {
        ids[chain] = await readLastId(db, chain)
        let start: number | undefined = findStart(chain)
        do {
          if (!(await keep())) return
          start = await sealSlice(services, chain, start, Math.min(start + SLICE, ids[chain]))
          if (start === undefined) return
        } while (start < ids[chain])
      }
      if (isFullPass) fullPassAt = now
      seen.push({ at: now, ids })
      if (services.hashMail) await queueHashMail(services, services.hashMail)
    },
  })
}

async function readLastId(db: Db, chain: Chain): Promise<number> {
  const { rows } = await sql<{ id: number | null }>`
    select max(id) as id from ${sql.table(CHAINS[chain].table)}`.execute(db)
  return rows[0]?.id ?? 0
}

/**
 * Seals a batch of the rows with ids in (start, end], and those whose names were erased.
 * @returns the id up to which all rows are sealed; undefined while a deletion or retention is at work
 */
async function sealSlice(
  { db, clock }: SealerServices,
  chain: Chain,
  start: number,
  end: number,
): Promise<number | undefined> {
  const { table } = CHAINS[chain]
  // Linear in the ids whatever the planner knows; it would guess wrong while a table grows.
  const unsealed = sql`select id from ${sql.table(table)} where id > ${start} and id <= ${end}
    except select entry_id from trail_seals where chain = ${chain} and entry_id > ${start} and entry_id <= ${end}`
  const erased = sql`select entry_id from trail_erasures where chain = ${chain}`
  const { rows: found } = await sql<{ any: boolean }>`
    select exists (${unsealed}) or exists (${erased}) as any`.execute(db)
  if (!found[0]?.any) return end
  return db.transaction().execute(async (transaction) => {
    const head = await transaction
      .selectFrom('trail_chains')
      .select(['position', 'hash'])
      .where('chain', '=', chain)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst()
    if (!head) return undefined
    // Read under the lock: a deletion has either taken its names out, or finds the seal.
    const read = async (ids: RawBuilder<unknown>) => {
      const { rows } = await sql<CoveredRow>`
        select ${selectCovered(chain)} from ${sql.table(table)} e
        where e.id in (select id from (${ids}) wanted(id) order by id limit ${sql.lit(BATCH_ROWS)})
        order by e.id`.execute(transaction)
      return rows
    }
    const rows = await read(unsealed)
    const changed = await read(erased)
    // The database's clock has fractions, which neither the column nor its hash holds.
    const sealedAt = Math.floor(clock()) * 1000
    const added = [
      ...rows.map((row) => ({ kind: 'entry' as const, row, at: row.at })),
      ...changed.map((row) => ({ kind: 'erasure' as const, row, at: sealedAt })),
    ]
    let { position, hash } = head
    const seals = added.map(({ kind, row, at }) => {
      const salt = randomBytes(SALT_BYTES)
      const commitment = computeCommitment(salt, row.fields)
      position += 1
      const seal: Seal = { position, kind, entryId: row.id, at, action: row.action, sealedAt, commitment }
      hash = computeHash(chain, hash, seal)
      return { ...seal, salt: toHex(salt), commitment: toHex(commitment), hash: toHex(hash) }
    })
    await insertSeals(transaction, chain, seals)
    await transaction.updateTable('trail_chains').set({ position, hash }).where('chain', '=', chain).execute()
    await sql`delete from trail_erasures where chain = ${chain}
      and entry_id = any(${changed.map(({ id }) => id)}::bigint[])`.execute(transaction)
    return rows.length < BATCH_ROWS ? end : (rows.at(-1)?.id ?? end)
  })
}

/** One value instead of thousands, which both drivers write one by one. */
async function insertSeals(db: Db, chain: Chain, seals: object[]): Promise<void> {
  const instant = (name: string) => sql`to_timestamp(0) + ${sql.ref(name)} * interval '1 microsecond'`
  const bytes = (name: string) => sql`decode(${sql.ref(name)}, 'hex')`
  await sql`
    insert into trail_seals (chain, position, kind, entry_id, at, action, sealed_at, salt, commitment, hash)
    select ${chain}, position, kind, "entryId", ${instant('at')}, action, ${instant('sealedAt')},
      ${bytes('salt')}, ${bytes('commitment')}, ${bytes('hash')}
    from json_to_recordset(${JSON.stringify(seals)}::json) as seal(position bigint, kind text, "entryId" bigint,
      at bigint, action text, "sealedAt" bigint, salt text, commitment text, hash text)`.execute(db)
}

/** Queues the mail with the newest hashes once a day. */
async function queueHashMail({ db, clock }: SealerServices, recipient: string): Promise<void> {
  const now = clock()
  const last = await readFact(db, 'last-hash-mail')
  if (last && now - last.getTime() < DAY_MS) return
  const sealed = await db
    .selectFrom('trail_chains')
    .select('chain')
    .where('position', '>', 0)
    .executeTakeFirst()
  if (!sealed) return
  await db.transaction().execute(async (transaction) => {
    await recordFact(transaction, 'last-hash-mail', new Date(now))
    await queueMail({ db: transaction }, 'trail-hash', recipient)
  })
}

export const trailMails = {
  async 'trail-hash'({ db, clock, groupName, publicUrl }) {
    const heads = await db
      .selectFrom('trail_chains')
      .select(['chain', 'position', 'hash'])
      .where('position', '>', 0)
      .orderBy('chain', 'desc')
      .execute()
    if (heads.length === 0) return undefined
    const anchors = heads.map(({ chain, position, hash }) => formatAnchor(chain, position, hash))
    return {
      subject: `Selos da trilha do portal ${groupName}: ${formatInstant(new Date(clock()))}`,
      heading: 'Guarde estes selos fora do portal',
      paragraphs: [
        'Cada selo resume a trilha de auditoria, ou os registros de acesso, até este momento. Quem mudar o banco de dados depois não consegue mudar este e-mail.',
        'Para conferir, peça à equipe de TI que rode o comando verify-trail com os selos abaixo.',
      ],
      list: anchors,
      button: { label: 'Abrir o portal', link: publicUrl },
      notes: [
        'Este e-mail não contém dados de pessoas. Guarde-o enquanto a trilha precisar valer como prova.',
      ],
    }
  },
} satisfies Partial<Mails>
