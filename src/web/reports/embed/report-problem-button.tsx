import { useState } from 'react'
import { Button } from '#web/ui/button.tsx'
import { showToast } from '#web/ui/toast-store.ts'
import type { EmbedFailure } from './embed-failure.ts'
import { type FailedReport, reportProblem } from './report-problem.ts'

/** What has been reported since the page was opened: a failure that comes back says so. */
const reported = new Set<string>()

export interface ReportProblemProps {
  report: FailedReport
  failure: EmbedFailure
}

/** Tells the administrators of a report that failed; once is enough. */
export function ReportProblemButton({ report, failure }: ReportProblemProps) {
  const key = report.area + failure.title + failure.code
  const [isBusy, setIsBusy] = useState(false)
  const isReported = reported.has(key)
  const send = async () => {
    if (isReported) return
    setIsBusy(true)
    try {
      await reportProblem(report, failure)
      reported.add(key)
      showToast({ kind: 'success', title: 'Problema relatado aos administradores' })
    } catch (error) {
      const { message } = error as Error
      showToast({ kind: 'error', title: 'Erro ao relatar o problema', description: message })
    }
    setIsBusy(false)
  }
  return (
    <Button variant="secondary" isBusy={isBusy} aria-disabled={isReported} onClick={send}>
      {isReported ? 'Problema relatado' : 'Relatar problema'}
    </Button>
  )
}
