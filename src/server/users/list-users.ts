import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import type { QueryOf, ReplyOf } from '#contract/route.ts'
import type { ProfileSort } from '#contract/user-rules.ts'
import type { userRoutes } from '#contract/users.ts'
import { refuseUnknownFilter } from '#server/catalogue/catalogue.ts'
import { prepare } from '#server/database/database.ts'
import type { Db } from '#server/database/schema.ts'
import { cursorInstant, cursorInstantSchema, readCursor, writeCursor } from '#server/http/cursor.ts'
import { IS_WAITING, matchesFilter, presentManaged, selectManaged } from './user-queries.ts'

type Route = typeof userRoutes.listProfiles

const PAGE = 100

interface SortColumn {
  /** What `profiles p` are sorted by; equals follow by e-mail, nulls come last either way. */
  value: RawBuilder<unknown>
  type: 'text' | 'timestamptz' | 'boolean'
  /** Saying `nulls last` of a column without nulls would keep its index from serving. */
  isNullable?: true
  /** The value as text that a cursor carries, and what it may be. */
  key: RawBuilder<string | null>
  keySchema: z.ZodType<string | null>
}

/** Portuguese order, the same on both databases and in the browser's Collator. */
const collatePortuguese = (column: string) => sql`p.${sql.ref(column)} collate "und-x-icu"`
const EMAIL = collatePortuguese('email')

const createTextColumn = (column: string): SortColumn => ({
  value: collatePortuguese(column),
  type: 'text',
  key: sql`p.${sql.ref(column)}`,
  keySchema: z.string(),
})

/** The key tells apart what is stored, microseconds. */
const createInstantColumn = (column: string): SortColumn => ({
  value: sql`p.${sql.ref(column)}`,
  type: 'timestamptz',
  key: cursorInstant(`p.${column}`),
  keySchema: cursorInstantSchema,
})

const toNullable = (column: SortColumn): SortColumn => ({
  ...column,
  isNullable: true,
  keySchema: z.nullable(column.keySchema),
})

const SORT_COLUMNS: Record<ProfileSort, SortColumn> = {
  email: createTextColumn('email'),
  full_name: toNullable(createTextColumn('full_name')),
  // Ascending, the approved come first.
  approved: {
    value: sql`(not p.approved)`,
    type: 'boolean',
    key: sql`(not p.approved)::text`,
    keySchema: z.enum(['true', 'false']),
  },
  email_verified_at: toNullable(createInstantColumn('email_verified_at')),
  created_at: createInstantColumn('created_at'),
  last_sign_in_at: toNullable(createInstantColumn('last_sign_in_at')),
}

/**
 * A page of the people who match, newest registration first unless sorted otherwise.
 * @returns next, the cursor of the following page, or null at the end
 * @throws ProblemError invalid-input when the cursor does not fit the order, or for an unknown type, marca or estado
 */
export async function listUsers(db: Db, wanted: QueryOf<Route>): Promise<ReplyOf<Route>> {
  const {
    sort = 'created_at',
    order = wanted.sort ? 'asc' : 'desc',
    cursor,
    limit = PAGE,
    ...filter
  } = wanted
  const column = SORT_COLUMNS[sort]
  const cursorSchema = z.tuple([z.literal(sort), z.literal(order), column.keySchema, z.string()])
  const orderBy = sql`${column.value} ${sql.raw(order)} ${column.isNullable ? sql`nulls last` : sql``}, ${EMAIL}`
  await refuseUnknownFilter(db, filter)
  const page = db
    .selectFrom('profiles as p')
    .selectAll()
    .where(matchesFilter(filter))
    .$if(cursor !== undefined, (query) => {
      const [, , key, email] = readCursor(cursor as string, cursorSchema)
      return query.where(isAfter(column, order, key, email))
    })
    .orderBy(orderBy)
    // One more than asked for tells whether there is a next page.
    .limit(limit + 1)
  // What leaves is made of the page alone, not of every row that is sorted.
  const statement = selectManaged<{ key: string | null }>(
    page,
    sql`, ${column.key} as key`,
    sql`order by ${orderBy}`,
  ).compile(db)
  // With a filter, the best plan depends on how many it lets through.
  if (Object.keys(filter).length === 0) prepare(statement.sql)
  const { rows } = await db.executeQuery(statement)
  const items = rows.slice(0, limit).map(presentManaged)
  const [last, email] = [rows[limit - 1], items.at(-1)?.email]
  return { items, next: rows.length > limit ? writeCursor([sort, order, last?.key, email]) : null }
}

/** What stands after the row that a page ended with. */
function isAfter(
  { value, type }: SortColumn,
  order: 'asc' | 'desc',
  key: string | null,
  email: string,
): RawBuilder<boolean> {
  if (key === null) return sql`(${value} is null and ${EMAIL} > ${email})`
  const last = sql`${key}::${sql.raw(type)}`
  const operator = sql.raw(order === 'asc' ? '>' : '<')
  return sql`(${value} ${operator} ${last} or ${value} is null or (${value} = ${last} and ${EMAIL} > ${email}))`
}

/** How many people match, and whatever the filter how many are not approved, and how many of those wait for it. */
export async function countUsers(
  db: Db,
  wanted: QueryOf<typeof userRoutes.countProfiles>,
): Promise<ReplyOf<typeof userRoutes.countProfiles>> {
  await refuseUnknownFilter(db, wanted)
  return db
    .selectFrom('profiles as p')
    .select([
      sql<number>`count(*) filter (where ${matchesFilter(wanted)})`.as('total'),
      sql<number>`count(*) filter (where not p.approved)`.as('pending'),
      sql<number>`count(*) filter (where ${IS_WAITING})`.as('waiting'),
    ])
    .executeTakeFirstOrThrow()
}
