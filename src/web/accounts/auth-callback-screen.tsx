import { Link, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { sessionMessages } from '#contract/messages.ts'
import { forcedChangeFormSchema, PASSWORD_MIN } from '#contract/passwords.ts'
import { ApiError } from '#web/http/api.ts'
import { loadChunk } from '#web/http/load-chunk.ts'
import { runInOneTab } from '#web/session/browser-storage.ts'
import { ResendButton } from '#web/session/resend-button.tsx'
import { adoptSession, getSession, signOut } from '#web/session/session.ts'
import { Button, buttonClasses, useHydrated } from '#web/ui/button.tsx'
import { FormAlert } from '#web/ui/form-alert.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { setUpForm, useForm } from '#web/ui/use-form.ts'
import { toFailureToast, useSubmit } from '#web/ui/use-submit.ts'
import { FormLoading, MessagePage, VisitorPage } from '#web/ui/visitor-page.tsx'
import { explainRefusal } from './change-password.ts'
import { fetchLinkState, parseTokenHash, redeemLink, useLinkHash } from './mail-link.ts'
import { NewPasswordFields } from './new-password-fields.tsx'

const MicrosoftCallback = lazy(() =>
  loadChunk(() => import('./microsoft-callback.tsx')).then((module) => ({
    default: module.MicrosoftCallback,
  })),
)

/**
 * The target of verification and invitation links, which opening does not use up, since mail scanners
 * do, and of sign-ins with Microsoft.
 */
export function AuthCallbackScreen() {
  const linkHash = useLinkHash()
  const isHydrated = useHydrated()
  if (new URLSearchParams(linkHash).get('type') === 'microsoft')
    // As it was prerendered first, which the hydration expects.
    return !isHydrated ? (
      <Checking />
    ) : (
      <Suspense fallback={<Checking />}>
        <MicrosoftCallback key={linkHash} linkHash={linkHash} />
      </Suspense>
    )
  const invitation = parseTokenHash(linkHash, 'invite')
  return invitation === undefined ? (
    <Callback key={linkHash} type="signup" tokenHash={parseTokenHash(linkHash, 'signup')} />
  ) : (
    <Callback key={linkHash} type="invite" tokenHash={invitation} />
  )
}

type CallbackType = 'signup' | 'invite'

const TEXTS = {
  signup: {
    done: 'E-mail verificado!',
    doneDetail: 'Sua conta foi confirmada com sucesso.',
    failed: 'Erro na verificação',
    failedDetail: 'Não foi possível confirmar seu e-mail. Tente novamente.',
    error: 'Erro na verificação',
    submit: 'Confirmar e-mail',
    leave: 'Sair e confirmar',
    otherPerson: 'O link confirma',
    waits: 'Para confirmar a outra conta, saia desta. Enquanto isso, o link continua valendo.',
    note: 'Não foi você que pediu esta conta? Use o link “Não fui eu” da mensagem que recebeu.',
  },
  invite: {
    done: 'Convite aceito',
    doneDetail: 'Sua conta está pronta.',
    failed: 'Este convite não vale mais',
    failedDetail: 'Se você já criou sua senha, entre com ela. Senão, peça um novo convite ao administrador.',
    error: 'Não foi possível aceitar o convite',
    submit: 'Criar senha e entrar',
    leave: 'Sair e aceitar o convite',
    otherPerson: 'O convite é de',
    waits: 'Para aceitar o convite, saia desta conta. Enquanto isso, ele continua valendo.',
    note: 'Não esperava este convite? Feche esta página: sem uma senha, nada acontece.',
  },
} as const

type Step =
  | { kind: 'checking' }
  /** A different person is signed in in this browser. */
  | { kind: 'other-person'; email: string; signedIn: string }
  | { kind: 'asks-password' | 'too-late'; email: string }

/** Redeems the link and opens its session, automatically where the server allows this browser to. */
function Callback({ type, tokenHash }: { type: CallbackType; tokenHash: string | undefined }) {
  const navigate = useNavigate()
  const [step, setStep] = useState<Step>({ kind: 'checking' })

  const redirectTo = (to: '/power-bi' | '/login') => navigate({ to, replace: true })
  const finish = () => {
    const { done: title, doneDetail: description } = TEXTS[type]
    showToast({ kind: 'success', title, description })
    return redirectTo('/power-bi')
  }
  const confirm = async (password?: string) => {
    adoptSession(await redeemLink(type, tokenHash ?? '', password))
    await finish()
  }
  const openLink = async () => {
    const link = tokenHash === undefined ? undefined : await fetchLinkState(type, tokenHash)
    const session = getSession()
    // A signed-in person without a link, or with an invitation already used.
    if (session && (tokenHash === undefined || (type === 'invite' && !link))) return redirectTo('/power-bi')
    if (!link) {
      const { failed: title, failedDetail: description } = TEXTS[type]
      showToast({ kind: 'error', title, description })
      const deadLink = tokenHash === undefined ? 'incomplete' : type
      return navigate({ to: '/login', state: { deadLink }, replace: true })
    }
    const { email, state } = link
    if (state === 'used') return finish()
    if (session && session.user.email !== email)
      return setStep({ kind: 'other-person', email, signedIn: session.user.email })
    if (state === 'confirms') return confirm()
    setStep({ kind: state === 'too-late' ? state : 'asks-password', email })
  }
  const checkLink = async () => {
    try {
      // Serialized, so that a second tab finds the link already used.
      await runInOneTab('patio.mail-link', openLink)
    } catch (error) {
      showToast(toFailureToast('Erro', error))
      await redirectTo('/login')
    }
  }
  const isStarted = useRef(false)
  useEffect(() => {
    if (isStarted.current) return
    isStarted.current = true
    void checkLink()
  })
  if (step.kind === 'other-person') return <OtherPerson {...step} type={type} onSignedOut={checkLink} />
  if (step.kind === 'asks-password')
    return (
      <VisitorPage
        title="Crie sua senha"
        description={
          type === 'invite' ? (
            <>
              Este convite é para <Email>{step.email}</Email>. Crie a senha da sua conta e você já entra.
            </>
          ) : (
            <>
              Para confirmar <Email>{step.email}</Email>, crie a senha da sua conta. Ela pode ser a mesma que
              você escolheu no cadastro.
            </>
          )
        }
      >
        <FirstPasswordForm type={type} email={step.email} confirm={confirm} onRefused={checkLink} />
      </VisitorPage>
    )
  if (step.kind === 'too-late') return <FreshLinkNeeded email={step.email} />
  return <Checking />
}

const Checking = () => (
  <VisitorPage title="Verificando seu e-mail...">
    <FormLoading>Isto leva só um instante.</FormLoading>
  </VisitorPage>
)

function OtherPerson(props: {
  type: CallbackType
  email: string
  signedIn: string
  onSignedOut: () => Promise<void>
}) {
  const { email, signedIn, onSignedOut } = props
  const texts = TEXTS[props.type]
  const { submit: leave, isBusy } = useSubmit({
    send: () => signOut(),
    onDone: onSignedOut,
    onFailed: sessionMessages.signOutFailed,
  })
  return (
    <MessagePage
      title="Este link é de outra conta"
      actions={
        <>
          <Button size="large" isBusy={isBusy} onClick={() => void leave()}>
            {texts.leave}
          </Button>
          <Link to="/power-bi" replace className={buttonClasses('secondary', 'large')}>
            Ficar nesta conta
          </Link>
        </>
      }
    >
      <div className="space-y-3">
        <p>
          {texts.otherPerson} <Email>{email}</Email>, mas você está conectado como <Email>{signedIn}</Email>.
        </p>
        <p>{texts.waits}</p>
      </div>
    </MessagePage>
  )
}

const Email = ({ children }: { children: string }) => (
  <strong className="break-words font-medium text-ink">{children}</strong>
)

interface FirstPasswordFormProps {
  type: CallbackType
  email: string
  confirm: (password: string) => Promise<void>
  /** Called when the link is no longer valid. */
  onRefused: () => Promise<void>
}

function FirstPasswordForm({ type, email, confirm, onRefused }: FirstPasswordFormProps) {
  const { formProps, submitProps, failure, getError } = useForm({
    schema: forcedChangeFormSchema,
    explain: (error) => explainRefusal(error, TEXTS[type].error),
    async send({ password }) {
      try {
        await confirm(password)
      } catch (error) {
        if (!(error instanceof ApiError && error.problem.code === 'invalid-link')) throw error
        await onRefused()
      }
    },
  })
  return (
    <form {...formProps} ref={setUpForm} className="space-y-5" aria-label="Crie sua senha">
      <NewPasswordFields label="Senha" email={email} getError={getError} minLength={PASSWORD_MIN} />
      <FormAlert failure={failure} />
      <Button {...submitProps} size="large" className="w-full">
        {TEXTS[type].submit}
      </Button>
      <p className="text-muted text-sm">{TEXTS[type].note}</p>
    </form>
  )
}

/** Asks for a new link: this one is over an hour old and must not set a password any more. */
function FreshLinkNeeded({ email }: { email: string }) {
  return (
    <VisitorPage
      title="Peça um novo link"
      hasPanel={false}
      description={
        <>
          Para confirmar <Email>{email}</Email> neste navegador, você precisa criar a senha da conta. Por
          segurança, um link só serve para isso na primeira hora, e este é mais antigo.
        </>
      }
    >
      <div className="grid gap-3">
        <ResendButton email={email} size="large" />
        <Link to="/login" className={buttonClasses('secondary', 'large')}>
          Voltar para o login
        </Link>
      </div>
    </VisitorPage>
  )
}
