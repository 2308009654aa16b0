import { Link, useRouter } from '@tanstack/react-router'
import { type FormEvent, type RefObject, useEffect, useRef } from 'react'
import { HumanCheck, type HumanCheckHandle } from '#web/human-check/human-check.tsx'
import { Button } from '#web/ui/button.tsx'
import { EmailField } from '#web/ui/email-field.tsx'
import { TextField } from '#web/ui/text-field.tsx'
import { textLinkClasses } from '#web/ui/text-link.ts'
import type { LoginField } from './first-failure.ts'
import { useCapsLock } from './use-caps-lock.ts'
import { useLogin } from './use-login.ts'

/** E-mail, password and human check (SPEC section 2, /login). */
export function LoginForm() {
  const email = useRef<HTMLInputElement>(null)
  const password = useRef<HTMLInputElement>(null)
  const humanCheck = useRef<HumanCheckHandle>(null)
  const focus = (field: LoginField) => (field === 'email' ? email : password).current?.focus()
  const { submit, isBusy, failure, clearFailure } = useLogin(humanCheck, focus)
  const { isCapsLockOn, capsLockHandlers } = useCapsLock()
  const preloadReports = usePreloadReports()

  useFocusOnDesktop(email)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    void submit({ email: email.current?.value ?? '', password: password.current?.value ?? '' })
  }
  const onChange = () => {
    preloadReports()
    if (failure) clearFailure()
  }
  const errorOf = (field: LoginField) => (failure?.field === field ? failure.message : undefined)

  return (
    <form noValidate onSubmit={onSubmit} onChange={onChange} className="space-y-5" aria-label="Entrar">
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
      <HumanCheck ref={humanCheck} onPass={noop} />
      <Button type="submit" size="large" className="w-full" isBusy={isBusy}>
        Entrar
      </Button>
      <LoginLinks />
    </form>
  )
}

function LoginLinks() {
  return (
    <div className="flex flex-wrap justify-between gap-x-6 gap-y-2 text-sm">
      <Link to="/forgot-password" className={textLinkClasses}>
        Esqueci minha senha
      </Link>
      <Link to="/signup" className={textLinkClasses}>
        Criar conta
      </Link>
    </div>
  )
}

/** The form asks for the pass when it is sent. */
function noop() {}

/** On a phone the keyboard would cover half of the page that has just opened. */
function useFocusOnDesktop(field: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    if (matchMedia('(pointer: fine)').matches) field.current?.focus()
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
