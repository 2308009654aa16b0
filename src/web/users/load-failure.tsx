import { adminMessages } from '#contract/users.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'

/** Stands where the people should, when they could not be read. */
export function LoadFailure({ onRetry, isRetrying }: { onRetry: () => void; isRetrying: boolean }) {
  const retry = (
    <Button variant="secondary" onClick={onRetry} isBusy={isRetrying}>
      Tentar novamente
    </Button>
  )
  return (
    <Alert kind="error" title={adminMessages.loadFailed} actions={retry} className="m-4">
      A lista não pôde ser lida agora.
    </Alert>
  )
}
