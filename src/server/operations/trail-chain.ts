import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'

/** One chain for each class of retention. */
export type Chain = 'audit' | 'access'

/** Changes with what a hash covers. */
const FORMAT = 'patio-trail-1'

interface Covered {
  table: string
  /** Beside id, at and action; all may name people. */
  fields: string[]
  /** A later field: a row without it has the same hash as before. */
  added?: string
}

export const CHAINS: Record<Chain, Covered> = {
  audit: {
    table: 'audit_entries',
    fields: [
      ...['actor_id', 'actor_email', 'target_id', 'target_email', 'before', 'after'],
      ...['ip', 'user_agent', 'request_id', 'batch_id'],
    ],
  },
  access: {
    table: 'access_records',
    fields: ['user_id', 'report_id', 'viewed_as', 'ip', 'user_agent', 'request_id'],
    added: 'method',
  },
}
export const CHAIN_NAMES = Object.keys(CHAINS) as Chain[]

/** A row as its hashes cover it. */
export interface CoveredRow {
  id: number
  /** µs since the epoch, which a Date does not hold. */
  at: number
  action: string
  /** JSON of all other fields as texts. */
  fields: string
}

export const toMicroseconds = (instant: RawBuilder<unknown>) =>
  sql<number>`(extract(epoch from ${instant}) * 1000000)::bigint`

/** Selects a row of the table `e` as its hashes cover it; the JSON does not depend on the driver. */
export function selectCovered(chain: Chain): RawBuilder<unknown> {
  const { fields, added } = CHAINS[chain]
  const toArray = (names: string[]) =>
    sql`json_build_array(${sql.join(names.map((name) => sql`e.${sql.ref(name)}::text`))})::text`
  const covered = added
    ? sql`case when e.${sql.ref(added)} is null then ${toArray(fields)} else ${toArray([...fields, added])} end`
    : toArray(fields)
  return sql`e.id, ${toMicroseconds(sql`e.at`)} as at, e.action, ${covered} as fields`
}

/** Commits to the personal fields: without the salt, nobody can try values. */
export const computeCommitment = (salt: Uint8Array, fields: string): Buffer =>
  createHash('sha256').update(salt).update(fields).digest()

export interface Seal {
  position: number
  kind: 'entry' | 'erasure'
  entryId: number
  /** µs since the epoch: of the entry, or when its names were taken out. */
  at: number
  action: string
  /** µs since the epoch. */
  sealedAt: number
  commitment: Uint8Array
}

/** Computes the hash of a seal, which covers the one before. */
export function computeHash(chain: Chain, previous: Uint8Array, seal: Seal): Buffer {
  const { position, kind, entryId, at, action, sealedAt, commitment } = seal
  const covered = [FORMAT, chain, position, kind, entryId, at, action, sealedAt, toHex(commitment)]
  return createHash('sha256').update(previous).update(JSON.stringify(covered)).digest()
}

export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** Formats 'audit:120:9f2c…', which verify-trail takes. */
export const formatAnchor = (chain: Chain, position: number, hash: Uint8Array): string =>
  `${chain}:${position}:${toHex(hash)}`
