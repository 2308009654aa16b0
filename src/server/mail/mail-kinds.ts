import type { PrepareMail } from './prepare-mail.ts'
import { prepareVerificationMail } from './prepare-verification-mail.ts'

/** What mails there are, and what makes each. A new kind is one more line here. */
export const PREPARE_MAIL = {
  verification: prepareVerificationMail,
} satisfies Record<string, PrepareMail>

export type MailKind = keyof typeof PREPARE_MAIL
