import { beforeEach, describe, expect, it, vi } from 'vitest'
import { installLocalStorage, makeSession, openTab, problem, stubFetch } from '#web/testing/browser-parts.ts'

const openLinks = async () => ({ ...(await openTab()), ...(await import('./mail-link.ts')) })

beforeEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
  installLocalStorage()
})

describe('mail links', () => {
  it('are parsed by the page of their type only', async () => {
    const { parseTokenHash } = await openLinks()
    expect(parseTokenHash('token_hash=abc&type=signup', 'signup')).toBe('abc')
    expect(parseTokenHash('token_hash=abc&type=recovery', 'signup')).toBeUndefined()
    expect(parseTokenHash('token_hash=abc&type=recovery', 'recovery')).toBe('abc')
    expect(parseTokenHash('token_hash=&type=signup', 'signup')).toBeUndefined()
    expect(parseTokenHash(undefined, 'signup')).toBeUndefined()
  })

  it('send the mark and the access token with a signup link, neither with a reset link', async () => {
    const { fetchLinkState, storeMark, storeSession } = await openLinks()
    storeSession(makeSession(1))
    storeMark('the-mark')
    const state = { email: 'ana@grupopatio.com.br', state: 'confirms' }
    const requests = stubFetch(Response.json(state), Response.json({ ...state, state: 'asks-password' }))
    expect(await fetchLinkState('signup', 'abc')).toEqual(state)
    await fetchLinkState('recovery', 'def')
    expect(requests).toEqual([
      {
        path: '/api/auth/verify?dryRun=true',
        authorization: 'Bearer access-1',
        body: { type: 'signup', token_hash: 'abc', mark: 'the-mark' },
      },
      {
        path: '/api/auth/verify?dryRun=true',
        authorization: null,
        body: { type: 'recovery', token_hash: 'def' },
      },
    ])
  })

  it('resolve to undefined when invalid and throw when they cannot be checked', async () => {
    const { fetchLinkState } = await openLinks()
    stubFetch(problem(400, 'invalid-link'), new TypeError('fetch failed'), problem(429, 'rate-limited'))
    expect(await fetchLinkState('signup', 'used')).toBeUndefined()
    await expect(fetchLinkState('signup', 'later')).rejects.toThrow()
    await expect(fetchLinkState('signup', 'later')).rejects.toThrow()
  })
})

describe('the confirmation mark of a sign-up', () => {
  it('expires after half an hour', async () => {
    vi.useFakeTimers()
    const { storeMark, readMark } = await openLinks()
    expect(readMark()).toBeUndefined()
    storeMark('the-mark')
    vi.advanceTimersByTime(30 * 60_000 - 1)
    expect(readMark()).toBe('the-mark')
    vi.advanceTimersByTime(1)
    expect(readMark()).toBeUndefined()
  })

  it('is removed on sign-in and sign-out', async () => {
    const { storeMark, readMark, adoptSession, endLocalSession } = await openLinks()
    storeMark('the-mark')
    adoptSession(makeSession(1))
    expect(readMark()).toBeUndefined()
    storeMark('the-mark')
    endLocalSession()
    expect(readMark()).toBeUndefined()
  })
})
