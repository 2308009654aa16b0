import type { ReactNode } from 'react'
import { Alert } from './alert.tsx'
import { Button } from './button.tsx'

interface FailedLoadProps {
  title?: string
  children: ReactNode
  onRetry: () => void
  isRetrying?: boolean
  className?: string
}

/** Stands where something that could not be read should be, and tries again. */
export function FailedLoad({ title, children, onRetry, isRetrying = false, className }: FailedLoadProps) {
  const retry = (
    <Button variant="secondary" isBusy={isRetrying} onClick={onRetry}>
      Tentar novamente
    </Button>
  )
  return (
    <Alert kind="error" {...(title && { title })} {...(className && { className })} actions={retry}>
      {children}
    </Alert>
  )
}
