import { describe, expect, it, test } from 'vitest'
import { describeMissing, describeUnused, fillReport, findReportInForm } from './report-link.ts'
import { type SettingForm, toForm } from './setting-form.ts'

const HOSTS = ['app.powerbi.com', 'msit.powerbi.com']
const WORKSPACE = '3e0c5a91-62d4-4f7b-8a1e-90b7d3c2f501'
const REPORT = 'a1e90b7d-3c2f-4015-9e0c-5a9162d44f7b'
const NAMED = {
  workspaceId: WORKSPACE,
  reportId: REPORT,
  isApp: false,
  isPersonal: false,
  pageName: undefined,
  bookmarkName: undefined,
  unused: [],
}
const PAGE = `https://app.powerbi.com/groups/${WORKSPACE}/reports/${REPORT}`

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
      exports: true,
      page_name: '',
      bookmark_name: '',
    })
    expect(fillReport(createForm({ dataset_id: ` ${PAGE}` }), NAMED).dataset_id).toBe('')
  })

  it('is found without its scheme, and fills page and bookmark', () => {
    const link = `${PAGE.slice('https://'.length)}/ReportSection1?bookmarkGuid=Bookmark1`
    const form = createForm({ mode: 'service_principal', workspace_id: link, page_name: 'Outra' })
    const report = findReportInForm(form, HOSTS)
    expect(report && fillReport(form, report)).toMatchObject({
      workspace_id: WORKSPACE,
      page_name: 'ReportSection1',
      bookmark_name: 'Bookmark1',
    })
  })

  it('without a workspace keeps a typed one, and clears a link in its place', () => {
    const partial = { ...NAMED, workspaceId: undefined }
    expect(fillReport(createForm({ workspace_id: WORKSPACE }), partial)).toMatchObject({
      workspace_id: WORKSPACE,
      report_id: REPORT,
    })
    expect(fillReport(createForm({ workspace_id: `<iframe src="${PAGE}">` }), partial).workspace_id).toBe('')
  })
})

test.each([
  [NAMED, undefined],
  [{ ...NAMED, workspaceId: undefined }, /^Este link não tem o Workspace ID\. Copie o endereço/],
  [{ ...NAMED, workspaceId: undefined, isPersonal: true }, /^Relatórios de “Meu espaço de trabalho”/],
  [{ ...NAMED, isApp: true }, /^Em um aplicativo o relatório pode ter outro ID\. Copie/],
  [{ ...NAMED, workspaceId: undefined, isApp: true }, /Workspace ID\. Em um aplicativo .* “Escolher no/],
])('describeMissing of %j: %s', (report, text) => {
  if (text) expect(describeMissing(report)).toMatch(text)
  else expect(describeMissing(report)).toBeUndefined()
})

test.each([
  [{}, undefined],
  [{ unused: ['filter', 'rp:Loja'] }, 'No modo Service Principal ficam de fora: filter, rp:Loja.'],
  [{ unused: ['bookmarkGuid'] }, /bookmarkGuid\. O indicador .* é pessoal/],
])('describeUnused of %j: %s', (report, text) => {
  if (text) expect(describeUnused({ ...NAMED, ...report })).toMatch(text)
  else expect(describeUnused({ ...NAMED, ...report })).toBeUndefined()
})
