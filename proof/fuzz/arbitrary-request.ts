import fc from 'fast-check'
import * as z from 'zod'
import { buildPath, type Route, type Schema } from '#contract/route.ts'

/** The subset of JSON Schema that zod emits for the contract. */
interface JsonSchema {
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

/** Strings known to break programs. */
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
/** SHA-256 in base64url. */
const HASH = 'A'.repeat(43)
/** The catalogue of a new portal, an unknown value and a hash: strings with a pattern are often these. */
const NAMES = ['Vendas', 'CRM', 'administrativo', 'vendas', 'crm', 'FIAT', 'VW', 'RJ', 'PR', 'BYD', HASH]
/** Fields for the human check's answer, which is JSON within a string. */
const ANSWER_FIELDS = ['captcha', 'captcha_token', 'token']
/** Import files, valid and invalid, for routes that take a file's bytes. */
const FILES = [
  'E-mail;Nome;Áreas\nana@grupopatio.com.br;Ana;Vendas\nx@gmail.com;;Compras',
  'rui@grupopatio.com.br,Rui,CRM\r\n"',
  '\ufeffE-mail\tUF\nlia@grupopatio.com.br\tRJ|ES',
  ';;;\n"";""\n@',
]
const MAX_ITEMS = 12
const MAX_TEXT_LENGTH = 300

/** Any string, including nasty ones. */
const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ maxLength: 60, unit: 'binary' }),
  fc.constantFrom(...NASTY),
)

/**
 * Creates mostly valid values of a schema; strings keep the lengths but not always the patterns.
 * @param knownIds ids of existing rows, so that some requests find something
 */
function createArbitrary(schema: JsonSchema, knownIds: readonly string[]): fc.Arbitrary<unknown> {
  const of = (part: JsonSchema) => createArbitrary(part, knownIds)
  const either = schema.anyOf ?? schema.oneOf
  if (either) return fc.oneof(...either.map(of))
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  switch (schema.type) {
    case 'string':
      return createText(schema, knownIds)
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
        maxLength: Math.min(schema.maxItems ?? MAX_ITEMS, MAX_ITEMS),
      })
    case 'object':
      return createRecord(schema, of)
    default:
      return fc.jsonValue({ maxDepth: 3 })
  }
}

function createText(schema: JsonSchema, knownIds: readonly string[]): fc.Arbitrary<unknown> {
  if (schema.format === 'uuid')
    return fc.oneof(fc.uuid(), ...(knownIds.length > 0 ? [fc.constantFrom(...knownIds)] : []))
  if (schema.format === 'email')
    return fc.stringMatching(/^[a-z]{1,12}$/).map((name) => `${name}@grupopatio.com.br`)
  if (schema.pattern?.startsWith('^[A-Za-z0-9+'))
    return fc
      .oneof(fc.uint8Array({ minLength: 1, maxLength: 300 }), fc.constantFrom(...FILES))
      .map((content) => Buffer.from(content as string).toString('base64'))
  const most = Math.min(schema.maxLength ?? MAX_TEXT_LENGTH, MAX_TEXT_LENGTH)
  const anything = fc.string({ minLength: Math.min(schema.minLength ?? 0, most), maxLength: most })
  const pattern = new RegExp(schema.pattern ?? '', 'u')
  const names = schema.pattern === undefined ? [] : NAMES.filter((name) => pattern.test(name))
  if (names.length === 0) return anything
  return fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: anything })
}

function createRecord(schema: JsonSchema, of: (part: JsonSchema) => fc.Arbitrary<unknown>) {
  const fields: Record<string, fc.Arbitrary<unknown>> = {}
  for (const [name, part] of Object.entries(schema.properties ?? {}))
    fields[name] = ANSWER_FIELDS.includes(name) ? fc.oneof(of(part), fuzzAnswers()) : of(part)
  return fc.record(fields, { requiredKeys: schema.required ?? [] })
}

/** Answers in the ALTCHA widget's format, with a fault in each of their parts. */
function fuzzAnswers(): fc.Arbitrary<string> {
  const whole = fc.constant<unknown>
  const parameters = mutate(whole({ algorithm: 'PBKDF2/SHA-256', cost: 1, nonce: '00', expiresAt: 4e9 }))
  const challenge = mutate(fc.record({ parameters, signature: whole('0'.repeat(64)) }))
  const solution = mutate(whole({ counter: 1, derivedKey: '00' }))
  return mutate(fc.record({ challenge, solution })).map((answer) =>
    Buffer.from(JSON.stringify(answer) ?? '').toString('base64'),
  )
}

