import { SignJWT } from 'jose/jwt/sign'
import { jwtVerify } from 'jose/jwt/verify'
import type { Key, Keyring } from '#server/keyring.ts'

export const ACCESS_TOKEN_SECONDS = 600
const AUDIENCE = 'authenticated'
const REMEMBERED_TOKENS = 20_000

export interface AccessClaims {
  userId: string
  sessionId: string
  /** The refresh counter that the token was born with: seeing it proves that the refresh reply arrived. */
  refreshCounter: number
}

export interface AccessTokens {
  /** @returns a JWT that lives ten minutes unless said otherwise */
  sign(claims: AccessClaims, lifeSeconds?: number): Promise<string>
  /** @returns undefined for anything but a valid token of ours that has not expired */
  verify(token: string): Promise<AccessClaims | undefined>
}

/**
 * Makes and checks access tokens. A token's signature is checked once and then remembered, because that
 * check costs more than all the rest of a small request.
 * @param clock ms since the epoch
 */
export function createAccessTokens(keyring: Keyring, clock: () => number): AccessTokens {
  const keys = keyring('access-token')
  const [signingKey] = keys
  const remembered = new Map<string, { claims: AccessClaims; expiresAt: number }>()
  return {
    async sign({ userId, sessionId, refreshCounter }, lifeSeconds = ACCESS_TOKEN_SECONDS) {
      const now = Math.floor(clock() / 1000)
      return new SignJWT({ sid: sessionId, rc: refreshCounter, role: AUDIENCE })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: signingKey.kid })
        .setSubject(userId)
        .setAudience(AUDIENCE)
        .setIssuedAt(now)
        .setExpirationTime(now + lifeSeconds)
        .sign(signingKey.bytes)
    },
    async verify(token) {
      const known = remembered.get(token)
      if (known) {
        if (known.expiresAt > clock()) return known.claims
        remembered.delete(token)
        return undefined
      }
      const checked = await check(token, keys, clock)
      if (!checked) return undefined
      if (remembered.size >= REMEMBERED_TOKENS) remembered.delete(remembered.keys().next().value as string)
      remembered.set(token, checked)
      return checked.claims
    },
  }
}

async function check(token: string, keys: Key[], clock: () => number) {
  try {
    const { payload } = await jwtVerify(
      token,
      (header) => {
        const key = keys.find(({ kid }) => kid === header.kid)
        if (!key) throw new Error('unknown key')
        return key.bytes
      },
      {
        algorithms: ['HS256'],
        audience: AUDIENCE,
        currentDate: new Date(clock()),
        requiredClaims: ['sub', 'sid', 'rc', 'exp'],
      },
    )
    const claims = {
      userId: payload.sub as string,
      sessionId: payload.sid as string,
      refreshCounter: payload.rc as number,
    }
    return { claims, expiresAt: (payload.exp as number) * 1000 }
  } catch {
    return undefined
  }
}
