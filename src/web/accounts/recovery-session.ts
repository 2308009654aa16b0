import { sendRequest } from '#web/http/send-request.ts'
import { tabStorage } from '#web/session/browser-storage.ts'
import { readTokenHash, verifyEmailLink } from './mail-link.ts'

/** What a reset link opens: a session of 15 minutes that may set a password and nothing else. */
export interface Recovery {
  userId: string
  email: string
  accessToken: string
  /** ms since the epoch, by this browser's clock. */
  expiresAt: number
}

/** Of this tab alone, so that it outlives a reload; the portal's own session is left as it is. */
const KEY = 'patio.recovery'

/**
 * Uses a reset link up, or finds what an earlier one has opened in this tab.
 * @param hash what stood behind '#' in the address; '' after a reload
 * @returns undefined when there is no link, or it is no longer good
 * @throws NetworkError or ApiError when that could not be found out
 */
export async function openRecovery(hash: string): Promise<Recovery | undefined> {
  const tokenHash = readTokenHash(hash, 'recovery')
  if (tokenHash === undefined) return hash ? undefined : readRecovery()
  closeRecovery()
  const session = await verifyEmailLink('recovery', tokenHash)
  if (!session) return undefined
  const recovery = {
    userId: session.user.id,
    email: session.user.email,
    accessToken: session.access_token,
    expiresAt: Date.now() + session.expires_in * 1_000,
  }
  tabStorage.set(KEY, JSON.stringify(recovery))
  return recovery
}

/** Sets the password; the recovery ends with it. @throws ApiError or NetworkError */
export async function setPassword(recovery: Recovery, password: string): Promise<void> {
  await sendRequest('PUT /api/auth/user', { body: { password } }, recovery.accessToken)
  closeRecovery()
}

export function closeRecovery(): void {
  tabStorage.remove(KEY)
}

function readRecovery(): Recovery | undefined {
  try {
    const value = JSON.parse(tabStorage.get(KEY) ?? 'null') as Recovery | null
    return value && value.expiresAt > Date.now() ? value : undefined
  } catch {
    return undefined
  }
}
