import * as z from 'zod/mini'
import { cleanLine, ONE_LINE, textMessages } from './text-rules.ts'

/** Creates the schema of a line that a program writes: an id, a token, a cursor. */
export const lineSchema = (max: number, min = 0) =>
  z.string().check(z.minLength(min), z.maxLength(max), z.regex(ONE_LINE, textMessages.unseen))

/** Words to search for. */
export const searchSchema = z.optional(z.string().check(z.overwrite(cleanLine), z.maxLength(100)))
