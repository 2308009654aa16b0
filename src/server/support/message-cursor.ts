import * as z from 'zod'
import { ProblemError } from '#server/http/problem-error.ts'

/** The last message of a page: those that follow are older, or as old with a smaller id. */
export interface MessageCursor {
  /** With microseconds, which a Date does not hold: '2026-11-21T12:00:00.123456Z' */
  at: string
  id: string
}

/** An instant that exists, or the database would fail on it. */
const instant = z
  .string()
  .regex(/^[12]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  .refine((at) => {
    const ms = Date.parse(at)
    return !Number.isNaN(ms) && new Date(ms).toISOString().slice(0, 19) === at.slice(0, 19)
  })
const cursorSchema = z.tuple([instant, z.uuid()])

export function writeCursor({ at, id }: MessageCursor): string {
  return Buffer.from(`${at} ${id}`).toString('base64url')
}

/** @throws ProblemError invalid-input when it is none that writeCursor made */
export function readCursor(text: string): MessageCursor {
  const parsed = cursorSchema.safeParse(Buffer.from(text, 'base64url').toString().split(' '))
  if (!parsed.success)
    throw new ProblemError('invalid-input', { detail: 'O parâmetro cursor não tem a forma esperada.' })
  const [at, id] = parsed.data
  return { at, id }
}
