import { Link, useNavigate } from '@tanstack/react-router'
import { useCallback, useEffect, useState } from 'react'
import {
  createResetFormSchema,
  PASSWORD_MIN,
  passwordMessages,
  RESET_PASSWORD_MIN,
} from '#contract/passwords.ts'
import type { FieldProblem } from '#contract/problem.ts'
import { ApiError } from '#web/http/api.ts'
import { storeDeviceToken } from '#web/session/device-token.ts'
import { endLocalSession, getSession } from '#web/session/session.ts'
import { Alert, FailedLoad } from '#web/ui/alert.tsx'
import { Button, buttonClasses } from '#web/ui/button.tsx'
import { FormAlert } from '#web/ui/form-alert.tsx'
import { showToast, type ToastContent } from '#web/ui/toast.tsx'
import { setUpForm, useForm } from '#web/ui/use-form.ts'
import { toFailureToast } from '#web/ui/use-submit.ts'
import { FormLoading, VisitorPage } from '#web/ui/visitor-page.tsx'
import { IncompleteLink } from './incomplete-link.tsx'
import { fetchLinkState, parseTokenHash, redeemLink, useLinkHash } from './mail-link.ts'
import { explainGuessable, NewPasswordFields } from './new-password-fields.tsx'

const REDIRECT_MS = 2_000

/** /reset-password, the target of reset links. Opening it uses nothing up, since mail scanners do. */
export function ResetPasswordScreen() {
  const linkHash = useLinkHash()
  return <Reset key={linkHash} tokenHash={parseTokenHash(linkHash, 'recovery')} />
}

function Reset({ tokenHash }: { tokenHash: string | undefined }) {
  const [state, setState] = useState<ResetState>({ kind: 'checking' })
  const check = useCallback(async () => {
    if (tokenHash === undefined) return setState({ kind: 'incomplete' })
    setState({ kind: 'checking' })
    try {
      const link = await fetchLinkState('recovery', tokenHash)
      setState(link ? { kind: 'good', email: link.email, tokenHash } : { kind: 'ended' })
    } catch (error) {
      setState({ kind: 'failed', message: error instanceof Error ? error.message : '' })
    }
  }, [tokenHash])
  useEffect(() => void check(), [check])
  if (state.kind === 'incomplete') return <IncompleteLink actions={<NewLinkActions />} />
  if (state.kind === 'ended') return <LinkEnded />
  if (state.kind === 'good')
    return (
      <VisitorPage
        title="Nova senha"
        description={
          <>
            Crie uma nova senha para <strong className="font-medium text-ink">{state.email}</strong>.
          </>
        }
      >
        <ResetPasswordForm
          tokenHash={state.tokenHash}
          email={state.email}
          onEnded={() => setState({ kind: 'ended' })}
        />
      </VisitorPage>
    )
  return (
    <VisitorPage title="Nova senha">
      {state.kind === 'checking' ? (
        <FormLoading>Conferindo o link...</FormLoading>
      ) : (
        <FailedLoad title="Não foi possível conferir o link agora." onRetry={() => void check()}>
          {state.message}
        </FailedLoad>
      )}
    </VisitorPage>
  )
}

type ResetState =
  | { kind: 'checking' }
  | { kind: 'good'; email: string; tokenHash: string }
  | { kind: 'incomplete' }
  /** Already used or expired. */
  | { kind: 'ended' }
  | { kind: 'failed'; message: string }

/** Explains that the link is invalid and offers a new one. */
function LinkEnded() {
  return (
    <VisitorPage
      title="Link inválido ou expirado"
      hasPanel={false}
      description="O link para criar uma nova senha vale por 1 hora e só pode ser usado uma vez. Se você pediu mais de um e-mail, o uso de um link encerra os outros."
    >
      <div className="grid gap-3">
        <NewLinkActions />
      </div>
    </VisitorPage>
  )
}

const NewLinkActions = () => (
  <>
    <Link to="/forgot-password" className={buttonClasses('primary', 'large')}>
      Pedir um novo link
    </Link>
    <Link to="/login" className={buttonClasses('secondary', 'large')}>
      Voltar para o login
    </Link>
  </>
)

interface ResetPasswordFormProps {
  tokenHash: string
  email: string
  /** Called when the server rejects the link. */
  onEnded: () => void
}

function ResetPasswordForm({ tokenHash, email, onEnded }: ResetPasswordFormProps) {
  const navigate = useNavigate()
  const [isDone, setIsDone] = useState(false)
  useEffect(() => {
    if (!isDone) return
    const redirect = () => void navigate({ to: '/login', state: { email }, replace: true })
    const timer = setTimeout(redirect, REDIRECT_MS)
    return () => clearTimeout(timer)
  }, [isDone, email, navigate])
  const { formProps, submitProps, failure, getError } = useForm({
    schema: createResetFormSchema((password) => explainGuessable(password, email) !== undefined),
    toToast: toResetToast,
    explain: (error) => toFailureToast(passwordMessages.resetFailed, error),
    async send({ password }) {
      const session = await redeemLink('recovery', tokenHash, password).catch((error) => {
        if (error instanceof ApiError && error.problem.code === 'invalid-link') onEnded()
        throw error
      })
      storeDeviceToken(session)
      showToast({ kind: 'success', title: passwordMessages.reset, description: 'Entre com a nova senha.' })
      setIsDone(true)
      // The server has ended all sessions of this person, so a stored one is useless.
      if (getSession()?.user.id === session.user.id) endLocalSession()
    },
  })
  if (isDone)
    return (
      <Alert kind="success" title="Sua senha foi redefinida.">
        Você será levado ao login em instantes.
      </Alert>
    )
  return (
    <form {...formProps} ref={setUpForm} className="space-y-5" aria-label="Redefinir senha">
      <NewPasswordFields
        email={email}
        getError={getError}
        minLength={RESET_PASSWORD_MIN}
        requirements={REQUIREMENTS}
        isGuessableWeak
      />
      <FormAlert failure={failure} />
      <Button {...submitProps} size="large" className="w-full">
        Redefinir senha
      </Button>
    </form>
  )
}

/** Puts the title 'Senha fraca' above the text of a weak password; the other rules' stand alone. */
export function toResetToast({ message }: Pick<FieldProblem, 'message'>): ToastContent {
  if (message !== passwordMessages.weakDetail) return { kind: 'error', title: message }
  return { kind: 'error', title: passwordMessages.weak, description: message }
}

const REQUIREMENTS: readonly [text: string, isMet: (password: string) => boolean][] = [
  [`Mínimo de ${RESET_PASSWORD_MIN} caracteres`, (password) => password.length >= RESET_PASSWORD_MIN],
  ['Letras maiúsculas e minúsculas', (password) => /\p{Lu}/u.test(password) && /\p{Ll}/u.test(password)],
  ['Números', (password) => /\p{Nd}/u.test(password)],
  ['Caracteres especiais', (password) => /[^\p{L}\p{Nd}]/u.test(password)],
  [
    `Recomendado: ${PASSWORD_MIN} caracteres, sem troca ao entrar`,
    (password) => password.length >= PASSWORD_MIN,
  ],
]
