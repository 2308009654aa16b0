import { beforeEach, describe, expect, it, vi } from 'vitest'
import { answerWith, installLocalStorage, openTab, problem, sessionOf } from '#web/testing/browser-parts.ts'

const openLinks = async () => ({ ...(await openTab()), ...(await import('./mail-link.ts')) })

beforeEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
  installLocalStorage()
})

describe('a mailed link', () => {
  it('is taken by the page of its type only', async () => {
    const { readTokenHash } = await openLinks()
    expect(readTokenHash('token_hash=abc&type=signup', 'signup')).toBe('abc')
    expect(readTokenHash('token_hash=abc&type=recovery', 'signup')).toBeUndefined()
    expect(readTokenHash('token_hash=abc&type=recovery', 'recovery')).toBe('abc')
    expect(readTokenHash('token_hash=&type=signup', 'signup')).toBeUndefined()
    expect(readTokenHash(undefined, 'signup')).toBeUndefined()
  })

  it('is asked about with the mark and the session of this browser, a reset link with neither', async () => {
    const { askAboutLink, keepMark, storeSession } = await openLinks()
    storeSession(sessionOf(1))
    keepMark('the-mark')
    const state = { email: 'ana@grupopatio.com.br', state: 'confirms' }
    const requests = answerWith(Response.json(state), Response.json({ ...state, state: 'asks-password' }))
    expect(await askAboutLink('signup', 'abc')).toEqual(state)
    await askAboutLink('recovery', 'def')
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

  it('that is no longer good is told from one that cannot be asked about now', async () => {
    const { askAboutLink } = await openLinks()
    answerWith(problem(400, 'invalid-link'), new TypeError('fetch failed'), problem(429, 'rate-limited'))
    expect(await askAboutLink('signup', 'used')).toBeUndefined()
    await expect(askAboutLink('signup', 'later')).rejects.toThrow()
    await expect(askAboutLink('signup', 'later')).rejects.toThrow()
  })
})

describe('the mark of a sign-up', () => {
  it('is kept for half an hour', async () => {
    vi.useFakeTimers()
    const { keepMark, readMark } = await openLinks()
    expect(readMark()).toBeUndefined()
    keepMark('the-mark')
    vi.advanceTimersByTime(30 * 60_000 - 1)
    expect(readMark()).toBe('the-mark')
    vi.advanceTimersByTime(1)
    expect(readMark()).toBeUndefined()
  })

  it('is dropped when anybody signs in or out', async () => {
    const { keepMark, readMark, adoptSession, endLocalSession } = await openLinks()
    keepMark('the-mark')
    adoptSession(sessionOf(1))
    expect(readMark()).toBeUndefined()
    keepMark('the-mark')
    endLocalSession()
    expect(readMark()).toBeUndefined()
  })
})
