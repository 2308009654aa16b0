/** An attribute of an HTML tag: its name, and its value in one of three groups or none. */
const ATTRIBUTE = /[\s/]+([^\s=>/"']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"'`]+)))?/y
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi
const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
// URL parsers drop or rewrite these, so that the URL shown would not be the one opened.
const FORBIDDEN = /[\p{Cc}\\]/u

/** Decodes HTML entities once ('&amp;' → '&'); other text stays. */
function decodeEntities(text: string): string {
  return text.replace(ENTITY, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name) return NAMED[name.toLowerCase()] ?? whole
    const code = decimal ? Number(decimal) : Number.parseInt(hex ?? '', 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

/** Returns the src of the first iframe; as in browsers, the first of repeated attributes counts. */
function parseIframeSrc(html: string): string | undefined {
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
 * Extracts the URL from pasted text or from `<iframe src="…">`, which Power BI offers. Removes spaces
 * and line breaks added by e-mail or chat, but keeps the spaces of a filter.
 */
export function extractUrl(text: string): string {
  const trimmed = text.trim()
  const url = trimmed.startsWith('<') ? (parseIframeSrc(trimmed) ?? trimmed) : trimmed
  if (!/^https?:\/\//i.test(url)) return url
  const [, link = '', filter = ''] = /^(.*?)([?&]\s*filter=.*)?$/is.exec(url) ?? []
  return link.replace(/\s/g, '') + filter.replace(/[\t\r\n]/g, '')
}

/** Parses a URL, unless it contains characters that URL parsers drop or rewrite. */
export function parseUrl(text: string): URL | undefined {
  return !FORBIDDEN.test(text) && URL.canParse(text) ? new URL(text) : undefined
}

/** Normalizes a valid share URL for storage. */
export function normalizeShareUrl(text: string): string {
  return new URL(extractUrl(text)).href
}

/** Checks for a publish-to-web link ('/view?r=…' in any notation), whose data is public. */
export function isPublishedToWeb(text: string): boolean {
  const url = parseUrl(extractUrl(text))
  if (!url || !/^\/+view\/*$/i.test(decodePath(url.pathname))) return false
  return [...url.searchParams.keys()].some((name) => name.toLowerCase() === 'r')
}

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** Paths that cannot be framed: share links, which redirect, and pages of the service. */
const PAGE = /^\/+groups\/([^/]+)\/(?:apps\/([^/]+)\/)?(rdl)?reports\/([^/]+)/i
const SHARE_LINK = /^\/+links\//i
/** MobileRedirect.html is what the mobile app shares. */
const REDIRECT = /^\/+(redirect|MobileRedirect\.html)\/*$/i
const NO_REPORT = /^\/+(groups|apps|dashboards|dashboardEmbed|datasets|datahub)(\/|$)/i
const EMBED = /^\/+(report|rdl)Embed\/*$/i
/** The same pages on Microsoft Fabric's host, which has no embed links. */
const FABRIC = 'app.fabric.microsoft.com'

/** The ids in a report's address, as they stand there. */
interface Address {
  isEmbedLink: boolean
  isPaginated: boolean
  reportId: string | undefined
  /** Undefined also for 'me', the personal workspace. */
  groupId: string | undefined
  appId: string | undefined
}

/** Parses a report's page, a redirect to it, or its embed link; undefined for all other addresses. */
function parseAddress(url: URL): Address | undefined {
  const path = decodePath(url.pathname)
  const [, group, app, rdl, report] = PAGE.exec(path) ?? []
  if (group && report) {
    const groupId = group.toLowerCase() === 'me' ? undefined : group
    return { isEmbedLink: false, isPaginated: Boolean(rdl), reportId: report, groupId, appId: app }
  }
  const embed = EMBED.exec(path)
  if (!embed && !REDIRECT.test(path)) return undefined
  return {
    isEmbedLink: Boolean(embed),
    isPaginated: embed?.[1]?.toLowerCase() === 'rdl',
    reportId: getParameter(url, 'reportObjectId') ?? getParameter(url, 'reportId'),
    groupId: getParameter(url, 'groupObjectId') ?? getParameter(url, 'groupId'),
    appId: getParameter(url, 'appId'),
  }
}

/** The ids of a report that Service Principal mode needs. */
export interface ReportIds {
  /** Undefined where the link does not name it. */
  workspaceId: string | undefined
  reportId: string
  /** A link of an app, in which the report may have another id than in its workspace. */
  isApp: boolean
}

/**
 * Parses the ids from a link, or the iframe around it.
 * @param hosts the report hosts of this installation; Microsoft Fabric's is always understood
 * @returns undefined without the whole id of a report
 */
export function parseReportLink(text: string, hosts: readonly string[]): ReportIds | undefined {
  const url = parseUrl(extractUrl(text))
  if (url?.protocol !== 'https:' || ![...hosts, FABRIC].includes(url.host)) return undefined
  const { reportId = '', groupId = '', appId } = parseAddress(url) ?? {}
  if (!UUID.test(reportId)) return undefined
  return {
    workspaceId: UUID.test(groupId) ? groupId.toLowerCase() : undefined,
    reportId: reportId.toLowerCase(),
    isApp: appId !== undefined,
  }
}

export interface FrameIssue {
  /** 'page' is a report's page, or a link to one; an embed link lacks 'report-id' or 'sign-in'. */
  kind: 'page' | 'no-report' | 'report-id' | 'sign-in'
  /** Undefined if the link has too little information. */
  repaired: string | undefined
}

/**
 * Finds why a link of SSO mode cannot be framed: a page of the service ('/links/…', '/groups/…',
 * '/Redirect?…'), or an embed link without a report or automatic sign-in (Microsoft, 'Embed a report
 * in a secure portal or website').
 * @returns undefined if no issue is known
 */
export function findFrameIssue(text: string): FrameIssue | undefined {
  const url = parseUrl(extractUrl(text))
  if (!url) return undefined
  const path = decodePath(url.pathname)
  if (SHARE_LINK.test(path)) return { kind: 'page', repaired: undefined }
  const address = parseAddress(url)
  if (!address) return NO_REPORT.test(path) ? { kind: 'no-report', repaired: undefined } : undefined
  if (!address.isEmbedLink)
    return address.reportId
      ? { kind: 'page', repaired: createEmbedLink(url, address) }
      : { kind: 'no-report', repaired: undefined }
  if (!UUID.test(address.reportId ?? '')) return { kind: 'report-id', repaired: undefined }
  return addAutoAuth(url) ? { kind: 'sign-in', repaired: url.href } : undefined
}

/** Checks for a page of Microsoft Fabric: its link cannot be saved, but its report may be embedded. */
export function isFabricLink(text: string): boolean {
  return parseUrl(extractUrl(text))?.host === FABRIC
}

/** Creates the embed link of a page's report; undefined if the id is incomplete. */
function createEmbedLink(page: URL, address: Address): string | undefined {
  const { reportId = '', groupId, appId, isPaginated } = address
  if (!UUID.test(reportId)) return undefined
  const container = appId ? { appId } : groupId && { groupId }
  const tenant = getParameter(page, 'ctid')
  const query = { reportId, ...container, autoAuth: 'true', ...(tenant && { ctid: tenant }) }
  const origin = page.host === FABRIC ? 'https://app.powerbi.com' : page.origin
  return `${origin}/${isPaginated ? 'rdlEmbed' : 'reportEmbed'}?${new URLSearchParams(query)}`
}

/** Returns a parameter; the service ignores the case of names. */
function getParameter(url: URL, name: string): string | undefined {
  return [...url.searchParams].find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]
}

/** Adds 'autoAuth=true' to an embed link. @returns whether it was missing */
export function addAutoAuth(url: URL): boolean {
  if (getParameter(url, 'autoAuth')?.toLowerCase() === 'true') return false
  const others = [...url.searchParams.keys()].filter((key) => key.toLowerCase() === 'autoauth')
  for (const key of others) url.searchParams.delete(key)
  url.searchParams.set('autoAuth', 'true')
  return true
}

/** Decodes a path as the service does; invalid escapes stay. */
function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
