import { randomBytes } from 'node:crypto'

/** Pieces of this length count as found: error messages like to quote the beginning of what they could not read. */
const PIECE = 10

/** Secrets that are looked for where none may be. */
export interface Canaries {
  /** Makes a secret that occurs nowhere else. */
  plant(name: string): string
  /** Looks out for a secret that the portal itself has made. @returns the secret */
  watch(name: string, secret: string): string
  /** @returns names of the secrets of which a text holds a piece, plain, or the whole in base64, hex or a URL */
  findIn(text: string): string[]
}

export function createCanaries(): Canaries {
  const secrets = new Map<string, string>()
  const watch = (name: string, secret: string) => {
    if (secret.length < PIECE) throw new Error(`${name} is too short to be looked for`)
    secrets.set(name, secret)
    return secret
  }
  return {
    // Fit for every rule about passwords, and not the same in a URL.
    plant: (name) => watch(name, `Aa1!+${randomBytes(24).toString('base64url')}`),
    watch,
    findIn: (text) =>
      [...secrets]
        .filter(([, secret]) => formsOf(secret).some((form) => text.includes(form)))
        .map(([name]) => name),
  }
}

function formsOf(secret: string): string[] {
  const pieces = Array.from({ length: secret.length - PIECE + 1 }, (_, start) =>
    secret.slice(start, start + PIECE),
  )
  const bytes = Buffer.from(secret)
  const encoded = (['base64', 'base64url', 'hex'] as const).map((encoding) => bytes.toString(encoding))
  return [...pieces, ...encoded.map((text) => text.replace(/=+$/, '')), encodeURIComponent(secret)]
}
