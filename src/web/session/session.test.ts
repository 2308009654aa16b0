import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { StoredSession } from '#web/session/session-store.ts'
import {
  installLocalStorage,
  makeSession,
  openTab,
  problem,
  stubFetch,
  waitForMessages,
} from '#web/testing/browser-parts.ts'

let storage: Map<string, string>

beforeEach(() => {
  vi.unstubAllGlobals()
  storage = installLocalStorage()
})

describe('the stored session', () => {
  it('holds ids, tokens and an expiry by this browser’s clock', async () => {
    const tab = await openTab()
    // The server's clock is an hour ahead.
    const session = makeSession(1)
    tab.adoptSession({ ...session, expires_at: session.expires_at + 3600 })
    const stored = JSON.parse(storage.get('patio.session') ?? '')
    expect(Object.keys(stored).sort()).toEqual(['access_token', 'expires_at', 'refresh_token', 'user'])
    expect(Math.abs(stored.expires_at - session.expires_at)).toBeLessThan(3)
  })

  it.each([-5, 0, 5])('expires in time when the clock is set by %i hours meanwhile', async (hours) => {
    const tab = await openTab()
    vi.useFakeTimers()
    tab.adoptSession(makeSession(1))
    vi.setSystemTime(Date.now() + hours * 3_600_000)
    vi.advanceTimersByTime(601_000)
    expect(tab.getSecondsLeft(tab.getSession() as StoredSession)).toBeLessThan(0)
    vi.useRealTimers()
  })

  it.each(['', 'null', '[]', '{', '{"access_token":"a"}', '"x"', '{"user":null}'])(
    'treats %j as no session',
    async (value) => {
      storage.set('patio.session', value)
      expect((await openTab()).getSession()).toBeUndefined()
    },
  )

  it('is the same object until it changes', async () => {
    const tab = await openTab()
    tab.adoptSession(makeSession(1))
    expect(tab.getSession()).toBe(tab.getSession())
  })

  it('lives in memory and is refreshed where the browser refuses storage and locks', async () => {
    const refuse = () => {
      throw new DOMException('denied', 'SecurityError')
    }
    vi.stubGlobal('localStorage', { getItem: refuse, setItem: refuse, removeItem: refuse })
    vi.stubGlobal('navigator', { locks: { request: async () => refuse() } })
    const tab = await openTab()
    tab.adoptSession(makeSession(1, { expiresIn: 30 }))
    expect(tab.getSession()?.access_token).toBe('access-1')
    stubFetch(Response.json(makeSession(2)))
    await tab.refreshSession()
    expect(tab.getSession()?.access_token).toBe('access-2')
    tab.clearSession()
    expect(tab.getSession()).toBeUndefined()
  })

  it('is the new one even when it cannot be stored', async () => {
    const tab = await openTab()
    tab.adoptSession(makeSession(1))
    vi.spyOn(storage, 'set').mockImplementation(() => {
      throw new DOMException('full', 'QuotaExceededError')
    })
    tab.adoptSession(makeSession(2))
    expect(tab.getSession()?.access_token).toBe('access-2')
  })
})

it('signIn sends the device token of the account, also after a sign-out', async () => {
  const tab = await openTab()
  const device_token = 'device-of-ana'
  const requests = stubFetch(
    Response.json({ ...makeSession(1), device_token }),
    new Response(null, { status: 204 }),
    Response.json(makeSession(2)),
    Response.json(makeSession(3)),
  )
  const signIn = (email: string) => tab.signIn({ email, password: 'certa' })
  await signIn('Ana@GrupoPatio.com.br')
  await tab.signOut()
  await signIn('ana@grupopatio.com.br')
  await signIn('outra@grupopatio.com.br')
  expect(requests.map(({ body }) => (body as { device_token?: string } | undefined)?.device_token)).toEqual([
    undefined,
    undefined,
    device_token,
    undefined,
  ])
})

