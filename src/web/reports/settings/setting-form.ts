import { useState } from 'react'
import type { CatalogueItem } from '#contract/catalogue.ts'
import { NO_SETTING } from '#contract/report-setting-rules.ts'
import type { ReportSetting, ReportSettingInput } from '#contract/report-settings.ts'
import type { EmbedMode } from '#contract/reports.ts'
import { reduceToUrl } from '#contract/share-url.ts'

/** 'Nenhum' is a choice of the form only: it is saved by removing the setting. */
export type FormMode = 'none' | EmbedMode

export const SETTING_FIELDS = ['report_url', 'workspace_id', 'report_id', 'dataset_id'] as const
export type SettingField = (typeof SETTING_FIELDS)[number]

/** What the form of one area holds; the fields of the modes not chosen keep what was typed into them. */
export type SettingForm = { mode: FormMode } & Record<SettingField, string>

export const FIELDS_OF: Record<FormMode, readonly SettingField[]> = {
  none: [],
  secure_sso: ['report_url'],
  service_principal: ['workspace_id', 'report_id', 'dataset_id'],
}

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
  return JSON.stringify(inputOf(form)) === JSON.stringify(inputOf(formOf(setting)))
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

/** @param areas all that there are; those archived count while a report stands under them */
export function useSettingsDrafts(settings: readonly ReportSetting[], areas: readonly CatalogueItem[]) {
  const [drafts, setDrafts] = useState<Drafts>({})
  const currentOf = ({ label }: CatalogueItem) => settings.find((setting) => setting.type === label)
  const areaOf = (area: CatalogueItem) =>
    viewOf(Object.hasOwn(drafts, area.code) ? drafts[area.code] : undefined, currentOf(area))
  const shown = areas.filter((area) => !area.archived || currentOf(area) || areaOf(area).isChanged)
  return {
    shown,
    currentOf,
    areaOf,
    changed: shown.filter((area) => areaOf(area).isChanged),
    put: ({ code }: CatalogueItem, draft: Draft) => setDrafts((all) => ({ ...all, [code]: draft })),
    /** What has been saved is no draft any more; what was typed meanwhile rests on it. */
    settle: ({ code }: CatalogueItem, saved: SettingForm, setting: ReportSetting | undefined) =>
      setDrafts(({ [code]: draft, ...others }) =>
        draft && draft.form !== saved ? { ...others, [code]: { form: draft.form, seen: setting } } : others,
      ),
    drop: ({ code }: CatalogueItem) => setDrafts(({ [code]: _, ...others }) => others),
  }
}

/** What somebody has typed for an area, and the setting that stood there when they began. */
export interface Draft {
  form: SettingForm
  seen: ReportSetting | undefined
}
/** By the area's slug. */
type Drafts = Partial<Record<string, Draft>>

export interface AreaView extends Draft {
  isChanged: boolean
  /** Somebody else has saved something else since `seen`. */
  isOvertaken: boolean
}

/**
 * What the form of an area shows: the draft while it holds changes, otherwise what is saved. A draft rests on
 * what its author saw; saved values that arrive later never slip under it, they only mark it as overtaken.
 */
export function viewOf(draft: Draft | undefined, current: ReportSetting | undefined): AreaView {
  const isSameVersion = draft !== undefined && versionOf(draft.seen) === versionOf(current)
  if (draft && isSameVersion)
    return { ...draft, isChanged: !isUnchanged(draft.form, current), isOvertaken: false }
  // Both saved the same: nothing is left to decide.
  if (!draft || isUnchanged(draft.form, draft.seen) || isUnchanged(draft.form, current))
    return { form: formOf(current), seen: current, isChanged: false, isOvertaken: false }
  return { ...draft, isChanged: true, isOvertaken: true }
}
