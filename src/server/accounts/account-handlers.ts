import type { accountRoutes } from '#contract/accounts.ts'
import { ipGroup } from '#server/http/caller-ip.ts'
import type { Handlers } from '#server/http/implement.ts'
import { changePassword } from './change-password.ts'
import { disownEmail } from './disown-email.ts'
import { requestLinkMail } from './request-link-mail.ts'
import { type ResetDeps, resetPassword } from './reset-password.ts'
import { type SignUpDeps, signUp } from './sign-up.ts'

const EMAIL_LINK_LIMIT = { max: 30, windowSeconds: 300 }

export interface AccountDeps extends SignUpDeps, ResetDeps {}

type Handled = 'signUp' | 'requestRecovery' | 'setPassword' | 'disownEmail' | 'changePassword'

/** What makes and changes accounts, beside the sessions of sign-in/. */
export function accountHandlers(deps: AccountDeps): Pick<Handlers<typeof accountRoutes>, Handled> {
  const { db, takeFromLimit } = deps
  return {
    changePassword: ({ actor, body, request }) => changePassword(deps, actor, body.newPassword, request),
    async signUp({ body, request }) {
      const captcha = body.captcha ?? body.gotrue_meta_security?.captcha_token
      const reply = await signUp(deps, { ...body, captcha }, request)
      deps.nudgeOutbox()
      return reply
    },
    async requestRecovery({ body, request }) {
      await requestLinkMail(deps, 'recovery', body.email, request)
      deps.nudgeOutbox()
      return {}
    },
    setPassword: ({ actor, body, request }) => resetPassword(deps, actor, body.password, request),
    async disownEmail({ body, request }) {
      await takeFromLimit(`email-link ${ipGroup(request.ip)}`, EMAIL_LINK_LIMIT)
      const reply = await disownEmail(db, body.token_hash, request, new Date(deps.clock()))
      deps.nudgeOutbox()
      return reply
    },
  }
}
