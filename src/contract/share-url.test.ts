import { describe, expect, test } from 'vitest'
import { validateShareUrl } from './report-setting-rules.ts'
import {
  completeUrl,
  extractUrl,
  findFrameIssue,
  findPageName,
  isDisplayName,
  isPublishedToWeb,
  listReplaced,
  normalizeShareUrl,
  parseReportLink,
} from './share-url.ts'

const HOSTS = ['app.powerbi.com', 'msit.powerbi.com']
const GOOD = 'https://app.powerbi.com/reportEmbed?reportId=5a7d1e34&autoAuth=true&ctid=7c1f0c52'
const REQUIRED = 'Por favor, insira uma URL válida'
const HOST = 'Apenas URLs do Power BI são permitidas (app.powerbi.com ou msit.powerbi.com)'
const HTTPS = 'Apenas URLs HTTPS são permitidas'
const INVALID = 'URL inválida. Por favor, insira uma URL válida do Power BI'

describe('validateShareUrl', () => {
  test.each([
    GOOD,
    `  ${GOOD}\n`,
    'https://msit.powerbi.com/view?r=eyJrIjoi',
    'HTTPS://APP.PowerBI.com/links/abc?x=a%20b#p',
    'https://app.powerbi.com',
    "https://app.powerbi.com/reportEmbed?reportId=1&filter=Marca/Marca in ('FIAT')",
    'https://app.power\tbi.com/a\nb',
    'https://app.powerbi.com/a?next=https://user:pass@evil.com:8443/',
    `<iframe title="Vendas" width="1140" src="${GOOD.replaceAll('&', '&amp;')}" allowFullScreen></iframe>`,
  ])('accepts %s', (url) => {
    expect(validateShareUrl(url, HOSTS)).toBeUndefined()
  })

  test.each([
    ['', REQUIRED],
    [' \t\n ', REQUIRED],
    ['<iframe src="">', REQUIRED],
    ['abc', INVALID],
    ['app.powerbi.com/reportEmbed?reportId=1', INVALID],
    ['//app.powerbi.com/reportEmbed', INVALID],
    ['https://', INVALID],
    ['https://app.powerbi.com:99999/', INVALID],
    ['https://[app.powerbi.com]/', INVALID],
    ['<iframe></iframe>', INVALID],
    ['<b>https://app.powerbi.com/</b>', INVALID],
    ['https:app.powerbi.com/reportEmbed', INVALID],
    ['https:/app.powerbi.com/reportEmbed', INVALID],
    ['https:///app.powerbi.com/reportEmbed', INVALID],
    ['https:\\\\app.powerbi.com\\reportEmbed', INVALID],
    ['https://app.powerbi.com\\@evil.com/', INVALID],
    ['https://evil.com\\.app.powerbi.com/', INVALID],
    ['https://app.powerbi.com/\u0000', INVALID],
    ['https://app.powerbi.com/\u007f', INVALID],
    ['java\nscript:alert(1)', INVALID],
    ['http://app.powerbi.com/reportEmbed', HTTPS],
    ['ftp://app.powerbi.com/reportEmbed', HTTPS],
    ['javascript://app.powerbi.com/%0aalert(1)', HTTPS],
    ['wss://msit.powerbi.com/', HTTPS],
    ['http://example.com/', HOST],
    ['https://example.com/app.powerbi.com', HOST],
    ['https://example.com/?https://app.powerbi.com/', HOST],
    ['https://example.com#@app.powerbi.com', HOST],
    ['javascript:alert(1)', HOST],
    ['JavaScript:alert(document.domain)//app.powerbi.com', HOST],
    ['data:text/html,<script>alert(1)</script>', HOST],
    ['blob:https://app.powerbi.com/1f6c', HOST],
    ['https://app.powerbi.com@evil.com/', HOST],
    ['https://app.powerbi.com:443@evil.com/', HOST],
    ['https://user@app.powerbi.com/', HOST],
    ['https://user:pass@app.powerbi.com/', HOST],
    ['https://@app.powerbi.com/', HOST],
    ['https://:@app.powerbi.com/', HOST],
    ['https://app.powerbi.com:8443/', HOST],
    ['https://app.powerbi.com:443/', HOST],
    ['https://app.powerbi.com:/', HOST],
    ['https://app.powerbi.com./', HOST],
    ['https://app.powerbi.com../', HOST],
    ['https://app.powerbi.com.evil.com/', HOST],
    ['https://evil-app.powerbi.com/', HOST],
    ['https://x.app.powerbi.com/', HOST],
    ['https://powerbi.com/', HOST],
    ['https://api.powerbi.com/', HOST],
    ['https://appXpowerbi.com/', HOST],
    ['https://app.powerbi.co/', HOST],
    ['https://app.pоwerbi.com/', HOST],
    ['https://аpp.powerbi.com/', HOST],
    ['https://ａpp.powerbi.com/', HOST],
    ['https://app。powerbi。com/', HOST],
    ['https://app.power\u00adbi.com/', HOST],
    ['https://app.powerbi%2ecom/', HOST],
    ['https://%61pp.powerbi.com/', HOST],
    ['https://127.0.0.1/', HOST],
    ['https://localhost/', HOST],
    ['<iframe src="https://evil.com/?app.powerbi.com"></iframe>', HOST],
    ['<iframe src="javascript:alert(1)"></iframe>', HOST],
    ['<iframe src="http://app.powerbi.com/view?r=1"></iframe>', HTTPS],
  ])('reports for %j: %s', (url, flaw) => {
    expect(validateShareUrl(url, HOSTS)).toBe(flaw)
  })

  test('names the only host', () => {
    const flaw = 'Apenas URLs do Power BI são permitidas (app.powerbi.com)'
    expect(validateShareUrl('https://msit.powerbi.com/', ['app.powerbi.com'])).toBe(flaw)
  })
})

