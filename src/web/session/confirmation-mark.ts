import { CONFIRMATION_MARK_MS } from '#contract/access.ts'
import { sharedStorage } from './browser-storage.ts'
import { MARK_KEY } from './session-store.ts'

/** Keeps what tells the verification link, for half an hour, that this is the browser that signed up. */
export function keepMark(mark: string): void {
  sharedStorage.set(MARK_KEY, JSON.stringify({ mark, until: Date.now() + CONFIRMATION_MARK_MS }))
}

export function readMark(): string | undefined {
  try {
    const kept: unknown = JSON.parse(sharedStorage.get(MARK_KEY) ?? 'null')
    const { mark, until } = (kept ?? {}) as { mark?: unknown; until?: unknown }
    return typeof mark === 'string' && Number(until) > Date.now() ? mark : undefined
  } catch {
    return undefined
  }
}
