import {
  PASSWORD_MAX,
  passwordMessages,
  RESET_PASSWORD_MIN,
  RESET_STRENGTH_MIN,
  rateStrength,
} from '#contract/passwords.ts'
import type { NewPasswordField } from '#web/ui/new-password-fields.tsx'
import type { ToastContent } from '#web/ui/toast.tsx'
import type { FieldFailure } from '#web/ui/use-form.ts'

/** The rules of the reset page in SPEC section 5's order; its longest password is that of every other form. */
export function checkReset({
  password,
  confirmation,
}: Record<NewPasswordField, string>): FieldFailure<NewPasswordField>[] {
  const found: FieldFailure<NewPasswordField>[] = []
  const refuse = (field: NewPasswordField, message: string) => found.push({ field, message })
  if (password.length < RESET_PASSWORD_MIN) refuse('password', passwordMessages.resetTooShort)
  else if (password.length > PASSWORD_MAX) refuse('password', passwordMessages.forcedTooLong)
  if (confirmation !== password) refuse('confirmation', passwordMessages.mismatch)
  if (found.length === 0 && rateStrength(password).score < RESET_STRENGTH_MIN)
    refuse('password', passwordMessages.weakDetail)
  return found
}

/** 'Senha fraca' is a title of its own; the other rules go under 'Erro de validação'. */
export function noticeOfReset({ message }: { message: string }): ToastContent {
  const isWeak = message === passwordMessages.weakDetail
  const title = isWeak ? passwordMessages.weak : passwordMessages.validation
  return { kind: 'error', title, description: message }
}
