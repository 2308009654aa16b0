import type { accountRoutes } from '#contract/accounts.ts'
import type { Db } from '#server/database/schema.ts'
import { ipGroup } from '#server/http/caller-ip.ts'
import type { RequestInfo } from '#server/http/context.ts'
import type { Handlers } from '#server/http/implement.ts'
import type { TakeFromLimit } from '#server/http/limits.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import type { Altcha } from './altcha.ts'
import { presentAuthUser, type SessionTools } from './open-session.ts'
import { refreshSession } from './refresh-session.ts'
import { requestLinkMail } from './request-link-mail.ts'
import { type SignInRules, signInWithPassword } from './sign-in-with-password.ts'
import { signOut } from './sign-out.ts'
import { verifyEmailLink } from './verify-email-link.ts'

const FIVE_MINUTES = 300
const SIGN_IN_LIMIT = { max: 60, windowSeconds: FIVE_MINUTES }
const HUMAN_CHECK_LIMIT = { max: 60, windowSeconds: FIVE_MINUTES }
const EMAIL_LINK_LIMIT = { max: 30, windowSeconds: FIVE_MINUTES }

export interface SignInDeps {
  db: Db
  sessions: SessionTools
  rules: SignInRules
  /** Undefined when reCAPTCHA does the human check. */
  altcha: Altcha | undefined
  takeFromLimit: TakeFromLimit
  /** Tells the outbox that a mail waits. */
  nudgeOutbox: () => void
}

type Handled =
  | 'issueToken'
  | 'readUser'
  | 'signOut'
  | 'resendVerification'
  | 'verifyEmailLink'
  | 'readChallenge'
  | 'verifyRecaptcha'

/** Sessions and the human check; what makes and changes accounts is in accounts/. */
export function signInHandlers(deps: SignInDeps): Pick<Handlers<typeof accountRoutes>, Handled> {
  const { db, sessions, rules, takeFromLimit } = deps
  const perAddress = (name: string, { ip }: RequestInfo) => `${name} ${ipGroup(ip)}`
  return {
    async issueToken({ query, body, request }) {
      if (query.grant_type === 'refresh_token') {
        if (!('refresh_token' in body)) throw new ProblemError('invalid-input')
        return refreshSession(db, { ...sessions, takeFromLimit }, body.refresh_token, request)
      }
      if (!('email' in body)) throw new ProblemError('invalid-input')
      await takeFromLimit(perAddress('sign-in', request), SIGN_IN_LIMIT)
      const captcha = body.captcha ?? body.gotrue_meta_security?.captcha_token
      return signInWithPassword(db, sessions, rules, { ...body, captcha }, request)
    },
    readUser: ({ actor }) => presentAuthUser(actor.profile, actor.sessionKind),
    signOut: ({ actor, query }) =>
      signOut(db, { sessionId: actor.sessionId, userId: actor.profile.user_id }, query.scope).then(
        () => undefined,
      ),
    async resendVerification({ body, request }) {
      await requestLinkMail(deps, 'verification', body.email, request)
      deps.nudgeOutbox()
      return {}
    },
    async verifyEmailLink({ body, request }) {
      await takeFromLimit(perAddress('email-link', request), EMAIL_LINK_LIMIT)
      const link = { type: body.type, token: body.token_hash }
      return verifyEmailLink(db, sessions, rules, link, request)
    },
    async readChallenge() {
      if (!deps.altcha) throw new ProblemError('not-found')
      return deps.altcha.createChallenge()
    },
    async verifyRecaptcha({ body, request }) {
      await takeFromLimit(perAddress('human-check', request), HUMAN_CHECK_LIMIT)
      const pass = await rules.humanCheck.tradeForPass(body.token, request.ip)
      return pass ? { success: true, pass } : { success: false }
    },
  }
}
