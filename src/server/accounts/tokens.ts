import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { SignJWT } from 'jose/jwt/sign'
import { jwtVerify } from 'jose/jwt/verify'
import { sql } from 'kysely'
import type { AmrEntry } from '#contract/factors.ts'
import { createCache } from '#server/cache.ts'
import type { Db } from '#server/database/schema.ts'
import type { Key, Keyring } from '#server/keyring.ts'

export const ACCESS_TOKEN_SECONDS = 600
const AUDIENCE = 'authenticated'
const MAX_CACHED_TOKENS = 20_000

const MAC_BYTES = 16
const REFRESH_TOKEN_BYTES = 16 + 4 + MAC_BYTES

export interface AccessClaims {
  userId: string
  sessionId: string
  /** Refresh counter at issue: when the client uses this token, the refresh reply has arrived. */
  refreshCounter: number
  /** The proofs of identity; without one the token is not recent. */
  amr?: readonly AmrEntry[] | undefined
  /** Whether the second factor was shown. */
  aal?: 'aal1' | 'aal2' | undefined
}

interface VerifiedClaims extends Pick<AccessClaims, 'userId' | 'sessionId' | 'refreshCounter'> {
  /** Newest proof of identity, in ms since the epoch; undefined without one. */
  authenticatedAt: number | undefined
}

export type Tokens = ReturnType<typeof createTokens>

/** @param clock ms since the epoch */
export function createTokens(keyring: Keyring, clock: () => number) {
  return {
    access: createAccessTokens(keyring, clock),
    refreshKeys: createSealer(keyring, SEALING_PURPOSE),
    factorSecrets: createSealer(keyring, FACTOR_PURPOSE),
    microsoft: createSealer(keyring, 'microsoft-sealing'),
    devices: createDeviceTokens(keyring),
  }
}

/**
 * Creates and verifies access tokens. Verified signatures are cached, because verification costs more
 * than the rest of a small request.
 * @param clock ms since the epoch
 */
export function createAccessTokens(keyring: Keyring, clock: () => number) {
  const keys = keyring('access-token')
  const cache = createCache<VerifiedClaims>(clock, { max: MAX_CACHED_TOKENS })
  return {
    /** @returns a JWT that expires after ten minutes by default */
    async sign(
      { userId, sessionId, refreshCounter, amr = [], aal = 'aal1' }: AccessClaims,
      lifeSeconds = ACCESS_TOKEN_SECONDS,
    ): Promise<string> {
      const now = Math.floor(clock() / 1000)
      const proofs = amr.length > 0 && { amr }
      return new SignJWT({ sid: sessionId, rc: refreshCounter, role: AUDIENCE, aal, ...proofs })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: keys[0].kid })
        .setSubject(userId)
        .setAudience(AUDIENCE)
        .setIssuedAt(now)
        .setExpirationTime(now + lifeSeconds)
        .sign(keys[0].bytes)
    },
    /** @returns undefined unless the token is valid, ours and unexpired */
    async verify(token: string): Promise<VerifiedClaims | undefined> {
      const known = cache.get(token)
      if (known) return known
      const checked = await checkAccessToken(token, keys, clock)
      if (!checked) return undefined
      cache.set(token, checked.claims, { ttl: checked.expiresAt - clock() })
      return checked.claims
    },
    /** Verifies a token regardless of its expiry. @returns its user, session and time of issue (ms) */
    async verifyIgnoringExpiry(
      token: string,
    ): Promise<{ userId: string; sessionId: string; issuedAt: number } | undefined> {
      const checked = await checkAccessToken(token, keys, () => 0)
      return checked && { ...checked.claims, issuedAt: checked.issuedAt }
    },
  }
}

async function checkAccessToken(token: string, keys: Key[], clock: () => number) {
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
        requiredClaims: ['sub', 'sid', 'rc', 'iat', 'exp'],
      },
    )
    // Tokens of 0.2 have none.
    const amr = (payload.amr ?? []) as AmrEntry[]
    const claims = {
      userId: payload.sub as string,
      sessionId: payload.sid as string,
      refreshCounter: payload.rc as number,
      authenticatedAt: amr.length > 0 ? Math.max(...amr.map(({ timestamp }) => timestamp)) * 1000 : undefined,
    }
    const [issuedAt, expiresAt] = [payload.iat as number, payload.exp as number].map((at) => at * 1000)
    return { claims, issuedAt: issuedAt as number, expiresAt: expiresAt as number }
  } catch {
    return undefined
  }
}

const SEALING_PURPOSE = 'refresh-key-sealing'

