import type { ReactNode } from 'react'
import { Alert } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { Spinner } from '#web/ui/spinner.tsx'
import type { EmbedFailure } from './embed-failure.ts'

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

/** Stands in for a report that cannot be shown; `canReload` offers to reload the page (SPEC section 2). */
export function ReportFailed({ failure, canReload = false }: { failure: EmbedFailure; canReload?: boolean }) {
  const reload = <Button onClick={() => location.reload()}>Recarregar</Button>
  return (
    <Overlay>
      <Alert kind="error" title={failure.title} actions={canReload && reload} className="max-w-lg">
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
