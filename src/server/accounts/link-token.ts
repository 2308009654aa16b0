import { createHash, randomBytes } from 'node:crypto'

const TOKEN_BYTES = 32

/** A mailed link's secret, base64url. */
export function createLinkToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}

/** What of a mailed token is stored and looked up. */
export function hashOfLinkToken(token: string): Uint8Array {
  return createHash('sha256').update(token).digest()
}
