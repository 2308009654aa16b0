import type { AccessType } from '#contract/catalogue.ts'
import type { EmbedMode } from '#contract/reports.ts'
import { callApi } from '#web/http/api.ts'
import { Button } from '#web/ui/button.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { useSubmit } from '#web/ui/use-form.ts'
import type { EmbedFailure } from './embed-failure.ts'

/** What has been reported since the page was opened: a failure that comes back says so. */
const reported = new Set<string>()

export interface ReportProblemProps {
  report: FailedReport
  failure: EmbedFailure
}

/** Tells the administrators of a report that failed; once is enough. */
export function ReportProblemButton({ report, failure }: ReportProblemProps) {
  const key = report.area + failure.title + failure.code
  const isReported = reported.has(key)
  const { submit, isBusy } = useSubmit({
    send: () => reportProblem(report, failure),
    onDone() {
      reported.add(key)
      showToast({ kind: 'success', title: 'Problema relatado aos administradores' })
    },
    onFailed: 'Erro ao relatar o problema',
  })
  return (
    <Button
      variant="secondary"
      isBusy={isBusy}
      aria-disabled={isReported}
      onClick={() => !isReported && void submit()}
    >
      {isReported ? 'Problema relatado' : 'Relatar problema'}
    </Button>
  )
}

/** The report that a failure is about. */
export interface FailedReport {
  area: string
  embedMode: EmbedMode
  reportId: string | null
}

/** Nothing that people write is this long without a space; a token is. */
const TOKEN_LIKE = /[\w+/=.-]{60,}/g

/**
 * Files a support message about a report that failed; who, marcas, estados and browser the server knows itself.
 * @throws ApiError, NetworkError
 */
export async function reportProblem(
  { area, embedMode, reportId }: FailedReport,
  seen: EmbedFailure,
): Promise<void> {
  const failure = [seen.title, seen.code].filter(Boolean).join(' · ').replace(TOKEN_LIKE, '…').slice(0, 200)
  const requestId = seen.requestId?.slice(0, 100) ?? null
  // The server refuses an area that is none of the nine.
  const body = { type: area as AccessType, embedMode, reportId: reportId || null, failure, requestId }
  await callApi('POST /api/support-messages/problem-reports', { body })
}
