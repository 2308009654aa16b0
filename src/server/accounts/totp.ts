import { Secret, TOTP } from 'otpauth'
import { renderSVG } from 'uqr'

const STEP_MS = 30_000
/** Steps before and after the present one that are accepted: clocks differ, and typing takes time. */
const ACCEPTED_STEPS = 1
/** Steps that are recognized, to tell a clock that is wrong from a wrong code: five minutes. */
const RECOGNIZED_STEPS = 10

/** Creates a new secret, with the address that authenticator apps read, also as a QR code in SVG. */
export function createTotpSecret({ issuer, label }: { issuer: string; label: string }) {
  const secret = new Secret({ size: 20 })
  const uri = new TOTP({ issuer, label, secret }).toString()
  const qr_code = renderSVG(uri, { border: 2, ecc: 'M' })
  return { bytes: secret.bytes, totp: { qr_code, secret: secret.base32, uri } }
}

/**
 * Checks a code of six digits.
 * @param now ms since the epoch
 * @returns its time step, and by how many steps its clock is off; undefined for a wrong code
 */
export function findTotpStep(
  secret: Uint8Array,
  token: string,
  now: number,
): { step: number; offset: number; isAccepted: boolean } | undefined {
  if (!/^\d{6}$/.test(token)) return undefined
  const totp = new TOTP({ secret: new Secret({ buffer: new Uint8Array(secret).buffer }) })
  const offset = totp.validate({ token, timestamp: now, window: RECOGNIZED_STEPS })
  if (offset === null) return undefined
  return {
    step: Math.floor(now / STEP_MS) + offset,
    offset,
    isAccepted: Math.abs(offset) <= ACCEPTED_STEPS,
  }
}

/** Says that a clock is off, in minutes. */
export function explainClock(offset: number): string {
  const minutes = Math.max(1, Math.round((Math.abs(offset) * STEP_MS) / 60_000))
  const much = minutes === 1 ? '1 minuto' : `${minutes} minutos`
  const way = offset > 0 ? 'adiantado' : 'atrasado'
  return `O relógio do aparelho que gera os códigos está ${much} ${way}. Ligue nele a hora automática, espere o próximo código e tente de novo.`
}
