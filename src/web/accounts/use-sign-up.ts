import { useNavigate } from '@tanstack/react-router'
import type { RefObject } from 'react'
import { accountRoutes, signInMessages, signUpMessages } from '#contract/accounts.ts'
import { ApiError, callApi } from '#web/http/api.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import type { HumanCheckHandle } from '#web/human-check/human-check.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { type FieldFailure, useForm } from '#web/ui/use-form.ts'
import { checkSignUp, SIGN_UP_FIELDS, type SignUpField } from './check-sign-up.ts'

/** The sign-up from the press of its button to /email-verification (SPEC sections 5 and 8). */
export function useSignUp(humanCheck: RefObject<HumanCheckHandle | null>) {
  const navigate = useNavigate()
  return useForm({
    fields: SIGN_UP_FIELDS,
    check: (values) => checkSignUp(values, portalSettings.companyEmailDomain),
    async send({ email: typed, password }) {
      const check = await humanCheck.current?.freshPass()
      if (check?.kind === 'failed') return
      if (check?.kind !== 'passed')
        return void showToast({ kind: 'error', title: signInMessages.humanCheckRequired })
      const email = typed.trim()
      try {
        const redirect_to = `${location.origin}/auth/callback`
        const body = { email, password, captcha: check.pass }
        await callApi(accountRoutes.signUp, { query: { redirect_to }, body })
        await navigate({ to: '/email-verification', state: { email } })
      } catch (error) {
        humanCheck.current?.reset()
        showToast({ kind: 'error', ...explainSignUpFailure(error) })
        return refusedFields(error)
      }
    },
  })
}

/** The server's own message, or the specification's; without a reply what happened goes below it. */
export function explainSignUpFailure(error: unknown): { title: string; description?: string } {
  if (error instanceof ApiError)
    return { title: refusedFields(error)[0]?.message ?? (error.message || signUpMessages.failed) }
  return { title: signUpMessages.failed, ...(error instanceof Error && { description: error.message }) }
}

/** What the server says of single fields; a refused password is about its field too. */
function refusedFields(error: unknown): FieldFailure<SignUpField>[] {
  if (!(error instanceof ApiError)) return []
  if (error.problem.code === 'password-rejected') return [{ field: 'password', message: error.message }]
  return (error.problem.fields ?? []).flatMap(({ path, message }) =>
    path === 'email' || path === 'password' ? [{ field: path, message }] : [],
  )
}
