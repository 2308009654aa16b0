import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { LinkState, RenewedSession, Session } from '#contract/accounts.ts'
import { MICROSOFT_REFUSALS, type MicrosoftRefusal } from '#contract/microsoft.ts'
import { ApiError, withAccessToken } from '#web/http/api.ts'
import { sendRequest } from '#web/http/send-request.ts'
import { runInOneTab } from '#web/session/browser-storage.ts'
import { getDeviceToken } from '#web/session/device-token.ts'
import { readMicrosoftMarks } from '#web/session/microsoft-mark.ts'
import { adoptSession, getSession } from '#web/session/session.ts'
import { restoreReturnPath } from '#web/session/session-end.ts'
import { adoptRenewal } from '#web/session/session-store.ts'
import { buttonClasses } from '#web/ui/button.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { FormLoading, MessagePage, VisitorPage } from '#web/ui/visitor-page.tsx'

/** Redeems what the directory said, with the marks of this browser. */
async function redeem(tokenHash: string): Promise<Session | RenewedSession | LinkState> {
  const body = { type: 'microsoft' as const, token_hash: tokenHash, marks: readMicrosoftMarks() }
  const query = { dryRun: 'true' as const }
  const { email } = (await sendRequest('POST /api/auth/verify', { body, query })) as LinkState
  const device_token = getDeviceToken(email)
  // With the session, which a link is for.
  return withAccessToken((accessToken) =>
    sendRequest('POST /api/auth/verify', { body: { ...body, device_token } }, accessToken),
  )
}

type Step =
  | { kind: 'checking' }
  | { kind: 'renewed' }
  | { kind: 'mailed'; email: string }
  | { kind: 'refused'; why: string; isStale: boolean }

/** The refusals of an answer that is old, repeated or another browser's. */
const STALE = ['other-browser', 'expired', 'replayed']

/** Where Microsoft sends people back to: signs in, links, or says in one sentence why not. */
export function MicrosoftCallback({ linkHash }: { linkHash: string | undefined }) {
  const values = new URLSearchParams(linkHash)
  const [refusal, tokenHash] = [values.get('erro'), values.get('token_hash') ?? '']
  const navigate = useNavigate()
  const [returnPath] = useState(restoreReturnPath)
  const state = returnPath === undefined ? {} : { returnPath }
  const [step, setStep] = useState<Step>({ kind: 'checking' })
  const finish = async () => {
    if (refusal)
      return setStep({ kind: 'refused', why: explainRefusal(refusal), isStale: STALE.includes(refusal) })
    try {
      const answer = await runInOneTab('patio.mail-link', () => redeem(tokenHash))
      if ('refresh_token' in answer) {
        adoptSession(answer)
        // Its guard leads to where the last session ended or the link led, or asks for what is still owed.
        return await navigate({ to: '/login', replace: true, state })
      }
      if ('access_token' in answer) {
        adoptRenewal(answer)
        setStep({ kind: 'renewed' })
        // The form that asked is in another tab; some browsers let scripts close this one.
        return window.close()
      }
      if (answer.state === 'mailed') return setStep({ kind: 'mailed', email: answer.email })
      showToast({ kind: 'success', title: 'Conta Microsoft ligada' })
      await navigate({ to: '/profile/seguranca', replace: true })
    } catch (error) {
      const why = error instanceof Error ? error.message : explainRefusal('')
      const isStale = error instanceof ApiError && error.problem.code === 'invalid-link'
      setStep({ kind: 'refused', why, isStale })
    }
  }
  const isStarted = useRef(false)
  useEffect(() => {
    if (isStarted.current) return
    isStarted.current = true
    void finish()
  })
  if (step.kind === 'checking')
    return (
      <VisitorPage title="Entrando com a Microsoft...">
        <FormLoading>Isto leva só um instante.</FormLoading>
      </VisitorPage>
    )
  if (step.kind === 'renewed')
    return (
      <MessagePage title="Confirmado" actions={null}>
        <p>Feche esta janela e continue na outra, de onde você veio. O que você preencheu está lá.</p>
      </MessagePage>
    )
  const isSignedIn = getSession() !== undefined
  if (step.kind === 'refused' && step.isStale && isSignedIn && returnPath !== '/profile/seguranca')
    return (
      <MessagePage
        title="Esta entrada já terminou"
        actions={
          <Link to="/power-bi" replace className={buttonClasses('primary', 'large')}>
            Ir para os relatórios
          </Link>
        }
      >
        <p>Você já entrou no portal; esta resposta da Microsoft não vale mais.</p>
      </MessagePage>
    )
  const back = (
    <Link
      to={isSignedIn ? '/profile/seguranca' : '/login'}
      replace
      state={state}
      className={buttonClasses(step.kind === 'refused' ? 'primary' : 'secondary', 'large')}
    >
      {isSignedIn ? 'Voltar para Segurança' : 'Voltar para o login'}
    </Link>
  )
  if (step.kind === 'refused')
    return (
      <MessagePage title="Não deu para entrar com a Microsoft" actions={back}>
        <p role="alert">{step.why}</p>
      </MessagePage>
    )
  return (
    <MessagePage title="Falta confirmar pelo e-mail" actions={back}>
      <div className="space-y-3">
        <p>
          Enviamos um link para <strong className="break-words font-medium text-ink">{step.email}</strong>.
          Abra-o neste mesmo navegador, em até 1 hora, e você já entra.
        </p>
        <p>É só desta vez: depois, a conta Microsoft basta. Não chegou? Confira a pasta de spam.</p>
      </div>
    </MessagePage>
  )
}

/** The address is anybody's, so that a name of the prototype is no refusal either. */
const explainRefusal = (refusal: string): string =>
  MICROSOFT_REFUSALS[
    Object.hasOwn(MICROSOFT_REFUSALS, refusal) ? (refusal as MicrosoftRefusal) : 'invalid-answer'
  ]
