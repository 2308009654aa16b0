/** One attribute of an HTML tag: its name, and its value as one of three groups or none. */
const ATTRIBUTE = /[\s/]+([^\s=>/"']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"'`]+)))?/y
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi
const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
// URL parsers drop or rewrite these, so that the URL shown would not be the one opened.
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

/** What was pasted, reduced to its URL: `<iframe src="…">`, as Power BI offers it for copying, gives its src. */
export function reduceToUrl(text: string): string {
  const trimmed = text.trim()
  return trimmed.startsWith('<') ? (sourceOfIframe(trimmed) ?? trimmed) : trimmed
}

/** The URL of a text, unless it holds what URL parsers drop or rewrite. */
export function parseUrl(text: string): URL | undefined {
  return !FORBIDDEN.test(text) && URL.canParse(text) ? new URL(text) : undefined
}

/** A share URL without a flaw in its one normal form, as it is stored. */
export function normalizeShareUrl(text: string): string {
  return new URL(reduceToUrl(text)).href
}

/** Whether a URL is a publish-to-web link ('/view?r=…', however it is written), whose data the whole internet can read. */
export function isPublishedToWeb(text: string): boolean {
  const url = parseUrl(reduceToUrl(text))
  if (!url || !/^\/+view\/*$/i.test(decodePath(url.pathname))) return false
  return [...url.searchParams.keys()].some((name) => name.toLowerCase() === 'r')
}

/** What no frame shows, by its path: share links, which lead on, and pages of the service itself. */
const PAGE = /^\/+groups\/([^/]+)\/(rdl)?reports\/([^/]+)/i
const SHARE_LINK = /^\/+links\//i

/**
 * Looks at a link of SSO mode that the portal cannot show in its frame: '/links/…', '/groups/…/reports/…', and an embed
 * link that would not sign in by itself (Microsoft, 'Embed a report in a secure portal or website').
 * @returns undefined when nothing is known against it; `repaired` is undefined where the link says too little
 */
export function flawOfFrame(
  text: string,
): { kind: 'page' | 'sign-in'; repaired: string | undefined } | undefined {
  const url = parseUrl(reduceToUrl(text))
  if (!url) return undefined
  const path = decodePath(url.pathname)
  if (SHARE_LINK.test(path)) return { kind: 'page', repaired: undefined }
  const [, workspaceId, rdl, reportId] = PAGE.exec(path) ?? []
  if (workspaceId && reportId) {
    const ids = { reportId, ...(workspaceId.toLowerCase() !== 'me' && { groupId: workspaceId }) }
    const tenant = url.searchParams.get('ctid')
    const query = new URLSearchParams({ ...ids, autoAuth: 'true', ...(tenant && { ctid: tenant }) })
    return { kind: 'page', repaired: `${url.origin}/${rdl ? 'rdlEmbed' : 'reportEmbed'}?${query}` }
  }
  const signsIn = url.searchParams.get('autoAuth')?.toLowerCase() === 'true'
  if (!/^\/+(report|rdl)Embed\/*$/i.test(path) || signsIn) return undefined
  url.searchParams.set('autoAuth', 'true')
  return { kind: 'sign-in', repaired: url.href }
}

/** The path as the service reads it; one with broken escapes stays as it is written. */
function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
