import { describe, expect, it } from 'vitest'
import { fillReport, findReportInForm, isReportPage, parseReportLink } from './report-link.ts'
import { type SettingForm, toForm } from './setting-form.ts'

const HOSTS = ['app.powerbi.com', 'msit.powerbi.com']
const WORKSPACE = '3e0c5a91-62d4-4f7b-8a1e-90b7d3c2f501'
const REPORT = 'a1e90b7d-3c2f-4015-9e0c-5a9162d44f7b'
const NAMED = { workspaceId: WORKSPACE, reportId: REPORT }
const PAGE = `https://app.powerbi.com/groups/${WORKSPACE}/reports/${REPORT}`

describe('a link to a report', () => {
  it.each([
    PAGE,
    `  ${PAGE}/ReportSection3?experience=power-bi  `,
    `https://msit.powerbi.com/groups/${WORKSPACE}/rdlreports/${REPORT}`,
    PAGE.replace(REPORT, REPORT.toUpperCase()),
    `https://app.powerbi.com/reportEmbed?reportId=${REPORT}&groupId=${WORKSPACE}&autoAuth=true`,
  ])('is parsed to workspace and report: %s', (link) => {
    expect(parseReportLink(link, HOSTS)).toEqual(NAMED)
  })

  it.each([
    '',
    WORKSPACE,
    PAGE.replace('https', 'http'),
    PAGE.replace('app.powerbi.com', 'app.powerbi.com.evil.com'),
    PAGE.replace('app.powerbi.com', 'app.powerbi.com:8443'),
    `https://app.powerbi.com/groups/me/reports/${REPORT}`,
    `https://app.powerbi.com/groups/${WORKSPACE}/dashboards/${REPORT}`,
    `https://app.powerbi.com/groups/${WORKSPACE}/reports/${REPORT}0`,
    `https://app.powerbi.com/reportEmbed?reportId=${REPORT}`,
    `https://app.powerbi.com/reportEmbed?reportId=1&groupId=${WORKSPACE}`,
    `https://app.powerbi.com/view?r=abc&reportId=${REPORT}&groupId=${WORKSPACE}`,
  ])('is not recognized: %s', (link) => {
    expect(parseReportLink(link, HOSTS)).toBeUndefined()
  })

  it('is either a page or an embed link', () => {
    expect(isReportPage(`${PAGE}/ReportSection`, HOSTS)).toBe(true)
    expect(isReportPage(`https://app.powerbi.com/reportEmbed?reportId=${REPORT}`, HOSTS)).toBe(false)
    expect(isReportPage('nada', HOSTS)).toBe(false)
  })
})

describe('a link in the form', () => {
  const createForm = (change: Partial<SettingForm>): SettingForm => ({ ...toForm(undefined), ...change })

  it('is found in any field of the mode', () => {
    for (const field of ['workspace_id', 'report_id', 'dataset_id'] as const)
      expect(findReportInForm(createForm({ mode: 'service_principal', [field]: PAGE }), HOSTS)).toEqual(NAMED)
    expect(findReportInForm(createForm({ mode: 'secure_sso', report_url: PAGE }), HOSTS)).toEqual(NAMED)
  })

  it('is ignored where it belongs, and in fields of other modes', () => {
    const embedUrl = `https://app.powerbi.com/reportEmbed?reportId=${REPORT}&groupId=${WORKSPACE}`
    expect(findReportInForm(createForm({ mode: 'secure_sso', report_url: embedUrl }), HOSTS)).toBeUndefined()
    expect(findReportInForm(createForm({ mode: 'none', report_url: PAGE }), HOSTS)).toBeUndefined()
    expect(findReportInForm(createForm({ mode: 'secure_sso', workspace_id: PAGE }), HOSTS)).toBeUndefined()
  })

  it('fills the ids into the fields, and keeps a dataset that is not a link', () => {
    const filled = fillReport(createForm({ mode: 'secure_sso', report_url: PAGE, dataset_id: 'd' }), NAMED)
    expect(filled).toEqual({
      mode: 'service_principal',
      report_url: PAGE,
      workspace_id: WORKSPACE,
      report_id: REPORT,
      dataset_id: 'd',
    })
    expect(fillReport(createForm({ dataset_id: ` ${PAGE}` }), NAMED).dataset_id).toBe('')
  })
})
