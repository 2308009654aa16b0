import fc from 'fast-check'

/** What zod writes of a schema, as far as the contract uses it. */
export interface JsonSchema {
  type?: string
  format?: string
  pattern?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  minimum?: number
  maximum?: number
}

/** Texts that have broken programs before. */
const NASTY = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\u202e',
  '%00',
  '../../etc/passwd',
  "' or 1=1 --",
  '"><script>alert(1)</script>',
  '{{7*7}}',
  'a\r\nSet-Cookie: a=b',
  '__proto__',
  'NaN',
  '-1',
  '1e999',
  '9'.repeat(40),
  'x'.repeat(5_000),
  '👩‍👩‍👧‍👦'.repeat(200),
]
const MOST_ITEMS = 12
const LONGEST_TEXT = 300

/** Any text, nasty ones among them. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ maxLength: 60, unit: 'binary' }),
  fc.constantFrom(...NASTY),
)

/**
 * Values that a schema takes, most of them; texts keep their lengths but not always their patterns.
 * @param knownIds ids of rows that exist, so that some requests find something
 */
export function arbitraryOf(schema: JsonSchema, knownIds: readonly string[]): fc.Arbitrary<unknown> {
  const of = (part: JsonSchema) => arbitraryOf(part, knownIds)
  const either = schema.anyOf ?? schema.oneOf
  if (either) return fc.oneof(...either.map(of))
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  switch (schema.type) {
    case 'string':
      return textOf(schema, knownIds)
    case 'integer':
    case 'number':
      return fc.integer({
        min: Math.max(schema.minimum ?? 0, -1e9),
        max: Math.min(schema.maximum ?? 1e6, 1e9),
      })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(of(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? MOST_ITEMS, MOST_ITEMS),
      })
    case 'object':
      return recordOf(schema, of)
    default:
      return fc.jsonValue({ maxDepth: 3 })
  }
}

function textOf(schema: JsonSchema, knownIds: readonly string[]): fc.Arbitrary<unknown> {
  if (schema.format === 'uuid')
    return fc.oneof(fc.uuid(), ...(knownIds.length > 0 ? [fc.constantFrom(...knownIds)] : []))
  if (schema.format === 'email')
    return fc.stringMatching(/^[a-z]{1,12}$/).map((name) => `${name}@grupopatio.com.br`)
  const most = Math.min(schema.maxLength ?? LONGEST_TEXT, LONGEST_TEXT)
  return fc.string({ minLength: Math.min(schema.minLength ?? 0, most), maxLength: most })
}

function recordOf(schema: JsonSchema, of: (part: JsonSchema) => fc.Arbitrary<unknown>) {
  const fields: Record<string, fc.Arbitrary<unknown>> = {}
  for (const [name, part] of Object.entries(schema.properties ?? {})) fields[name] = of(part)
  return fc.record(fields, { requiredKeys: schema.required ?? [] })
}

/** A value with one thing wrong: a key gone, added, or holding something else. */
export function broken(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const fault = fc.record({
    kind: fc.constantFrom('drop', 'add', 'replace'),
    at: fc.nat(20),
    key: fc.oneof(fc.constantFrom('__proto__', 'role', 'approved', 'id', 'constructor', ''), anyText),
    other: fc.oneof(fc.jsonValue({ maxDepth: 4 }), anyText),
  })
  return fc.tuple(value, fault).map(([whole, { kind, at, key, other }]) => {
    if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) return other
    const entries = Object.entries(whole)
    const index = entries.length > 0 ? at % entries.length : 0
    if (kind === 'drop') entries.splice(index, 1)
    else if (kind === 'add') entries.push([key, other])
    else if (entries[index]) entries[index] = [entries[index][0], other]
    // JSON.parse, unlike an assignment, makes `__proto__` an ordinary key.
    return JSON.parse(
      `{${entries.map(([name, part]) => `${JSON.stringify(name)}:${JSON.stringify(part ?? null)}`).join(',')}}`,
    )
  })
}
