import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { KindIcon, type NoticeKind } from './kind-icon.tsx'

const tints: Record<NoticeKind, string> = {
  success: 'border-success/25 bg-success-soft',
  error: 'border-danger/25 bg-danger-soft',
  warning: 'border-warning/30 bg-warning-soft',
  info: 'border-info/25 bg-info-soft',
}

interface AlertProps {
  kind: NoticeKind
  title?: string
  children?: ReactNode
  /** Buttons or links that offer the next step. */
  actions?: ReactNode
  className?: string
}

/** A notice that stays on the page. Errors and warnings are read out at once, the others when there is time. */
export function Alert({ kind, title, children, actions, className }: AlertProps) {
  return (
    <div
      role={kind === 'error' || kind === 'warning' ? 'alert' : 'status'}
      className={classNames('flex gap-3 rounded-lg border p-4 text-sm', tints[kind], className)}
    >
      <KindIcon kind={kind} className="mt-0.5" />
      <div className="min-w-0 flex-1 space-y-1">
        {title && <p className="font-medium text-ink">{title}</p>}
        {children && <div className="text-ink">{children}</div>}
        {actions && <div className="flex flex-wrap gap-2 pt-2">{actions}</div>}
      </div>
    </div>
  )
}
