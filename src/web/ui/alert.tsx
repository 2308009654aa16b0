import CircleAlert from 'lucide-react/icons/circle-alert'
import CircleCheck from 'lucide-react/icons/circle-check'
import Info from 'lucide-react/icons/info'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'

export type NoticeKind = 'success' | 'error' | 'warning' | 'info'

const icons = { success: CircleCheck, error: CircleAlert, warning: TriangleAlert, info: Info }
const colors: Record<NoticeKind, string> = {
  success: 'text-success',
  error: 'text-danger',
  warning: 'text-warning',
  info: 'text-info',
}

export function KindIcon({ kind, className }: { kind: NoticeKind; className?: string }) {
  const Icon = icons[kind]
  return <Icon aria-hidden="true" className={classNames('size-4 shrink-0', colors[kind], className)} />
}

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
  actions?: ReactNode
  className?: string
}

/** A message within the page. Errors and warnings interrupt a screen reader, others do not. */
export function Alert({ kind, title, children, actions, className }: AlertProps) {
  return (
    <div
      role={kind === 'error' || kind === 'warning' ? 'alert' : 'status'}
      className={classNames('flex gap-3 rounded-lg border p-4 text-sm', tints[kind], className)}
    >
      <KindIcon kind={kind} className="mt-0.5" />
      <div className="min-w-0 flex-1 space-y-1">
        {title && (
          <p className="font-medium text-ink">
            <Sentence text={title} />
          </p>
        )}
        {children && <div className="text-ink">{children}</div>}
        {actions && <div className="flex flex-wrap gap-2 pt-2">{actions}</div>}
      </div>
    </div>
  )
}

interface FailedLoadProps {
  kind?: NoticeKind
  title?: string
  children?: ReactNode
  /** Undefined where a retry would not help. */
  onRetry?: (() => void) | undefined
  isRetrying?: boolean
  className?: string
}

/** Replaces content that failed to load, with a button to retry. */
export function FailedLoad(props: FailedLoadProps) {
  const { kind = 'error', onRetry, isRetrying = false, ...alert } = props
  const retry = onRetry && (
    <Button variant="secondary" isBusy={isRetrying} onClick={onRetry}>
      Tentar novamente
    </Button>
  )
  return <Alert {...alert} kind={kind} actions={retry} />
}

/** A sentence whose quoted names do not turn the rest, and that never parts a sign from its value. */
export function Sentence({ text }: { text: string }) {
  const parts = text.split(/((?<=“)[^”]+|[+−] \S+)/)
  return parts.map((part, index) => {
    const Part = index % 2 === 1 ? 'bdi' : 'span'
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the order of the parts is fixed
      <Part key={index} className={/^[+−] \S+$/.test(part) ? 'whitespace-nowrap' : undefined}>
        {part}
      </Part>
    )
  })
}
