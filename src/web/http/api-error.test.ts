import { describe, expect, it } from 'vitest'
import { PROBLEMS } from '#contract/problem.ts'
import { GENERIC_FAILURE, readFailure } from './send-request.ts'

describe('readFailure', () => {
  it('falls back to the contract’s texts for a body that is not problem JSON', () => {
    expect([500, GENERIC_FAILURE.title, GENERIC_FAILURE.detail]).toEqual(PROBLEMS.internal)
  })

  it('parses Retry-After as seconds and as a date', async () => {
    const readWait = async (header: string) => {
      const response = new Response('', { status: 503, headers: { 'retry-after': header } })
      return (await readFailure(response)).retryAfterSeconds
    }
    expect(await readWait('120')).toBe(120)
    expect(await readWait(new Date(Date.now() + 10_000).toUTCString())).toBeOneOf([9, 10])
    expect(await readWait('soon')).toBeUndefined()
  })
})
