import { queryOptions } from '@tanstack/react-query'
import type { AccessType } from '#contract/catalogue.ts'
import { type ReportSetting, reportSettingsRoutes } from '#contract/report-settings.ts'
import { callApi } from '#web/http/api.ts'
import { queryClient } from '#web/http/query-client.ts'

/** Every configured area. */
export const reportSettingsQuery = queryOptions({
  queryKey: ['report-settings'],
  queryFn: async ({ signal }) => (await callApi(reportSettingsRoutes.listReportSettings, { signal })).items,
})

/** Puts what has just been saved (or removed) where it is read, ahead of any answer that is still on its way. */
export async function rememberSetting(type: AccessType, setting: ReportSetting | undefined): Promise<void> {
  await queryClient.cancelQueries(reportSettingsQuery)
  queryClient.setQueryData(reportSettingsQuery.queryKey, (items) => [
    ...(items ?? []).filter((item) => item.type !== type),
    ...(setting ? [setting] : []),
  ])
  // The administrator's own reports screen shows the new report at once.
  void queryClient.invalidateQueries({ queryKey: ['own-reports'] })
}

/**
 * Reads the settings again, whatever is on its way; never throws, the query itself tells of failures.
 * @returns the area's setting as far as it is known then
 */
export async function readSettingAgain(type: AccessType): Promise<ReportSetting | undefined> {
  await queryClient.refetchQueries(reportSettingsQuery)
  return queryClient
    .getQueryData(reportSettingsQuery.queryKey)
    ?.find((setting: ReportSetting) => setting.type === type)
}
