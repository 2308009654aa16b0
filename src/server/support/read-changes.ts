import type { Database } from '#server/database/database.ts'

/** How far a process has read. */
export interface Position {
  /** Every transaction below it has ended and been read. */
  watermark: bigint
  /** Changes that were read although their transaction is not below. */
  seen: ReadonlySet<number>
}

export interface ReadChanges {
  position: Position
  /** Which messages have changed since. */
  ids: string[]
  /** The newest change among them; 0 when there is none. */
  newest: number
}

const READ_WATERMARK = {
  name: 'read-message-watermark',
  text: 'select pg_snapshot_xmin(pg_current_snapshot())::text as watermark',
}

/**
 * Change ids are given out before their transactions commit, in any order: only below the oldest transaction that
 * runs is everything there. Both are read from one snapshot.
 */
const READ_CHANGES = {
  name: 'read-message-changes',
  text: `
    select pg_snapshot_xmin(pg_current_snapshot())::text as watermark, coalesce((
      select json_agg(json_build_array(id, message_id, xid::text) order by id)
      from support_message_changes where xid >= $1::xid8), '[]')::text as changes`,
}

/** A position from which nothing is missed that commits from now on, and nothing told that is there already. */
export async function readPosition(database: Database): Promise<Position> {
  const [row] = await database.runPrepared<{ watermark: string }>(READ_WATERMARK, [])
  const start = { watermark: BigInt(row?.watermark ?? 0), seen: new Set<number>() }
  return (await readChanges(database, start)).position
}

/** Reads on from a position. */
export async function readChanges(database: Database, from: Position): Promise<ReadChanges> {
  const [row] = await database.runPrepared<{ watermark: string; changes: string }>(READ_CHANGES, [
    from.watermark.toString(),
  ])
  const changes = JSON.parse(row?.changes ?? '[]') as [id: number, messageId: string, xid: string][]
  const watermark = BigInt(row?.watermark ?? from.watermark)
  const fresh = changes.filter(([id]) => !from.seen.has(id))
  return {
    position: {
      watermark,
      seen: new Set(changes.filter(([, , xid]) => BigInt(xid) >= watermark).map(([id]) => id)),
    },
    ids: [...new Set(fresh.map(([, messageId]) => messageId))],
    newest: fresh.at(-1)?.[0] ?? 0,
  }
}
