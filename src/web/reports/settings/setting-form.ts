import { useState } from 'react'
import type { CatalogueItem } from '#contract/catalogue.ts'
import { normalizeTyped } from '#contract/pasted-text.ts'
import { NO_SETTING } from '#contract/report-setting-rules.ts'
import type { ReportSetting, ReportSettingInput } from '#contract/report-settings.ts'
import type { EmbedMode } from '#contract/reports.ts'
import { extractUrl } from '#contract/share-url.ts'

/** 'Nenhum' exists only in the form: saving it removes the setting. */
export type FormMode = 'none' | EmbedMode

const PRINCIPAL_FIELDS = ['workspace_id', 'report_id', 'dataset_id', 'page_name', 'bookmark_name'] as const
export const SETTING_FIELDS = ['report_url', ...PRINCIPAL_FIELDS] as const
export type SettingField = (typeof SETTING_FIELDS)[number]

/** The form of one area; fields of the other modes keep their input. */
export type SettingForm = { mode: FormMode; exports: boolean } & Record<SettingField, string>

export const MODE_FIELDS: Record<FormMode, readonly SettingField[]> = {
  none: [],
  secure_sso: ['report_url'],
  service_principal: PRINCIPAL_FIELDS,
}

export function toForm(setting: ReportSetting | undefined): SettingForm {
  return {
    mode: setting?.embed_mode ?? 'none',
    report_url: setting?.report_url ?? '',
    workspace_id: setting?.workspace_id ?? '',
    report_id: setting?.report_id ?? '',
    dataset_id: setting?.dataset_id ?? '',
    page_name: setting?.page_name ?? '',
    bookmark_name: setting?.bookmark_name ?? '',
    exports: setting?.exports ?? true,
  }
}

/** Checks whether saving would change nothing: ignores other modes' fields and surrounding spaces. */
export function isUnchanged(form: SettingForm, setting: ReportSetting | undefined): boolean {
  return JSON.stringify(toInput(form)) === JSON.stringify(toInput(toForm(setting)))
}

/** Converts the form to the body of a save or a test; undefined for mode 'Nenhum'. */
export function toInput(form: SettingForm): ReportSettingInput | undefined {
  if (form.mode === 'none') return undefined
  if (form.mode === 'secure_sso') return { embed_mode: 'secure_sso', report_url: extractUrl(form.report_url) }
  return {
    embed_mode: 'service_principal',
    workspace_id: normalizeTyped(form.workspace_id),
    report_id: normalizeTyped(form.report_id),
    dataset_id: normalizeTyped(form.dataset_id) || null,
    page_name: normalizeTyped(form.page_name) || null,
    bookmark_name: normalizeTyped(form.bookmark_name) || null,
    exports: form.exports,
  }
}

/** Returns the If-Match value for the setting that was loaded, or for none. */
export function getVersion(setting: ReportSetting | undefined): string {
  return setting?.updated_at ?? NO_SETTING
}

/** Describes a setting, to compare two versions. */
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
    ['Página', setting.page_name ?? 'não informada'],
    ['Indicador', setting.bookmark_name ?? 'não informado'],
    ['Exportação', setting.exports ? 'permitida' : 'desligada'],
  ]
}

/** @param areas including archived ones, which are shown while they have a report */
export function useSettingsDrafts(settings: readonly ReportSetting[], areas: readonly CatalogueItem[]) {
  const [drafts, setDrafts] = useState<Drafts>({})
  const getCurrent = ({ label }: CatalogueItem) => settings.find((setting) => setting.type === label)
  const getView = (area: CatalogueItem) =>
    getAreaView(Object.hasOwn(drafts, area.code) ? drafts[area.code] : undefined, getCurrent(area))
  const shown = areas.filter((area) => !area.archived || getCurrent(area) || getView(area).isChanged)
  return {
    shown,
    getCurrent,
    getView,
    changed: shown.filter((area) => getView(area).isChanged),
    setDraft: ({ code }: CatalogueItem, draft: Draft) => setDrafts((all) => ({ ...all, [code]: draft })),
    /** Removes a saved draft; input typed during the save is rebased on the new setting. */
    commit: ({ code }: CatalogueItem, saved: SettingForm, setting: ReportSetting | undefined) =>
      setDrafts(({ [code]: draft, ...others }) =>
        draft && draft.form !== saved ? { ...others, [code]: { form: draft.form, seen: setting } } : others,
      ),
    drop: ({ code }: CatalogueItem) => setDrafts(({ [code]: _, ...others }) => others),
  }
}

/** The input for an area, and the setting it is based on. */
export interface Draft {
  form: SettingForm
  seen: ReportSetting | undefined
}
/** Keyed by the area's slug. */
type Drafts = Partial<Record<string, Draft>>

export interface AreaView extends Draft {
  isChanged: boolean
  /** The setting has been changed elsewhere since `seen`. */
  isStale: boolean
}

/**
 * Returns what the form shows: the draft if it has changes, otherwise the saved setting.
 * A draft is never rebased on settings that arrive later; it is only marked as stale.
 */
export function getAreaView(draft: Draft | undefined, current: ReportSetting | undefined): AreaView {
  const isSameVersion = draft !== undefined && getVersion(draft.seen) === getVersion(current)
  if (draft && isSameVersion)
    return { ...draft, isChanged: !isUnchanged(draft.form, current), isStale: false }
  // Both changes are equal, so there is no conflict.
  if (!draft || isUnchanged(draft.form, draft.seen) || isUnchanged(draft.form, current))
    return { form: toForm(current), seen: current, isChanged: false, isStale: false }
  return { ...draft, isChanged: true, isStale: true }
}
