import fc from 'fast-check'
import * as z from 'zod'
import { pathWith, type Route, type Schema } from '#contract/route.ts'
import { anyText, arbitraryOf, broken, type JsonSchema } from './arbitrary-of-schema.ts'

/** Who asks; each is a session that the run has opened, and who watches over the portal, with a token of his own. */
const CALLERS = ['nobody', 'garbage', 'user', 'admin', 'recovery', 'forcedChange', 'operator'] as const
export type CallerName = (typeof CALLERS)[number]

export interface FuzzedRequest {
  method: string
  path: string
  caller: CallerName
  headers: Record<string, string>
  body: string | undefined
}

const jsonSchemaOf = (schema: Schema) =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema

/** Requests to one route: good ones, nearly good ones and garbage, by every kind of caller. */
export function requestsTo(route: Route, knownIds: readonly string[]): fc.Arbitrary<FuzzedRequest> {
  return fc.record({
    method: fc.constant(route.method),
    path: pathsOf(route, knownIds),
    caller: fc.oneof(
      { weight: 4, arbitrary: fc.constant<CallerName>(callerOf(route)) },
      { weight: 2, arbitrary: fc.constantFrom(...CALLERS) },
    ),
    headers: headersOf(route),
    body: route.method === 'GET' ? fc.constant(undefined) : bodiesOf(route.body, knownIds),
  })
}

/** The caller who gets past the door, so that most requests reach the code behind it. */
function callerOf({ access }: Route): CallerName {
  if (access === 'public') return 'nobody'
  return access === 'admin' || access === 'operator' ? access : 'user'
}

function pathsOf(route: Route, knownIds: readonly string[]): fc.Arbitrary<string> {
  const params = route.params ? arbitraryOf(jsonSchemaOf(route.params), knownIds) : fc.constant({})
  const query = route.query ? arbitraryOf(jsonSchemaOf(route.query), knownIds) : fc.constant({})
  const extra = fc.oneof(
    { weight: 6, arbitrary: fc.constant<[string, string][]>([]) },
    { weight: 1, arbitrary: fc.array(fc.tuple(anyText, anyText), { maxLength: 3 }) },
  )
  const anyParams = fc.oneof({ weight: 5, arbitrary: params }, { weight: 1, arbitrary: broken(params) })
  const anyQuery = fc.oneof({ weight: 4, arbitrary: query }, { weight: 2, arbitrary: broken(query) })
  return fc.tuple(anyParams, anyQuery, extra).map(([inPath, inQuery, more]) => {
    const path = pathWith(route, mapTexts(inPath))
    const search = new URLSearchParams([...Object.entries(mapTexts(inQuery)), ...more])
    return search.size > 0 ? `${path}?${search}` : path
  })
}

/** What stands in an address: text, well-formed, since no client can send another. */
function mapTexts(values: unknown): Record<string, string> {
  const entries = values && typeof values === 'object' ? Object.entries(values) : []
  // Not String(): a value may be an object with a toString of its own.
  const textOf = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
  return Object.fromEntries(
    entries.map(([name, value]) => [name.toWellFormed(), textOf(value).toWellFormed()]),
  )
}

function headersOf(route: Route): fc.Arbitrary<Record<string, string>> {
  const type = fc.oneof(
    { weight: 12, arbitrary: fc.constant('application/json') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('text/plain', 'application/json; charset=latin1', 'multipart/form-data', ''),
    },
  )
  const ifMatch = fc.constantFrom(undefined, '*', '"1"', '"none"', 'W/"1"', '""', '1')
  return fc.tuple(type, ifMatch).map(([contentType, tag]) => ({
    ...(route.method !== 'GET' && { 'content-type': contentType }),
    ...(route.conditional && tag !== undefined && { 'if-match': tag }),
  }))
}

function bodiesOf(schema: Schema | undefined, knownIds: readonly string[]): fc.Arbitrary<string | undefined> {
  if (!schema) return fc.oneof(fc.constant(undefined), fc.json())
  const good = arbitraryOf(jsonSchemaOf(schema), knownIds)
  const text = (value: fc.Arbitrary<unknown>) => value.map((each) => JSON.stringify(each) ?? '')
  return fc.oneof(
    { weight: 5, arbitrary: text(good) },
    { weight: 5, arbitrary: text(broken(good)) },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: anyText },
    { weight: 1, arbitrary: fc.tuple(text(good), fc.nat(40)).map(([whole, cut]) => whole.slice(0, -cut)) },
  )
}
