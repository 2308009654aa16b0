import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Keyring } from '#server/keyring.ts'

const MAC_BYTES = 16
const TOKEN_BYTES = 16 + 4 + MAC_BYTES

export interface RefreshTokenParts {
  sessionId: string
  counter: number
  mac: Uint8Array
}

function macOf(key: Uint8Array, sessionId: string, counter: number): Buffer {
  return createHmac('sha256', key).update(bodyOf(sessionId, counter)).digest().subarray(0, MAC_BYTES)
}

function bodyOf(sessionId: string, counter: number): Buffer {
  const body = Buffer.alloc(20)
  body.write(sessionId.replaceAll('-', ''), 'hex')
  body.writeUInt32BE(counter, 16)
  return body
}

/**
 * Derives the refresh token of a session at a counter: base64url(session id ‖ counter ‖ HMAC). The same
 * successor can be derived again, and nothing that could be replayed is stored.
 */
export function deriveRefreshToken(key: Uint8Array, sessionId: string, counter: number): string {
  return Buffer.concat([bodyOf(sessionId, counter), macOf(key, sessionId, counter)]).toString('base64url')
}

/** Takes a token apart without trusting it; undefined when it has not even the form of one. */
export function parseRefreshToken(token: string): RefreshTokenParts | undefined {
  if (!/^[\w-]{48}$/.test(token)) return undefined
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== TOKEN_BYTES) return undefined
  const hex = bytes.toString('hex', 0, 16)
  const sessionId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return { sessionId, counter: bytes.readUInt32BE(16), mac: bytes.subarray(20) }
}

export function isGenuine(parts: RefreshTokenParts, key: Uint8Array): boolean {
  return timingSafeEqual(parts.mac, macOf(key, parts.sessionId, parts.counter))
}

export interface RefreshKeys {
  /** @returns a new key, sealed for the database */
  create(): { key: Uint8Array; sealed: Uint8Array }
  /** @returns the key sealed with the newest secret */
  seal(key: Uint8Array): Uint8Array
  /** @returns undefined when the secret that sealed it is no longer configured */
  open(sealed: Uint8Array): Uint8Array | undefined
}

/** Seals each session's key with AES-256-GCM: kid (4) ‖ nonce (12) ‖ tag (16) ‖ key (32). */
export function createRefreshKeys(keyring: Keyring): RefreshKeys {
  const keys = keyring('refresh-key-sealing')
  function seal(key: Uint8Array): Uint8Array {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', keys[0].bytes, nonce)
    const body = Buffer.concat([cipher.update(key), cipher.final()])
    return Buffer.concat([Buffer.from(keys[0].kid, 'hex'), nonce, cipher.getAuthTag(), body])
  }
  return {
    seal,
    create() {
      const key = randomBytes(32)
      return { key, sealed: seal(key) }
    },
    open(sealed) {
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
