import { useNavigate } from '@tanstack/react-router'
import { PASSWORD_MAX, PASSWORD_MIN, passwordMessages } from '#contract/passwords.ts'
import { forgetSession, refreshSession } from '#web/session/session.ts'
import { NEW_PASSWORD_FIELDS, type NewPasswordField } from '#web/ui/new-password-fields.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { type FieldFailure, useForm } from '#web/ui/use-form.ts'
import { changePassword } from './change-password.ts'

/** The rules of the forced change in SPEC section 5's order. */
export function checkForcedChange({
  password,
  confirmation,
}: Record<NewPasswordField, string>): FieldFailure<NewPasswordField>[] {
  const found: FieldFailure<NewPasswordField>[] = []
  if (password.length < PASSWORD_MIN)
    found.push({ field: 'password', message: passwordMessages.forcedTooShort })
  else if (password.length > PASSWORD_MAX)
    found.push({ field: 'password', message: passwordMessages.forcedTooLong })
  if (confirmation !== password) found.push({ field: 'confirmation', message: passwordMessages.mismatch })
  return found
}

/** The forced change from the press of its button to / (SPEC sections 4 and 8). */
export function useForcedChange() {
  const navigate = useNavigate()
  return useForm({
    fields: NEW_PASSWORD_FIELDS,
    check: checkForcedChange,
    async send({ password }) {
      const refusal = await changePassword(password, passwordMessages.updateFailed)
      if (refusal) {
        const { isAboutPassword, ...notice } = refusal
        showToast({ kind: 'error', ...notice })
        return isAboutPassword ? [{ field: 'password', message: notice.title }] : undefined
      }
      showToast({ kind: 'success', title: passwordMessages.forcedDone })
      // The session says that it owes the change until it is renewed; if that fails, signing in again does it.
      await refreshSession().catch(forgetSession)
      await navigate({ to: '/' })
      return undefined
    },
  })
}
