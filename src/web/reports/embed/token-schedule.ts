/** A moment on two clocks: the monotonic one cannot be set back, the wall clock goes on while a laptop sleeps. */
export interface Instant {
  monotonic: number
  wall: number
}

/** An embed token and how long it lives, counted from the moment in which it was asked for. Milliseconds. */
export interface EmbedToken {
  value: string
  lifeMs: number
  askedAt: Instant
}

const LONGEST_MARGIN_MS = 10 * 60_000
const SHORTEST_WAIT_MS = 2_000
const FIRST_RETRY_MS = 2_000
const LONGEST_RETRY_MS = 60_000

export function readNow(): Instant {
  return { monotonic: performance.now(), wall: Date.now() }
}

/** How old a token is: the larger of both clocks, so that neither sleep nor a clock set back hides its age. */
export function ageOf(token: EmbedToken, now: Instant): number {
  return Math.max(now.monotonic - token.askedAt.monotonic, now.wall - token.askedAt.wall)
}

/**
 * The age in milliseconds at which a token is renewed: ten minutes before its end, or a fifth of its life
 * before it when that is less. Never under two seconds, so that a token born dead cannot start a storm.
 */
export function renewalAge(lifeMs: number): number {
  return Math.max(SHORTEST_WAIT_MS, lifeMs - Math.min(LONGEST_MARGIN_MS, lifeMs / 5))
}

export function isDue(token: EmbedToken, now: Instant): boolean {
  return ageOf(token, now) >= renewalAge(token.lifeMs)
}

/**
 * Milliseconds to wait after the n-th failed renewal in a row (n from 1): 2 s, doubling, at most a minute. There is
 * no last try: a report whose token has ended comes back as soon as a new one can be had.
 */
export function retryDelay(failures: number): number {
  return Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1))
}

/** Milliseconds to wait when the server was asked too early and gave out the same token again. */
export function sameTokenDelay(lifeMs: number): number {
  return Math.max(1_000, Math.min(30_000, lifeMs / 20))
}
