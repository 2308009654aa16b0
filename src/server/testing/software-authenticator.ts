import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** The part of WebAuthn's options that an authenticator uses. */
interface Options {
  challenge: string
  rp?: { id?: string }
  rpId?: string
  user?: { id: string }
}

const encode = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
const hash = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest()

/** CBOR of the few values that attestations have: small numbers, texts, bytes, maps. */
function toCbor(value: number | string | Uint8Array | Map<unknown, unknown>): Buffer {
  const head = (major: number, count: number) =>
    count < 24
      ? Buffer.from([(major << 5) | count])
      : count < 256
        ? Buffer.from([(major << 5) | 24, count])
        : Buffer.from([(major << 5) | 25, count >> 8, count & 255])
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  const entries = [...value].flatMap(([key, item]) => [toCbor(key as never), toCbor(item as never)])
  return Buffer.concat([head(5, value.size), ...entries])
}

/** Creates an authenticator in software, which signs whatever origin and counter a test asks for. */
export function createAuthenticator(origin: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credentialId = randomBytes(32)
  const id = encode(credentialId)
  let counter = 0
  let userHandle: string | undefined
  const describeClient = (type: string, challenge: string, at: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: at, crossOrigin: false }))
  const describeAuthenticator = (rpId: string, flags: number, count: number) => {
    const counted = Buffer.alloc(4)
    counted.writeUInt32BE(count)
    return Buffer.concat([hash(rpId), Buffer.from([flags]), counted])
  }
  const toCredential = (response: object) => {
    const json = { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response }
    return { ...json, toJSON: () => json }
  }
  return {
    id,
    /** Answers the options of a new passkey. */
    create(options: Options, at = origin) {
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
      const key = new Map<unknown, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ])
      if (typeof options.user?.id === 'string') userHandle = options.user.id
      // Present, verified, with a credential.
      const authData = Buffer.concat([
        describeAuthenticator(options.rp?.id ?? '', 0b1000101, counter),
        Buffer.alloc(16),
        Buffer.from([0, credentialId.length]),
        credentialId,
        toCbor(key),
      ])
      const attestation = new Map<unknown, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ])
      const clientDataJSON = describeClient('webauthn.create', options.challenge, at)
      return toCredential({
        attestationObject: encode(toCbor(attestation)),
        clientDataJSON: encode(clientDataJSON),
        transports: ['internal'],
      })
    },
    /** Signs a challenge; a copy's counter may be lower. */
    sign(options: Options, { at = origin, count = ++counter }: { at?: string; count?: number } = {}) {
      const authData = describeAuthenticator(options.rpId ?? '', 0b101, count)
      const clientDataJSON = describeClient('webauthn.get', options.challenge, at)
      const signature = sign('sha256', Buffer.concat([authData, hash(clientDataJSON)]), privateKey)
      return toCredential({
        authenticatorData: encode(authData),
        clientDataJSON: encode(clientDataJSON),
        signature: encode(signature),
        ...(userHandle && { userHandle }),
      })
    },
  }
}
