import { useLocation } from '@tanstack/react-router'
import { useRef } from 'react'
import { CONFIRMATION_MARK_MS } from '#contract/access.ts'
import type { LinkState, Session } from '#contract/accounts.ts'
import { withAccessToken } from '#web/http/api.ts'
import { isDefiniteRefusal, sendRequest } from '#web/http/send-request.ts'
import { sharedStorage } from '#web/session/browser-storage.ts'
import { MARK_KEY } from '#web/session/session-store.ts'

export type LinkType = 'signup' | 'recovery' | 'invite'

/** Returns the fragment of the link that led here, also after it has left the address bar. */
export function useLinkHash(): string | undefined {
  const { pathname, hash, state } = useLocation()
  const link = useRef({ pathname, hash: hash || state.linkHash })
  // While navigating away, this screen keeps its own fragment.
  if (pathname === link.current.pathname) link.current.hash = hash || state.linkHash
  return link.current.hash
}

/** Parses 'token_hash=…&type=signup'; undefined unless the link is of this type. */
export function parseTokenHash(hash: string | undefined, type: LinkType): string | undefined {
  const values = new URLSearchParams(hash)
  return values.get('type') === type ? values.get('token_hash') || undefined : undefined
}

/**
 * Fetches the state of a link as a dry run: mail scanners open the page too.
 * @returns undefined when the link is invalid
 * @throws NetworkError or ApiError when its state could not be fetched
 */
export async function fetchLinkState(type: LinkType, tokenHash: string): Promise<LinkState | undefined> {
  try {
    return (await postLink(type, tokenHash, { query: { dryRun: 'true' } })) as LinkState
  } catch (error) {
    if (isDefiniteRefusal(error)) return undefined
    throw error
  }
}

/**
 * Redeems a link, and sets the password if given.
 * @throws ApiError, with code 'invalid-link' where it is no longer valid, or NetworkError
 */
export async function redeemLink(type: LinkType, tokenHash: string, password?: string): Promise<Session> {
  return (await postLink(type, tokenHash, { password })) as Session
}

/** Posts the link, except for a reset with the confirmation mark and the access token. */
function postLink(
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

/** Stores the mark that proves for half an hour that this browser signed up. */
export function storeMark(mark: string): void {
  sharedStorage.set(MARK_KEY, JSON.stringify({ mark, until: Date.now() + CONFIRMATION_MARK_MS }))
}

export function readMark(): string | undefined {
  try {
    const stored: unknown = JSON.parse(sharedStorage.get(MARK_KEY) ?? 'null')
    const { mark, until } = (stored ?? {}) as { mark?: unknown; until?: unknown }
    return typeof mark === 'string' && Number(until) > Date.now() ? mark : undefined
  } catch {
    return undefined
  }
}
