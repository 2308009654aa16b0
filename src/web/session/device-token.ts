import type { Session } from '#contract/accounts.ts'
import { sharedStorage } from './browser-storage.ts'

const toDeviceKey = (email: string) => `patio.device.${email.toLowerCase()}`

/** Returns the token that proves that this browser has signed in to the account before. */
export function getDeviceToken(email: string): string | undefined {
  return sharedStorage.get(toDeviceKey(email)) ?? undefined
}

/** Stores the token that identifies this browser to the account; kept after a sign-out. */
export function storeDeviceToken({ user, device_token }: Pick<Session, 'user' | 'device_token'>): void {
  if (device_token) sharedStorage.set(toDeviceKey(user.email), device_token)
}
