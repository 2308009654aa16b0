import { sql } from 'kysely'
import type { Db } from '#server/database/schema.ts'

const WITHIN_MS = 2_000

export interface OutboxFigures {
  /** Mails that no server has taken yet. */
  unsent: number
  /** Seconds since the oldest of those that should have left was asked for; 0 without one. */
  oldestSeconds: number
}

/** @returns undefined when the database does not answer within 2 s: the other figures are wanted then most of all */
export async function readOutboxFigures(db: Db): Promise<OutboxFigures | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, WITHIN_MS, undefined)
  })
  return Promise.race([read(db).catch(() => undefined), late]).finally(() => clearTimeout(timer))
}

async function read(db: Db): Promise<OutboxFigures | undefined> {
  // A digest that is put off on purpose is not late.
  const { rows } = await sql<OutboxFigures>`
    select count(*)::int as unsent, coalesce(extract(epoch from now() - min(created_at)
      filter (where attempts > 0 or due_at <= now())), 0)::float8 as "oldestSeconds"
    from mail_outbox where sent_at is null`.execute(db)
  return rows[0]
}
