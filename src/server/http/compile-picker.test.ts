import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import type { Route, Schema } from '#contract/route.ts'
import { getRouteName, ROUTES } from '#server/testing/route-callers.ts'
import { compilePicker } from './compile-picker.ts'
import { type HttpEnv, implement } from './implement.ts'

const STRINGS: Record<string, string> = {
  datetime: '2026-11-23T10:00:00.000Z',
  date: '2026-11-23',
  uuid: '00000000-0000-4000-8000-000000000000',
}

/** Lists example values for a schema; `more` is added to each object as unlisted fields. */
function listExamples(schema: Schema, more: object): unknown[] {
  const { def } = (schema as unknown as z.core.$ZodTypes)._zod
  const inner = (of: z.core.$ZodType) => listExamples(of as Schema, more)
  if (def.type === 'string') {
    const checks = (def.checks ?? []).map((check) => check._zod.def)
    const formats = [def, ...checks].map((of) => (of as { format?: string }).format ?? '')
    return [formats.map((format) => STRINGS[format]).find(Boolean) ?? 'text']
  }
  if (def.type === 'number') return [1]
  if (def.type === 'boolean') return [true]
  if (def.type === 'literal') return [def.values[0]]
  if (def.type === 'enum') return Object.values(def.entries).slice(0, 1)
  if (def.type === 'nullable' || def.type === 'optional' || def.type === 'default')
    return inner(def.innerType)
  if (def.type === 'array') return [inner(def.element)]
  if (def.type === 'union') return def.options.flatMap(inner)
  if (def.type !== 'object') throw new Error(`no example of ${def.type}`)
  const fields = Object.entries(def.shape).map(([name, field]) => [name, inner(field)[0]])
  // A loose object accepts additional fields.
  return [{ ...Object.fromEntries(fields), ...(def.catchall ? {} : more) }]
}

/** Returns the response of a contract route when its handler returns `reply`. */
async function callHandler(route: Route, reply: unknown): Promise<unknown> {
  const app = new Hono<HttpEnv>()
  const { response, status = 200 } = route as Route & { response: Schema }
  const open = { method: 'GET', path: '/api/it', access: 'public', summary: '', response, status } as const
  const services = { db: undefined as never, clock: Date.now, authenticate: async () => undefined }
  implement(app, { ...services, isOperator: () => false }, { open }, { open: () => reply } as never)
  const answer = await app.request('/api/it', {}, { incoming: { complete: true }, outgoing: {} })
  expect(answer.status).toBe(status)
  return answer.json()
}

const REPLIES = ROUTES.flatMap((route) =>
  route.response
    ? listExamples(route.response, {}).map((_, index) => [getRouteName(route), index, route] as const)
    : [],
)

describe('a field outside the response schema', () => {
  test.each(REPLIES)('is removed from %s (%i)', async (_, index, route) => {
    const planted = { password_hash: 'planted', nested: { refresh_key: ['planted'] } }
    const [listed, more] = [{}, planted].map((extra) => listExamples(route.response as Schema, extra)[index])
    expect(await callHandler(route, more)).toEqual(listed)
  })
})

describe('a picker', () => {
  const pick = compilePicker(
    z.object({
      name: z.string(),
      tags: z.array(z.string()),
      owner: z.nullable(z.object({ id: z.number() })),
      note: z.optional(z.object({ text: z.string() })),
      count: z._default(z.number(), 0),
    }),
  )
  const whole = { name: 'Ana', tags: ['a'], owner: { id: 1 }, note: { text: 'x' }, count: 2 }

  test('copies listed fields and does not modify the value', () => {
    expect(pick(whole)).toEqual(whole)
    expect(pick({ ...whole, owner: null, note: undefined, count: undefined })).toEqual({
      name: 'Ana',
      tags: ['a'],
      owner: null,
      note: undefined,
      count: 0,
    })
  })

  test.each([
    ['an object', { ...whole, name: { hash: 'secret' } }],
    ['a list with an object', { ...whole, tags: [{ hash: 'secret' }] }],
    ['a date', { ...whole, name: new Date() }],
  ])('rejects %s in place of a plain value', (_, value) => {
    expect(() => pick(value)).toThrow('plain value')
  })

  test('throws for an invalid reply', () => {
    expect(() => pick(null)).toThrow()
  })
})
