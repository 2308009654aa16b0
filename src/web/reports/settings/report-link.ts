import { extractUrl, findFrameIssue, parseReportLink, type ReportIds } from '#contract/share-url.ts'
import { MODE_FIELDS, type SettingForm } from './setting-form.ts'

/** Finds the first report link in the fields of the chosen mode. */
export function findReportInForm(form: SettingForm, hosts: readonly string[]): ReportIds | undefined {
  // In mode SSO an embed link is where it belongs.
  const isMisplaced = (text: string) => form.mode !== 'secure_sso' || findFrameIssue(text)?.kind === 'page'
  const texts = MODE_FIELDS[form.mode].map((field) => form[field]).filter(isMisplaced)
  return texts.map((text) => parseReportLink(text, hosts)).find((report) => report !== undefined)
}

/** Fills the ids of a link into the form, in the mode that uses them, and clears a link in their place. */
export function fillReport(form: SettingForm, { workspaceId, reportId }: ReportIds): SettingForm {
  const clearLink = (text: string) => (/^https?:/i.test(extractUrl(text)) ? '' : text)
  return {
    ...form,
    mode: 'service_principal',
    workspace_id: workspaceId ?? clearLink(form.workspace_id),
    report_id: reportId,
    dataset_id: clearLink(form.dataset_id),
  }
}

/** Describes what a link lacks, and how to get it; undefined for a complete one. */
export function describeMissing({ workspaceId, isApp }: ReportIds): string | undefined {
  const missing = workspaceId ? '' : 'Este link não tem o Workspace ID. '
  const other = isApp ? 'Em um aplicativo o relatório pode ter outro ID. ' : ''
  if (!missing && !other) return undefined
  return `${missing}${other}Copie o endereço do relatório no espaço de trabalho dele, ou use “Escolher no Power BI”.`
}
