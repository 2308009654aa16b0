import { createHmac, timingSafeEqual } from 'node:crypto'

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

function computeSignature(secret: string, purpose: string, text: string): Buffer {
  return createHmac('sha256', `${purpose}:${secret}`).update(text).digest()
}

/** Each kind of token has its own key, so that neither is accepted as the other. */
type TokenPurpose = 'directory' | 'embed' | 'export'

/** Signs a token `header.payload.signature` in base64url (RFC 7515, HS256). */
export function signToken(secret: string, purpose: TokenPurpose, payload: Record<string, unknown>): string {
  const text = `${encode({ typ: 'JWT', alg: 'HS256' })}.${encode(payload)}`
  return `${text}.${computeSignature(secret, purpose, text).toString('base64url')}`
}

/** Verifies a token's signature and returns its payload, or undefined. Does not check the expiry. */
export function readToken(
  secret: string,
  purpose: TokenPurpose,
  token: string,
): Record<string, unknown> | undefined {
  const [header, payload, signature] = token.split('.')
  if (!header || !payload || !signature) return undefined
  const given = Buffer.from(signature, 'base64url')
  const wanted = computeSignature(secret, purpose, `${header}.${payload}`)
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined
  return JSON.parse(Buffer.from(payload, 'base64url').toString())
}
