import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError, callApi } from '#web/http/api.ts'
import { getOwedStep, useSession } from '#web/session/session.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button, buttonClasses } from '#web/ui/button.tsx'
import { useSubmit } from '#web/ui/use-submit.ts'
import { MessagePage } from '#web/ui/visitor-page.tsx'
import { IncompleteLink } from './incomplete-link.tsx'
import { useLinkHash } from './mail-link.ts'

/** /segunda-etapa, from the mail that allows this browser to set up a second step: at a press alone. */
export function FactorLinkScreen() {
  const token = new URLSearchParams(useLinkHash()).get('token_hash') ?? ''
  const session = useSession()
  const navigate = useNavigate()
  const [failure, setFailure] = useState<string>()
  const { submit, isBusy } = useSubmit({
    send: () => callApi('POST /api/auth/factors/link/verify', { body: { token_hash: token } }),
    onDone: () =>
      navigate({ to: session && getOwedStep(session) ? '/login' : '/profile/seguranca', replace: true }),
    onFailed: (error) =>
      setFailure(
        error instanceof ApiError && error.problem.code === 'invalid-link'
          ? 'Este link já foi usado, venceu ou é de outra conta. Peça outro na tela em que você configura a segunda etapa.'
          : error instanceof Error
            ? error.message
            : 'Tente novamente mais tarde.',
      ),
  })
  const toLogin = (
    <Link to="/login" className={buttonClasses('primary', 'large')}>
      Ir para o login
    </Link>
  )
  if (!token) return <IncompleteLink actions={toLogin} />
  if (!session)
    return (
      <MessagePage title="Entre primeiro" actions={toLogin}>
        Este link vale no navegador em que você entrou. Entre nele com a sua conta e abra o link de novo.
      </MessagePage>
    )
  return (
    <MessagePage
      title="Configurar neste navegador?"
      actions={
        <>
          {failure && <Alert kind="error">{failure}</Alert>}
          <Button size="large" isBusy={isBusy} onClick={() => void submit()}>
            Continuar
          </Button>
        </>
      }
    >
      Confirme que é você quem está configurando a verificação em duas etapas da conta {session.user.email}.
      Se não é, feche esta página e crie uma senha nova.
    </MessagePage>
  )
}
