import { beforeAll, describe, expect, test } from 'vitest'
import { routeGroups } from '#contract/index.ts'
import { buildPath } from '#contract/route.ts'
import { addPerson, openTestSession } from '#server/testing/builders.ts'
import { expectProblem } from '#server/testing/expect-problem.ts'
import { type RawReply, sendRaw } from '#server/testing/send-raw.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

const ROUTES = Object.values(routeGroups).flatMap((group) => Object.values(group))
const PATHS = [...new Set(ROUTES.map((route) => route.path))]
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

const NOT_HTTP: Record<string, string> = {
  'a bare word': 'hello\r\n\r\n',
  'TLS instead of HTTP': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'an unknown method': 'NONSENSE /api/health/live HTTP/1.1\r\nHost: x\r\n\r\n',
  'no version': 'GET /api/health/live\r\n\r\n',
  'an impossible version': 'GET /api/health/live HTTP/9.9\r\nHost: x\r\n\r\n',
  'a space in the path': 'GET /api/health live HTTP/1.1\r\nHost: x\r\n\r\n',
  'a NUL in the path': 'GET /api/\0health HTTP/1.1\r\nHost: x\r\n\r\n',
  'a NUL in a header': 'GET /api/health/live HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n',
  'a header without a colon': 'GET /api/health/live HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n',
  'a header name with a space': 'GET /api/health/live HTTP/1.1\r\nHost: x\r\nContent-Length : 5\r\n\r\n',
  'no Host': 'GET /login HTTP/1.1\r\n\r\n',
  'no Host, with dot segments after a probe’s path': 'GET /api/health/../auth/challenge HTTP/1.0\r\n\r\n',
  'an invalid Host': 'GET /api/health/live HTTP/1.1\r\nHost: a/b c?d\r\n\r\n',
  'a negative length': 'POST /api/auth/verify HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n',
  'two lengths':
    'POST /api/auth/verify HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello',
  'length and chunks':
    'POST /api/auth/verify HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'an unknown transfer encoding':
    'POST /api/auth/verify HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\nx',
  'an unknown expectation':
    'POST /api/auth/verify HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nContent-Length: 0\r\n\r\n',
  'headers over 16 KiB': `GET /api/health/live HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
  'a path over 16 KiB': `GET /api/${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
}

describeOnEachDatabase('a bad request', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false })
  let token: string
  beforeAll(async () => {
    token = (await openTestSession(portal, await addPerson(portal, { role: 'admin' }))).access_token
  })

  const request = (method: string, target: string, headers: string[] = []) =>
    sendRaw(portal, [`${method} ${target} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n'))
  const bearer = () => `Authorization: Bearer ${token}`
  const problem = (reply: RawReply, what: string) => expectProblem(reply, what)

  test.each(Object.keys(NOT_HTTP))('that is not HTTP gets a problem response: %s', async (fault) => {
    const reply = await sendRaw(portal, Buffer.from(NOT_HTTP[fault] as string, 'latin1'))
    problem(reply, fault)
    expect(reply.headers['x-content-type-options']).toBe('nosniff')
  })

  test.each(['HTTP/1.0', 'HTTP/1.1', 'HTTP/1.1\r\nHost: '])(
    'is not a health check without Host: %j',
    async (version) => {
      for (const path of ['/api/health/live', '/api/health/ready'])
        expect(await sendRaw(portal, `GET ${path} ${version}\r\n\r\n`)).toMatchObject({ status: 200 })
    },
  )

  test('that ends within its body affects no other request', async () => {
    const head = 'POST /api/auth/verify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
    await sendRaw(portal, `${head}Content-Length: 500\r\n\r\n{"type":`, true).catch(() => undefined)
    await sendRaw(portal, `${head}Transfer-Encoding: chunked\r\n\r\nZZ\r\n`, true).catch(() => undefined)
    expect((await request('GET', '/api/health/live')).status).toBe(200)
  })

  test.each([
    '/api',
    '/api/',
    '/api/nothing',
    '/api/health/live/',
    '/api//health/live',
    '/API/health/live',
    '/demo/mailbox',
    '/api/health/../../etc/passwd',
    '/api/%2e%2e/%2e%2e/etc/passwd',
    '/api/health%2flive',
    '/api/health/live%00',
    '/api/%00',
    '/%00',
    '/%',
    '/api/%',
    '/api/%E0%A4%A',
    '/api/%ff%fe',
    '//',
    '/\\\\host',
    '/api/ação',
    '/nothing',
    '*',
    'http://[::1',
    'http://other.example/api/nothing',
    '/api/__proto__',
    '/api/constructor',
  ])('for the unknown target %s gets 4xx', async (target) => {
    const { code } = problem(await request('GET', target), target)
    expect(['not-found', 'invalid-input']).toContain(code)
  })

  test.each(PATHS)('with an unsupported method to %s gets 405 and the allowed ones', async (path) => {
    const allowed = ROUTES.filter((route) => route.path === path).map((route) => route.method)
    for (const method of METHODS.filter((each) => !(allowed as string[]).includes(each))) {
      const reply = await request(method, buildPath({ path }), [bearer(), 'Content-Length: 0'])
      expect(problem(reply, method).code).toBe('method-not-allowed')
      expect(reply.headers.allow?.split(', ').sort()).toEqual([...allowed].sort())
    }
  })

  test('answers HEAD like GET, without a body', async () => {
    for (const [path, status] of [
      ['/api/health/live', 200],
      ['/api/profiles/me', 401],
      ['/api/nothing', 404],
    ] as const) {
      const reply = await fetch(portal.url + path, { method: 'HEAD' })
      expect([reply.status, await reply.text()]).toEqual([status, ''])
    }
  })

  describe('with an invalid Authorization header', () => {
    test.each([
      'Bearer',
      'Bearer ',
      'Bearer  ',
      'bearer',
      'Basic YTpi',
      'Bearer null',
      'Bearer undefined',
      'Bearer ..',
      'Bearer a.b.c',
      `Bearer ${'x'.repeat(9000)}`,
      'Bearer çãõ.\xff.\x80',
      'Bearer {"alg":"none"}',
      'Token',
      ',',
      '""',
      'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.',
      'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4Iiwic2lkIjoieCJ9.AAAA',
    ])('%s is not authenticated', async (value) => {
      const reply = await request('GET', '/api/profiles/me', [`Authorization: ${value}`])
      expect(problem(reply, value).code).toBe('unauthenticated')
      expect(reply.headers['www-authenticate']).toBe('Bearer')
    })

    test('is not authenticated by a valid token with a suffix', async () => {
      for (const value of [
        `${token}x`,
        `${token}.`,
        `${token} x`,
        token.toUpperCase(),
        `${token.slice(0, -1)}`,
      ])
        problem(await request('GET', '/api/profiles/me', [`Authorization: Bearer ${value}`]), value)
      const inUrl = await request('GET', `/api/profiles/me?access_token=${token}`)
      expect(problem(inUrl, 'in the URL').status).toBe(401)
    })
  })

  test.each([
    '?scope',
    '?scope=',
    '?scope=all',
    '?scope=LOCAL',
    '?scope=local&scope=global',
    '?scope=local&sc%6fpe=local',
    '?scope=%00',
    '?scope=%',
    '?scope=%E0%A4%A',
    '?scope=local%00',
    '?scope[]=local&scope=nothing',
  ])('with the query %s is rejected before sessions end', async (query) => {
    const reply = await request('POST', `/api/auth/logout${query}`, [bearer(), 'Content-Length: 0'])
    expect(problem(reply, query).code).toBe('invalid-input')
    expect((await request('GET', '/api/profiles/me', [bearer()])).status).toBe(200)
  })
})
