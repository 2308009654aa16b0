import * as z from 'zod'
import type { Schema } from '#contract/route.ts'
import { ProblemError } from './problem-error.ts'
import { assertClean } from './read-body.ts'

z.config(z.locales.pt())

/**
 * Parses one part of a request by its schema.
 * @throws ProblemError invalid-input with a Portuguese sentence for each field
 */
export function parseInput(schema: Schema, value: unknown): unknown {
  assertClean(value)
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const fields = result.error.issues.slice(0, 20).map((issue) => ({
    path: issue.path.join('.'),
    message: issue.message,
  }))
  throw new ProblemError('invalid-input', { ...(fields[0] && { detail: fields[0].message }), fields })
}
