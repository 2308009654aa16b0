import { sql } from 'kysely'
import type { Db } from '#server/database/schema.ts'
import { formatInstant } from '#server/mail/compose-mail.ts'
import {
  CHAINS,
  type Chain,
  type CoveredRow,
  computeCommitment,
  computeHash,
  formatAnchor,
  type Seal,
  selectCovered,
  toHex,
  toMicroseconds,
} from './trail-chain.ts'

const BATCH_ROWS = 2_000
/** Twice as long as the sealer looks back for rows that commit late. */
const MAX_LATE_MICROSECONDS = 600_000_000
const HOUR_MICROSECONDS = 3_600_000_000
/** All are counted, these are named. */
const MAX_NAMED = 20

/** The hash of a seal that was kept outside. */
export interface Anchor {
  chain: Chain
  position: number
  hash: string
}

/** Finds 'audit:120:9f2c…' in a text, as in saved mails, whose long lines are broken by '='. */
export function findAnchors(text: string): Anchor[] {
  const found = text.replace(/=\r?\n/g, '').matchAll(/\b(audit|access):(\d{1,15}):([0-9a-f]{64})\b/g)
  return Array.from(found, ([, chain, position, hash = '']) => ({
    chain: chain as Chain,
    position: Number(position),
    hash,
  }))
}

export interface ChainReport {
  /** Position of the last seal that retention removed. */
  checkpoint: number
  position: number
  /** The newest hash, to be kept outside. */
  anchor: string
  entries: number
  /** Sealed once more after a deletion took names out. */
  erasures: number
  /** Rows that the sealer has not reached. */
  unsealed: number
  faults: number
  /** The first faults, in Portuguese. */
  findings: string[]
  /** Seals from outside that differ only if they are younger than the copy of a restore. */
  restored: number
  /** What cannot be compared, in Portuguese. */
  notes: string[]
}

interface SealedRow extends Seal {
  salt: Uint8Array | null
  hash: Uint8Array
  /** Null when the row is gone. */
  id: number | null
  rowAt: number
  rowAction: string
  fields: string
  /** Whether a deletion took the salt: the entry is sealed once more, or waits for it. */
  isErased: boolean
}

/**
 * Verifies a chain against its rows, in batches. Call it in a repeatable read transaction.
 * @param anchors hashes of this chain that were kept outside
 */
export async function verifyChain(db: Db, chain: Chain, anchors: readonly Anchor[]): Promise<ChainReport> {
  const head = await db
    .selectFrom('trail_chains')
    .selectAll()
    .where('chain', '=', chain)
    .executeTakeFirstOrThrow()
  const report: ChainReport = {
    checkpoint: head.checkpoint_position,
    position: head.position,
    anchor: formatAnchor(chain, head.position, head.hash),
    entries: 0,
    erasures: 0,
    unsealed: 0,
    faults: 0,
    findings: [],
    restored: 0,
    notes: [],
  }
  const addFault = (text: string) => {
    report.faults += 1
    if (report.findings.length < MAX_NAMED) report.findings.push(text)
  }
  const kept = Map.groupBy(await addSent(db, chain, anchors), ({ position }) => position)
  const restores = await readRestores(db, chain)
  const addDifference = (position: number, text: string) => {
    const restore = restores.find((each) => each.position < position)
    if (!restore) return addFault(text)
    report.restored += 1
    report.notes.push(
      `o selo ${position}, guardado fora, só confere se é de antes da restauração de ${formatInstant(restore.at)}, que voltou ao selo ${restore.position}`,
    )
  }
  const compare = (position: number, hash: Uint8Array) => {
    const expected = kept.get(position) ?? []
    kept.delete(position)
    if (expected.some((anchor) => anchor.hash !== toHex(hash)))
      addDifference(
        position,
        `o selo ${position} não é mais o que foi guardado fora, ou enviado: a corrente foi refeita`,
      )
  }

  let position = head.checkpoint_position
  let hash = head.checkpoint_hash
  let latest = 0
  const hours = await readSealingHours(db)
  compare(position, hash)
  for (;;) {
    const rows = await readSealedRows(db, chain, position)
    for (const row of rows) {
      // Two hours, as the first sealing of a long trail goes through it for a while.
      while ((hours[0] ?? row.sealedAt) + 2 * HOUR_MICROSECONDS <= row.sealedAt)
        latest = Math.max(latest, hours.shift() as number)
      if (row.position !== position + 1)
        addFault(`faltam os selos ${position + 1} a ${row.position - 1}, com as suas linhas`)
      else if (toHex(computeHash(chain, hash, row)) !== toHex(row.hash))
        addFault(`o selo ${row.position} (${describeEntry(row)}) foi alterado ou está fora de ordem`)
      for (const fault of findRowFaults(row, latest)) addFault(fault)
      if (row.kind === 'entry') latest = Math.max(latest, row.at)
      report[row.kind === 'entry' ? 'entries' : 'erasures'] += 1
      position = row.position
      hash = row.hash
      compare(position, hash)
    }
    if (rows.length < BATCH_ROWS) break
  }
  if (position !== head.position || toHex(hash) !== toHex(head.hash))
    addFault(`o último selo devia ser o ${head.position}, e é o ${position}: o fim foi retirado ou alterado`)

  for (const [missing] of kept) {
    if (missing <= head.checkpoint_position)
      report.notes.push(
        `o selo ${missing}, guardado fora, já saiu com o prazo de guarda: não há com que comparar`,
      )
    else
      addDifference(
        missing,
        `o selo ${missing}, guardado fora ou enviado, não existe: o fim foi retirado, ou o banco é de uma cópia antiga`,
      )
  }
  await checkUnsealed(db, chain, latest, report, addFault)
  return report
}

