import { extractUrl, parseUrl, UUID as WHOLE_UUID } from '#contract/share-url.ts'
import { MODE_FIELDS, type SettingForm } from './setting-form.ts'

interface ReportIds {
  workspaceId: string
  reportId: string
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
/** The URL of a report's page, https://app.powerbi.com/groups/{workspace}/reports/{report}/… */
const PAGE_PATH = new RegExp(`^/groups/(${UUID})/(?:rdl)?reports/(${UUID})(?:/|$)`, 'i')

/**
 * Parses the ids from a link to a report's page, or from a /reportEmbed link with a groupId.
 * @param hosts the report hosts of this installation
 * @returns undefined for other links, including 'groups/me', which is a personal workspace
 */
export function parseReportLink(text: string, hosts: readonly string[]): ReportIds | undefined {
  const url = parseUrl(extractUrl(text))
  if (url?.protocol !== 'https:' || !hosts.includes(url.host)) return undefined
  const [, workspaceId, reportId] = PAGE_PATH.exec(url.pathname) ?? parseQueryIds(url)
  if (!workspaceId || !reportId) return undefined
  return { workspaceId: workspaceId.toLowerCase(), reportId: reportId.toLowerCase() }
}

/** Checks whether a link opens a report's page, which cannot be framed, unlike an embed link. */
export function isReportPage(text: string, hosts: readonly string[]): boolean {
  const url = parseUrl(extractUrl(text))
  return url !== undefined && hosts.includes(url.host) && PAGE_PATH.test(url.pathname)
}

/** Finds the first report link in the fields of the chosen mode. */
export function findReportInForm(form: SettingForm, hosts: readonly string[]): ReportIds | undefined {
  // In mode SSO an embed link is where it belongs.
  const isMisplaced = (text: string) => form.mode !== 'secure_sso' || isReportPage(text, hosts)
  const texts = MODE_FIELDS[form.mode].map((field) => form[field]).filter(isMisplaced)
  return texts.map((text) => parseReportLink(text, hosts)).find((report) => report !== undefined)
}

/** Fills the ids of a link into the form, in the mode that uses them, and clears a link in their place. */
export function fillReport(form: SettingForm, report: ReportIds): SettingForm {
  return {
    ...form,
    mode: 'service_principal',
    workspace_id: report.workspaceId,
    report_id: report.reportId,
    dataset_id: /^https:/i.test(extractUrl(form.dataset_id)) ? '' : form.dataset_id,
  }
}

function parseQueryIds(url: URL): readonly (string | undefined)[] {
  if (!/^\/(rdl)?reportEmbed\/?$/i.test(url.pathname)) return []
  const ids = ['groupId', 'reportId'].map((name) => url.searchParams.get(name) ?? '')
  return ids.every((id) => WHOLE_UUID.test(id)) ? [url.href, ...ids] : []
}
