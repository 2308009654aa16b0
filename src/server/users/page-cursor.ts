import * as z from 'zod'
import { PROFILE_SORTS, type ProfileSort } from '#contract/users.ts'
import * as cursors from '#server/http/cursor.ts'

export interface PageOrder {
  sort: ProfileSort
  order: 'asc' | 'desc'
}

/** The row that a page ended with: its value of the sorted column as text, and its e-mail. */
export interface PageEnd {
  value: string | null
  email: string
}

/** It says its order, so that it cannot continue a list sorted otherwise. */
export function writeCursor({ sort, order }: PageOrder, { value, email }: PageEnd): string {
  return cursors.writeCursor([sort, order, value, email])
}

/** @throws ProblemError invalid-input when it was written for another order, or by somebody else */
export function readCursor({ sort, order }: PageOrder, cursor: string): PageEnd {
  const schema = z.tuple([z.literal(sort), z.literal(order), valueSchema(sort), z.string()])
  const [, , value, email] = cursors.readCursor(cursor, schema)
  return { value, email }
}

function valueSchema(sort: ProfileSort): z.ZodType<string | null> {
  if (sort === 'approved') return z.enum(['true', 'false'])
  const schema = INSTANTS.includes(sort) ? cursors.cursorInstantSchema : z.string()
  return NULLABLE.includes(sort) ? z.nullable(schema) : schema
}

const NULLABLE: readonly ProfileSort[] = ['full_name', 'email_verified_at', 'last_sign_in_at']
const INSTANTS: readonly ProfileSort[] = PROFILE_SORTS.filter((sort) => sort.endsWith('_at'))