describe('extractUrl', () => {
  const view = 'https://app.powerbi.com/view?r=a&b=c'
  test.each([
    [`<iframe src="${view}"></iframe>`, view],
    [`<iframe title='x' src='${view}'>`, view],
    [`<IFRAME\n  SRC = "${view}" >`, view],
    [`<iframe src=${view} width=100>`, view],
    [`<iframe/src="${view}"/>`, view],
    [`<div>\n<iframe src="${view}"></iframe></div>`, view],
    ['<iframe src="https://app.powerbi.com/view?r=a&amp;b=c">', view],
    ['<iframe src="https://app.powerbi.com/view?r=a&#38;b=c">', view],
    ['<iframe src="https://app.powerbi.com/view?r=a&#x26;b=c">', view],
    ['<iframe src="https://app.powerbi.com/?a=&amp;lt;&quot;">', 'https://app.powerbi.com/?a=&lt;"'],
    [
      '<iframe src="https://app.powerbi.com/?a=1&lt=2&#9999999;">',
      'https://app.powerbi.com/?a=1&lt=2&#9999999;',
    ],
    [`<iframe src="${view}" src="https://evil.com/">`, view],
    [`<iframe data-src="https://evil.com/" title="src='https://evil.com/'" src="${view}">`, view],
    [`<iframe allowfullscreen src="${view}">`, view],
    [`<iframe title="a > b" src="${view}">`, view],
    [` ${view} `, view],
    ['https://app.powerbi.com/view\r\n  ?r=a&\r\nb=c', view],
    [`\u200b ${view}\u202c`, view],
    ['https://app.powerbi.com/view?r=a&amp;b=c', view],
    ['https://app.powerbi.com/view?r=a&amp;amp;b=c', view],
    [
      'https://app.powerbi.com/view?r=a\u00a0&rp:Loja=S\u00e3o  Paulo',
      'https://app.powerbi.com/view?r=a\u00a0&rp:Loja=S\u00e3o  Paulo',
    ],
    ['<iframe src="https://app.powerbi.com/view?r=a&#10;&b=c">', view],
    [
      `https://app.powerbi.com/x ?a=1 &filter=A/B eq\n 'x y'`,
      `https://app.powerbi.com/x?a=1 &filter=A/B eq 'x y'`,
    ],
    ['um texto', 'um texto'],
  ])('reads %s', (text, url) => {
    expect(extractUrl(text)).toBe(url)
  })

  test.each([
    '<iframe title="x">',
    '<iframes src="https://evil.com/">',
    '<iframe><p src="https://evil.com/">',
  ])('does not change %s', (text) => {
    expect(extractUrl(text)).toBe(text)
  })
})

