import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import * as z from 'zod'
import type { QueryOf, ReplyOf } from '#contract/route.ts'
import { type ProfileSort, REVIEW_DAYS } from '#contract/user-rules.ts'
import type { userRoutes } from '#contract/users.ts'
import { rejectUnknownFilter } from '#server/catalogue/catalogue.ts'
import { executePrepared } from '#server/database/database.ts'
import type { Db, Tables } from '#server/database/schema.ts'
import type { PublicContext } from '#server/http/context.ts'
import { cursorInstantSchema, decodeCursor, encodeCursor, formatCursorInstant } from '#server/http/cursor.ts'
import { IS_REQUESTING, IS_WAITING, matchesFilter, presentManaged, selectManaged } from './user-queries.ts'

type Route = typeof userRoutes.listProfiles

const PAGE = 100
const DAY_MS = 86_400_000

interface SortColumn {
  /** The sort expression on `profiles p`; ties sort by email, nulls come last in both directions. */
  value: RawBuilder<unknown>
  type: 'text' | 'timestamptz' | 'boolean'
  /** Set only for nullable columns: `nulls last` prevents the use of the index. */
  isNullable?: true
  /** The value as text in a cursor, and its schema. */
  key: RawBuilder<string | null>
  keySchema: z.ZodType<string | null>
}

/** Sorts as the browser's Collator does, on both databases. */
const collatePortuguese = (column: string) => sql`p.${sql.ref(column)} collate "und-x-icu"`
const EMAIL = collatePortuguese('email')

const createTextColumn = (column: string): SortColumn => ({
  value: collatePortuguese(column),
  type: 'text',
  key: sql`p.${sql.ref(column)}`,
  keySchema: z.string(),
})

/** The key keeps the microseconds that PostgreSQL stores. */
const createInstantColumn = (column: string): SortColumn => ({
  value: sql`p.${sql.ref(column)}`,
  type: 'timestamptz',
  key: formatCursorInstant(`p.${column}`),
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
  // Ascending order starts with approved people.
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
 * Returns a page of the matching people, newest registration first by default.
 * @returns `next` is the cursor of the following page, null at the end
 * @throws ProblemError invalid-input for a cursor of another order, an unknown type, marca or estado
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
  await rejectUnknownFilter(db, filter)
  const matching = db
    .selectFrom('profiles as p')
    .where(matchesFilter(filter))
    .$if(cursor !== undefined, (query) => {
      const [, , key, email] = decodeCursor(cursor as string, cursorSchema)
      return query.where(isAfter(column, order, key, email))
    })
    .orderBy(orderBy)
    // Reads one more row to know whether there is a next page. Without parameters, the plan is kept.
    .limit(sql.lit(limit + 1))
  // With a filter, the best plan depends on its selectivity, and planning all columns takes longer than
  // reading them: only the short statement is planned again.
  const isFiltered = Object.keys(filter).length > 0
  const page = isFiltered
    ? db
        .selectFrom('profiles')
        .selectAll()
        .where('user_id', '=', await findIds(matching))
    : matching.selectAll()
  // Computes the output columns for the page only, not for every sorted row.
  const statement = selectManaged<{ key: string | null }>(
    page,
    sql`, ${column.key} as key`,
    sql`order by ${orderBy}`,
  ).compile(db)
  const isRepeated = isFiltered || limit === PAGE
  const { rows } = await (isRepeated ? executePrepared(db, statement) : db.executeQuery(statement))
  const items = rows.slice(0, limit).map(presentManaged)
  const [last, email] = [rows[limit - 1], items.at(-1)?.email]
  return { items, next: rows.length > limit ? encodeCursor([sort, order, last?.key, email]) : null }
}

/** Returns the ids as an expression that finds any of them. */
async function findIds(matching: SelectQueryBuilder<Tables & { p: Tables['profiles'] }, 'p', unknown>) {
  const found = await matching.select('p.user_id').execute()
  return sql<string>`any(${found.map(({ user_id }) => user_id)}::uuid[])`
}

/** Returns the keyset condition for rows after the last row of a page. */
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

/** Counts open invitations, areas with a report, and the areas and brands whose review is due. */
export async function countTasks({
  db,
  clock,
}: Pick<PublicContext, 'db' | 'clock'>): Promise<ReplyOf<typeof userRoutes.countTasks>> {
  const since = new Date(clock() - REVIEW_DAYS * DAY_MS)
  return db
    .selectFrom('catalogue_items as c')
    .where('archived', '=', false)
    .select([
      sql<number>`(select count(*)::int from invitations)`.as('invitations'),
      sql<number>`count(*) filter (where kind <> 'estados' and not exists (select from access_reviews r
        where r.kind = c.kind and r.code = c.code and r.reviewed_at > ${since}))::int`.as('reviews'),
      sql<number>`count(*) filter (where kind = 'types')::int`.as('areas'),
      sql<number>`count(*) filter (where kind = 'types' and exists (select from global_powerbi_settings s
        where s.type = c.code))::int`.as('withReport'),
    ])
    .executeTakeFirstOrThrow()
}

/** Counts the matching people; the other counts ignore the filter. */
export async function countUsers(
  db: Db,
  wanted: QueryOf<typeof userRoutes.countProfiles>,
): Promise<ReplyOf<typeof userRoutes.countProfiles>> {
  await rejectUnknownFilter(db, wanted)
  return db
    .selectFrom('profiles as p')
    .select([
      sql<number>`count(*) filter (where ${matchesFilter(wanted)})`.as('total'),
      sql<number>`count(*) filter (where not p.approved)`.as('pending'),
      sql<number>`count(*) filter (where ${IS_WAITING})`.as('waiting'),
      sql<number>`count(*) filter (where ${IS_REQUESTING})`.as('requests'),
    ])
    .executeTakeFirstOrThrow()
}