/** Adds the seals that receivers got last. */
async function addSent(db: Db, chain: Chain, anchors: readonly Anchor[]): Promise<Anchor[]> {
  const sent = await db
    .selectFrom('trail_cursors')
    .select(['position', 'hash'])
    .where('chain', '=', chain)
    .execute()
  return [
    ...anchors,
    ...sent.flatMap(({ position, hash }) => (hash ? [{ chain, position, hash: toHex(hash) }] : [])),
  ]
}

/** @returns the restores on record, with the last seal of each copy */
async function readRestores(db: Db, chain: Chain): Promise<{ at: Date; position: number }[]> {
  const { rows } = await sql<{ at: Date; position: number }>`
    select at, (after ->> ${chain})::bigint as position from audit_entries
    where action = 'database-restored' order by at desc`.execute(db)
  return rows
}

/** @returns the hours in which rows of any chain were sealed, µs since the epoch */
async function readSealingHours(db: Db): Promise<number[]> {
  const { rows } = await sql<{ hour: number }>`
    select ${toMicroseconds(sql`hour`)} as hour
    from (select distinct date_trunc('hour', sealed_at) as hour from trail_seals) worked order by hour`.execute(
    db,
  )
  return rows.map(({ hour }) => hour)
}

async function readSealedRows(db: Db, chain: Chain, after: number): Promise<SealedRow[]> {
  const { rows } = await sql<SealedRow>`
    select s.position, s.kind, s.entry_id as "entryId", ${toMicroseconds(sql`s.at`)} as at, s.action,
      ${toMicroseconds(sql`s.sealed_at`)} as "sealedAt", s.salt, s.commitment, s.hash,
      row.id, row.at as "rowAt", row.action as "rowAction", row.fields,
      s.salt is null and (
        exists (select from trail_erasures r where r.chain = s.chain and r.entry_id = s.entry_id)
        or exists (select from trail_seals l
          where l.chain = s.chain and l.entry_id = s.entry_id and l.position > s.position)) as "isErased"
    from (select * from trail_seals where chain = ${chain} and position > ${after}
      order by position limit ${sql.lit(BATCH_ROWS)}) s
    left join lateral (
      select ${selectCovered(chain)} from ${sql.table(CHAINS[chain].table)} e where e.id = s.entry_id) row on true
    order by s.position`.execute(db)
  return rows
}

const formatTime = (microseconds: number) => new Date(microseconds / 1000).toISOString()
const describeEntry = (row: { entryId: number; action: string; at: number }) =>
  `linha ${row.entryId}, ${row.action}, ${formatTime(row.at)}`

/** @param latest time of the latest entry before it, µs since the epoch */
function findRowFaults(row: SealedRow, latest: number): string[] {
  const isEntry = row.kind === 'entry'
  // An entry whose first seal retention has removed is gone with it.
  if (row.id === null) return isEntry ? [`a ${describeEntry(row)} foi removida`] : []
  const faults: string[] = []
  const hasSameHead = !isEntry || row.rowAt === row.at
  const hasSameFields = row.salt
    ? toHex(computeCommitment(row.salt, row.fields)) === toHex(row.commitment)
    : row.isErased
  if (!hasSameHead || row.rowAction !== row.action || !hasSameFields)
    faults.push(`a ${describeEntry(row)} foi alterada`)
  if (isEntry && row.at < latest - MAX_LATE_MICROSECONDS)
    faults.push(`a ${describeEntry(row)} foi inserida depois: há linhas mais novas seladas antes dela`)
  return faults
}

/** Rows of the last moments have no seal; older ones were inserted. */
async function checkUnsealed(
  db: Db,
  chain: Chain,
  latest: number,
  report: ChainReport,
  addFault: (text: string) => void,
): Promise<void> {
  const { table } = CHAINS[chain]
  const unsealed = sql`select id from ${sql.table(table)}
    except select entry_id from trail_seals where chain = ${chain}`
  const { rows: counted } = await sql<{ count: number }>`
    select count(*) from (${unsealed}) waiting`.execute(db)
  report.unsealed = counted[0]?.count ?? 0
  if (report.unsealed === 0 || report.position === 0) return
  const { rows } = await sql<CoveredRow>`
    select ${selectCovered(chain)} from ${sql.table(table)} e where e.id in (${unsealed})
      and e.at < to_timestamp(${(latest - MAX_LATE_MICROSECONDS) / 1_000_000}::float8)
    order by e.id limit ${sql.lit(MAX_NAMED)}`.execute(db)
  for (const row of rows)
    addFault(
      `a ${describeEntry({ ...row, entryId: row.id })} foi inserida depois: há linhas mais novas já seladas`,
    )
}
