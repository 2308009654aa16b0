import { useMutation } from '@tanstack/react-query'
import { type AccessType, slugOfType } from '#contract/catalogue.ts'
import { type ReportSettingInput, reportSettingsRoutes } from '#contract/report-settings.ts'
import { callApi } from '#web/http/api.ts'
import { inputOf, type SettingForm } from './setting-form.ts'

/** 'Testar relatório': a dry run of what the form holds, saved or not. A result is over once the form says something else. */
export function useTestReport(type: AccessType, form: SettingForm) {
  const { mutate, isPending, data, error, variables } = useMutation({
    mutationFn: (body: ReportSettingInput) =>
      callApi(reportSettingsRoutes.testReportSetting, { params: { type: slugOfType(type) }, body }),
  })
  const input = inputOf(form)
  const isAboutForm = JSON.stringify(variables) === JSON.stringify(input)
  return {
    test: () => input && mutate(input),
    isBusy: isPending,
    reply: isAboutForm ? data : undefined,
    failure: isAboutForm ? error?.message : undefined,
  }
}
