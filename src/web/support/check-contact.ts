import '#web/ui/configure-zod.ts'
import { contactFormSchema } from '#contract/support.ts'
import type { FieldFailure } from '#web/ui/use-form.ts'

export const CONTACT_FIELDS = ['name', 'email', 'phone', 'message'] as const
export type ContactField = (typeof CONTACT_FIELDS)[number]

/** Every rule that a message breaks, in the order of the fields (SPEC section 5, contact form). */
export function checkContact(values: Record<ContactField, string>): FieldFailure<ContactField>[] {
  const issues = contactFormSchema.safeParse(values).error?.issues ?? []
  return issues.map(({ path, message }) => ({ field: path[0] as ContactField, message }))
}
