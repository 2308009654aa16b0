import { useLocation } from '@tanstack/react-router'
import { Alert } from '#web/ui/alert.tsx'
import { Button } from '#web/ui/button.tsx'
import { Spinner } from '#web/ui/spinner.tsx'
import { VisitorPage } from '#web/ui/visitor-page.tsx'
import { RecoveryEnded } from './recovery-ended.tsx'
import { ResetPasswordForm } from './reset-password-form.tsx'
import { useRecovery } from './use-recovery.ts'

/** /reset-password, where the link of the reset mail leads (SPEC section 2). Each link gets a fresh screen. */
export function ResetPasswordScreen() {
  const linkKey = useLocation({ select: ({ state }) => state.linkKey })
  return <Reset key={linkKey ?? ''} />
}

function Reset() {
  const { state, retry, end } = useRecovery()
  if (state.kind === 'ended') return <RecoveryEnded />
  if (state.kind === 'open')
    return (
      <VisitorPage
        title="Nova senha"
        description={
          <>
            Crie uma nova senha para <strong className="font-medium text-ink">{state.recovery.email}</strong>.
          </>
        }
      >
        <ResetPasswordForm recovery={state.recovery} onEnded={end} />
      </VisitorPage>
    )
  return (
    <VisitorPage title="Nova senha">
      {state.kind === 'opening' ? (
        <p role="status" className="flex items-center gap-3 text-muted text-sm">
          <Spinner /> Conferindo o link...
        </p>
      ) : (
        <Alert
          kind="error"
          title="Não foi possível conferir o link agora."
          actions={<Button onClick={() => void retry()}>Tentar novamente</Button>}
        >
          {state.message}
        </Alert>
      )}
    </VisitorPage>
  )
}