test('normalizeShareUrl returns the stored form', () => {
  expect(normalizeShareUrl(' HTTPS://APP.powerbi.com/a/../view?r=a b ')).toBe(
    'https://app.powerbi.com/view?r=a%20b',
  )
  expect(normalizeShareUrl('<iframe src="https://app.powerbi.com?a=1&amp;b=2">')).toBe(
    'https://app.powerbi.com/?a=1&b=2',
  )
})

test.each([
  ['https://app.powerbi.com/view?r=eyJrIjoi', true],
  ['https://app.powerbi.com/View/?pageName=x&r=1', true],
  ['https://app.powerbi.com/VIEW/?R=abc', true],
  ['https://app.powerbi.com/%76iew?r=1', true],
  ['https://app.powerbi.com/vie%57%2F?%72=1', true],
  ['https://app.powerbi.com//view//?r=1', true],
  ['https://app.powerbi.com/a/../view?r=1', true],
  ['<iframe src="https://app.powerbi.com/view?r=a&amp;b=c">', true],
  ['https://app.powerbi.com/view', false],
  ['https://app.powerbi.com/reportEmbed?reportId=1&r=2', false],
  ['https://app.powerbi.com/view?reportId=1', false],
  ['https://app.powerbi.com/%E0%A4%A?r=1', false],
  ['https://app.powerbi.com/review?r=1', false],
  ['nada', false],
  ['', false],
])('isPublishedToWeb(%s): %s', (text, expected) => {
  expect(isPublishedToWeb(text)).toBe(expected)
})

