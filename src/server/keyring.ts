import { createHash, hkdfSync } from 'node:crypto'

/** A key derived from one of the configured secrets; kid tells which, so that secrets can be rotated. */
export interface Key {
  kid: string
  bytes: Uint8Array
}

/** Derives separate keys for separate purposes; the first of a purpose signs, all of them verify. */
export type Keyring = (purpose: string) => [Key, ...Key[]]

/** @param secrets SESSION_SECRET's values, the newest first; at least one */
export function createKeyring(secrets: string[]): Keyring {
  if (secrets.length === 0) throw new Error('a keyring needs at least one secret')
  return (purpose) =>
    secrets.map((secret) => ({
      kid: createHash('sha256').update(`kid:${secret}`).digest('hex').slice(0, 8),
      bytes: new Uint8Array(hkdfSync('sha256', secret, 'patio', purpose, 32)),
    })) as [Key, ...Key[]]
}
