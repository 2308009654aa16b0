import '#web/ui/configure-zod.ts'
import { emailSchema, signUpMessages } from '#contract/accounts.ts'
import { PASSWORD_MAX, PASSWORD_MIN } from '#contract/passwords.ts'
import type { FieldFailure } from '#web/ui/use-form.ts'

export const SIGN_UP_FIELDS = ['email', 'password', 'confirmation'] as const
export type SignUpField = (typeof SIGN_UP_FIELDS)[number]

/**
 * What is wrong with a sign-up, at most one sentence for each field (SPEC section 5).
 * @param domain the company's, without '@'; without one every address passes and the server decides
 */
export function checkSignUp(
  { email, password, confirmation }: Record<SignUpField, string>,
  domain: string,
): FieldFailure<SignUpField>[] {
  const found: FieldFailure<SignUpField>[] = []
  const emailFailure = checkEmail(email, domain)
  if (emailFailure) found.push({ field: 'email', message: emailFailure })
  if (password.length < PASSWORD_MIN) found.push({ field: 'password', message: signUpMessages.tooShort })
  else if (password.length > PASSWORD_MAX) found.push({ field: 'password', message: signUpMessages.tooLong })
  if (confirmation !== password) found.push({ field: 'confirmation', message: signUpMessages.mismatch })
  return found
}

function checkEmail(email: string, domain: string): string | undefined {
  const { data, error } = emailSchema.safeParse(email)
  if (error) return error.issues[0]?.message
  const isOfCompany = data.toLowerCase().endsWith(`@${domain.toLowerCase()}`)
  return domain && !isOfCompany ? signUpMessages.domain(`@${domain}`) : undefined
}
