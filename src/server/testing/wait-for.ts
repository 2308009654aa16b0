import { vi } from 'vitest'

type Options = Exclude<Parameters<typeof vi.waitFor>[1], number | undefined>

/** Waits until an assertion passes, long enough for a busy machine; vi.waitFor gives up after a second. */
export const waitFor = <T>(assertion: () => T | Promise<T>, options?: Options): Promise<T> =>
  vi.waitFor(assertion, { timeout: 20_000, ...options })