/** Mutates a value in one place: a key removed, added, or with another value. */
export function mutate(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const fault = fc.record({
    kind: fc.constantFrom('drop', 'add', 'replace'),
    at: fc.nat(20),
    key: fc.oneof(fc.constantFrom('__proto__', 'role', 'approved', 'id', 'constructor', ''), anyText),
    other: fc.oneof(fc.jsonValue({ maxDepth: 4 }), anyText, fc.constant({ toString: 1, valueOf: 1 })),
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

/** The two addresses of a sign-in with Microsoft, which are outside the contract. */
export const MICROSOFT_ROUTES = [
  {
    method: 'GET',
    path: '/auth/microsoft',
    access: 'public',
    query: z.object({ mark: z.enum([HASH, `${HASH}A`]), ligar: z.optional(z.string()) }),
  },
  {
    method: 'GET',
    path: '/auth/microsoft/callback',
    access: 'public',
    query: z.object({ state: z.string(), code: z.optional(z.string()), error: z.optional(z.string()) }),
  },
] as unknown as Route[]
const COOKIE = 'patio-microsoft'

/** The callers: sessions opened by the run, and the monitoring token. */
const CALLERS = [
  'visitor',
  'garbage',
  'pending',
  'user',
  'admin',
  'recovery',
  'forcedChange',
  'firstStep',
  'bothSteps',
  'operator',
] as const
export type CallerName = (typeof CALLERS)[number]

export interface FuzzedRequest {
  method: string
  path: string
  caller: CallerName
  headers: Record<string, string>
  body: string | undefined
}

const toJsonSchema = (schema: Schema) =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema

/** Requests to one route: valid, nearly valid and garbage, from every kind of caller. */
export function createRequests(route: Route, knownIds: readonly string[]): fc.Arbitrary<FuzzedRequest> {
  // Else nearly no request would find a factor of its own caller.
  const ids = /\{(factor|passkey)Id\}/.test(route.path) ? knownIds.slice(0, 2) : knownIds
  return fc.record({
    method: fc.constant(route.method),
    path: anyPath(route, ids),
    caller: fc.oneof(
      { weight: 4, arbitrary: fc.constant<CallerName>(getAdmittedCaller(route)) },
      { weight: 2, arbitrary: fc.constantFrom(...CALLERS) },
    ),
    headers: anyHeaders(route),
    body: route.method === 'GET' ? fc.constant(undefined) : anyBody(route.body, knownIds),
  })
}

/** Returns the caller that the route admits, so that most requests reach its handler. */
function getAdmittedCaller({ access, path, alsoFor, recentAuthentication }: Route): CallerName {
  if (access === 'public') return 'visitor'
  if (path === '/api/access-requests/me') return 'pending'
  if (alsoFor?.includes('aal1') && !recentAuthentication) return 'firstStep'
  if (/^\/api\/auth\/(factors|passkeys)/.test(path)) return 'bothSteps'
  return access === 'admin' || access === 'operator' ? access : 'user'
}

function anyPath(route: Route, knownIds: readonly string[]): fc.Arbitrary<string> {
  const params = route.params ? createArbitrary(toJsonSchema(route.params), knownIds) : fc.constant({})
  const query = route.query ? createArbitrary(toJsonSchema(route.query), knownIds) : fc.constant({})
  const extra = fc.oneof(
    { weight: 6, arbitrary: fc.constant<[string, string][]>([]) },
    { weight: 1, arbitrary: fc.array(fc.tuple(anyText, anyText), { maxLength: 3 }) },
  )
  const anyParams = fc.oneof({ weight: 5, arbitrary: params }, { weight: 1, arbitrary: mutate(params) })
  const anyQuery = fc.oneof({ weight: 4, arbitrary: query }, { weight: 2, arbitrary: mutate(query) })
  return fc.tuple(anyParams, anyQuery, extra).map(([inPath, inQuery, more]) => {
    const path = buildPath(route, mapTexts(inPath))
    const search = new URLSearchParams([...Object.entries(mapTexts(inQuery)), ...more])
    return search.size > 0 ? `${path}?${search}` : path
  })
}

/** Converts values to well-formed strings of a URL, since clients cannot send others. */
function mapTexts(values: unknown): Record<string, string> {
  const entries = values && typeof values === 'object' ? Object.entries(values) : []
  // Not String(): a value may be an object with its own toString.
  const toText = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
  return Object.fromEntries(
    entries.map(([name, value]) => [name.toWellFormed(), toText(value).toWellFormed()]),
  )
}

function anyHeaders(route: Route): fc.Arbitrary<Record<string, string>> {
  const type = fc.oneof(
    { weight: 12, arbitrary: fc.constant('application/json') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('text/plain', 'application/json; charset=latin1', 'multipart/form-data', ''),
    },
  )
  const ifMatch = fc.constantFrom(undefined, '*', '"1"', '"none"', 'W/"1"', '""', '1')
  const cookie = fc
    .constantFrom(undefined, '', 'abc', 'A'.repeat(300), '%00;;=')
    .map((value) =>
      value === undefined || !MICROSOFT_ROUTES.includes(route) ? {} : { cookie: `${COOKIE}=${value}` },
    )
  const key = fc.constantFrom(undefined, 'curta', 'chave-de-um-teste', '"chave-de-um-teste"', 'x'.repeat(101))
  return fc.tuple(type, ifMatch, key, cookie).map(([contentType, tag, once, cookies]) => ({
    ...cookies,
    ...(route.method !== 'GET' && { 'content-type': contentType }),
    ...(route.conditional && tag !== undefined && { 'if-match': tag }),
    ...(route.idempotent && once !== undefined && { 'idempotency-key': once }),
  }))
}

function anyBody(schema: Schema | undefined, knownIds: readonly string[]): fc.Arbitrary<string | undefined> {
  if (!schema) return fc.oneof(fc.constant(undefined), fc.json())
  const good = createArbitrary(toJsonSchema(schema), knownIds)
  const text = (value: fc.Arbitrary<unknown>) => value.map((each) => JSON.stringify(each) ?? '')
  return fc.oneof(
    { weight: 5, arbitrary: text(good) },
    { weight: 5, arbitrary: text(mutate(good)) },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: anyText },
    { weight: 1, arbitrary: fc.tuple(text(good), fc.nat(40)).map(([whole, cut]) => whole.slice(0, -cut)) },
  )
}