const WORKSPACE = '3e0c5a91-62d4-4f7b-8a1e-90b7d3c2f501'
const REPORT = 'a1e90b7d-3c2f-4015-9e0c-5a9162d44f7b'
const APP = 'f089354e-8366-4e18-aea3-4cb4a3a50b48'
const HOST_URL = 'https://app.powerbi.com'
const PAGE = `${HOST_URL}/groups/${WORKSPACE}/reports/${REPORT}`
const EMBED = `${HOST_URL}/reportEmbed`
const OF_WORKSPACE = `reportId=${REPORT}&groupId=${WORKSPACE}&autoAuth=true`
const OF_APP = `reportId=${REPORT}&appId=${APP}&autoAuth=true`
test.each([
  [`${HOST_URL}/links/AbC?ctid=t1`, 'page', undefined],
  [
    `${PAGE}/ReportSection?experience=power-bi&bookmarkGuid=Bookmarkeb9e787c137d047a58b9`,
    'page',
    `${EMBED}?${OF_WORKSPACE}&pageName=ReportSection&experience=power-bi&bookmarkGuid=Bookmarkeb9e787c137d047a58b9`,
  ],
  [
    `${PAGE.replace('/reports/', '/rdlreports/')}?rp:Loja=S%C3%A3o+Paulo&rp:Loja=Rio%20SP`,
    'page',
    `${HOST_URL}/rdlEmbed?${OF_WORKSPACE}&rp:Loja=S%C3%A3o+Paulo&rp:Loja=Rio%20SP`,
  ],
  [`${PAGE}?$filter=Loja/UF eq 'RJ'`, 'page', `${EMBED}?${OF_WORKSPACE}&$filter=Loja/UF%20eq%20%27RJ%27`],
  [`${HOST_URL}/reports/${REPORT}`, 'page', `${EMBED}?reportId=${REPORT}&autoAuth=true`],
  [
    `${HOST_URL}/sharedwithme/reports/${REPORT}/S1?ctid=t1`,
    'page',
    `${EMBED}?reportId=${REPORT}&autoAuth=true&pageName=S1&ctid=t1`,
  ],
  [
    `${HOST_URL}/groups/${WORKSPACE}/orgapps/${APP}/report/${REPORT}/08c911d6311ba5b55f7b?ctid=t1`,
    'page',
    `${EMBED}?${OF_WORKSPACE}&pageName=08c911d6311ba5b55f7b&ctid=t1`,
  ],
  [`${HOST_URL}/groups/me/orgapps/${APP}?ctid=t1`, 'app', undefined],
  [`${HOST_URL}/home?noSignUpCheck=1`, 'no-report', undefined],
  [`${HOST_URL}/sharedwithme`, 'no-report', undefined],
  [HOST_URL, 'no-report', undefined],
  [`${HOST_URL}/groups/${WORKSPACE}/scorecards/${REPORT}`, 'scorecard', undefined],
  [`${HOST_URL}/groups/${WORKSPACE}/explorations/${REPORT}`, 'exploration', undefined],
  [`${HOST_URL}/onelake/details/${WORKSPACE}/dataset/${REPORT}/overview`, 'data', undefined],
  [`${HOST_URL}/groups/me/dashboards/${REPORT}/tiles/${APP}/infocus`, 'dashboard', undefined],
  [`${HOST_URL}/embed?dashboardId=${REPORT}&tileId=${APP}`, 'dashboard', undefined],
  [`${PAGE}?ctid=t1`, 'page', `${EMBED}?${OF_WORKSPACE}&ctid=t1`],
  [`${HOST_URL}/groups/me/reports/${REPORT}`, 'personal', undefined],
  [`${HOST_URL}/reportEmbed?reportId=${REPORT}&groupId=me&autoAuth=true`, 'personal', undefined],
  [`${HOST_URL}/groups/me/reports/r1`, 'personal', undefined],
  [PAGE.replace('/reports/', '/rdlreports/'), 'page', `${HOST_URL}/rdlEmbed?${OF_WORKSPACE}`],
  [PAGE.replace('powerbi.com', 'fabric.microsoft.com'), 'page', `${EMBED}?${OF_WORKSPACE}`],
  [
    `${HOST_URL}/groups/me/apps/${APP}/reports/${REPORT}/S1?ctid=t1`,
    'page',
    `${EMBED}?${OF_APP}&pageName=S1&ctid=t1`,
  ],
  [`${HOST_URL}/groups/${WORKSPACE}/apps/${APP}/reports/${REPORT}`, 'page', `${EMBED}?${OF_APP}`],
  [
    `${HOST_URL}/Redirect?action=OpenReport&appId=${APP}&reportObjectId=${REPORT}&ctid=t1`,
    'page',
    `${EMBED}?${OF_APP}&action=OpenReport&ctid=t1`,
  ],
  [
    `${HOST_URL}/MobileRedirect.html?groupObjectId=${WORKSPACE}&ctid=t1&action=OpenReport&reportObjectId=${REPORT}`,
    'page',
    `${EMBED}?${OF_WORKSPACE}&ctid=t1&action=OpenReport`,
  ],
  [
    `${HOST_URL}/mobileredirect.html?action=OpenDashboard&dashboardObjectId=${REPORT}`,
    'dashboard',
    undefined,
  ],
  [`${HOST_URL}/dashboardEmbed?dashboardId=${REPORT}&autoAuth=true`, 'dashboard', undefined],
  [`${HOST_URL}/datahub/datasets/${REPORT}?experience=power-bi`, 'data', undefined],
  ['https://app.fabric.microsoft.com/links/AbC?ctid=t1', 'page', undefined],
  [
    `${HOST_URL}/rdlEmbed?reportId=${REPORT}&ctid=t1`,
    'sign-in',
    `${HOST_URL}/rdlEmbed?reportId=${REPORT}&autoAuth=true&ctid=t1`,
  ],
  [`${HOST_URL}/Redirect?action=OpenApp&appId=${APP}&ctid=t1`, 'app', undefined],
  [`${HOST_URL}/groups/me/apps/${APP}`, 'app', undefined],
  [`${HOST_URL}/groups/${WORKSPACE}/dashboards/${REPORT}`, 'dashboard', undefined],
  [`${HOST_URL}/dashboards/${REPORT}`, 'dashboard', undefined],
  [`${HOST_URL}/groups/${WORKSPACE}/list?experience=power-bi`, 'no-report', undefined],
  [`${HOST_URL}/datasets/${REPORT}`, 'data', undefined],
  [`${EMBED}?autoAuth=true`, 'report-id', undefined],
  [`${EMBED}?reportId=${REPORT.slice(0, 20)}&autoAuth=true`, 'report-id', undefined],
  [`${EMBED}?reportId=${REPORT}%20&autoAuth=true`, 'report-id', `${EMBED}?reportId=${REPORT}&autoAuth=true`],
  [
    `${EMBED}?reportId=${REPORT.slice(0, 20)}\n ${REPORT.slice(20)} &autoAuth=true`,
    'report-id',
    `${EMBED}?reportId=${REPORT}&autoAuth=true`,
  ],
  [`${EMBED}?reportId=${REPORT}&autoAuth=false`, 'sign-in', `${EMBED}?reportId=${REPORT}&autoAuth=true`],
  [`${EMBED}?reportId=${REPORT}&autoauth=0`, 'sign-in', `${EMBED}?reportId=${REPORT}&autoAuth=true`],
  [
    `<iframe src="${EMBED}?reportId=${REPORT}&amp;ctid=t1">`,
    'sign-in',
    `${EMBED}?reportId=${REPORT}&autoAuth=true&ctid=t1`,
  ],
])('findFrameIssue of %s: %s, repaired to %s', (text, kind, repaired) => {
  expect(findFrameIssue(text)).toEqual({ kind, repaired })
  if (repaired) expect(findFrameIssue(repaired)).toBeUndefined()
})

