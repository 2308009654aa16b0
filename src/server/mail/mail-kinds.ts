import { prepareAccountApprovedMail } from './prepare-account-approved-mail.ts'
import { prepareAccountExistsMail } from './prepare-account-exists-mail.ts'
import { prepareBuiltinFailuresMail } from './prepare-builtin-failures-mail.ts'
import type { PrepareMail } from './prepare-mail.ts'
import { prepareMessageDigestMail } from './prepare-message-digest-mail.ts'
import { preparePasswordChangedMail } from './prepare-password-changed-mail.ts'
import { prepareRecoveryMail } from './prepare-recovery-mail.ts'
import { prepareVerificationMail } from './prepare-verification-mail.ts'
import { prepareWaitingDigestMail } from './prepare-waiting-digest-mail.ts'

/** What mails there are, and what makes each. A new kind is one more line here. */
export const PREPARE_MAIL = {
  verification: prepareVerificationMail,
  'account-exists': prepareAccountExistsMail,
  recovery: prepareRecoveryMail,
  'password-changed': preparePasswordChangedMail,
  'account-approved': prepareAccountApprovedMail,
  'waiting-digest': prepareWaitingDigestMail,
  'message-digest': prepareMessageDigestMail,
  'builtin-failures': prepareBuiltinFailuresMail,
} satisfies Record<string, PrepareMail>

export type MailKind = keyof typeof PREPARE_MAIL
