import { parseUrl, reduceToUrl, UUID as WHOLE_UUID } from '#contract/share-url.ts'
import { FIELDS_OF, type SettingForm } from './setting-form.ts'

interface NamedReport {
  workspaceId: string
  reportId: string
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
/** The URL of a report's own page, https://app.powerbi.com/groups/{workspace}/reports/{report}/… */
const PAGE_PATH = new RegExp(`^/groups/(${UUID})/(?:rdl)?reports/(${UUID})(?:/|$)`, 'i')

/**
 * The ids in a link to a report in a shared workspace: its page, or a /reportEmbed link with a groupId.
 * @param hosts the report hosts of this installation
 * @returns undefined for anything else, 'groups/me' included, which is nobody else's workspace
 */
export function reportOfLink(text: string, hosts: readonly string[]): NamedReport | undefined {
  const url = parseUrl(reduceToUrl(text))
  if (url?.protocol !== 'https:' || !hosts.includes(url.host)) return undefined
  const [, workspaceId, reportId] = PAGE_PATH.exec(url.pathname) ?? idsOfQuery(url)
  if (!workspaceId || !reportId) return undefined
  return { workspaceId: workspaceId.toLowerCase(), reportId: reportId.toLowerCase() }
}

/** Whether it leads to a report's own page, which no frame may show, unlike an embed link. */
export function isReportPage(text: string, hosts: readonly string[]): boolean {
  const url = parseUrl(reduceToUrl(text))
  return url !== undefined && hosts.includes(url.host) && PAGE_PATH.test(url.pathname)
}

/** The first link that the fields of the chosen mode hold, or undefined. */
export function reportInForm(form: SettingForm, hosts: readonly string[]): NamedReport | undefined {
  // An embed link is where it belongs in mode SSO.
  const isMisplaced = (text: string) => form.mode !== 'secure_sso' || isReportPage(text, hosts)
  const texts = FIELDS_OF[form.mode].map((field) => form[field]).filter(isMisplaced)
  return texts.map((text) => reportOfLink(text, hosts)).find((report) => report !== undefined)
}

/** The form with the ids of a link in their fields, in the mode that uses them; a link in another field goes. */
export function withReport(form: SettingForm, report: NamedReport): SettingForm {
  return {
    ...form,
    mode: 'service_principal',
    workspace_id: report.workspaceId,
    report_id: report.reportId,
    dataset_id: /^https:/i.test(reduceToUrl(form.dataset_id)) ? '' : form.dataset_id,
  }
}

function idsOfQuery(url: URL): readonly (string | undefined)[] {
  if (!/^\/(rdl)?reportEmbed\/?$/i.test(url.pathname)) return []
  const ids = ['groupId', 'reportId'].map((name) => url.searchParams.get(name) ?? '')
  return ids.every((id) => WHOLE_UUID.test(id)) ? [url.href, ...ids] : []
}
