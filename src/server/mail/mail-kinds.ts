import { prepareAccountApprovedMail } from './kinds/prepare-account-approved-mail.ts'
import { prepareAccountExistsMail } from './kinds/prepare-account-exists-mail.ts'
import { prepareBuiltinFailuresMail } from './kinds/prepare-builtin-failures-mail.ts'
import { prepareMessageDigestMail } from './kinds/prepare-message-digest-mail.ts'
import { preparePasswordChangedMail } from './kinds/prepare-password-changed-mail.ts'
import { prepareRecoveryMail } from './kinds/prepare-recovery-mail.ts'
import { prepareVerificationMail } from './kinds/prepare-verification-mail.ts'
import { prepareWaitingDigestMail } from './kinds/prepare-waiting-digest-mail.ts'
import type { PrepareMail } from './prepare-mail.ts'

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
