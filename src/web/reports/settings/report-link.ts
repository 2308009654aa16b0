import { completeUrl, findFrameIssue, parseReportLink, type ReportLink } from '#contract/share-url.ts'
import { MODE_FIELDS, type SettingForm } from './setting-form.ts'

/** Finds the first report link in the fields of the chosen mode, also one that lacks its scheme. */
export function findReportInForm(form: SettingForm, hosts: readonly string[]): ReportLink | undefined {
  // In mode SSO an embed link is where it belongs.
  const isMisplaced = (text: string) => form.mode !== 'secure_sso' || findFrameIssue(text)?.kind === 'page'
  const texts = MODE_FIELDS[form.mode].map((field) => completeUrl(form[field], hosts) ?? form[field])
  return texts
    .filter(isMisplaced)
    .map((text) => parseReportLink(text, hosts))
    .find((report) => report !== undefined)
}

/** Fills what a link says into the form, in the mode that uses it, and clears a link in its place. */
export function fillReport(
  form: SettingForm,
  { workspaceId, reportId, pageName, bookmarkName }: ReportLink,
): SettingForm {
  const clearLink = (text: string) => (text.includes('/') ? '' : text)
  return {
    ...form,
    mode: 'service_principal',
    workspace_id: workspaceId ?? clearLink(form.workspace_id),
    report_id: reportId,
    dataset_id: clearLink(form.dataset_id),
    page_name: pageName ?? '',
    bookmark_name: bookmarkName ?? '',
  }
}

/** Describes what a link lacks, and how to get it; undefined for a complete one. */
export function describeMissing({ workspaceId, isApp, isPersonal }: ReportLink): string | undefined {
  if (isPersonal)
    return 'Relatórios de “Meu espaço de trabalho” (/groups/me) não abrem com a conta do portal. Mova o relatório para um espaço de trabalho, ou copie o endereço dele de lá.'
  const missing = workspaceId ? '' : 'Este link não tem o Workspace ID. '
  const other = isApp ? 'Em um aplicativo o relatório pode ter outro ID. ' : ''
  if (!missing && !other) return undefined
  return `${missing}${other}Copie o endereço do relatório no espaço de trabalho dele, ou use “Escolher no Power BI”.`
}

/** Describes what Service Principal mode does not take from a link; undefined if it takes everything. */
export function describeUnused({ unused }: ReportLink): string | undefined {
  if (unused.length === 0) return undefined
  const bookmark = unused.some((name) => /^bookmarkGuid$/i.test(name))
    ? ' O indicador (bookmarkGuid) é pessoal ou de um compartilhamento, e não abre com a conta do portal.'
    : ''
  return `No modo Service Principal ficam de fora: ${unused.join(', ')}.${bookmark}`
}
