import { PROFILE_SORTS, type ProfileSort } from '#contract/users.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { assertClean } from '#server/http/read-body.ts'

export interface PageOrder {
  sort: ProfileSort
  order: 'asc' | 'desc'
}

/** The row that a page ended with: its value of the sorted column as text, and its e-mail. */
export interface PageEnd {
  value: string | null
  email: string
}

/** Opaque to the browser; it says its order, so that it cannot continue a list sorted otherwise. */
export function writeCursor({ sort, order }: PageOrder, { value, email }: PageEnd): string {
  return Buffer.from(JSON.stringify([sort, order, value, email])).toString('base64url')
}

/**
 * Reads what writeCursor wrote.
 * @throws ProblemError invalid-input when it was written for another order, or by somebody else
 */
export function readCursor({ sort, order }: PageOrder, cursor: string): PageEnd {
  const parts = parse(cursor)
  if (Array.isArray(parts) && parts.length === 4 && parts[0] === sort && parts[1] === order) {
    const [, , value, email] = parts
    if (typeof email === 'string' && isValueOf(sort, value)) return { value, email }
  }
  throw new ProblemError('invalid-input', {
    detail: 'A continuação da lista não serve para esta ordem. Recarregue a lista.',
    fields: [{ path: 'cursor', message: 'Continuação inválida' }],
  })
}

function parse(cursor: string): unknown {
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return undefined
  }
  assertClean(parts)
  return parts
}

function isValueOf(sort: ProfileSort, value: unknown): value is string | null {
  if (value === null) return NULLABLE.includes(sort)
  if (typeof value !== 'string') return false
  if (sort === 'approved') return value === 'true' || value === 'false'
  return INSTANTS.includes(sort) ? isInstant(value) : true
}

const NULLABLE: readonly ProfileSort[] = ['full_name', 'email_verified_at', 'last_sign_in_at']
const INSTANTS: readonly ProfileSort[] = PROFILE_SORTS.filter((sort) => sort.endsWith('_at'))

/** '2026-11-21T10:00:00.123456Z', a day that exists: the database refuses any other. */
function isInstant(value: string): boolean {
  const [, toMs] = /^([1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3})\d{3}Z$/.exec(value) ?? []
  const instant = new Date(`${toMs}Z`)
  return !Number.isNaN(instant.getTime()) && instant.toISOString() === `${toMs}Z`
}
