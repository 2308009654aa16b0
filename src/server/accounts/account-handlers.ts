import type { accountRoutes } from '#contract/accounts.ts'
import type { microsoftRoutes } from '#contract/microsoft.ts'
import type { ownSessionRoutes } from '#contract/own-sessions.ts'
import type { ServicesOf } from '#server/http/context.ts'
import type { Handlers } from '#server/http/implement.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { readProfile } from '#server/users/user-queries.ts'
import { acceptInvitation, previewInvitation } from './accept-invitation.ts'
import type { AccountServices } from './account-context.ts'
import { disownEmail } from './disown-email.ts'
import { requestLinkMail } from './email-links.ts'
import {
  beginLink,
  beginRenewal,
  previewMicrosoft,
  readOwnIdentity,
  redeemMicrosoft,
  unlinkOwnIdentity,
} from './microsoft-accounts.ts'
import { endOwnSession, listSessions, type OwnSessionContext } from './own-sessions.ts'
import { presentAuthUser, refreshSession, signOut } from './sessions.ts'
import { changePassword, resetPassword } from './set-password.ts'
import { reauthenticate, signIn } from './sign-in.ts'
import { readLock } from './sign-in-attempts.ts'
import { signUp } from './sign-up.ts'
import { previewLink, verifyEmailLink } from './verify-email-link.ts'
import { reauthenticateByFactor } from './verify-factor.ts'

/** Our forms send the captcha at the top level, the official auth-js client in `gotrue_meta_security`. */
interface WithCaptcha {
  captcha?: string | undefined
  gotrue_meta_security?: { captcha_token?: string | undefined } | undefined
}
const toCaptcha = (body: WithCaptcha) => body.captcha ?? body.gotrue_meta_security?.captcha_token

/** Counts how a sign-in ends. */
async function countOutcome<T>(signingIn: Promise<T>, count: (outcome: string) => void): Promise<T> {
  try {
    const session = await signingIn
    count('ok')
    return session
  } catch (error) {
    count(error instanceof ProblemError ? error.code : 'failed')
    throw error
  }
}

interface Services extends AccountServices {
  metrics: { countSignIn(outcome: string): void }
}

export function accountHandlers(services: Services): Handlers<typeof accountRoutes> {
  const { humanCheck, altcha } = services
  return {
    async issueToken({ context, query, body }) {
      if (query.grant_type === 'refresh_token') {
        if (!('refresh_token' in body)) throw new ProblemError('invalid-input')
        const { refresh_token: refreshToken, access_token: accessToken, device_token: deviceToken } = body
        return refreshSession({ ...services, ...context }, { refreshToken, accessToken, deviceToken })
      }
      if (!('email' in body)) throw new ProblemError('invalid-input')
      const { email, password, device_token: deviceToken } = body
      const credentials = { email, password, deviceToken, captcha: toCaptcha(body) }
      return countOutcome(signIn({ ...services, ...context }, credentials), services.metrics.countSignIn)
    },
    readUser: ({ context }) =>
      presentAuthUser({ ...services, ...context }, context.actor.profile, context.actor.sessionKind),
    signOut: ({ context, query }) => signOut(context, query.scope).then(() => undefined),
    signUp: ({ context, body }) => signUp({ ...services, ...context }, { ...body, captcha: toCaptcha(body) }),
    async requestRecovery({ context, body }) {
      await requestLinkMail({ ...services, ...context }, { kind: 'recovery', email: body.email })
      return {}
    },
    async resendVerification({ context, body }) {
      await requestLinkMail({ ...services, ...context }, { kind: 'verification', email: body.email })
      return {}
    },
    setPassword: ({ context, body }) => resetPassword({ ...services, ...context }, body.password),
    changePassword: ({ context, body }) => changePassword({ ...services, ...context }, body.newPassword),
    async reauthenticate({ context, body }) {
      const ownContext = { ...services, ...context }
      if ('password' in body)
        return reauthenticate(ownContext, { password: body.password, deviceToken: body.device_token })
      const { factor_id: factorId, ...answer } = body
      return reauthenticateByFactor(ownContext, { factorId, answer })
    },
    disownEmail: ({ context, body }) => disownEmail({ ...services, ...context }, body.token_hash),
    verifyEmailLink({ context: { actor: caller, ...context }, query, body }) {
      const { type, token_hash: token, mark, marks = [], password, device_token: deviceToken } = body
      if (type === 'microsoft') {
        const use = { token, marks, deviceToken, caller }
        return query.dryRun === 'true'
          ? previewMicrosoft({ ...services, ...context }, use)
          : redeemMicrosoft({ ...services, ...context }, use)
      }
      if (type === 'invite')
        return query.dryRun === 'true'
          ? previewInvitation({ ...services, ...context }, token)
          : acceptInvitation({ ...services, ...context }, { token, password })
      const use = { type, token, mark, caller }
      return query.dryRun === 'true'
        ? previewLink({ ...services, ...context }, use)
        : verifyEmailLink({ ...services, ...context }, { ...use, password })
    },
    async readChallenge() {
      if (!altcha) throw new ProblemError('not-found')
      return altcha.createChallenge()
    },
    async verifyRecaptcha({ context, body }) {
      const pass = await humanCheck.exchangeForPass(body.token, context.request.ip)
      return pass ? { success: true, pass } : { success: false }
    },
  }
}

/** The caller's Microsoft account. */
export function microsoftHandlers(services: AccountServices): Handlers<typeof microsoftRoutes> {
  return {
    readOwnIdentity: ({ context }) => readOwnIdentity({ ...services, ...context }),
    beginLink: ({ context, query }) => beginLink({ ...services, ...context }, query.mark_hash),
    beginRenewal: ({ context, query }) => beginRenewal({ ...services, ...context }, query.mark_hash),
    unlinkOwnIdentity: ({ context }) => unlinkOwnIdentity({ ...services, ...context }),
  }
}

/** 'Onde estou conectado'. */
export function ownSessionHandlers(
  services: ServicesOf<OwnSessionContext>,
): Handlers<typeof ownSessionRoutes> {
  return {
    listOwnSessions: ({ context }) =>
      listSessions({ ...services, ...context }, context.actor.profile.user_id),
    async listSessions({ context, params: { userId } }) {
      // Throws for an unknown person.
      const { email } = await readProfile(context.db, userId)
      return {
        ...(await listSessions({ ...services, ...context }, userId)),
        locked_until: await readLock(context, email),
      }
    },
    endOwnSession: ({ context, params }) => endOwnSession(context, params.id),
  }
}
