import type { Context, PublicContext } from '#server/http/context.ts'
import type { RateLimits } from '#server/http/rate-limits.ts'
import type { RefusalCounter } from '#server/operations/audit.ts'
import type { FactorChallenges } from './factor-challenges.ts'
import type { Altcha, HumanCheck } from './human-check.ts'
import type { MicrosoftDirectory } from './microsoft-directory.ts'
import type { SecondFactorPolicy } from './second-factor.ts'
import type { Tokens } from './tokens.ts'

export interface AccountServices extends RateLimits {
  tokens: Tokens
  challenges: FactorChallenges
  humanCheck: HumanCheck
  /** Undefined when reCAPTCHA does the human check. */
  altcha: Altcha | undefined
  /** Counts a refused sign-in later, with others. */
  countRefusal: RefusalCounter
  /** Off only for tests and trials. */
  rateLimits: boolean
  sessionMaxDays: number
  /** Undefined for nobody. */
  secondFactor?: SecondFactorPolicy
  /** Undefined where it is not configured. */
  microsoft: MicrosoftDirectory | undefined
  /** Longest session that Microsoft opens. */
  entraSessionHours: number
  /** Whether passwords and mailed links open no session, but the built-in administrator's. */
  onlyMicrosoft: boolean
  builtinAdminEmail: string | undefined
  /** The domain whose addresses may sign up. */
  companyEmailDomain: string
  groupName: string
  /** Origin of the portal, which passkeys are bound to. */
  publicUrl: string
}

export interface AccountContext extends PublicContext, AccountServices {}

export interface OwnAccountContext extends Context, AccountServices {}
