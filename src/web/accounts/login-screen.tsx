import { Link, useLocation, useRouter } from '@tanstack/react-router'
import { type KeyboardEvent, lazy, Suspense, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { signInFormSchema, signInMessages } from '#contract/account-forms.ts'
import { incompleteLinkMessages } from '#contract/messages.ts'
import { describeOuterBlanks } from '#contract/passwords.ts'
import { ApiError } from '#web/http/api.ts'
import { loadChunk, useOptionalChunk } from '#web/http/load-chunk.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { HumanCheck } from '#web/human-check/human-check.tsx'
import type { HumanCheckClient } from '#web/human-check/human-check-client.ts'
import { sharedStorage } from '#web/session/browser-storage.ts'
import {
  getOwedStep,
  mustChangePassword,
  onAuthStateChange,
  signIn,
  useSession,
} from '#web/session/session.ts'
import { getSessionEndReason } from '#web/session/session-end.ts'
import { Alert } from '#web/ui/alert.tsx'
import { Button, textLinkClasses, useHydrated } from '#web/ui/button.tsx'
import { FormAlert, type FormFailure } from '#web/ui/form-alert.tsx'
import { Skeleton } from '#web/ui/loading.tsx'
import { EmailField, TextField } from '#web/ui/text-field.tsx'
import { showToast, type ToastContent } from '#web/ui/toast.tsx'
import { setUpForm, toFormFailure, useForm } from '#web/ui/use-form.ts'
import { useSubmit } from '#web/ui/use-submit.ts'
import { VisitorPage } from '#web/ui/visitor-page.tsx'
import { MicrosoftButton } from './microsoft-button.tsx'

const ForcedPasswordChange = lazy(() =>
  loadChunk(() => import('./forced-password-change.tsx')).then((module) => ({
    default: module.ForcedPasswordChange,
  })),
)

const loadNotice = () => import('./login-notice.tsx')

const SecondStep = lazy(() =>
  loadChunk(() => import('./second-step.tsx')).then((module) => ({ default: module.SecondStep })),
)
const STEP_TITLES = {
  verify: { title: 'Confirme que é você', description: 'Falta a segunda etapa da entrada.' },
  'set-up': {
    title: 'Proteja sua conta',
    description: 'O portal pede uma segunda etapa além da senha. Configure-a para continuar.',
  },
}

/**
 * /login: the sign-in form, then the second step and the forced
 * password change while the session requires them.
 */
export function LoginScreen() {
  const session = useSession()
  const notice = useOptionalChunk(loadNotice)
  const step = session && getOwedStep(session)
  if (step)
    return (
      <VisitorPage {...STEP_TITLES[step]}>
        <Suspense fallback={<Skeleton className="h-44" />}>
          <SecondStep />
        </Suspense>
      </VisitorPage>
    )
  return (
    <VisitorPage
      title="Entrar"
      description="Use seu e-mail corporativo para ver seus relatórios."
      notice={notice && <notice.LoginNotice />}
    >
      <EndNotice />
      <StorageNotice />
      <SignInForms />
      {session && mustChangePassword(session) && (
        <Suspense>
          <ForcedPasswordChange />
        </Suspense>
      )}
    </VisitorPage>
  )
}

/** Microsoft above the form, or alone but for whoever keeps a password for its outages. */
function SignInForms() {
  const [showsForm, setShowsForm] = useState(portalSettings.signIn !== 'microsoft')
  if (portalSettings.signIn === 'password') return <LoginForm />
  return (
    <div className="space-y-5">
      <MicrosoftButton />
      {showsForm ? (
        <>
          <p className="flex items-center gap-3 text-muted text-sm before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
            ou com sua senha
          </p>
          <LoginForm />
        </>
      ) : (
        <button type="button" className={`text-sm ${textLinkClasses}`} onClick={() => setShowsForm(true)}>
          Entrar com senha (administrador do portal)
        </button>
      )}
    </div>
  )
}

/**
 * Explains why the session ended, or what to do about an
 * invalid link; outlives the toast and a reload.
 */
function EndNotice() {
  const reason = useSyncExternalStore(onAuthStateChange, getSessionEndReason, () => undefined)
  const deadLink = useLocation({ select: ({ state }) => state.deadLink })
  if (!useHydrated() || !deadLink) return reason && <Alert kind="info">{reason}</Alert>
  if (deadLink === 'incomplete')
    return (
      <Alert kind="info" title={`${incompleteLinkMessages.title}.`}>
        {incompleteLinkMessages.cause} {incompleteLinkMessages.remedy}
      </Alert>
    )
  return (
    <Alert kind="info" title="Este link já foi usado, venceu ou está incompleto.">
      {deadLink === 'invite' ? (
        'Se você já criou sua senha, entre. Senão, peça outro convite a um administrador.'
      ) : (
        <>
          Se você já confirmou seu e-mail, entre. Senão, entre com a senha do cadastro e peça um novo link na
          tela seguinte, ou{' '}
          <Link to="/signup" className={textLinkClasses}>
            faça o cadastro de novo
          </Link>
          .
        </>
      )}
    </Alert>
  )
}

const PROBE_KEY = 'patio.probe'

/**
 * Warns before the sign-in that the browser stores nothing, so
 * that the next load asks to sign in again.
 */
function StorageNotice() {
  const isHydrated = useHydrated()
  const [isStored] = useState(() => sharedStorage.set(PROBE_KEY, ''))
  useEffect(() => sharedStorage.remove(PROBE_KEY), [])
  if (!isHydrated || isStored) return null
  return (
    <Alert kind="info" title="Este navegador não guarda nada deste site.">
      Você terá de entrar de novo a cada vez que abrir ou recarregar a página. Para ficar conectado, permita
      cookies e dados deste site no navegador.
    </Alert>
  )
}

function LoginForm() {
  const known = useLocation({ select: ({ state }) => state.email })
  const email = useRef<HTMLInputElement>(null)
  // Evaluated when a link is followed.
  const typed = () => ({ email: email.current?.value ?? '' })
  const password = useRef<HTMLInputElement>(null)
  const humanCheck = useRef<HumanCheckClient>(null)
  const router = useRouter()
  const { formProps, submitProps, failure, getError } = useForm({
    schema: signInFormSchema,
    shows: 'first',
    explain: explainFailure,
    toAlert: (error) => toAlert(error, typed),
    async send(values) {
      const check = await humanCheck.current?.getPass()
      if (check?.kind === 'failed') return
      // Without a pass the server decides: it admits the built-in administrator and names what is missing.
      const captcha = check?.kind === 'passed' ? check.pass : undefined
      try {
        const { user } = await signIn({ ...values, captcha })
        const { must_change_password, second_factor, second_factor_due } = user.app_metadata
        if (must_change_password || second_factor) return
        showToast({ kind: 'success', title: signInMessages.succeeded })
        if (second_factor_due) await router.navigate({ to: '/profile/seguranca', replace: true })
        // The visitors' guard redirects to the reports, or to where the last session ended.
        else await router.invalidate()
      } catch (error) {
        humanCheck.current?.reset()
        password.current?.focus()
        throw error
      }
    },
  })
  const { isCapsLockOn, capsLockHandlers } = useCapsLock()
  const [blanks, setBlanks] = useState<string>()
  const hint = isCapsLockOn ? 'A tecla Caps Lock está ativada.' : blanks
  return (
    <form
      {...formProps}
      ref={setUpForm}
      onChange={usePreloadReports()}
      className="space-y-5"
      aria-label="Entrar"
    >
      <EmailField ref={email} defaultValue={known} autoComplete="username" error={getError('email')} />
      <TextField
        ref={password}
        label="Senha"
        type="password"
        name="password"
        autoComplete="current-password"
        error={getError('password')}
        hint={hint && <PasswordHint>{hint}</PasswordHint>}
        onInput={(event) => setBlanks(describeOuterBlanks(event.currentTarget.value))}
        {...capsLockHandlers}
      />
      <FormAlert failure={failure} />
      <HumanCheck ref={humanCheck} />
      <Button {...submitProps} size="large" className="w-full">
        Entrar
      </Button>
      <PasskeyButton />
      <div className="flex flex-wrap justify-between gap-x-6 gap-y-2 text-sm">
        <Link to="/forgot-password" state={typed} className={textLinkClasses}>
          Esqueci minha senha
        </Link>
        <Link to="/signup" state={typed} className={textLinkClasses}>
          Criar conta
        </Link>
      </div>
    </form>
  )
}

/** Signs in with a passkey alone, whose code loads at the press. */
function PasskeyButton() {
  const router = useRouter()
  const [failure, setFailure] = useState<FormFailure>()
  const { submit, isBusy } = useSubmit({
    async send() {
      setFailure(undefined)
      const { signInWithPasskey } = await loadChunk(() => import('#web/session/passkeys.ts'))
      await signInWithPasskey()
      showToast({ kind: 'success', title: signInMessages.succeeded })
      await router.invalidate()
    },
    onFailed: (error) =>
      setFailure({ title: error instanceof Error ? error.message : signInMessages.failed }),
  })
  return (
    <>
      <Button
        variant="secondary"
        size="large"
        isBusy={isBusy}
        onClick={() => void submit()}
        className="w-full"
      >
        Usar chave de acesso
      </Button>
      <FormAlert failure={failure} />
    </>
  )
}

/**
 * Converts a failed sign-in to a toast. A missing or failed human check has
 * its own title; all but wrong credentials are described below the general one.
 */
export function explainFailure(error: unknown): ToastContent {
  const code = error instanceof ApiError ? error.problem.code : undefined
  const kind = 'error'
  if (code === 'human-check-required') return { kind, title: signInMessages.humanCheckRequired }
  if (code === 'human-check-failed') return { kind, title: signInMessages.humanCheckFailed }
  if (code === 'invalid-credentials' || !(error instanceof Error))
    return { kind, title: signInMessages.failed }
  return { kind, title: signInMessages.failed, description: toDetail(error) }
}

/** Omits human-check errors, which the check shows itself. */
function toAlert(error: unknown, typed: () => { email: string }): FormFailure | undefined {
  const code = error instanceof ApiError ? error.problem.code : undefined
  if (code === 'human-check-required' || code === 'human-check-failed') return undefined
  if (code === 'invalid-credentials')
    return {
      title: 'E-mail ou senha não conferem.',
      text: 'Corrija e tente de novo, ou crie uma nova senha.',
    }
  const failure = toFormFailure(error)
  return failure.until
    ? {
        ...failure,
        title: 'Entrada bloqueada por pouco tempo',
        text: (
          <>
            Houve erros demais.{' '}
            <Link to="/forgot-password" state={typed} className={textLinkClasses}>
              Uma nova senha também desbloqueia
            </Link>
            .
          </>
        ),
      }
    : failure
}

function toDetail(error: Error): string {
  const seconds = error instanceof ApiError && error.status === 429 ? error.retryAfterSeconds : undefined
  if (!seconds) return error.message
  const wait = seconds < 90 ? `${seconds} segundos` : `${Math.ceil(seconds / 60)} minutos`
  return `Muitas tentativas. Tente novamente em ${wait}.`
}

/** Overlaps the gap below the field, so that nothing shifts. */
const PasswordHint = ({ children }: { children: string }) => (
  <span className="-mb-5.5 block text-xs">{children}</span>
)

/** Detects Caps Lock from key events; phones never report it. */
function useCapsLock() {
  const [isCapsLockOn, setIsCapsLockOn] = useState(false)
  const update = (event: KeyboardEvent) => setIsCapsLockOn(event.getModifierState?.('CapsLock') ?? false)
  return {
    isCapsLockOn,
    capsLockHandlers: { onKeyDown: update, onKeyUp: update, onBlur: () => setIsCapsLockOn(false) },
  }
}

/** Preloads the code of the next screen while the person is typing. */
function usePreloadReports(): () => void {
  const router = useRouter()
  const isStarted = useRef(false)
  return () => {
    if (isStarted.current) return
    isStarted.current = true
    void router.loadRouteChunk(router.routesById['/signed-in'])
    void router.loadRouteChunk(router.routesByPath['/power-bi'])
  }
}
