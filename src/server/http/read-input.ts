import * as z from 'zod'
import type { Schema } from '#contract/route.ts'
import { ProblemError } from './problem-error.ts'

z.config(z.locales.pt())

/**
 * Parses one part of a request with its schema.
 * @throws ProblemError invalid-input with a Portuguese message per field
 */
export function parseInput(schema: Schema, value: unknown): unknown {
  assertStorable(value)
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const fields = result.error.issues.slice(0, 20).map((issue) => ({
    path: issue.path.join('.'),
    message: issue.message,
  }))
  throw new ProblemError('invalid-input', { ...(fields[0] && { detail: fields[0].message }), fields })
}

const MAX_DEPTH = 20
const MAX_DISCARDED_BYTES = 4 * 1024 * 1024

/**
 * Reads a JSON body and enforces its limits.
 * @throws ProblemError unsupported-media-type, body-too-large, malformed-json, invalid-input
 */
export async function readJsonBody(request: Request, maxBytes: number): Promise<unknown> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json\s*(;|$)/i.test(type)) throw new ProblemError('unsupported-media-type')
  if (!/^(identity)?$/i.test(request.headers.get('content-encoding') ?? ''))
    throw new ProblemError('unsupported-media-type', { detail: 'Envie os dados sem compressão.' })
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw new ProblemError('body-too-large')
  const text = await readText(request, maxBytes)
  assertMaxDepth(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new ProblemError('malformed-json')
  }
  assertStorable(value)
  return value
}

async function readText(request: Request, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength
      // Reads and discards excess data: an unread body would break the connection's next request.
      if (size > MAX_DISCARDED_BYTES) break
      if (size <= maxBytes) chunks.push(chunk)
    }
    if (size > maxBytes) throw new ProblemError('body-too-large')
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch (error) {
    if (error instanceof ProblemError) throw error
    // Invalid UTF-8, or the client disconnected.
    throw new ProblemError('malformed-json', { cause: error })
  }
}

/** Checks the nesting before parsing. */
function assertMaxDepth(text: string): void {
  let depth = 0
  let isInString = false
  for (let index = 0; index < text.length; index++) {
    const char = text[index]
    if (isInString) {
      if (char === '\\') index++
      else if (char === '"') isInString = false
    } else if (char === '"') isInString = true
    else if (char === '{' || char === '[') depth++
    else if (char === '}' || char === ']') depth--
    if (depth > MAX_DEPTH)
      throw new ProblemError('invalid-input', { detail: 'Os dados enviados têm níveis demais.' })
  }
}

/** PostgreSQL cannot store U+0000, and no field needs it. */
export function assertStorable(value: unknown): void {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed())
      throw new ProblemError('invalid-input', { detail: 'Os dados enviados contêm caracteres inválidos.' })
  } else if (value && typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) {
      assertStorable(key)
      assertStorable(item)
    }
  }
}
