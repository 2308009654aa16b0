import '#web/ui/configure-zod.ts'
import { accountRoutes, emailSchema, signInMessages } from '#contract/accounts.ts'
import { passwordMessages } from '#contract/passwords.ts'
import { callApi } from '#web/http/api.ts'
import { showToast } from '#web/ui/toast.tsx'
import { useForm } from '#web/ui/use-form.ts'

/**
 * The request for a reset link (SPEC sections 5 and 8).
 * @param onSent called with the address once the server has taken the request
 */
export function useForgotPassword(onSent: (email: string) => void) {
  return useForm({
    fields: ['email'],
    check: ({ email }) =>
      emailSchema.safeParse(email).success ? [] : [{ field: 'email', message: signInMessages.emailInvalid }],
    noticeOf: ({ message }) => ({
      kind: 'error',
      title: passwordMessages.validation,
      description: message,
    }),
    async send({ email: typed }) {
      const email = typed.trim()
      try {
        const redirect_to = `${location.origin}/reset-password`
        await callApi(accountRoutes.requestRecovery, { query: { redirect_to }, body: { email } })
        onSent(email)
      } catch (error) {
        const description = (error instanceof Error && error.message) || passwordMessages.recoverFailedDetail
        showToast({ kind: 'error', title: passwordMessages.recoverFailed, description })
      }
      return undefined
    },
  })
}