test.each([
  `${EMBED}?reportId=${REPORT}&autoauth=True`,
  `${EMBED}?ReportID=${REPORT.toUpperCase()}&autoAuth=true`,
  'https://app.powerbi.com/view?r=x',
  'nada',
  '',
])('findFrameIssue returns undefined for %j', (text) => expect(findFrameIssue(text)).toBeUndefined())

describe('parseReportLink', () => {
  const INSIDE = { workspaceId: WORKSPACE, reportId: REPORT, isApp: false, isPersonal: false }
  const WITHOUT_WORKSPACE = { ...INSIDE, workspaceId: undefined }
  const IN_APP = { ...WITHOUT_WORKSPACE, isApp: true }
  const FABRIC_PAGE = PAGE.replace('powerbi.com', 'fabric.microsoft.com')
  test.each([
    [PAGE, INSIDE],
    [`  ${PAGE}/ReportSection3?experience=power-bi  `, INSIDE],
    [PAGE.replace('app.', 'msit.').replace('/reports/', '/rdlreports/'), INSIDE],
    [PAGE.replace(REPORT, REPORT.toUpperCase()), INSIDE],
    [`${FABRIC_PAGE}/ReportSection?experience=fabric-developer`, INSIDE],
    [`${EMBED}?ReportId=${REPORT}&groupid=${WORKSPACE}&autoAuth=true`, INSIDE],
    [`${HOST_URL}/rdlEmbed?reportId=${REPORT}&groupId=${WORKSPACE}`, INSIDE],
    [`<iframe title="Vendas" src="${EMBED}?reportId=${REPORT}&amp;groupId=${WORKSPACE}">`, INSIDE],
    [`${HOST_URL}/MobileRedirect.html?reportObjectId=${REPORT}&groupObjectId=${WORKSPACE}`, INSIDE],
    [`${EMBED}?reportId=${REPORT}&autoAuth=true&ctid=t1`, WITHOUT_WORKSPACE],
    [`${HOST_URL}/groups/me/reports/${REPORT}`, { ...WITHOUT_WORKSPACE, isPersonal: true }],
    [`${HOST_URL}/sharedwithme/reports/${REPORT}`, WITHOUT_WORKSPACE],
    [`${HOST_URL}/groups/me/orgapps/${APP}/report/${REPORT}`, IN_APP],
    [`${HOST_URL}/groups/me/apps/${APP}/reports/${REPORT}/S1`, IN_APP],
    [`${HOST_URL}/Redirect?action=OpenReport&appId=${APP}&reportObjectId=${REPORT}`, IN_APP],
    [`${EMBED}?${OF_APP}`, IN_APP],
  ])('reads the ids of %s', (link, ids) => {
    expect(parseReportLink(link, HOSTS)).toMatchObject(ids)
  })

  test.each([
    [
      `${PAGE}/ReportSection1?bookmarkGuid=Bookmarkeb9e787c137d047a58b9`,
      'ReportSection1',
      'Bookmarkeb9e787c137d047a58b9',
      [],
    ],
    [
      `${PAGE}?bookmarkGuid=72bfed1d-0745-4452-a5e8-6a36551cb166&ctid=t1`,
      undefined,
      undefined,
      ['bookmarkGuid', 'ctid'],
    ],
    [
      `${EMBED}?${OF_WORKSPACE}&pageName=S2&$filter=x&rp:Loja=1`,
      'S2',
      undefined,
      ['autoAuth', '$filter', 'rp:Loja'],
    ],
    [`${HOST_URL}/Redirect?reportObjectId=${REPORT}&reportPage=S3`, 'S3', undefined, []],
  ])('reads where %s opens, and names what it leaves out', (link, pageName, bookmarkName, unused) => {
    expect(parseReportLink(link, HOSTS)).toMatchObject({ pageName, bookmarkName, unused })
  })

  test.each([
    '',
    WORKSPACE,
    PAGE.replace('https', 'http'),
    PAGE.replace('app.powerbi.com', 'app.powerbi.com.evil.com'),
    PAGE.replace('app.powerbi.com', 'app.powerbi.com:8443'),
    FABRIC_PAGE.replace('.com', '.com:8443'),
    `${HOST_URL}/groups/${WORKSPACE}/dashboards/${REPORT}`,
    `${PAGE}0`,
    `${EMBED}?reportId=1&groupId=${WORKSPACE}`,
    `${HOST_URL}/view?r=abc&reportId=${REPORT}&groupId=${WORKSPACE}`,
    `${HOST_URL}/links/AbC`,
  ])('finds none in %s', (link) => {
    expect(parseReportLink(link, HOSTS)).toBeUndefined()
  })
})

