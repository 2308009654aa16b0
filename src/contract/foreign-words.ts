const MAX_LENGTH = 500
/** Bounds the work; what is cut off has a token's first part no more. */
const MAX_READ = 10_000
const MASK = '***'
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\.?$/i

/** Whether a long run is no UUID and no name such as 'ServicePrincipalIsNotAllowedByTenantAdminSwitch'. */
const isRandom = (run: string): boolean =>
  !UUID.test(run) && (/\d/.test(run) || run.replace(/[^A-Z]/g, '').length > run.length / 3)

/**
 * Quotes what another program said: one line of at most 500 characters, without addresses, secrets and
 * what looks like a token. Ids of requests and names of errors stay.
 */
export function quoteForeignWords(text: string): string {
  const read = text.length > MAX_READ ? text.slice(0, MAX_READ).replace(/\S*$/, '') : text
  const words = read
    .normalize('NFKC')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/("[^"]*"|[^\s<>()[\]"',;:=]+)(@|%40)/gi, `${MASK}$2`)
    .replace(/((?:secret|password|pwd|token|assertion)["']?\s?[:=]|\bBearer)\s?["']?[^\s"']+/gi, `$1 ${MASK}`)
    .replace(/\beyJ[\w.=-]+/g, MASK)
    .replace(/[\w~+/.%-]{30,}=*/g, (run) => (isRandom(run) ? MASK : run))
    .trim()
  return [...words].slice(0, MAX_LENGTH).join('')
}
