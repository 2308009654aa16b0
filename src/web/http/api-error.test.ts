import { describe, expect, it } from 'vitest'
import { PROBLEMS } from '#contract/problem.ts'
import { GENERIC_FAILURE, readFailure } from './send-request.ts'

describe('readFailure', () => {
  it('uses the contract’s own words for what it cannot read', () => {
    expect([500, GENERIC_FAILURE.title, GENERIC_FAILURE.detail]).toEqual(PROBLEMS.internal)
  })

  it('understands both forms of Retry-After', async () => {
    const waitOf = async (header: string) => {
      const response = new Response('', { status: 503, headers: { 'retry-after': header } })
      return (await readFailure(response)).retryAfterSeconds
    }
    expect(await waitOf('120')).toBe(120)
    expect(await waitOf(new Date(Date.now() + 10_000).toUTCString())).toBeOneOf([9, 10])
    expect(await waitOf('soon')).toBeUndefined()
  })
})
