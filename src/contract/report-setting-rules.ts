// Texts and rules of the report settings, without schemas: loaded first on /admin.
import { normalizeTyped } from './pasted-text.ts'
import type { FieldProblem } from './problem.ts'
import type { ReportSettingInput } from './report-settings.ts'
import { extractUrl, parseUrl, UUID } from './share-url.ts'

export const reportSettingMessages = {
  urlRequired: 'Por favor, insira uma URL válida',
  hostRefused: (hosts: readonly string[]) =>
    `Apenas URLs do Power BI são permitidas (${new Intl.ListFormat('pt-BR', { type: 'disjunction' }).format(hosts)})`,
  httpsOnly: 'Apenas URLs HTTPS são permitidas',
  urlInvalid: 'URL inválida. Por favor, insira uma URL válida do Power BI',
  idsRequired: 'Por favor, insira Workspace ID e Report ID',
  workspaceInvalid: 'Workspace ID inválido (formato UUID esperado)',
  reportInvalid: 'Report ID inválido (formato UUID esperado)',
  datasetTooLong: 'Dataset ID inválido (no máximo 100 caracteres)',
  openingTooLong: 'Nome inválido (no máximo 100 caracteres)',
  bookmarkPersonal:
    'Este indicador é pessoal ou de um compartilhamento, e não abre com a conta do portal. Use um indicador do relatório.',
  saved: (type: string) => `Configuração do Power BI para ${type} salva com sucesso`,
  removed: (type: string) => `Configuração do Power BI para ${type} removida com sucesso`,
  nothingToRemove: (type: string) => `Nenhuma configuração para remover em ${type}`,
  nameRequired: 'Informe um nome para o relatório',
  nameTooLong: 'O nome deve ter no máximo 60 caracteres',
  nameInvalid: 'O nome tem um caractere que não pode ser usado',
  nameTaken: 'Esta área já tem um relatório com este nome',
  reportTaken: (name: string) => `Esta área já tem este relatório, com o nome “${name}”`,
  tooMany: 'Esta área já tem 20 relatórios além do primeiro, o máximo.',
  firstMissing: (type: string) => `Configure antes o primeiro relatório de ${type}.`,
  archived: (type: string) => `A área “${type}” está no arquivo e não pode receber um relatório.`,
  reportGone: 'Este relatório não existe mais. Atualize a página.',
  saveFailed: (type: string) => `Erro ao salvar configuração do Power BI para ${type}`,
} as const

/** If-Match of an administrator who saw no setting for the area. */
export const NO_SETTING = 'none'

export const MAX_URL_LENGTH = 4_096
export const MAX_ID_LENGTH = 100

/**
 * Validates a report setting, in the order of its fields. The dataset id may be any short text.
 * @param hosts allowed in share URLs
 * @returns an empty list if the setting is valid
 */
export function checkReportSetting(input: ReportSettingInput, hosts: readonly string[]): FieldProblem[] {
  if (input.embed_mode === 'secure_sso') {
    const message = validateShareUrl(input.report_url, hosts)
    return message === undefined ? [] : [{ path: 'report_url', message }]
  }
  const ids = [
    {
      path: 'workspace_id',
      value: normalizeTyped(input.workspace_id),
      invalid: reportSettingMessages.workspaceInvalid,
    },
    {
      path: 'report_id',
      value: normalizeTyped(input.report_id),
      invalid: reportSettingMessages.reportInvalid,
    },
  ]
  const missing = ids.filter(({ value }) => value === '')
  if (missing.length > 0)
    return missing.map(({ path }) => ({ path, message: reportSettingMessages.idsRequired }))
  const isTooLong = normalizeTyped(input.dataset_id ?? '').length > MAX_ID_LENGTH
  // Power BI gives ids to bookmarks of people, and names to those of reports.
  const isPersonal = UUID.test(normalizeTyped(input.bookmark_name ?? ''))
  return [
    ...ids.filter(({ value }) => !UUID.test(value)).map(({ path, invalid }) => ({ path, message: invalid })),
    ...(isTooLong ? [{ path: 'dataset_id', message: reportSettingMessages.datasetTooLong }] : []),
    ...(isPersonal ? [{ path: 'bookmark_name', message: reportSettingMessages.bookmarkPersonal }] : []),
  ]
}

/**
 * Validates a share URL, or the iframe around it. The host must be allowed exactly as written, so that
 * user-info, a port, a trailing dot and look-alike letters are rejected.
 * @param hosts in lower case, without port
 * @returns undefined if the URL is valid
 */
export function validateShareUrl(text: string, hosts: readonly string[]): string | undefined {
  const typed = extractUrl(text)
  if (typed === '') return reportSettingMessages.urlRequired
  const url = parseUrl(typed)
  if (!url || typed.length > MAX_URL_LENGTH) return reportSettingMessages.urlInvalid
  if (!hosts.includes(url.hostname)) return reportSettingMessages.hostRefused(hosts)
  if (url.protocol !== 'https:') return reportSettingMessages.httpsOnly
  const authority = /^https:\/\/([^/?#]+)/i.exec(typed)?.[1]
  if (!authority) return reportSettingMessages.urlInvalid
  return hosts.includes(authority.toLowerCase()) ? undefined : reportSettingMessages.hostRefused(hosts)
}
