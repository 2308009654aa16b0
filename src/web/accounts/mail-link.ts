import { useLocation } from '@tanstack/react-router'
import { useRef } from 'react'
import { CONFIRMATION_MARK_MS } from '#contract/access.ts'
import type { LinkState, Session } from '#contract/accounts.ts'
import { withAccessToken } from '#web/http/api.ts'
import { isDefiniteRefusal, sendRequest } from '#web/http/send-request.ts'
import { sharedStorage } from '#web/session/browser-storage.ts'
import { MARK_KEY } from '#web/session/session-store.ts'

export type LinkType = 'signup' | 'recovery' | 'invite'

/** What stands behind '#' of the link that led here, or stood there until it left the address bar. */
export function useLinkHash(): string | undefined {
  const { pathname, hash, state } = useLocation()
  const link = useRef({ pathname, hash: hash || state.linkHash })
  // On the way to another screen, this one stands until that one is there.
  if (pathname === link.current.pathname) link.current.hash = hash || state.linkHash
  return link.current.hash
}

/** Takes the token out of 'token_hash=…&type=signup'; undefined when the link is not one of this type. */
export function readTokenHash(hash: string | undefined, type: LinkType): string | undefined {
  const values = new URLSearchParams(hash)
  return values.get('type') === type ? values.get('token_hash') || undefined : undefined
}

/**
 * Asks whose a link is and what using it would take; nothing is used up, so that a scanner may open the page.
 * @returns undefined when the link is not, or no longer, good
 * @throws NetworkError or ApiError when that could not be found out
 */
export async function askAboutLink(type: LinkType, tokenHash: string): Promise<LinkState | undefined> {
  try {
    return (await post(type, tokenHash, { query: { dryRun: 'true' } })) as LinkState
  } catch (error) {
    if (isDefiniteRefusal(error)) return undefined
    throw error
  }
}

/**
 * Uses the link up, and sets the password if there is one.
 * @throws ApiError, with code 'invalid-link' where it is no longer good, or NetworkError
 */
export async function spendLink(type: LinkType, tokenHash: string, password?: string): Promise<Session> {
  return (await post(type, tokenHash, { password })) as Session
}

/** The server looks at the mark and at who is signed in. */
function post(
  type: LinkType,
  tokenHash: string,
  { query, password }: { query?: { dryRun: 'true' }; password?: string | undefined },
) {
  const mark = type === 'signup' ? readMark() : undefined
  const body = { type, token_hash: tokenHash, ...(mark && { mark }), ...(password && { password }) }
  const input = { body, ...(query && { query }) }
  return type !== 'recovery'
    ? withAccessToken((accessToken) => sendRequest('POST /api/auth/verify', input, accessToken))
    : sendRequest('POST /api/auth/verify', input)
}

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
