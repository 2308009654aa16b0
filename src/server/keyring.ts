import { createHash, hkdfSync } from 'node:crypto'

/** A key derived from one of the configured secrets; kid tells which, so that secrets can be rotated. */
export interface Key {
  kid: string
  bytes: Uint8Array
}

/**
 * Derives separate keys for separate purposes; the first of a purpose signs, all of them verify. The list stays the
 * same object and is filled anew when secrets are replaced: whoever holds it has the newest.
 */
export type Keyring = (purpose: string) => [Key, ...Key[]]

export interface ReplaceableKeyring extends Keyring {
  /** Those that are in use and not among the new ones still verify, until the process ends. */
  replaceSecrets(secrets: readonly string[]): void
}

/** @param secrets SESSION_SECRET's values, the newest first; at least one */
export function createKeyring(secrets: readonly string[]): ReplaceableKeyring {
  if (secrets.length === 0) throw new Error('a keyring needs at least one secret')
  let inUse = [...secrets]
  const rings = new Map<string, [Key, ...Key[]]>()
  const ring = (purpose: string) => {
    const keys = rings.get(purpose) ?? (inUse.map((secret) => keyOf(secret, purpose)) as [Key, ...Key[]])
    rings.set(purpose, keys)
    return keys
  }
  return Object.assign(ring, {
    replaceSecrets(next: readonly string[]) {
      inUse = [...new Set([...next, ...inUse])]
      for (const [purpose, keys] of rings)
        keys.splice(0, keys.length, ...inUse.map((secret) => keyOf(secret, purpose)))
    },
  })
}

function keyOf(secret: string, purpose: string): Key {
  return {
    kid: createHash('sha256').update(`kid:${secret}`).digest('hex').slice(0, 8),
    bytes: new Uint8Array(hkdfSync('sha256', secret, 'patio', purpose, 32)),
  }
}
