import { MICROSOFT_MAIL_MS, MICROSOFT_SIGN_IN_MS } from '#contract/access.ts'
import { sharedStorage } from './browser-storage.ts'

const MARK_KEY = 'patio.microsoft'

const toBase64Url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** Draws the mark without which nobody redeems what comes back. @returns its hash, for the server */
export async function drawMark(): Promise<string> {
  const mark = toBase64Url(crypto.getRandomValues(new Uint8Array(32)))
  const until = Date.now() + MICROSOFT_SIGN_IN_MS + MICROSOFT_MAIL_MS
  sharedStorage.set(MARK_KEY, JSON.stringify({ mark, until }))
  return toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(mark))))
}

/** @returns the mark of the last beginning in this browser */
export function readMicrosoftMark(): string | undefined {
  try {
    const { mark, until } = JSON.parse(sharedStorage.get(MARK_KEY) ?? '{}')
    return typeof mark === 'string' && until > Date.now() ? mark : undefined
  } catch {
    return undefined
  }
}

export const forgetMicrosoftMark = () => sharedStorage.remove(MARK_KEY)
