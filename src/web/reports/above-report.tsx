import X from 'lucide-react/icons/x'
import type { ReactNode } from 'react'
import { Alert, type NoticeKind } from '#web/ui/alert.tsx'
import { Tooltip } from '#web/ui/tooltip.tsx'

interface AboveReportProps {
  kind: NoticeKind
  action?: ReactNode
  /** Undefined for what stands as long as it holds. */
  onClose?: () => void
  children: ReactNode
}

/** A line above the reports that says why another one is shown than asked for, or why it is empty. */
export function AboveReport({ kind, action, onClose, children }: AboveReportProps) {
  return (
    <Alert
      kind={kind}
      className="below-report min-h-14 shrink-0 items-center rounded-none border-x-0 border-t-0 py-1.5 pr-1"
    >
      <div className="flex items-center gap-x-3">
        <p className={onClose ? 'min-w-0 flex-1' : 'min-w-0 flex-1 pr-3'}>{children}</p>
        {action}
        {onClose && (
          <Tooltip text="Fechar">
            <button
              type="button"
              aria-label="Fechar"
              onClick={onClose}
              className="inline-flex size-11 items-center justify-center rounded-lg text-muted hover:text-ink sm:size-9"
            >
              <X aria-hidden="true" className="size-4" />
            </button>
          </Tooltip>
        )}
      </div>
    </Alert>
  )
}