test.each([
  ['app.powerbi.com/view?r=a b', 'https://app.powerbi.com/view?r=a b'],
  ['//APP.powerbi.com/view?r=1', 'https://APP.powerbi.com/view?r=1'],
  ['http://app.powerbi.com/view?r=1', 'https://app.powerbi.com/view?r=1'],
  [' <https://app.powerbi.com/view?r=1> ', 'https://app.powerbi.com/view?r=1'],
  ['“https://app.powerbi.com/view?r=1”', 'https://app.powerbi.com/view?r=1'],
  ['https://app.powerbi.com/view?r=1', undefined],
  ['app.powerbi.com', undefined],
  ['app.powerbi.com.evil.com/view', undefined],
  ['https://evil.com/https://app.powerbi.com/', undefined],
  ['app.powerbi.com@evil.com/', undefined],
])('completeUrl(%j): %s', (text, url) => expect(completeUrl(text, HOSTS)).toBe(url))

test.each([
  [
    `${EMBED}?${OF_WORKSPACE}&Filter=x&%24filter=y&filterPaneEnabled=true&$filter=z`,
    ['Filter', '$filter', 'filterPaneEnabled'],
  ],
  [`${EMBED}?${OF_WORKSPACE}&AutoAuth=True&filterPaneEnabled=false&rp:filter=x`, []],
  [`${HOST_URL}/rdlEmbed?reportId=${REPORT}&filter=x&autoAuth=0`, ['autoAuth']],
  [`${HOST_URL}/view?r=x&filter=x`, []],
])('names what is replaced when %s is shown', (link, replaced) => {
  expect(listReplaced(link)).toEqual(replaced)
})

test.each([
  [`${PAGE}/Vendas%20por%20loja`, 'Vendas por loja', true],
  [`${EMBED}?${OF_WORKSPACE}&pageName=Página 1`, 'Página 1', true],
  [`${EMBED}?${OF_WORKSPACE}&pageName=ReportSection3`, 'ReportSection3', false],
  [`${PAGE}/08c911d6311ba5b55f7b`, '08c911d6311ba5b55f7b', false],
  [PAGE, undefined, false],
  [`${HOST_URL}/home`, undefined, false],
])('findPageName(%s): %s, a display name: %s', (link, name, expected) => {
  expect(findPageName(link)).toBe(name)
  expect(isDisplayName(name ?? '')).toBe(expected)
})
