import { describe, expect, test } from 'vitest'
import type * as z from 'zod/mini'
import { routeGroups } from './index.ts'
import type { Schema } from './route.ts'
import { escapeJsonLine, MANY_LINES, ONE_LINE, toOneLine } from './text-rules.ts'

const HOSTILE = [...'\n\r\t\v\u0000\u0007\u001b\u007f\u0085\u009b\u00ad\u061c\u200b\u200d\u200e\u202a\u202e']
  .concat([...'\u2028\u2029\u2060\u2066\u2069\u3164\ufe0f\ufeff\u{e0041}\ud800'])
  .map((sign) => [`U+${sign.codePointAt(0)?.toString(16)}`, sign] as const)
const MOVING = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

describe('texts', () => {
  test.each(HOSTILE)('a line refuses %s, and its output replaces it', (_, sign) => {
    expect(`Ana${sign}Á`).not.toMatch(ONE_LINE)
    expect(toOneLine(`Ana${sign}Á`)).toMatch(/^Ana[ ⏎�]+Á$/)
    const text = `Ana${sign}Á`
    const line = escapeJsonLine(JSON.stringify({ text }))
    expect(line).not.toMatch(MOVING)
    expect(JSON.parse(line)).toEqual({ text })
  })

  test.each(['Ana Á', 'ação', 'Celular 📱', '👩‍💻 Ana', '❤️ Vendas', '🏳️‍🌈', '👍🏽', '☎︎ 3', 'אבג', '日本'])(
    'a line keeps %s as it is',
    (text) => {
      expect(text).toMatch(ONE_LINE)
      expect(toOneLine(text)).toBe(text)
    },
  )

  test('many lines have breaks and tabs, at most two breaks in a row, and nothing else', () => {
    expect('um\ndois\n\ntrês\t👩‍💻').toMatch(MANY_LINES)
    expect('um\n\n\ndois').not.toMatch(MANY_LINES)
    for (const [, sign] of HOSTILE.filter(([, each]) => !'\n\t'.includes(each)))
      expect(`um${sign}dois`).not.toMatch(MANY_LINES)
  })
})

/** Fields in which a text may hold anything, as nobody ever reads it. */
const UNREAD: Record<string, string> = {
  password: 'only its hash is kept',
  newPassword: 'only its hash is kept',
  data: 'auth-js sends it, and it is dropped',
  webauthn: 'an authenticator made it, and its signature is checked',
  credential: 'an authenticator made it, and its signature is checked',
  credential_response: 'an authenticator made it, and its signature is checked',
}
/** Texts that fields of different kinds accept, so that the sign alone can be the fault. */
const ACCEPTED = ['ab', 'a@b.br', '12', 'AAAA', '0f8a2c55-7b1d-4b52-9a3e-6d2f1c9b8e70', 'https://a.br/']
const LINES = new Set(['note', 'reason', 'message', 'addresses'])

/** Yields every text of a schema with its path; throws for kinds of schemas that it does not know. */
function* listTexts(schema: Schema, path: string): Generator<[path: string, schema: Schema]> {
  const { def } = (schema as unknown as z.core.$ZodTypes)._zod
  const name = path.replace(/^.*\./, '')
  if (Object.hasOwn(UNREAD, name)) return
  switch (def.type) {
    case 'string':
      return yield [path, schema]
    case 'object':
      // A loose object takes any text.
      if (def.catchall && def.catchall._zod.def.type !== 'never') yield [`${path}.*`, def.catchall as Schema]
      for (const [key, field] of Object.entries(def.shape))
        yield* listTexts(field as Schema, `${path}.${key}`)
      return
    case 'array':
      return yield* listTexts(def.element as Schema, path)
    case 'union':
      for (const option of def.options) yield* listTexts(option as Schema, path)
      return
    case 'optional':
    case 'nullable':
    case 'default':
      return yield* listTexts(def.innerType as Schema, path)
    case 'pipe':
      return yield* listTexts(def.in as Schema, path)
    case 'enum':
    case 'literal':
    case 'number':
    case 'boolean':
      return
    default:
      throw new Error(`${path}: say here what texts a schema of the kind '${def.type}' takes`)
  }
}

const texts = Object.values(routeGroups).flatMap((routes) =>
  Object.values(routes).flatMap(({ method, path, params, query, body }) =>
    Object.entries({ params, query, body }).flatMap(([part, schema]) =>
      schema ? [...listTexts(schema, `${method} ${path} ${part}`)] : [],
    ),
  ),
)

describe('every text that a route takes', () => {
  test('is found in parameters, queries and bodies', () => {
    const names = texts.map(([path]) => path)
    expect(names).toContain('POST /api/auth/factors body.friendly_name')
    expect(names).toContain('GET /api/audit query.person')
    expect(names).toContain('POST /api/access-reviews/{kind}/{code} params.code')
  })

  test.each(texts)('%s lets no sign through that nobody sees', (path, schema) => {
    const allowed = LINES.has(path.replace(/^.*\./, '')) ? /[\n\t]/g : /(?!)/g
    for (const accepted of ACCEPTED)
      for (const [sign, hostile] of HOSTILE) {
        const middle = Math.ceil(accepted.length / 2)
        const { data } = schema.safeParse(accepted.slice(0, middle) + hostile + accepted.slice(middle))
        expect(String(data ?? '').replace(allowed, ''), `${path} with ${sign}`).not.toMatch(MOVING)
      }
  })
})
