import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { ApiError, callPublic } from '#web/http/api.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button, buttonClasses } from '#web/ui/button.tsx'
import { useSubmit } from '#web/ui/use-submit.ts'
import { MessagePage } from '#web/ui/visitor-page.tsx'
import { IncompleteLink } from './incomplete-link.tsx'
import { useLinkHash } from './mail-link.ts'

/** /parar-envio, the target of the link in mailed reports: nothing stops before the button is pressed. */
export function UnsubscribeScreen() {
  const token = new URLSearchParams(useLinkHash()).get('token')
  const [outcome, setOutcome] = useState<'stopped' | 'invalid'>()
  const [failure, setFailure] = useState<string>()
  const [mail, setMail] = useState<{ name: string | null; wasStopped: boolean }>()
  useEffect(() => {
    if (!token) return
    const query = { token, dryRun: 'true' } as const
    callPublic('POST /api/report-subscriptions/unsubscribe', { query }).then(setMail, (error) => {
      if (isInvalidLink(error)) setOutcome('invalid')
      // Without an answer the button tells what is wrong.
      else setMail({ name: null, wasStopped: false })
    })
  }, [token])
  const { submit, isBusy } = useSubmit({
    async send() {
      setFailure(undefined)
      await callPublic('POST /api/report-subscriptions/unsubscribe', { query: { token: token ?? '' } })
      setOutcome('stopped')
    },
    onFailed(error) {
      if (isInvalidLink(error)) setOutcome('invalid')
      else setFailure(error instanceof Error ? error.message : 'Tente novamente mais tarde.')
    },
  })
  const toList = (
    <Link to="/profile/envios" className={buttonClasses('secondary', 'large')}>
      Ver meus envios
    </Link>
  )
  if (!token) return <IncompleteLink remedy={STOP_IN_LIST} actions={toList} />
  const what = mail?.name ? `por e-mail: ${mail.name}` : 'este e-mail'
  if (outcome)
    return (
      <MessagePage title={outcome === 'stopped' ? 'Envio parado' : 'Link inválido'} actions={toList}>
        <p role="status">
          {outcome === 'stopped'
            ? `Você não recebe mais ${what}. ${AGAIN}`
            : `Este link não vale mais. ${STOP_IN_LIST}`}
        </p>
      </MessagePage>
    )
  if (mail?.wasStopped)
    return (
      <MessagePage title="Este envio já estava parado" actions={toList}>
        <p role="status">
          Você já não recebe {what}. {AGAIN}
        </p>
      </MessagePage>
    )
  return (
    <MessagePage
      title="Parar de receber?"
      actions={
        mail && (
          <>
            {failure && <Alert kind="error">{failure}</Alert>}
            <Button size="large" isBusy={isBusy} onClick={() => void submit()}>
              Parar de receber
            </Button>
            {toList}
          </>
        )
      }
    >
      <p role="status">
        {mail ? `Você deixa de receber ${what}. Os seus outros envios continuam.` : 'Conferindo o link…'}
      </p>
    </MessagePage>
  )
}

const STOP_IN_LIST = 'Entre no portal e pare o envio na lista.'
const AGAIN = 'Para voltar a receber, peça de novo onde o pediu: em “Meus envios” ou na tela “Uso”.'

const isInvalidLink = (error: unknown) => error instanceof ApiError && error.problem.code === 'invalid-link'
