import { Alert } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'

interface LoadFailureProps {
  title: string
  message: string
  onRetry: () => void
  isRetrying?: boolean
}

/** Says in a dialog that something could not be read, and tries again. */
export function LoadFailure({ title, message, onRetry, isRetrying = false }: LoadFailureProps) {
  return (
    <Alert
      kind="error"
      title={title}
      actions={
        <Button variant="secondary" isBusy={isRetrying} onClick={onRetry}>
          Tentar novamente
        </Button>
      }
    >
      {message}
    </Alert>
  )
}
