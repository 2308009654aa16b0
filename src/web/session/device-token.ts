import type { Session } from '#contract/accounts.ts'
import { sharedStorage } from './browser-storage.ts'

const KEY_PREFIX = 'patio.device.'
const SALT_KEY = 'patio.device-salt'

/** Returns the random salt of this browser. */
function getSalt(): string {
  const stored = sharedStorage.get(SALT_KEY)
  if (stored) return stored
  const salt = crypto.getRandomValues(new Uint32Array(4)).join('-')
  sharedStorage.set(SALT_KEY, salt)
  return salt
}

/**
 * Hashes an e-mail for storage keys, with this browser's salt (FNV-1a):
 * that of a person who signed out must not stay readable.
 */
export function hashEmail(email: string): string {
  // Not crypto.subtle, which plain http lacks: beside its salt, any hash can be tried out.
  let hash = 0x811c9dc5
  for (const character of getSalt() + email.toLowerCase())
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return (hash >>> 0).toString(36)
}

const toDeviceKey = (email: string) => KEY_PREFIX + hashEmail(email)

/** Key under which 0.2 stored a cooldown of a minute; only removed. */
const OLD_COOLDOWN_PREFIX = 'patio.resend-until.'

/** Moves the tokens that 0.2 stored by e-mail, also of people who do not sign in again. */
function moveReadableKeys(): void {
  for (const key of sharedStorage.keys()) {
    if (!key.includes('@')) continue
    const isToken = key.startsWith(KEY_PREFIX)
    const token = isToken && sharedStorage.get(key)
    if (token) sharedStorage.set(toDeviceKey(key.slice(KEY_PREFIX.length)), token)
    if (isToken || key.startsWith(OLD_COOLDOWN_PREFIX)) sharedStorage.remove(key)
  }
}
moveReadableKeys()

/** Returns the token that proves that this browser has signed in to the account before. */
export function getDeviceToken(email: string): string | undefined {
  return sharedStorage.get(toDeviceKey(email)) ?? undefined
}

/** Stores the token that identifies this browser to the account; kept after a sign-out. */
export function storeDeviceToken({ user, device_token }: Pick<Session, 'user' | 'device_token'>): void {
  if (device_token) sharedStorage.set(toDeviceKey(user.email), device_token)
}
