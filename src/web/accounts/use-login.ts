import { useNavigate } from '@tanstack/react-router'
import { type RefObject, useRef, useState } from 'react'
import { signInMessages } from '#contract/accounts.ts'
import type { HumanCheckHandle } from '#web/human-check/human-check.tsx'
import { signIn } from '#web/session/session.ts'
import { closeToasts, showToast } from '#web/ui/toast.tsx'
import { explainFailure } from './explain-failure.ts'
import { firstFailure, type LoginFailure, type LoginField } from './first-failure.ts'

/** The sign-in from the press of 'Entrar' to the toast (SPEC sections 4 and 5). */
export function useLogin(humanCheck: RefObject<HumanCheckHandle | null>, focus: (field: LoginField) => void) {
  const navigate = useNavigate()
  const [failure, setFailure] = useState<LoginFailure>()
  const [isBusy, setIsBusy] = useState(false)
  const isRunning = useRef(false)

  const attempt = async (values: Record<LoginField, string>) => {
    const check = await humanCheck.current?.freshPass()
    if (check?.kind === 'failed') return
    // Without a pass the server decides: it lets the built-in administrator in and names what is missing.
    const captcha = check?.kind === 'passed' ? check.pass : undefined
    try {
      const { user } = await signIn({ ...values, email: values.email.trim(), captcha })
      if (user.app_metadata.must_change_password) return
      showToast({ kind: 'success', title: signInMessages.succeeded })
      await navigate({ to: '/power-bi' })
    } catch (error) {
      humanCheck.current?.reset()
      showToast({ kind: 'error', ...explainFailure(error) })
      focus('password')
    }
  }
  const submit = async (values: Record<LoginField, string>) => {
    if (isRunning.current) return
    closeToasts()
    const invalid = firstFailure(values)
    setFailure(invalid)
    if (invalid) {
      showToast({ kind: 'error', title: invalid.message })
      focus(invalid.field)
      return
    }
    isRunning.current = true
    setIsBusy(true)
    await attempt(values).finally(() => {
      isRunning.current = false
      setIsBusy(false)
    })
  }
  return { submit, isBusy, failure, clearFailure: () => setFailure(undefined) }
}
