import { sql } from 'kysely'
import type { ManagedProfile, ProfileFilter } from '#contract/users.ts'
import type { Db } from '#server/database/schema.ts'

import { indexHints, matches } from './match-profiles.ts'
import { type PageOrder, readCursor, writeCursor } from './page-cursor.ts'
import { keyOf, type Part, partsOf, wholeOrder } from './profile-order.ts'
import { MANAGED_PROFILE_JSON } from './user-queries.ts'

export interface PageRequest extends PageOrder {
  filter: ProfileFilter
  cursor: string | undefined
  limit: number
}

interface Row {
  profile: ManagedProfile
  /** The value of the sorted column, for the cursor. */
  key: string | null
}

/** How many people are looked at along the order, to see whether many of them match. */
const FIRST_LOOK = 500
/**
 * How many are looked at at most, before those who match are gathered instead: about as many as take as long as that.
 * What a person may see stands in no index, so gathering by that alone looks at everybody.
 */
const EFFORT = 2_500
const EFFORT_WITHOUT_INDEX = 20_000
const EFFORT_PER_ROW = 6

/**
 * A page of the people who match, in Portuguese order, nulls last either way, equals by e-mail.
 * @returns next, the cursor of the following page, or null at the end
 * @throws ProblemError invalid-input when the cursor does not fit the order
 */
export async function listProfiles(
  db: Db,
  request: PageRequest,
): Promise<{ items: ManagedProfile[]; next: string | null }> {
  // One more than asked for tells whether there is a next page.
  const rows = await readRows(db, request, request.limit + 1)
  const page = rows.slice(0, request.limit)
  const last = rows.length > page.length ? page.at(-1) : undefined
  return {
    items: page.map(({ profile }) => profile),
    next: last ? writeCursor(request, { value: last.key, email: last.profile.email }) : null,
  }
}

async function readRows(db: Db, request: PageRequest, wanted: number): Promise<Row[]> {
  const after = request.cursor ? readCursor(request, request.cursor) : undefined
  let parts = partsOf(request, after, request.filter)
  const rows: Row[] = []
  while (parts.length > 0 && rows.length < wanted) {
    const missing = wanted - rows.length
    const [part, ...others] = parts as [Part, ...Part[]]
    const found = await readAlongOrder(db, request, part, missing)
    // What is searched for is looked up once, for all that is left; other filters are quicker part by part.
    const rest = request.filter.q ? parts : [part]
    rows.push(...(found ?? (await gather(db, request, rest, missing))))
    parts = found ? others : parts.slice(rest.length)
  }
  return rows
}

/**
 * Reads a part along its index and passes over those who do not match: quick unless few match, or all of them
 * stand far down.
 * @returns undefined when it was given up
 */
async function readAlongOrder(
  db: Db,
  request: PageRequest,
  part: Part,
  wanted: number,
): Promise<Row[] | undefined> {
  if (Object.keys(request.filter).length === 0) return look(db, request, part, wanted, wanted)
  const firstLook = Math.max(FIRST_LOOK, wanted)
  const first = await look(db, request, part, wanted, firstLook)
  if (first.length === wanted) return first
  const effort = effortFor(request.filter) + EFFORT_PER_ROW * wanted
  const isHopeless = first.length / firstLook < wanted / effort
  if (isHopeless) return (await isWithin(db, part, firstLook)) ? first : undefined
  const found = await db.transaction().execute(async (transaction) => {
    // Else the planner sorts a small table whole, because it does not know what comparing Portuguese texts costs.
    await sql`set local enable_sort = off`.execute(transaction)
    return look(transaction, request, part, wanted, effort)
  })
  return found.length === wanted || (await isWithin(db, part, effort)) ? found : undefined
}

/** The matches among the first `limit` people of a part. */
async function look(
  db: Db,
  { filter, sort }: PageRequest,
  { where, orderBy }: Part,
  wanted: number,
  limit: number,
): Promise<Row[]> {
  const { rows } = await sql<{ page: string }>`
    select json_agg(row)::text as page from (
      select ${rowOf(sort)} as row from (
        select p.* from profiles p where ${where} order by ${orderBy} limit ${sql.lit(limit)}
      ) p
      where ${matches(filter)} order by ${orderBy} limit ${sql.lit(wanted)}
    ) as page`.execute(db)
  return rowsOf(rows[0]?.page)
}

/** Whether a part holds fewer people than that: then all of them have been looked at. */
async function isWithin(db: Db, { where, orderBy }: Part, limit: number): Promise<boolean> {
  const { rows } = await sql<{ people: number }>`select count(*) as people from (
    select from profiles p where ${where} order by ${orderBy} limit ${sql.lit(limit)}) p`.execute(db)
  return (rows[0]?.people ?? 0) < limit
}

function effortFor({ q, type, marca, estado }: ProfileFilter): number {
  return !q && (type || marca || estado) ? EFFORT_WITHOUT_INDEX : EFFORT
}

/** Gathers all who match and sorts them: quick when they are few. */
async function gather(
  db: Db,
  { filter, ...order }: PageRequest,
  parts: readonly Part[],
  wanted: number,
): Promise<Row[]> {
  const isInPart = sql.join(
    parts.map(({ where }) => sql`(${where})`),
    sql` or `,
  )
  const { rows } = await sql<{ page: string }>`
    select json_agg(row)::text as page from (
      select ${rowOf(order.sort)} as row from (
        select p.* from profiles p where ${matches(filter)} and ${indexHints(filter)} and (${isInPart})
        -- keeps the planner from reading along the order after all
        offset 0
      ) p
      order by ${wholeOrder(order)} limit ${sql.lit(wanted)}
    ) as page`.execute(db)
  return rowsOf(rows[0]?.page)
}

const rowOf = (sort: PageOrder['sort']) =>
  sql`json_build_object('profile', ${sql.raw(MANAGED_PROFILE_JSON)}, 'key', ${keyOf(sort)})`

/** Rows that the database wrote as one text: many columns would take this process longer to read. */
const rowsOf = (page: string | null | undefined) => JSON.parse(page ?? '[]') as Row[]
