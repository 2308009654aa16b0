import { Link, useNavigate, useRouter } from '@tanstack/react-router'
import { type KeyboardEvent, lazy, type RefObject, Suspense, useEffect, useRef, useState } from 'react'
import { signInFormSchema, signInMessages } from '#contract/accounts.ts'
import { ApiError } from '#web/http/api.ts'
import { loadChunk } from '#web/http/load-chunk.ts'
import { HumanCheck } from '#web/human-check/human-check.tsx'
import type { PassKeeper } from '#web/human-check/human-pass.ts'
import { owesPasswordChange, signIn, useSession } from '#web/session/session.ts'
import { Button, textLinkClasses } from '#web/ui/button.tsx'
import { EmailField, TextField } from '#web/ui/text-field.tsx'
import { showToast, type ToastContent } from '#web/ui/toast.tsx'
import { useForm } from '#web/ui/use-form.ts'
import { VisitorPage } from '#web/ui/visitor-page.tsx'

const ForcedPasswordChange = lazy(() =>
  loadChunk(() => import('./forced-password-change.tsx')).then((module) => ({
    default: module.ForcedPasswordChange,
  })),
)

/** /login: the sign-in form, and over it the forced password change for as long as the session owes one. */
export function LoginScreen() {
  const session = useSession()
  return (
    <VisitorPage title="Entrar" description="Use seu e-mail corporativo para ver seus relatórios.">
      <LoginForm />
      {session && owesPasswordChange(session) && (
        <Suspense>
          <ForcedPasswordChange />
        </Suspense>
      )}
    </VisitorPage>
  )
}

function LoginForm() {
  const email = useRef<HTMLInputElement>(null)
  const password = useRef<HTMLInputElement>(null)
  const humanCheck = useRef<PassKeeper>(null)
  const { formProps, isBusy, errorOf } = useLogin(humanCheck, password)
  const { isCapsLockOn, capsLockHandlers } = useCapsLock()
  useFocusOnDesktop(email)
  return (
    <form {...formProps} onChange={usePreloadReports()} className="space-y-5" aria-label="Entrar">
      <EmailField ref={email} autoComplete="username" error={errorOf('email')} />
      <TextField
        ref={password}
        label="Senha"
        type="password"
        name="password"
        autoComplete="current-password"
        error={errorOf('password')}
        hint={isCapsLockOn ? 'A tecla Caps Lock está ativada.' : undefined}
        {...capsLockHandlers}
      />
      <HumanCheck ref={humanCheck} />
      <Button type="submit" size="large" className="w-full" isBusy={isBusy}>
        Entrar
      </Button>
      <div className="flex flex-wrap justify-between gap-x-6 gap-y-2 text-sm">
        <Link to="/forgot-password" className={textLinkClasses}>
          Esqueci minha senha
        </Link>
        <Link to="/signup" className={textLinkClasses}>
          Criar conta
        </Link>
      </div>
    </form>
  )
}

function useLogin(humanCheck: RefObject<PassKeeper | null>, password: RefObject<HTMLInputElement | null>) {
  const navigate = useNavigate()
  return useForm({
    schema: signInFormSchema,
    shows: 'first',
    explain: explainFailure,
    async send(values) {
      const check = await humanCheck.current?.freshPass()
      if (check?.kind === 'failed') return
      // Without a pass the server decides: it lets the built-in administrator in and names what is missing.
      const captcha = check?.kind === 'passed' ? check.pass : undefined
      try {
        const { user } = await signIn({ ...values, captcha })
        if (user.app_metadata.must_change_password) return
        showToast({ kind: 'success', title: signInMessages.succeeded })
        await navigate({ to: '/power-bi' })
      } catch (error) {
        humanCheck.current?.reset()
        password.current?.focus()
        throw error
      }
    },
  })
}

/**
 * The notice of a sign-in that failed: a missing or refused human check speaks for itself, everything else has what
 * happened below it.
 */
export function explainFailure(error: unknown): ToastContent {
  const code = error instanceof ApiError ? error.problem.code : undefined
  const kind = 'error'
  if (code === 'human-check-required') return { kind, title: signInMessages.humanCheckRequired }
  if (code === 'human-check-failed') return { kind, title: signInMessages.humanCheckFailed }
  if (code === 'invalid-credentials' || !(error instanceof Error))
    return { kind, title: signInMessages.failed }
  return { kind, title: signInMessages.failed, description: detailOf(error) }
}

function detailOf(error: Error): string {
  const seconds = error instanceof ApiError && error.status === 429 ? error.retryAfterSeconds : undefined
  if (!seconds) return error.message
  const wait = seconds < 90 ? `${seconds} segundos` : `${Math.ceil(seconds / 60)} minutos`
  return `Muitas tentativas. Tente novamente em ${wait}.`
}

/** Notices from the keys pressed in a field whether Caps Lock is on; phones never say. */
function useCapsLock() {
  const [isCapsLockOn, setIsCapsLockOn] = useState(false)
  const follow = (event: KeyboardEvent) => setIsCapsLockOn(event.getModifierState?.('CapsLock') ?? false)
  return {
    isCapsLockOn,
    capsLockHandlers: { onKeyDown: follow, onKeyUp: follow, onBlur: () => setIsCapsLockOn(false) },
  }
}

/** On a phone the keyboard would cover half of the page that has just opened. */
function useFocusOnDesktop(field: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    // Somebody may be typing already, since before this ran.
    const isIdle = document.activeElement === document.body
    if (isIdle && matchMedia('(pointer: fine)').matches) field.current?.focus()
  }, [field])
}

/** Fetches the next screen's code, and nothing else, while the person is still typing. */
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