describe('the device token in storage', () => {
  const listEmails = () => [...storage].flat().filter((text) => text.includes('@'))

  it('names nobody after a sign-out, and differs between browsers', async () => {
    const findKeys = async () => {
      storage = installLocalStorage()
      const tab = await openTab()
      tab.adoptSession({ ...makeSession(1), device_token: 'device-of-ana' })
      stubFetch(new Response(null, { status: 204 }))
      await tab.signOut()
      expect(listEmails()).toEqual([])
      return [...storage].filter(([, value]) => value === 'device-of-ana').map(([key]) => key)
    }
    const [one, other] = [await findKeys(), await findKeys()]
    expect([one.length, other.length]).toEqual([1, 1])
    expect(one).not.toEqual(other)
  })

  it('of 0.2 is moved when a page opens, and used', async () => {
    storage.set('patio.device.ana@grupopatio.com.br', 'device-of-ana')
    storage.set('patio.device.bruno@grupopatio.com.br', 'device-of-bruno')
    storage.set('patio.resend-until.bruno@grupopatio.com.br', '0')
    const tab = await openTab()
    expect(listEmails()).toEqual([])
    const requests = stubFetch(Response.json(makeSession(1)))
    await tab.signIn({ email: 'Ana@grupopatio.com.br', password: 'certa' })
    expect(requests[0]?.body).toMatchObject({ device_token: 'device-of-ana' })
  })
})

describe('onAuthStateChange in other tabs', () => {
  it('reports a sign-in, a change of person and a sign-out', async () => {
    const [one, two] = [await openTab(), await openTab()]
    one.adoptSession(makeSession(1))
    await waitForMessages()
    one.adoptSession(makeSession(2, { userId: 'bruno' }))
    await waitForMessages()
    stubFetch(new Response(null, { status: 204 }))
    await one.signOut()
    await waitForMessages()
    expect(two.events).toEqual(['SIGNED_IN', 'SIGNED_IN', 'SIGNED_OUT'])
  })

  it('reports that a sign-out was elsewhere, also after one in this tab', async () => {
    const [one, two] = [await openTab(), await openTab()]
    const ends: boolean[] = []
    one.onAuthStateChange((event, isElsewhere) => {
      if (event === 'SIGNED_OUT') ends.push(isElsewhere)
    })
    for (const tab of [one, two]) {
      two.adoptSession(makeSession(1))
      await waitForMessages()
      stubFetch(new Response(null, { status: 204 }))
      await tab.signOut()
      await waitForMessages()
    }
    expect(ends).toEqual([false, true])
  })

  it('receives no token', async () => {
    const messages: unknown[] = []
    const channel = new BroadcastChannel('patio.auth')
    channel.addEventListener('message', ({ data }) => messages.push(data))
    const tab = await openTab()
    tab.adoptSession(makeSession(1))
    await waitForMessages()
    channel.close()
    expect(messages).toEqual(['SIGNED_IN'])
  })

  it('trusts storage, not a message', async () => {
    const tab = await openTab()
    tab.adoptSession(makeSession(1))
    const channel = new BroadcastChannel('patio.auth')
    channel.postMessage('SIGNED_OUT')
    await waitForMessages()
    channel.close()
    expect(tab.events).toEqual(['SIGNED_IN'])
  })
})

describe('signOut', () => {
  it('ends the session at the server and locally', async () => {
    const tab = await openTab()
    tab.adoptSession(makeSession(1))
    const requests = stubFetch(new Response(null, { status: 204 }))
    await tab.signOut()
    expect(requests).toMatchObject([
      { path: '/api/auth/logout?scope=local', authorization: 'Bearer access-1' },
    ])
    expect(tab.getSession()).toBeUndefined()
    expect(tab.events).toEqual(['SIGNED_IN', 'SIGNED_OUT'])
  })

  it('emits SIGNED_OUT once when the session had already ended', async () => {
    const tab = await openTab()
    tab.adoptSession(makeSession(1))
    stubFetch(problem(401, 'unauthenticated'), problem(400, 'invalid-refresh-token'))
    await tab.signOut()
    expect(tab.getSession()).toBeUndefined()
    expect(tab.events).toEqual(['SIGNED_IN', 'SIGNED_OUT'])
  })

  it.each([
    ['offline', new TypeError('fetch failed')],
    ['the server fails', problem(500, 'internal')],
  ])('throws and keeps the session when %s', async (_, answer) => {
    const tab = await openTab()
    tab.adoptSession(makeSession(1))
    stubFetch(answer)
    await expect(tab.signOut()).rejects.toThrow()
    expect(tab.getSession()?.access_token).toBe('access-1')
  })

  it('ends the session locally after inactivity, even offline', async () => {
    const tab = await openTab()
    tab.adoptSession(makeSession(1))
    stubFetch(new TypeError('fetch failed'))
    await tab.signOut({ reason: 'inactivity' })
    expect(tab.getSession()).toBeUndefined()
  })
})
