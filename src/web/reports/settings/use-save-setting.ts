import { useMutation } from '@tanstack/react-query'
import { type AccessType, slugOfType } from '#contract/catalogue.ts'
import type { FieldProblem } from '#contract/problem.ts'
import { type ReportSetting, reportSettingMessages, reportSettingsRoutes } from '#contract/report-settings.ts'
import { callApi } from '#web/http/api.ts'
import { ApiError } from '#web/http/api-error.ts'
import { showToast } from '#web/ui/toast.tsx'
import { viewOf } from './drafts.ts'
import { readSettingAgain, rememberSetting } from './report-settings-query.ts'
import { inputOf, type SettingForm, versionOf } from './setting-form.ts'

interface SaveRequest {
  /** Mode 'Nenhum' removes the setting. */
  form: SettingForm
  /** What the administrator saw when the changes began. */
  seen: ReportSetting | undefined
}

interface SaveOutcomes {
  onSaved: (form: SettingForm, setting: ReportSetting | undefined) => void
  /** What the server finds wrong with fields. */
  onRefused: (fields: readonly FieldProblem[]) => void
  /** Somebody else saved meanwhile; the settings have been read again. */
  onOvertaken: (detail: string) => void
}

/** Saves or removes the setting of an area and tells of it with the texts of SPEC section 8. */
export function useSaveSetting(type: AccessType, { onSaved, onRefused, onOvertaken }: SaveOutcomes) {
  return useMutation({
    mutationFn: (request: SaveRequest) => send(type, request),
    async onSuccess({ setting, title }, { form }) {
      await rememberSetting(type, setting)
      onSaved(form, setting)
      showToast({ kind: 'success', title })
    },
    async onError(error, draft) {
      const { fields = [], code } = error instanceof ApiError ? error.problem : {}
      if (fields.length > 0) return onRefused(fields)
      if (code === 'conflict') {
        const current = await readSettingAgain(type)
        onOvertaken(error.message)
        // The notice over the form says it, and leaves the buttons in sight.
        if (viewOf(draft, current).isOvertaken) return
      }
      const title = reportSettingMessages.saveFailed(type)
      showToast({ kind: 'error', title, description: error.message })
    },
  })
}

/** @returns the setting as it is now, and the sentence that tells of it */
async function send(
  type: AccessType,
  { form, seen }: SaveRequest,
): Promise<{ setting: ReportSetting | undefined; title: string }> {
  const input = inputOf(form)
  const params = { type: slugOfType(type) }
  const ifMatch = versionOf(seen)
  if (input) {
    const setting = await callApi(reportSettingsRoutes.saveReportSetting, { params, ifMatch, body: input })
    return { setting, title: reportSettingMessages.saved(type) }
  }
  const { removed } = await callApi(reportSettingsRoutes.removeReportSetting, { params, ifMatch })
  const title = removed ? reportSettingMessages.removed(type) : reportSettingMessages.nothingToRemove(type)
  return { setting: undefined, title }
}
