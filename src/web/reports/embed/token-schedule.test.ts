import { describe, expect, it } from 'vitest'
import { type EmbedToken, isDue, renewalAge, retryDelay } from './token-book.ts'

const MINUTE = 60_000

function tokenOf(lifeMs: number): EmbedToken {
  return { value: 't', lifeMs, askedAt: { monotonic: 1_000, wall: 5_000_000 } }
}

/** The moment `mono` ms after the token on the monotonic clock and `wall` ms after it on the wall clock. */
function at(mono: number, wall = mono) {
  return { monotonic: 1_000 + mono, wall: 5_000_000 + wall }
}

describe('renewal of an embed token', () => {
  it('comes ten minutes before the end of a long life, a fifth before the end of a short one', () => {
    expect(renewalAge(60 * MINUTE)).toBe(50 * MINUTE)
    expect(renewalAge(30 * MINUTE)).toBe(24 * MINUTE)
    expect(renewalAge(MINUTE)).toBe(48_000)
  })

  it('waits two seconds even for a token that is already over', () => {
    expect(renewalAge(0)).toBe(2_000)
  })

  it('is due at that age and not before', () => {
    expect(isDue(tokenOf(MINUTE), at(47_999))).toBe(false)
    expect(isDue(tokenOf(MINUTE), at(48_000))).toBe(true)
  })

  it('counts sleep that only the wall clock saw', () => {
    expect(isDue(tokenOf(30 * MINUTE), at(MINUTE, 40 * MINUTE))).toBe(true)
  })

  it('is not put off by a wall clock that was set back', () => {
    expect(isDue(tokenOf(MINUTE), at(50_000, -3_600_000))).toBe(true)
  })

  it('backs off from two seconds to a minute', () => {
    expect([1, 2, 3, 4, 5, 6, 7].map(retryDelay)).toEqual([
      2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000,
    ])
  })
})
