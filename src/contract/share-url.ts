import { trimPasted } from './pasted-text.ts'
import {
  decodeText,
  getFrameKind,
  getParameter,
  isReplaced,
  type LinkParameter,
  parseParameters,
} from './shown-link.ts'

/** An attribute of an HTML tag: its name, and its value in one of three groups or none. */
const ATTRIBUTE = /[\s/]+([^\s=>/"']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"'`]+)))?/y
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi
const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
// URL parsers drop or rewrite these, so that the URL shown would not be the one opened.
const FORBIDDEN = /\p{Cc}|^[^?#]*\\/u
const ENCODED_AMPERSAND = /&(?:(?:amp|#38|#x26);)+/gi

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
 * Extracts the URL from pasted text or from `<iframe src="…">`, which Power BI offers. Removes line
 * breaks added by e-mail or chat; blanks of parameters stay, because they belong to values.
 */
export function extractUrl(text: string): string {
  const trimmed = trimPasted(text)
  const url = trimmed.startsWith('<') ? (parseIframeSrc(trimmed) ?? trimmed) : trimmed
  if (!/^https?:\/\//i.test(url)) return url
  const [, page = '', parameters = ''] = /^([^?#]*)(.*)$/s.exec(url) ?? []
  return page.replace(/\s/g, '') + parameters.replace(/[\t\r\n]/g, '').replace(ENCODED_AMPERSAND, '&')
}

/**
 * Completes a link that lacks 'https://', or stands in quotes or brackets.
 * @returns undefined for text that is valid as it is, or no such link
 */
export function completeUrl(text: string, hosts: readonly string[]): string | undefined {
  const typed = extractUrl(text)
  const bare = typed.replace(/^[\s<("'“]*(?:https?:)?\/*/i, '').replace(/[\s>"'”]+$/, '')
  if (!hosts.some((host) => bare.toLowerCase().startsWith(`${host}/`))) return undefined
  const completed = extractUrl(`https://${bare}`)
  return completed === typed.replace(/^https:/i, 'https:') ? undefined : completed
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
  return url !== undefined && getFrameKind(url) === 'view'
}

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** The same pages on Microsoft Fabric's host, which has no embed links. */
const FABRIC = 'app.fabric.microsoft.com'
/** A report's page: in a workspace, an app, an org app, shared with me, or by its id alone. */
const REPORT_PAGE =
  /^\/+(?:groups\/(?<group>[^/]+)\/|sharedwithme\/)?(?:(?<org>org)?apps\/(?<app>[^/]+)\/)?(?<rdl>rdl)?reports?\/(?<report>[^/]+)(?:\/(?<page>[^/]+))?/i
/** MobileRedirect.html is what the mobile app shares. */
const REDIRECT = /^\/+(redirect|MobileRedirect\.html)\/*$/i

/** Pages without a report, as Microsoft and public repositories spell them; the first match counts. */
const OTHER_PAGES = [
  ['page', /^\/+links\//i],
  ['scorecard', /\/scorecards?(\/|$)/i],
  ['exploration', /\/explorations?(\/|$)/i],
  ['dashboard', /\/(dashboards?|tiles)(\/|$)|\/(dashboard|tile)?Embed\/*$/i],
  ['data', /^\/+(onelake|datahub)(\/|$)|\/(datasets|semanticmodels|modeling|dataflows|lakehouses)(\/|$)/i],
  ['app', /\/(org)?apps\/[^/]+/i],
  ['no-report', /^/],
] as const

/** Names of redirects for parameters of embed links. */
const toRole = ({ key }: LinkParameter) =>
  key.replace(/^(report|group)objectid$/, '$1id').replace(/^reportpage$/, 'pagename')

type Address = Exclude<ReturnType<typeof parseAddress>, undefined>

/** Parses a report's page, a redirect to it, or its embed link; undefined for all other addresses. */
function parseAddress(url: URL) {
  const path = decodeText(url.pathname)
  const parameters = parseParameters(url)
  const getValue = (role: string) => parameters.find((each) => toRole(each) === role)?.value
  const frame = getFrameKind(url)
  const isEmbedLink = frame === 'report' || frame === 'rdl'
  const page = REPORT_PAGE.exec(path)?.groups
  if (!page && !isEmbedLink && !REDIRECT.test(path)) return undefined
  const appId = page?.app ?? getValue('appid')
  return {
    url,
    parameters,
    isEmbedLink,
    isPaginated: frame === 'rdl' || page?.rdl !== undefined,
    reportId: page?.report ?? getValue('reportid'),
    /** 'me' is the personal workspace. */
    groupId: page?.group ?? getValue('groupid') ?? '',
    isApp: appId !== undefined,
    // Embed links do not know org apps, which are items of Fabric.
    appId: page?.org ? undefined : appId,
    pageName: page?.page ?? getValue('pagename'),
  }
}

/** Whether a report is in 'My workspace', which opens for its owner alone. */
const isPersonal = ({ isApp, groupId }: Pick<Address, 'isApp' | 'groupId'>) =>
  !isApp && groupId.toLowerCase() === 'me'

/** What Service Principal mode takes from a link. */
export interface ReportLink {
  /** Undefined where the link does not name it. */
  workspaceId: string | undefined
  reportId: string
  /** A link of an app, in which the report may have another id than in its workspace. */
  isApp: boolean
  /** In 'My workspace', which no application can embed (Microsoft, 'Embed with service principal'). */
  isPersonal: boolean
  pageName: string | undefined
  /** Of the report itself; the id of a personal or shared one is a UUID, and opens for people alone. */
  bookmarkName: string | undefined
  /** The names of parameters that the mode has no place for. */
  unused: string[]
}

/**
 * Parses what Service Principal mode takes from a link, or the iframe around it.
 * @param hosts the report hosts of this installation; Microsoft Fabric's is always understood
 * @returns undefined without the whole id of a report
 */
export function parseReportLink(text: string, hosts: readonly string[]): ReportLink | undefined {
  const url = parseUrl(extractUrl(text))
  if (url?.protocol !== 'https:' || ![...hosts, FABRIC].includes(url.host)) return undefined
  const { reportId = '', groupId = '', isApp, pageName, parameters } = parseAddress(url) ?? { parameters: [] }
  if (!UUID.test(reportId)) return undefined
  const workspaceId = UUID.test(groupId) ? groupId : undefined
  const bookmark = parameters.find(({ key }) => key === 'bookmarkguid')?.value.trim()
  const bookmarkName = bookmark && !UUID.test(bookmark) ? bookmark : undefined
  const taken = new Map([
    ['reportid', reportId],
    ['groupid', workspaceId],
    ['pagename', pageName],
    ['bookmarkguid', bookmarkName],
  ])
  return {
    workspaceId: workspaceId?.toLowerCase(),
    reportId: reportId.toLowerCase(),
    isApp: isApp === true,
    isPersonal: isPersonal({ isApp: isApp === true, groupId }),
    pageName,
    bookmarkName,
    unused: listNames(parameters.filter((each) => taken.get(toRole(each)) !== each.value.trim())),
  }
}

/** Lists the parameters of a valid link that the portal replaces when it shows the report. */
export function listReplaced(text: string): string[] {
  const address = parseAddress(new URL(normalizeShareUrl(text)))
  const replaced = address?.parameters.filter(isReplaced) ?? []
  // Paginated reports take no filter.
  return listNames(replaced.filter(({ key }) => !address?.isPaginated || key === 'autoauth'))
}

function listNames(parameters: readonly LinkParameter[]): string[] {
  return [...new Set(parameters.map(({ name }) => name))]
}

/** Returns the page that a valid link names. */
export function findPageName(text: string): string | undefined {
  return parseAddress(new URL(normalizeShareUrl(text)))?.pageName
}

/** Checks for a page's name as people see it: Power BI's own is 'ReportSection…' or 20 digits of hex. */
export function isDisplayName(pageName: string): boolean {
  return !/^(ReportSection\w*|[0-9a-f]{20}|)$/i.test(pageName.trim())
}

export interface FrameIssue {
  /** 'page' is a report's page or a link to one; an embed link lacks 'report-id' or 'sign-in'. */
  kind: (typeof OTHER_PAGES)[number][0] | 'personal' | 'report-id' | 'sign-in'
  /** Undefined if the link has too little information. */
  repaired: string | undefined
}

/**
 * Finds why a link of SSO mode cannot be framed: another page of the service ('/links/…', '/groups/…',
 * '/Redirect?…'), or an embed link without a report or automatic sign-in (Microsoft, 'Embed a report
 * in a secure portal or website').
 * @returns undefined if no issue is known
 */
export function findFrameIssue(text: string): FrameIssue | undefined {
  const url = parseUrl(extractUrl(text))
  if (!url || getFrameKind(url) === 'view') return undefined
  const address = parseAddress(url)
  if (!address?.reportId && !address?.isEmbedLink) return { kind: findOtherPage(url), repaired: undefined }
  if (isPersonal(address)) return { kind: 'personal', repaired: undefined }
  const repaired = createEmbedLink(address)
  if (!address.isEmbedLink) return { kind: 'page', repaired }
  if (!UUID.test(address.reportId ?? '')) return { kind: 'report-id', repaired }
  return getParameter(url, 'autoAuth')?.toLowerCase() === 'true' ? undefined : { kind: 'sign-in', repaired }
}

function findOtherPage(url: URL): FrameIssue['kind'] {
  // 'OpenDashboard' of a redirect.
  const action = getParameter(url, 'action')?.replace(/^Open(.*)$/i, '/$1s/x') ?? ''
  const path = decodeText(url.pathname)
  const found = OTHER_PAGES.find(([, pattern]) => pattern.test(path) || pattern.test(action))
  return found?.[0] ?? 'no-report'
}

/** Checks for a page of Microsoft Fabric: its link cannot be saved, but its report may be embedded. */
export function isFabricLink(text: string): boolean {
  return parseUrl(extractUrl(text))?.host === FABRIC
}

/** Creates the embed link of a report, with all parameters; undefined if the id is incomplete. */
function createEmbedLink({ url, parameters, ...address }: Address): string | undefined {
  const { appId, groupId, pageName, isPaginated } = address
  const reportId = address.reportId?.replace(/\s/g, '') ?? ''
  if (!UUID.test(reportId)) return undefined
  const container = appId ? { appId } : UUID.test(groupId) && { groupId }
  const own = Object.entries({ reportId, ...container, autoAuth: 'true', ...(pageName && { pageName }) })
  const isMoved = (each: LinkParameter) =>
    each.key === 'autoauth' ||
    own.some(([name, value]) => {
      const isSame = [each.value, each.value.replace(/\s/g, '')].includes(value)
      return isSame && name.toLowerCase() === toRole(each)
    })
  const query = [
    ...own.map(([name, value]) => `${name}=${encodeURIComponent(value)}`),
    ...parameters.filter((each) => !isMoved(each)).map(({ raw }) => raw),
  ]
  const origin = url.host === FABRIC ? 'https://app.powerbi.com' : url.origin
  return `${origin}/${isPaginated ? 'rdlEmbed' : 'reportEmbed'}?${query.join('&')}${url.hash}`
}
