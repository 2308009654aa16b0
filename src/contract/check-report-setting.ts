import { reportSettingMessages } from './admin-messages.ts'
import type { FieldProblem } from './problem.ts'
import type { ReportSettingInput } from './report-settings.ts'
import { flawOfShareUrl } from './share-url.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Says what is wrong with a report setting, in the order and the words of SPEC section 5; the dataset id is
 * unchecked on purpose.
 * @param hosts that share URLs may lead to
 * @returns nothing when the setting may be saved
 */
export function checkReportSetting(input: ReportSettingInput, hosts: readonly string[]): FieldProblem[] {
  if (input.embed_mode === 'secure_sso') {
    const message = flawOfShareUrl(input.report_url, hosts)
    return message === undefined ? [] : [{ path: 'report_url', message }]
  }
  const ids = [
    {
      path: 'workspace_id',
      value: input.workspace_id.trim(),
      invalid: reportSettingMessages.workspaceInvalid,
    },
    { path: 'report_id', value: input.report_id.trim(), invalid: reportSettingMessages.reportInvalid },
  ]
  const missing = ids.filter(({ value }) => value === '')
  if (missing.length > 0)
    return missing.map(({ path }) => ({ path, message: reportSettingMessages.idsRequired }))
  return ids.filter(({ value }) => !UUID.test(value)).map(({ path, invalid }) => ({ path, message: invalid }))
}
