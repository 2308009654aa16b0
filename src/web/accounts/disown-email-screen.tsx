import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError, callPublic } from '#web/http/api.ts'
import { getSession, refreshSession } from '#web/session/session.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button, buttonClasses } from '#web/ui/button.tsx'
import { useSubmit } from '#web/ui/use-submit.ts'
import { MessagePage } from '#web/ui/visitor-page.tsx'
import { IncompleteLink } from './incomplete-link.tsx'
import { useLinkHash } from './mail-link.ts'

type Outcome = 'account-removed' | 'sessions-ended' | 'link-ended'

/**
 * /nao-fui-eu, the target of the 'não fui eu' links in mails:
 * nothing happens before the button is pressed.
 */
export function DisownEmailScreen() {
  const linkHash = useLinkHash()
  const tokenHash = new URLSearchParams(linkHash).get('token_hash')
  if (!tokenHash) return <IncompleteLink actions={toLogin} />
  return <Disown key={linkHash} tokenHash={tokenHash} />
}

const toLogin = (
  <Link to="/login" className={buttonClasses('secondary', 'large')}>
    Ir para o login
  </Link>
)

function Disown({ tokenHash }: { tokenHash: string }) {
  const [outcome, setOutcome] = useState<Outcome>()
  const [failure, setFailure] = useState<string>()
  const { submit, isBusy } = useSubmit({
    async send() {
      setFailure(undefined)
      const reply = await callPublic('POST /api/auth/not-me', { body: { token_hash: tokenHash } })
      setOutcome(reply.outcome)
      // Only a refresh shows whether this browser's session was among the ended ones.
      if (getSession()) void refreshSession().catch(() => {})
    },
    onFailed(error) {
      if (error instanceof ApiError && error.problem.code === 'invalid-link') setOutcome('link-ended')
      else setFailure(error instanceof Error ? error.message : 'Tente novamente mais tarde.')
    },
  })
  if (outcome) return <DisownOutcome outcome={outcome} />
  return (
    <MessagePage
      title="Não foi você?"
      actions={
        <>
          {failure && <Alert kind="error">{failure}</Alert>}
          <Button variant="danger" size="large" isBusy={isBusy} onClick={() => void submit()}>
            Não fui eu
          </Button>
          <Link to="/login" className={buttonClasses('secondary', 'large')}>
            Cancelar
          </Link>
        </>
      }
    >
      <div className="space-y-3">
        <p>Confirme se você não reconhece o que diz a mensagem que recebeu.</p>
        <p>
          Uma conta criada com o seu endereço e ainda não confirmada será removida. Se a senha da sua conta
          foi trocada ou uma segunda etapa foi cadastrada, elas deixam de valer, todas as sessões serão
          encerradas e você receberá um link para criar uma nova senha.
        </p>
      </div>
    </MessagePage>
  )
}

const outcomes: Record<Outcome, { title: string; text: string }> = {
  'account-removed': {
    title: 'Conta removida',
    text: 'A conta criada com o seu endereço foi removida. Você não precisa fazer mais nada.',
  },
  'sessions-ended': {
    title: 'Sessões encerradas',
    text: 'Todas as sessões da sua conta foram encerradas. Enviamos um e-mail com um link para criar uma nova senha; o link expira em 1 hora.',
  },
  'link-ended': {
    title: 'Link inválido ou expirado',
    text: 'Este link já foi usado ou não vale mais. Se você acha que alguém usou sua conta, crie uma nova senha: isso encerra as outras sessões.',
  },
}

function DisownOutcome({ outcome }: { outcome: Outcome }) {
  const { title, text } = outcomes[outcome]
  return (
    <MessagePage
      title={title}
      actions={
        <>
          {outcome === 'link-ended' && (
            <Link to="/forgot-password" className={buttonClasses('primary', 'large')}>
              Criar nova senha
            </Link>
          )}
          {toLogin}
        </>
      }
    >
      <p role="status">{text}</p>
    </MessagePage>
  )
}
