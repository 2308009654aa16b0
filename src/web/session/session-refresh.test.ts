import { beforeEach, describe, expect, it, vi } from 'vitest'
import {
  installLocalStorage,
  makeSession,
  openTab,
  problem,
  stubFetch,
  waitForMessages,
} from '#web/testing/browser-parts.ts'

beforeEach(() => {
  vi.unstubAllGlobals()
  installLocalStorage()
})

describe('refreshSession', () => {
  it('exchanges the refresh token and announces it', async () => {
    const tab = await openTab()
    tab.adoptSession(makeSession(1))
    const requests = stubFetch(Response.json(makeSession(2)))
    expect((await tab.refreshSession())?.access_token).toBe('access-2')
    expect(requests).toEqual([
      {
        path: '/api/auth/token?grant_type=refresh_token',
        authorization: null,
        body: { refresh_token: 'refresh-1', access_token: 'access-1' },
      },
    ])
    expect(tab.getSession()?.refresh_token).toBe('refresh-2')
    expect(tab.events).toEqual(['SIGNED_IN', 'TOKEN_REFRESHED'])
  })

  it('sends the device token, and none to a replica of 0.2, which refuses it', async () => {
    const tab = await openTab()
    tab.adoptSession({ ...makeSession(1), device_token: 'device-of-ana' })
    const requests = stubFetch(problem(400, 'invalid-input'), Response.json(makeSession(2)))
    expect((await tab.refreshSession())?.access_token).toBe('access-2')
    expect(requests.map(({ body }) => body)).toEqual([
      { refresh_token: 'refresh-1', access_token: 'access-1', device_token: 'device-of-ana' },
      { refresh_token: 'refresh-1', access_token: 'access-1' },
    ])
  })

  it('sends one request when two tabs refresh at the same time', async () => {
    const [one, two] = [await openTab(), await openTab()]
    one.adoptSession(makeSession(1))
    const requests = stubFetch(async () => {
      await waitForMessages()
      return Response.json(makeSession(2))
    })
    const renewed = await Promise.all([one.refreshSession(), two.refreshSession()])
    expect(renewed.map((session) => session?.access_token)).toEqual(['access-2', 'access-2'])
    expect(requests).toHaveLength(1)
  })

  it('sends one request for two calls in one tab, without Web Locks too', async () => {
    vi.stubGlobal('navigator', {})
    vi.stubGlobal('BroadcastChannel', undefined)
    const tab = await openTab()
    tab.adoptSession(makeSession(1))
    const requests = stubFetch(Response.json(makeSession(2)))
    await Promise.all([tab.refreshSession(), tab.refreshSession()])
    expect(requests).toHaveLength(1)
  })

  it.each([400, 401, 403, 404])('signs out every tab on %i', async (status) => {
    const [one, two] = [await openTab(), await openTab()]
    one.adoptSession(makeSession(1))
    await waitForMessages()
    stubFetch(problem(status, 'invalid-refresh-token'))
    expect(await one.refreshSession()).toBeUndefined()
    await waitForMessages()
    expect(two.getSession()).toBeUndefined()
    expect(one.events.at(-1)).toBe('SIGNED_OUT')
    expect(two.events).toEqual(['SIGNED_IN', 'SIGNED_OUT'])
    // Each tab knows the reason.
    const end = { kind: 'refused', detail: 'detalhe de invalid-refresh-token' }
    expect([one.readSessionEnd(), two.readSessionEnd()]).toEqual([end, end])
  })

  it.each([
    ['429', problem(429, 'rate-limited')],
    ['408', problem(408, 'internal')],
    ['500', problem(500, 'internal')],
    ['503', new Response('<h1>down</h1>', { status: 503 })],
    ['no connection', new TypeError('fetch failed')],
  ])('keeps the session on %s', async (_, answer) => {
    const tab = await openTab()
    tab.adoptSession(makeSession(1))
    stubFetch(answer)
    await expect(tab.refreshSession()).rejects.toThrow()
    expect(tab.getSession()?.access_token).toBe('access-1')
    expect(tab.events).toEqual(['SIGNED_IN'])
  })

  it('does not restore a session that was signed out meanwhile', async () => {
    const tab = await openTab()
    tab.adoptSession(makeSession(1))
    stubFetch(() => {
      tab.clearSession()
      return Response.json(makeSession(2))
    })
    expect(await tab.refreshSession()).toBeUndefined()
    expect(tab.getSession()).toBeUndefined()
  })

  it('does not end a session that was refreshed elsewhere meanwhile', async () => {
    const tab = await openTab()
    tab.adoptSession(makeSession(1))
    stubFetch(() => {
      tab.storeSession(makeSession(2))
      return problem(400, 'invalid-refresh-token')
    })
    expect((await tab.refreshSession())?.access_token).toBe('access-2')
  })
})
