import '#web/ui/configure-zod.ts'
import { signInFormSchema } from '#contract/accounts.ts'

export type LoginField = 'email' | 'password'
export interface LoginFailure {
  field: LoginField
  message: string
}

/** Checks the sign-in form in the order of its fields; only the first failing rule counts (SPEC section 5). */
export function firstFailure(values: Record<LoginField, string>): LoginFailure | undefined {
  const parsed = signInFormSchema.safeParse(values)
  const issue = parsed.error?.issues[0]
  return issue && { field: issue.path[0] as LoginField, message: issue.message }
}
