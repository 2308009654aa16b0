import { useState } from 'react'
import { type AccessType, TYPES } from '#contract/catalogue.ts'
import type { ReportSetting } from '#contract/report-settings.ts'
import { formOf, isUnchanged, type SettingForm, versionOf } from './setting-form.ts'

/** What is typed and not saved, for each area; it outlives the change of tabs. */
export function useSettingsDrafts(settings: readonly ReportSetting[]) {
  const [drafts, setDrafts] = useState<Drafts>({})
  const currentOf = (type: AccessType) => settings.find((setting) => setting.type === type)
  const areaOf = (type: AccessType) => viewOf(drafts[type], currentOf(type))
  return {
    currentOf,
    areaOf,
    changed: TYPES.filter((type) => areaOf(type).isChanged),
    put: (type: AccessType, draft: Draft) => setDrafts((all) => ({ ...all, [type]: draft })),
    /** What has been saved is no draft any more; what was typed meanwhile rests on it. */
    settle: (type: AccessType, saved: SettingForm, setting: ReportSetting | undefined) =>
      setDrafts(({ [type]: draft, ...others }) =>
        draft && draft.form !== saved ? { ...others, [type]: { form: draft.form, seen: setting } } : others,
      ),
    drop: (type: AccessType) => setDrafts(({ [type]: _, ...others }) => others),
  }
}

/** What somebody has typed for an area, and the setting that stood there when they began. */
export interface Draft {
  form: SettingForm
  seen: ReportSetting | undefined
}
export type Drafts = Partial<Record<AccessType, Draft>>

/** How the form of an area stands. */
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
