import { reportSettingMessages } from './admin-messages.ts'

/** One attribute of an HTML tag: its name, and its value as one of three groups or none. */
const ATTRIBUTE = /[\s/]+([^\s=>/"']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"'`]+)))?/y
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi
const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
// URL parsers drop or rewrite these, so that the address shown would not be the one opened.
const FORBIDDEN = /[\p{Cc}\\]/u

/** Undoes HTML's escapes once ('&amp;' → '&'); what is no escape stays as it is. */
function decodeEntities(text: string): string {
  return text.replace(ENTITY, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name) return NAMED[name.toLowerCase()] ?? whole
    const code = decimal ? Number(decimal) : Number.parseInt(hex ?? '', 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

/** The src of the first iframe, read as a browser reads it: the first of several counts. */
function sourceOfIframe(html: string): string | undefined {
  const tag = /<iframe(?=[\s/>])/i.exec(html)
  if (!tag) return undefined
  ATTRIBUTE.lastIndex = tag.index + tag[0].length
  for (let found = ATTRIBUTE.exec(html); found; found = ATTRIBUTE.exec(html)) {
    const [, name = '', double, single, bare] = found
    if (name.toLowerCase() === 'src') return decodeEntities(double ?? single ?? bare ?? '').trim()
  }
  return undefined
}

/** What was pasted, reduced to its address: `<iframe src="…">`, as Power BI offers it for copying, gives its src. */
export function reduceToUrl(text: string): string {
  const trimmed = text.trim()
  return trimmed.startsWith('<') ? (sourceOfIframe(trimmed) ?? trimmed) : trimmed
}

function parse(address: string): URL | undefined {
  return !FORBIDDEN.test(address) && URL.canParse(address) ? new URL(address) : undefined
}

/**
 * Says what is wrong with a share URL, or with the iframe around it (SPEC section 5, 'Report setting save').
 * The host as it is written must be an allowed one, so that user-info, a port, a trailing dot and letters
 * that only look alike are refused.
 * @param hosts in lower case, without port
 * @returns undefined when the URL may be kept
 */
export function flawOfShareUrl(text: string, hosts: readonly string[]): string | undefined {
  const address = reduceToUrl(text)
  if (address === '') return reportSettingMessages.urlRequired
  const url = parse(address)
  if (!url) return reportSettingMessages.urlInvalid
  if (!hosts.includes(url.hostname)) return reportSettingMessages.hostRefused(hosts)
  if (url.protocol !== 'https:') return reportSettingMessages.httpsOnly
  const authority = /^https:\/\/([^/?#]+)/i.exec(address)?.[1]
  if (!authority) return reportSettingMessages.urlInvalid
  return hosts.includes(authority.toLowerCase()) ? undefined : reportSettingMessages.hostRefused(hosts)
}

/** A share URL without a flaw in its one normal form, as it is stored. */
export function normalizeShareUrl(text: string): string {
  return new URL(reduceToUrl(text)).href
}

/** Whether a URL is a publish-to-web link ('/view?r=…', however it is written), whose data the whole internet can read. */
export function isPublishedToWeb(text: string): boolean {
  const url = parse(reduceToUrl(text))
  if (!url || !/^\/+view\/*$/i.test(decodePath(url.pathname))) return false
  return [...url.searchParams.keys()].some((name) => name.toLowerCase() === 'r')
}

/** The path as the service reads it; one with broken escapes stays as it is written. */
function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
