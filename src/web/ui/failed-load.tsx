import type { ReactNode } from 'react'
import { Alert } from './alert.tsx'
import { Button } from './button.tsx'
import type { NoticeKind } from './kind-icon.tsx'

interface FailedLoadProps {
  kind?: NoticeKind
  title?: string
  children?: ReactNode
  onRetry: () => void
  isRetrying?: boolean
  className?: string
}

/** Stands where something that could not be read should be, and tries again. */
export function FailedLoad(props: FailedLoadProps) {
  const { kind = 'error', onRetry, isRetrying = false, ...alert } = props
  const retry = (
    <Button variant="secondary" isBusy={isRetrying} onClick={onRetry}>
      Tentar novamente
    </Button>
  )
  return <Alert {...alert} kind={kind} actions={retry} />
}