/** Counts recent sessions that a replica sealed with a key missing here: this replica ends them. */
export async function countUnreadableSessions(db: Db, keyring: Keyring): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from sessions
    where refreshed_at > now() - make_interval(secs => ${ACCESS_TOKEN_SECONDS})
      and encode(substring(refresh_key for 4), 'hex') <> all(${keyring(SEALING_PURPOSE).map(({ kid }) => kid)})`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

const FACTOR_PURPOSE = 'factor-sealing'

/** Counts TOTP secrets that no configured secret opens: their owners need another factor. */
export async function countUnreadableFactors(db: Db, keyring: Keyring): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from factors
    where encode(substring(secret for 4), 'hex') <> all(${keyring(FACTOR_PURPOSE).map(({ kid }) => kid)})`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/** Seals TOTP secrets with the newest secret, so that after a start an old one is no longer needed. */
export async function resealFactors(db: Db, keyring: Keyring): Promise<void> {
  const sealer = createSealer(keyring, FACTOR_PURPOSE)
  const { kid } = keyring(FACTOR_PURPOSE)[0]
  const old = await db
    .selectFrom('factors')
    .select(['id', 'secret'])
    .where(sql<boolean>`encode(substring(secret for 4), 'hex') <> ${kid}`)
    .execute()
  for (const { id, secret } of old) {
    const opened = secret && sealer.open(secret)
    if (!opened) continue
    await db
      .updateTable('factors')
      .set({ secret: sealer.seal(opened) })
      .where('id', '=', id)
      .where('secret', '=', secret)
      .execute()
  }
}

/** Encrypts keys with AES-256-GCM: kid (4) ‖ nonce (12) ‖ tag (16) ‖ key. */
function createSealer(keyring: Keyring, purpose: string) {
  const keys = keyring(purpose)
  return {
    /** @returns the key sealed with the newest secret, for the database */
    seal(key: Uint8Array): Uint8Array {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', keys[0].bytes, nonce)
      const body = Buffer.concat([cipher.update(key), cipher.final()])
      return Buffer.concat([Buffer.from(keys[0].kid, 'hex'), nonce, cipher.getAuthTag(), body])
    },
    /** @returns undefined when the secret that sealed it is no longer configured */
    open(sealed: Uint8Array): Uint8Array | undefined {
      const bytes = Buffer.from(sealed)
      const kid = bytes.toString('hex', 0, 4)
      const key = keys.find((candidate) => candidate.kid === kid)
      if (!key) return undefined
      const decipher = createDecipheriv('aes-256-gcm', key.bytes, bytes.subarray(4, 16))
      decipher.setAuthTag(bytes.subarray(16, 32))
      return Buffer.concat([decipher.update(bytes.subarray(32)), decipher.final()])
    },
  }
}

/** Creates and verifies device tokens of known browsers: base64url(device id ‖ HMAC of id and e-mail). */
function createDeviceTokens(keyring: Keyring) {
  const keys = keyring('device-token')
  const signId = (key: Uint8Array, id: Uint8Array, email: string) =>
    createHmac('sha256', key).update(id).update(email).digest().subarray(0, MAC_BYTES)
  return {
    sign(deviceId: string, email: string): string {
      const id = toBytes(deviceId)
      return Buffer.concat([id, signId(keys[0].bytes, id, email)]).toString('base64url')
    },
    /** @returns the device id; undefined if the token is invalid or belongs to another account */
    read(token: string, email: string): string | undefined {
      if (!/^[\w-]{43}$/.test(token)) return undefined
      const bytes = Buffer.from(token, 'base64url')
      const [id, mac] = [bytes.subarray(0, 16), bytes.subarray(16)]
      return keys.some((key) => timingSafeEqual(mac, signId(key.bytes, id, email))) ? toUuid(id) : undefined
    },
  }
}

function toBytes(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex')
}

function toUuid(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

interface RefreshTokenParts {
  sessionId: string
  counter: number
  mac: Uint8Array
}

function toBody(sessionId: string, counter: number): Buffer {
  const count = Buffer.alloc(4)
  count.writeUInt32BE(counter)
  return Buffer.concat([toBytes(sessionId), count])
}

function signBody(key: Uint8Array, sessionId: string, counter: number): Buffer {
  return createHmac('sha256', key).update(toBody(sessionId, counter)).digest().subarray(0, MAC_BYTES)
}

/**
 * Derives a session's refresh token at a counter: base64url(session id ‖ counter ‖ HMAC). The
 * successor can be derived again, so nothing replayable is stored.
 */
export function deriveRefreshToken(key: Uint8Array, sessionId: string, counter: number): string {
  return Buffer.concat([toBody(sessionId, counter), signBody(key, sessionId, counter)]).toString('base64url')
}

/** Parses a refresh token without verifying it; undefined if it is malformed. */
export function parseRefreshToken(token: string): RefreshTokenParts | undefined {
  if (!/^[\w-]{48}$/.test(token)) return undefined
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== REFRESH_TOKEN_BYTES) return undefined
  return {
    sessionId: toUuid(bytes.subarray(0, 16)),
    counter: bytes.readUInt32BE(16),
    mac: bytes.subarray(20),
  }
}

export function isGenuine(parts: RefreshTokenParts, key: Uint8Array): boolean {
  return timingSafeEqual(parts.mac, signBody(key, parts.sessionId, parts.counter))
}
