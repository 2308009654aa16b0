import type { Context, PublicContext } from '#server/http/context.ts'
import type { Limits } from '#server/http/limits.ts'
import type { Altcha, HumanCheck } from './human-check.ts'
import type { Tokens } from './tokens.ts'

/** What accounts need of the rest of the portal. */
export interface AccountServices extends Limits {
  tokens: Tokens
  humanCheck: HumanCheck
  /** Undefined when reCAPTCHA does the human check. */
  altcha: Altcha | undefined
  /** Off only for tests and trials. */
  rateLimits: boolean
  /** How many days a session lives at most, however often it is refreshed. */
  sessionMaxDays: number
  builtinAdminEmail: string | undefined
  /** Whose e-mails may have accounts. */
  companyEmailDomain: string
  groupName: string
  /** Tells the outbox that a mail waits. */
  nudgeOutbox: () => void
}

/** The context of whoever is not signed in yet. */
export interface AccountContext extends PublicContext, AccountServices {}

/** The context of somebody with a session. */
export interface OwnAccountContext extends Context, AccountServices {}
