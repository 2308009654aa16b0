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

/**
 * What was pasted, reduced to its URL: `<iframe src="…">`, as Power BI offers it for copying, gives its src. Blanks and
 * line breaks that an e-mail or a chat put into a link go, but for those of a filter, which may be written with blanks.
 */
export function reduceToUrl(text: string): string {
  const trimmed = text.trim()
  const url = trimmed.startsWith('<') ? (sourceOfIframe(trimmed) ?? trimmed) : trimmed
  if (!/^https?:\/\//i.test(url)) return url
  const [, link = '', filter = ''] = /^(.*?)([?&]\s*filter=.*)?$/is.exec(url) ?? []
  return link.replace(/\s/g, '') + filter.replace(/[\t\r\n]/g, '')
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

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** What no frame shows, by its path: share links, which lead on, and pages of the service itself. */
const PAGE = /^\/+groups\/([^/]+)\/(?:apps\/([^/]+)\/)?(rdl)?reports\/([^/]+)/i
const SHARE_LINK = /^\/+links\//i
const REDIRECT = /^\/+redirect\/*$/i
const NO_REPORT = /^\/+(groups|apps|dashboards|datasets)(\/|$)/i
/** The same pages under Microsoft Fabric's own address, which gives no links for frames. */
const FABRIC = 'app.fabric.microsoft.com'

export interface FrameFlaw {
  /** 'page' is a report's own page, or a link that leads to one; 'report-id' and 'sign-in' are what an embed link lacks. */
  kind: 'page' | 'no-report' | 'report-id' | 'sign-in'
  /** Undefined where the link says too little. */
  repaired: string | undefined
}

/**
 * Looks at a link of SSO mode that the portal cannot show in its frame: pages of the service ('/links/…', '/groups/…',
 * '/Redirect?…'), and an embed link without a report or that would not sign in by itself (Microsoft, 'Embed a report in
 * a secure portal or website').
 * @returns undefined when nothing is known against it
 */
export function flawOfFrame(text: string): FrameFlaw | undefined {
  const url = parseUrl(reduceToUrl(text))
  if (!url) return undefined
  const path = decodePath(url.pathname)
  if (SHARE_LINK.test(path)) return { kind: 'page', repaired: undefined }
  const [, groupId, appId, rdl, reportId] = PAGE.exec(path) ?? []
  if (groupId && reportId)
    return { kind: 'page', repaired: embedLink(url, { groupId, appId, rdl, reportId }) }
  if (REDIRECT.test(path)) {
    const redirected = parameterOf(url, 'reportObjectId') ?? parameterOf(url, 'reportId')
    if (!redirected) return { kind: 'no-report', repaired: undefined }
    return {
      kind: 'page',
      repaired: embedLink(url, { appId: parameterOf(url, 'appId'), reportId: redirected }),
    }
  }
  if (NO_REPORT.test(path)) return { kind: 'no-report', repaired: undefined }
  if (!/^\/+(report|rdl)Embed\/*$/i.test(path)) return undefined
  if (!UUID.test(parameterOf(url, 'reportId') ?? '')) return { kind: 'report-id', repaired: undefined }
  return addSignIn(url) ? { kind: 'sign-in', repaired: url.href } : undefined
}

/** The embed link of the report that a page shows; undefined when its id is not whole. */
function embedLink(
  page: URL,
  ids: { reportId: string; groupId?: string; appId?: string | undefined; rdl?: string | undefined },
): string | undefined {
  const { reportId, groupId = 'me', appId, rdl } = ids
  if (!UUID.test(reportId)) return undefined
  const container = appId ? { appId } : groupId.toLowerCase() !== 'me' && { groupId }
  const tenant = parameterOf(page, 'ctid')
  const query = { reportId, ...container, autoAuth: 'true', ...(tenant && { ctid: tenant }) }
  const origin = page.host === FABRIC ? 'https://app.powerbi.com' : page.origin
  return `${origin}/${rdl ? 'rdlEmbed' : 'reportEmbed'}?${new URLSearchParams(query)}`
}

/** The value of a parameter, whose name the service reads in any case. */
function parameterOf(url: URL, name: string): string | undefined {
  return [...url.searchParams].find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]
}

/** Adds 'autoAuth=true' to an embed link; returns whether it was missing. */
export function addSignIn(url: URL): boolean {
  if (parameterOf(url, 'autoAuth')?.toLowerCase() === 'true') return false
  const others = [...url.searchParams.keys()].filter((key) => key.toLowerCase() === 'autoauth')
  for (const key of others) url.searchParams.delete(key)
  url.searchParams.set('autoAuth', 'true')
  return true
}

/** The path as the service reads it; one with broken escapes stays as it is written. */
function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
