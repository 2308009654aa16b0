import { sql } from 'kysely'
import * as z from 'zod'
import { ProblemError } from './problem-error.ts'
import { assertStorable } from './read-input.ts'

/** Microsecond timestamp, '2026-11-21T10:00:00.123456Z'. Must exist, or the database fails. */
export const cursorInstantSchema = z
  .string()
  .regex(/^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  .refine((text) => {
    const instant = new Date(`${text.slice(0, 19)}Z`)
    return !Number.isNaN(instant.getTime()) && instant.toISOString().slice(0, 19) === text.slice(0, 19)
  })

/** Returns SQL that formats a column as such a timestamp. */
export const formatCursorInstant = (column: string) =>
  sql<string>`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/** Encodes the end of a page as an opaque cursor. */
export function encodeCursor(parts: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/**
 * Decodes a cursor of encodeCursor.
 * @param schema the cursor's contents
 * @throws ProblemError invalid-input if the cursor belongs to another list or version
 */
export function decodeCursor<S extends z.ZodType>(cursor: string, schema: S): z.output<S> {
  const parsed = schema.safeParse(parseCursor(cursor))
  if (parsed.success) return parsed.data
  throw new ProblemError('invalid-input', {
    detail: 'A continuação da lista não serve para esta ordem. Recarregue a lista.',
    fields: [{ path: 'cursor', message: 'Continuação inválida' }],
  })
}

function parseCursor(cursor: string): unknown {
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return undefined
  }
  assertStorable(parts)
  return parts
}
