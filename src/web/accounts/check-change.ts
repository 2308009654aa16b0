import { PASSWORD_MAX, PASSWORD_MIN, passwordMessages } from '#contract/passwords.ts'
import type { NewPasswordField } from '#web/ui/new-password-fields.tsx'
import type { FieldFailure } from '#web/ui/use-form.ts'

/** The rules of the profile's password card in SPEC section 5's order. */
export function checkChange({
  password,
  confirmation,
}: Record<NewPasswordField, string>): FieldFailure<NewPasswordField>[] {
  const found: FieldFailure<NewPasswordField>[] = []
  if (confirmation !== password) found.push({ field: 'confirmation', message: passwordMessages.mismatch })
  if (password.length < PASSWORD_MIN)
    found.push({ field: 'password', message: passwordMessages.changeTooShort })
  else if (password.length > PASSWORD_MAX)
    found.push({ field: 'password', message: passwordMessages.changeTooLong })
  return found
}
