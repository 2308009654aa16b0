import type * as z from 'zod/mini'
import type { Schema } from '#contract/route.ts'

/** Copies of a value what its schema lists. */
type Picker = (value: unknown) => unknown

/**
 * Compiles a response schema into the function that cuts replies to it: keys that it does not list do not leave, at any
 * depth. Values are not checked, for types do that, but where the schema has a plain value there is no object.
 * @throws the picker does, for such an object
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
      return (value) => (value as unknown[]).map((item) => (isPlain(item) ? item : pick(item)))
    }
    case 'object':
      return def.catchall ? (value) => schema.parse(value) : pickListed(def.shape)
    // Which option of a union it is only the whole check tells.
    default:
      return (value) => schema.parse(value)
  }
}

/** Spares most values the call of a picker; what is left out may have a default. */
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
