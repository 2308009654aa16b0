import { beforeEach, describe, expect, it, vi } from 'vitest'
import { installLocalStorage, makeSession, openTab, problem, stubFetch } from '#web/testing/browser-parts.ts'

const ok = () => Response.json({ role: 'admin' })

beforeEach(() => {
  vi.unstubAllGlobals()
  installLocalStorage()
})

describe('callApi', () => {
  it('sends the access token to protected routes only', async () => {
    const tab = await openTab()
    tab.adoptSession(makeSession(1))
    const requests = stubFetch(ok(), Response.json({ success: true }))
    expect(await tab.callApi('GET /api/user-roles/me')).toEqual({ role: 'admin' })
    await tab.callPublic('POST /api/functions/verify-recaptcha', { body: { token: 't' } })
    expect(requests.map(({ authorization }) => authorization)).toEqual(['Bearer access-1', null])
  })

  it('refreshes a session about to expire before the request', async () => {
    const tab = await openTab()
    tab.adoptSession(makeSession(1, { expiresIn: 59 }))
    const requests = stubFetch(Response.json(makeSession(2)), ok())
    await tab.callApi('GET /api/user-roles/me')
    expect(requests.map(({ authorization }) => authorization)).toEqual([null, 'Bearer access-2'])
  })

  it('uses the old token when the refresh fails and it is still valid', async () => {
    const tab = await openTab()
    tab.adoptSession(makeSession(1, { expiresIn: 30 }))
    const requests = stubFetch(problem(503, 'database-unavailable'), ok())
    await tab.callApi('GET /api/user-roles/me')
    expect(requests.at(-1)?.authorization).toBe('Bearer access-1')
  })

  it('refreshes the session and retries once after a 401', async () => {
    const tab = await openTab()
    tab.adoptSession(makeSession(1))
    const requests = stubFetch(problem(401, 'unauthenticated'), Response.json(makeSession(2)), ok())
    expect(await tab.callApi('GET /api/user-roles/me')).toEqual({ role: 'admin' })
    expect(requests.map(({ authorization }) => authorization)).toEqual([
      'Bearer access-1',
      null,
      'Bearer access-2',
    ])
  })

  it('asks for the password where the refreshed session needs a recent one', async () => {
    const tab = await openTab()
    tab.adoptSession(makeSession(1))
    const asked: string[] = []
    tab.onReauthenticationNeeded(async ({ access_token }) => {
      asked.push(access_token)
      return 'access-3'
    })
    const requests = stubFetch(
      problem(401, 'unauthenticated'),
      Response.json(makeSession(2)),
      problem(403, 'reauthentication-needed'),
      ok(),
    )
    expect(await tab.callApi('GET /api/user-roles/me')).toEqual({ role: 'admin' })
    expect(asked).toEqual(['access-2'])
    expect(requests.at(-1)?.authorization).toBe('Bearer access-3')
  })

  it('gives up after the second 401', async () => {
    const tab = await openTab()
    tab.adoptSession(makeSession(1))
    const requests = stubFetch(
      problem(401, 'unauthenticated'),
      Response.json(makeSession(2)),
      problem(401, 'unauthenticated'),
    )
    await expect(tab.callApi('GET /api/user-roles/me')).rejects.toMatchObject({ status: 401 })
    expect(requests).toHaveLength(3)
  })

  it('does not retry when another person has signed in meanwhile', async () => {
    const tab = await openTab()
    tab.adoptSession(makeSession(1))
    const requests = stubFetch(() => {
      tab.storeSession(makeSession(2, { userId: 'bruno' }))
      return problem(401, 'unauthenticated')
    })
    await expect(tab.callApi('GET /api/user-roles/me')).rejects.toMatchObject({ status: 401 })
    expect(requests).toHaveLength(1)
  })

  it('throws an ApiError with the problem’s detail and Retry-After', async () => {
    const tab = await openTab()
    stubFetch(problem(429, 'rate-limited', { 'retry-after': '30' }))
    const failure = tab.callPublic('GET /api/auth/challenge')
    await expect(failure).rejects.toBeInstanceOf(tab.ApiError)
    await expect(failure).rejects.toMatchObject({
      message: 'detalhe de rate-limited',
      status: 429,
      retryAfterSeconds: 30,
      problem: { code: 'rate-limited' },
    })
  })

  it.each([
    ['a failed reply', new Response('<html>', { status: 502 })],
    ['a reply that should be JSON', new Response('<html>')],
  ])('throws a generic ApiError for %s that is HTML', async (_, answer) => {
    const tab = await openTab()
    stubFetch(answer)
    await expect(tab.callPublic('GET /api/auth/challenge')).rejects.toMatchObject({
      name: 'ApiError',
      message: tab.GENERIC_FAILURE.detail,
    })
  })

  it('throws a NetworkError without a connection', async () => {
    const tab = await openTab()
    stubFetch(new TypeError('fetch failed'))
    await expect(tab.callPublic('GET /api/auth/challenge')).rejects.toThrow(
      'Sem conexão com o portal. Verifique sua internet e tente novamente.',
    )
  })

  it('rethrows the abort of the caller’s own signal', async () => {
    const tab = await openTab()
    const controller = new AbortController()
    stubFetch(() => {
      controller.abort()
      throw new DOMException('aborted', 'AbortError')
    })
    await expect(
      tab.callPublic('GET /api/auth/challenge', { signal: controller.signal }),
    ).rejects.toMatchObject({ name: 'AbortError' })
  })
})
