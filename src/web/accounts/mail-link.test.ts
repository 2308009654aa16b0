import { beforeEach, describe, expect, it, vi } from 'vitest'
import { answerWith, installLocalStorage, problem, sessionOf } from '#web/testing/browser-parts.ts'
import { readTokenHash, verifyEmailLink } from './mail-link.ts'

beforeEach(() => {
  vi.unstubAllGlobals()
  installLocalStorage()
})

describe('readTokenHash', () => {
  it('takes the token of a link of the type asked for only', () => {
    expect(readTokenHash('token_hash=abc&type=signup', 'signup')).toBe('abc')
    expect(readTokenHash('token_hash=abc&type=recovery', 'signup')).toBeUndefined()
    expect(readTokenHash('token_hash=abc&type=recovery', 'recovery')).toBe('abc')
    expect(readTokenHash('token_hash=&type=signup', 'signup')).toBeUndefined()
    expect(readTokenHash('', 'signup')).toBeUndefined()
  })
})

describe('verifyEmailLink', () => {
  it('posts a link once, however often it is asked', async () => {
    const requests = answerWith(Response.json(sessionOf(1)))
    const [one, two] = await Promise.all([
      verifyEmailLink('recovery', 'once'),
      verifyEmailLink('recovery', 'once'),
    ])
    expect(one).toBe(two)
    expect(requests).toMatchObject([
      { path: '/api/auth/verify', body: { type: 'recovery', token_hash: 'once' } },
    ])
  })

  it('knows a link that is no longer good', async () => {
    answerWith(problem(400, 'invalid-link'))
    expect(await verifyEmailLink('signup', 'used')).toBeUndefined()
  })

  it('tries again after a failure that says nothing about the link', async () => {
    answerWith(new TypeError('fetch failed'), problem(503, 'internal'), Response.json(sessionOf(1)))
    await expect(verifyEmailLink('recovery', 'later')).rejects.toThrow()
    await expect(verifyEmailLink('recovery', 'later')).rejects.toThrow()
    expect(await verifyEmailLink('recovery', 'later')).toMatchObject({ access_token: 'access-1' })
  })
})
