import type { ReportSetting, ReportSettingInput } from '#contract/report-settings.ts'
import { NO_SETTING, reduceToUrl } from '#contract/report-settings.ts'
import type { EmbedMode } from '#contract/reports.ts'

/** 'Nenhum' is a choice of the form only: it is saved by removing the setting. */
export type FormMode = 'none' | EmbedMode

export const SETTING_FIELDS = ['report_url', 'workspace_id', 'report_id', 'dataset_id'] as const
export type SettingField = (typeof SETTING_FIELDS)[number]

/** What the form of one area holds; the fields of the modes not chosen keep what was typed into them. */
export type SettingForm = { mode: FormMode } & Record<SettingField, string>

const FIELDS_OF: Record<FormMode, readonly SettingField[]> = {
  none: [],
  secure_sso: ['report_url'],
  service_principal: ['workspace_id', 'report_id', 'dataset_id'],
}

/** The form as it stands for a saved setting, or for an area without one. */
export function formOf(setting: ReportSetting | undefined): SettingForm {
  return {
    mode: setting?.embed_mode ?? 'none',
    report_url: setting?.report_url ?? '',
    workspace_id: setting?.workspace_id ?? '',
    report_id: setting?.report_id ?? '',
    dataset_id: setting?.dataset_id ?? '',
  }
}

/** Whether saving the form would change nothing: only the fields of its mode count, and no blanks around them. */
export function isUnchanged(form: SettingForm, setting: ReportSetting | undefined): boolean {
  const saved = formOf(setting)
  const isSame = (field: SettingField) => reduceToUrl(form[field]) === saved[field]
  return form.mode === saved.mode && FIELDS_OF[form.mode].every(isSame)
}

/** The body of a save or a test; undefined for mode 'Nenhum', which has none. */
export function inputOf(form: SettingForm): ReportSettingInput | undefined {
  if (form.mode === 'none') return undefined
  if (form.mode === 'secure_sso')
    return { embed_mode: 'secure_sso', report_url: reduceToUrl(form.report_url) }
  return {
    embed_mode: 'service_principal',
    workspace_id: form.workspace_id.trim(),
    report_id: form.report_id.trim(),
    dataset_id: form.dataset_id.trim() || null,
  }
}

/** If-Match of an administrator who saw this setting, or none. */
export function versionOf(setting: ReportSetting | undefined): string {
  return setting?.updated_at ?? NO_SETTING
}

/** What a setting holds, in words, for somebody who must choose between two. */
export function describeSetting(setting: ReportSetting | undefined): [label: string, value: string][] {
  if (!setting) return [['Modo', 'Nenhum']]
  if (setting.embed_mode === 'secure_sso')
    return [
      ['Modo', 'URL Direta (SSO)'],
      ['URL', setting.report_url ?? ''],
    ]
  return [
    ['Modo', 'Service Principal'],
    ['Workspace ID', setting.workspace_id ?? ''],
    ['Report ID', setting.report_id ?? ''],
    ['Dataset ID', setting.dataset_id ?? 'não informado'],
  ]
}
