import type * as z from 'zod/mini'
import type { Schema } from '#contract/route.ts'

/** Copies the fields of a value that its schema lists. */
type Picker = (value: unknown) => unknown

/**
 * Compiles a response schema into a function that drops unlisted keys at any depth. It does not check
 * values, as types do that, except for objects in place of plain values.
 * @throws TypeError from the picker, for such an object
 */
export function compilePicker(schema: Schema): Picker {
  const { def } = (schema as unknown as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'enum':
    case 'literal':
      return pickPlain
    case 'nullable':
    case 'optional': {
      const pick = compilePicker(def.innerType as Schema)
      return (value) => (value === null || value === undefined ? value : pick(value))
    }
    case 'array': {
      const pick = compilePicker(def.element as Schema)
      return (value) => {
        const items = value as unknown[]
        return items.every(isPlain) ? items : items.map((item) => (isPlain(item) ? item : pick(item)))
      }
    }
    case 'object':
      return def.catchall ? (value) => schema.parse(value) : pickListed(def.shape)
    // Only full parsing tells which option of a union it is.
    default:
      return (value) => schema.parse(value)
  }
}

/** Avoids calling a picker for most values; a missing one may have a default. */
const isPlain = (value: unknown) => (typeof value !== 'object' && value !== undefined) || value === null

function pickPlain(value: unknown): unknown {
  if (isPlain(value) || value === undefined) return value
  throw new TypeError('an object stands where the response schema has a plain value')
}

function pickListed(shape: z.core.$ZodShape): Picker {
  const pickers = Object.entries(shape).map(
    ([name, schema]) => [name, compilePicker(schema as Schema)] as const,
  )
  return (value) => {
    const picked: Record<string, unknown> = {}
    for (const [name, pick] of pickers) {
      const field = (value as Record<string, unknown>)[name]
      picked[name] = isPlain(field) ? field : pick(field)
    }
    return picked
  }
}
