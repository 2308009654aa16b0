import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IsOperator } from '#server/http/implement.ts'
import type { Keyring } from '#server/keyring.ts'

/** Longer than the clock skew between the two machines. */
const LIFE_MS = 10 * 60_000
const PURPOSE = 'doctor'

/** Signs a token for the operators' routes with SESSION_SECRET, valid for ten minutes. */
export function signDoctorToken(keyring: Keyring): string {
  const until = Date.now() + LIFE_MS
  return `doctor.${until}.${sign(String(until), keyring(PURPOSE)[0].bytes)}`
}

/** Creates the check of such a token, with any of the secrets. */
export function createDoctorCheck(keyring: Keyring): IsOperator {
  return (authorization) => {
    const [, until = '', signature = ''] =
      /^Bearer doctor\.(\d{1,16})\.([\w-]{43})$/i.exec(authorization ?? '') ?? []
    const left = Number(until) - Date.now()
    if (signature === '' || left < 0 || left > 2 * LIFE_MS) return false
    return keyring(PURPOSE).some(({ bytes }) =>
      timingSafeEqual(Buffer.from(sign(until, bytes)), Buffer.from(signature)),
    )
  }
}

function sign(until: string, key: Uint8Array): string {
  return createHmac('sha256', key).update(until).digest('base64url')
}
