import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError, callPublic } from '#web/http/api.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button, buttonClasses } from '#web/ui/button.tsx'
import { useSubmit } from '#web/ui/use-submit.ts'
import { MessagePage } from '#web/ui/visitor-page.tsx'
import { useLinkHash } from './mail-link.ts'

/** /parar-envio, the target of the link in mailed reports: nothing stops before the button is pressed. */
export function UnsubscribeScreen() {
  const token = new URLSearchParams(useLinkHash()).get('token')
  const [outcome, setOutcome] = useState<'stopped' | 'invalid' | undefined>(token ? undefined : 'invalid')
  const [failure, setFailure] = useState<string>()
  const { submit, isBusy } = useSubmit({
    async send() {
      setFailure(undefined)
      await callPublic('POST /api/report-subscriptions/unsubscribe', { query: { token: token ?? '' } })
      setOutcome('stopped')
    },
    onFailed(error) {
      if (error instanceof ApiError && error.problem.code === 'invalid-link') setOutcome('invalid')
      else setFailure(error instanceof Error ? error.message : 'Tente novamente mais tarde.')
    },
  })
  const toList = (
    <Link to="/profile/envios" className={buttonClasses('secondary', 'large')}>
      Ver meus envios
    </Link>
  )
  if (outcome)
    return (
      <MessagePage title={outcome === 'stopped' ? 'Envio parado' : 'Link inválido'} actions={toList}>
        <p role="status">
          {outcome === 'stopped'
            ? 'Você não recebe mais este e-mail. Para voltar a receber, peça de novo onde o pediu: em “Meus envios” ou na tela “Uso”.'
            : 'Este link não vale mais. Entre no portal e pare o envio na lista.'}
        </p>
      </MessagePage>
    )
  return (
    <MessagePage
      title="Parar de receber?"
      actions={
        <>
          {failure && <Alert kind="error">{failure}</Alert>}
          <Button size="large" isBusy={isBusy} onClick={() => void submit()}>
            Parar de receber
          </Button>
          {toList}
        </>
      }
    >
      <p>Você deixa de receber os e-mails como esta mensagem. Os seus outros envios continuam.</p>
    </MessagePage>
  )
}
