import { createHash, hkdfSync } from 'node:crypto'

/** A key derived from one of the configured secrets; `kid` identifies it for rotation. */
export interface Key {
  kid: string
  bytes: Uint8Array
}

/**
 * Derives separate keys per purpose; the first signs, all verify. The returned array is updated in
 * place when secrets are replaced.
 */
export type Keyring = (purpose: string) => [Key, ...Key[]]

export interface ReplaceableKeyring extends Keyring {
  /** Replaced secrets still verify until the process ends. */
  replaceSecrets(secrets: readonly string[]): void
}

/** @param secrets values of SESSION_SECRET, newest first; at least one */
export function createKeyring(secrets: readonly string[]): ReplaceableKeyring {
  if (secrets.length === 0) throw new Error('a keyring needs at least one secret')
  let inUse = [...secrets]
  const rings = new Map<string, [Key, ...Key[]]>()
  const ring = (purpose: string) => {
    const keys = rings.get(purpose) ?? (inUse.map((secret) => deriveKey(secret, purpose)) as [Key, ...Key[]])
    rings.set(purpose, keys)
    return keys
  }
  return Object.assign(ring, {
    replaceSecrets(next: readonly string[]) {
      inUse = [...new Set([...next, ...inUse])]
      for (const [purpose, keys] of rings)
        keys.splice(0, keys.length, ...inUse.map((secret) => deriveKey(secret, purpose)))
    },
  })
}

function deriveKey(secret: string, purpose: string): Key {
  return {
    kid: createHash('sha256').update(`kid:${secret}`).digest('hex').slice(0, 8),
    bytes: new Uint8Array(hkdfSync('sha256', secret, 'patio', purpose, 32)),
  }
}
