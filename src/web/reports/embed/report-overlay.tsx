import { type ComponentType, lazy, type ReactNode, Suspense } from 'react'
import { Alert } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { Spinner } from '#web/ui/loading.tsx'
import type { EmbedFailure } from './embed-failure.ts'
import type { FailedReport, ReportProblemProps } from './report-problem.tsx'

/** Needed only where a report has failed; a page that cannot load it goes without. */
const ReportProblemButton = lazy<ComponentType<ReportProblemProps>>(() =>
  import('./report-problem.tsx').then(
    (chunk) => ({ default: chunk.ReportProblemButton }),
    () => ({ default: () => null }),
  ),
)

/** Covers a report until it is there. */
export function ReportLoading({ area }: { area: string }) {
  return (
    <Overlay>
      <p role="status" className="flex items-center gap-3 text-muted text-sm">
        <Spinner />
        Carregando o relatório {area}…
      </p>
    </Overlay>
  )
}

interface ReportFailedProps {
  report: FailedReport
  failure: EmbedFailure
  /** Offers to reload the page. */
  canReload?: boolean
}

/** Stands in for a report that cannot be shown: what happened, and what to do about it. */
export function ReportFailed({ report, failure, canReload = false }: ReportFailedProps) {
  const actions = (
    <>
      {canReload && <Button onClick={() => location.reload()}>Recarregar</Button>}
      <Suspense
        fallback={
          <Button variant="secondary" disabled>
            Relatar problema
          </Button>
        }
      >
        <ReportProblemButton report={report} failure={failure} />
      </Suspense>
    </>
  )
  return (
    <Overlay>
      <Alert kind="error" title={failure.title} actions={actions} className="max-w-lg">
        <p>{failure.advice}</p>
        {failure.code && <p className="pt-1 text-muted text-xs">Código: {failure.code}</p>}
      </Alert>
    </Overlay>
  )
}

function Overlay({ children }: { children: ReactNode }) {
  return (
    <div className="absolute inset-0 flex items-center justify-center overflow-auto bg-canvas p-4">
      {children}
    </div>
  )
}
