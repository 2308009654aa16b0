import { useState } from 'react'
import { type AccessType, TYPES } from '#contract/catalogue.ts'
import type { ReportSetting } from '#contract/report-settings.ts'
import { type Draft, type Drafts, viewOf } from './drafts.ts'
import type { SettingForm } from './setting-form.ts'

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
