import { randomUUID } from 'node:crypto'
import type { SessionKind } from '#contract/access.ts'
import type { AuthUser, Session } from '#contract/accounts.ts'
import type { Profile } from '#contract/users.ts'
import type { Db } from '#server/database/schema.ts'
import type { Keyring } from '#server/keyring.ts'
import { ACCESS_TOKEN_SECONDS, type AccessTokens, createAccessTokens } from './access-token.ts'
import { createRefreshKeys, deriveRefreshToken, type RefreshKeys } from './refresh-token.ts'

/** A session from a reset link is for setting a password, now. It cannot be refreshed, so its token lasts as long. */
export const RECOVERY_SESSION_SECONDS = 15 * 60

/** What sessions are made of. */
export interface SessionTools {
  tokens: AccessTokens
  refreshKeys: RefreshKeys
  /** ms since the epoch */
  clock: () => number
}

/** @param clock ms since the epoch */
export function createSessionTools(keyring: Keyring, clock: () => number): SessionTools {
  return { tokens: createAccessTokens(keyring, clock), refreshKeys: createRefreshKeys(keyring), clock }
}

/** The user as GoTrue's official client expects it. */
export function presentAuthUser(profile: Profile, kind: SessionKind): AuthUser {
  return {
    id: profile.user_id,
    aud: 'authenticated',
    role: 'authenticated',
    email: profile.email,
    email_confirmed_at: profile.email_verified_at,
    last_sign_in_at: profile.last_sign_in_at,
    created_at: profile.created_at,
    app_metadata: { provider: 'email', must_change_password: kind === 'forcedChange' },
    user_metadata: { full_name: profile.full_name },
  }
}

/** The reply to every call that signs in: access token, refresh token and user. */
export async function presentSession(
  { tokens, clock }: SessionTools,
  session: { id: string; kind: SessionKind; refreshKey: Uint8Array; counter: number },
  profile: Profile,
): Promise<Session> {
  const claims = { userId: profile.user_id, sessionId: session.id, refreshCounter: session.counter }
  const lifeSeconds = session.kind === 'recovery' ? RECOVERY_SESSION_SECONDS : ACCESS_TOKEN_SECONDS
  return {
    access_token: await tokens.sign(claims, lifeSeconds),
    token_type: 'bearer',
    expires_in: lifeSeconds,
    expires_at: Math.floor(clock() / 1000) + lifeSeconds,
    refresh_token: deriveRefreshToken(session.refreshKey, session.id, session.counter),
    user: presentAuthUser(profile, session.kind),
  }
}

/** Opens a session for a user whose identity has been proved. */
export async function openSession(
  db: Db,
  tools: SessionTools,
  profile: Profile,
  kind: SessionKind,
): Promise<Session> {
  const { key, sealed } = tools.refreshKeys.create()
  const now = new Date(tools.clock())
  const id = randomUUID()
  await db
    .insertInto('sessions')
    .values({ id, user_id: profile.user_id, kind, refresh_key: sealed, created_at: now, refreshed_at: now })
    .execute()
  return presentSession(tools, { id, kind, refreshKey: key, counter: 0 }, profile)
}
