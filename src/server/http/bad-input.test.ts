import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { MAX_STATE_LENGTH } from '#contract/report-views.ts'
import { addPerson, openTestSession } from '#server/testing/builders.ts'
import { expectProblem } from '#server/testing/expect-problem.ts'
import { type Body, EXAMPLES, getRouteName, ROUTES, SOME_TEMPLATE } from '#server/testing/route-callers.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const json = JSON.stringify
const setText = (body: Body, change: (text: string, key: string) => unknown) =>
  Object.entries(body)
    .filter(([, value]) => typeof value === 'string')
    .map(([key, value]) => json({ ...body, [key]: change(value as string, key) }))
const setValue = (body: Body, value: unknown) =>
  Object.keys(body).map((key) => json({ ...body, [key]: value }))
const beginning = (body: Body) => json(body).slice(0, -1)

const BAD_BODIES: Record<string, (body: Body) => (string | Uint8Array)[]> = {
  'no JSON': (body) => [
    '',
    ' ',
    '{',
    '}',
    json(body).slice(0, -1),
    `${json(body)}{`,
    'NaN',
    "{'a':1}",
    '\ufeff{',
  ],
  'JSON that is no object': () => ['null', '[]', '[{}]', '"texto"', '42', 'true', '1e999'],
  'a field of another type': (body) => [42, true, { a: 1 }, [[1]]].flatMap((value) => setValue(body, value)),
  'a missing field': (body) => [json({}), ...('email' in body ? [json({ ...body, email: undefined })] : [])],
  'an unknown key': (body) => [
    json({ ...body, role: 'admin' }),
    `${beginning(body)},"__proto__":{"role":"admin"}}`,
    `${beginning(body)},"constructor":{"prototype":{}}}`,
    `${beginning(body)},"":1}`,
  ],
  'text that is too long': (body) =>
    setText(body, (_, key) => 'x'.repeat(key === 'state' ? MAX_STATE_LENGTH + 1 : 9000)),
  'a NUL': (body) => [...setText(body, (text) => `${text}\0`), `${beginning(body)},"a\\u0000":1}`],
  'half a surrogate pair': (body) => setText(body, (text) => `${text}\ud800`),
  'bytes that are not UTF-8': (body) => [
    ...setText(body, () => 'MARK').map((text) => Buffer.from(text.replace('MARK', 'a\xffb'), 'latin1')),
    Buffer.from(json(body), 'utf16le'),
  ],
  'nesting 10,000 deep': () => [
    '['.repeat(10_000),
    '{"a":'.repeat(3000),
    `${'['.repeat(8000)}${']'.repeat(8000)}`,
  ],
}
const BAD_TYPES = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']
const MORE_BAD_TYPES = ['application/jsonp', 'text/json', '*/*', ',application/json']

describeOnEachDatabase('bad input', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  let token: string
  beforeAll(async () => {
    token = (await openTestSession(portal, await addPerson(portal, { role: 'admin' }))).access_token
    const template = { id: SOME_TEMPLATE, name: 'Oficina', types: ['Oficina'], marcas: [], estados: [] }
    await portal.database.db.insertInto('access_templates').values(template).execute()
  })

  const sendBody = async (
    method: string,
    path: string,
    body: BodyInit | undefined,
    headers: Record<string, string> = {},
  ) => {
    const reply = await fetch(portal.url + path, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...headers },
      ...(body !== undefined && { body }),
      duplex: 'half',
    } as RequestInit)
    return { status: reply.status, contentType: reply.headers.get('content-type'), text: await reply.text() }
  }
  const isInputRefused = (text: string) =>
    /"invalid-input".*"fields"|malformed-json|unsupported-media-type/.test(text)

  describe.each(
    Object.entries(EXAMPLES).flatMap(([name, examples]) =>
      examples.map((example) => [name.split(' ')[0] as string, example.path, name, example] as const),
    ),
  )('%s %s', (method, path, name, { body }) => {
    const maxBytes = ROUTES.find((route) => getRouteName(route) === name)?.maxBodyBytes ?? 16 * 1024
    const post = (content: BodyInit | undefined, headers?: Record<string, string>) =>
      sendBody(method, path, content, headers)

    test('accepts the example', async () => {
      const { status, text } = await post(json(body))
      expect(isInputRefused(text), text).toBe(false)
      expect(status).toBeLessThan(500)
    })

    test.each(Object.keys(BAD_BODIES))('rejects %s', async (fault) => {
      for (const bad of BAD_BODIES[fault]?.(body) ?? []) {
        if (bad === json(body)) continue
        const { code } = expectProblem(await post(bad as BodyInit), String(bad).slice(0, 200))
        expect(['invalid-input', 'malformed-json'], String(bad).slice(0, 200)).toContain(code)
      }
    })

    test('rejects bodies over its limit, with Content-Length or chunked', async () => {
      for (const size of [maxBytes + 1, 4 * maxBytes]) {
        const large = `"${'x'.repeat(size - 2)}"`
        expect(expectProblem(await post(large), 'announced').code).toBe('body-too-large')
        const chunks = new Blob([large]).stream()
        expect(expectProblem(await post(chunks), 'in chunks').code).toBe('body-too-large')
      }
    })

    test('rejects other content types', async () => {
      for (const type of [...BAD_TYPES, ...MORE_BAD_TYPES]) {
        const reply = await post(json(body), { 'content-type': type })
        expect(expectProblem(reply, type).code).toBe('unsupported-media-type')
      }
      expectProblem(await post(undefined), 'no body')
      const packed = await post(gzipSync(json(body)), { 'content-encoding': 'gzip' })
      expect(expectProblem(packed, 'gzip').code).toBe('unsupported-media-type')
    })
  })

  test('answers no 500 to dates that no database has, in any field of a body or query', async () => {
    const cursor = (parts: unknown) => Buffer.from(json(parts)).toString('base64url')
    const moment = '0000-01-01T00:00:00.000000Z'
    const days = ['0000-01-01', '0000-01-01T00:00:00.000Z']
    const sorted = (order: string) => cursor(['created_at', order, moment, 'a'])
    const texts = [...days, cursor([moment, SOME_TEMPLATE]), sorted('asc'), sorted('desc'), `${moment}_a1`]
    const failed: string[] = []
    const check = async (method: string, path: string, body?: string) => {
      const { status } = await sendBody(method, path, body)
      if (status >= 500) failed.push(`${status} ${method} ${path} ${body ?? ''}`)
    }
    for (const [name, examples] of Object.entries(EXAMPLES))
      for (const { path, body } of examples)
        for (const day of days)
          for (const changed of setText(body, () => day))
            await check(name.split(' ')[0] as string, path, changed)
    const queries = ROUTES.filter((route) => route.method === 'GET' && route.query)
    for (const { path, query } of queries) {
      const { shape } = (query as unknown as { def: { shape: object } }).def
      const filled = path.replaceAll('{type}', 'vendas').replaceAll(/\{\w+\}/g, SOME_TEMPLATE)
      for (const key of Object.keys(shape))
        for (const text of texts)
          for (const more of 'sort' in shape
            ? [{ sort: 'created_at' }, { sort: 'created_at', order: 'desc' }]
            : [{}])
            await check('GET', `${filled}?${new URLSearchParams({ ...more, [key]: text })}`)
    }
    expect(failed).toEqual([])
  })
})
