import { MAX_MICROSOFT_ATTEMPTS, MICROSOFT_MAIL_MS, MICROSOFT_SIGN_IN_MS } from '#contract/access.ts'
import { sharedStorage } from './browser-storage.ts'

/** Each attempt has its own key, so that no tab ends that of another. */
const PREFIX = 'patio.microsoft.'

const toBase64Url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** Draws the mark without which nobody redeems what comes back. @returns its hash, for the server */
export async function drawMark(): Promise<string> {
  const mark = toBase64Url(crypto.getRandomValues(new Uint8Array(32)))
  const until = Date.now() + MICROSOFT_SIGN_IN_MS + MICROSOFT_MAIL_MS
  const hash = toBase64Url(
    new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(mark))),
  )
  const kept = new Set(
    listAttempts()
      .slice(0, MAX_MICROSOFT_ATTEMPTS - 1)
      .map(({ key }) => key),
  )
  for (const key of sharedStorage.keys())
    if (key.startsWith(PREFIX) && !kept.has(key)) sharedStorage.remove(key)
  sharedStorage.set(PREFIX + hash, JSON.stringify({ mark, until }))
  return hash
}

/** @returns the marks of the attempts of this browser, newest first */
export const readMicrosoftMarks = () => listAttempts().map(({ mark }) => mark)

function listAttempts() {
  return sharedStorage
    .keys()
    .filter((key) => key.startsWith(PREFIX))
    .flatMap((key) => {
      try {
        const { mark, until } = JSON.parse(sharedStorage.get(key) ?? '{}')
        return typeof mark === 'string' && until > Date.now() ? [{ key, mark, until }] : []
      } catch {
        return []
      }
    })
    .sort((one, other) => other.until - one.until)
}
