import { type RawBuilder, sql } from 'kysely'
import type { ProfileFilter, ProfileSort } from '#contract/users.ts'
import type { PageEnd, PageOrder } from './page-cursor.ts'

type Fragment = RawBuilder<unknown>

/** People who stand together in the order, and are read along one index. */
export interface Part {
  where: Fragment
  orderBy: Fragment
}

/** Portuguese order, the same on both databases and in the browser's Collator. The indexes name it too. */
const PORTUGUESE = sql`collate "und-x-icu"`
const EMAIL = sql`p.email ${PORTUGUESE}`

interface Column {
  /** What is sorted by, on `profiles p`; equals follow by e-mail. */
  expression: Fragment
  kind: 'text' | 'timestamptz'
  isNullable: boolean
}

/** The columns with many values; e-mail and approval are paged in ways of their own. */
const COLUMNS: Record<Exclude<ProfileSort, 'email' | 'approved'>, Column> = {
  full_name: { expression: sql`p.full_name ${PORTUGUESE}`, kind: 'text', isNullable: true },
  email_verified_at: { expression: sql`p.email_verified_at`, kind: 'timestamptz', isNullable: true },
  created_at: { expression: sql`p.created_at`, kind: 'timestamptz', isNullable: false },
  last_sign_in_at: { expression: sql`p.last_sign_in_at`, kind: 'timestamptz', isNullable: true },
}

/** A row's own value as text that a cursor can carry: instants to the microsecond, as they are stored. */
export function keyOf(sort: ProfileSort): Fragment {
  if (sort === 'email') return sql`p.email`
  if (sort === 'approved') return sql`p.approved::text`
  const { expression, kind } = COLUMNS[sort]
  const format = sql.lit('YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
  return kind === 'text' ? sql`p.full_name` : sql`to_char(${expression} at time zone 'UTC', ${format})`
}

/** The whole order: nulls last either way, ascending the approved first (SPEC section 2). */
export function wholeOrder({ sort, order }: PageOrder): Fragment {
  if (sort === 'email') return sql`${EMAIL} ${sql.raw(order)}`
  if (sort === 'approved') return sql`p.approved ${sql.raw(order === 'asc' ? 'desc' : 'asc')}, ${EMAIL}`
  return sql`${COLUMNS[sort].expression} ${sql.raw(order)} nulls last, ${EMAIL}`
}

/** What follows the end of the last page, or everything, in the order of the parts; without those that no match is in. */
export function partsOf(order: PageOrder, after: PageEnd | undefined, filter: ProfileFilter): Part[] {
  if (order.sort === 'email') return [{ where: afterEmail(after, order.order), orderBy: wholeOrder(order) }]
  if (order.sort === 'approved') return approvalParts(order.order, after, filter.approved)
  const { expression, kind, isNullable } = COLUMNS[order.sort]
  const isVerified = order.sort === 'email_verified_at' ? filter.verified : undefined
  const nulls = {
    where: sql`${expression} is null and ${afterEmail(after?.value === null ? after : undefined)}`,
    orderBy: EMAIL,
  }
  const atTheEnd = isNullable && isVerified !== true ? [nulls] : []
  if (isVerified === false || after?.value === null) return atTheEnd
  const orderBy = sql`${expression} ${sql.raw(order.order)}, ${EMAIL}`
  if (!after) return [{ where: sql`${expression} is not null`, orderBy }, ...atTheEnd]
  const value = sql`${after.value}::${sql.raw(kind)}`
  const beyond = sql.raw(order.order === 'asc' ? '>' : '<')
  return [
    { where: sql`${expression} = ${value} and ${afterEmail(after)}`, orderBy: EMAIL },
    { where: sql`${expression} ${beyond} ${value}`, orderBy },
    ...atTheEnd,
  ]
}

function approvalParts(order: 'asc' | 'desc', after: PageEnd | undefined, only: boolean | undefined): Part[] {
  const values = order === 'asc' ? [true, false] : [false, true]
  const current = after && after.value === 'true'
  return values
    .slice(current === undefined ? 0 : values.indexOf(current))
    .filter((value) => only === undefined || value === only)
    .map((value) => ({
      where: sql`p.approved = ${sql.lit(value)} and ${afterEmail(value === current ? after : undefined)}`,
      orderBy: EMAIL,
    }))
}

function afterEmail(after: PageEnd | undefined, order: 'asc' | 'desc' = 'asc'): Fragment {
  return after ? sql`${EMAIL} ${sql.raw(order === 'asc' ? '>' : '<')} ${after.email}` : sql`true`
}
