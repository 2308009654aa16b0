import type { factorRoutes } from '#contract/factors.ts'
import type { Handlers } from '#server/http/implement.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import type { AccountServices } from './account-context.ts'
import {
  createRecoveryCodes,
  enrolFactor,
  readRecoveryCodes,
  removeFactor,
  removeRecoveryCodes,
  requestFactorLink,
  useFactorLink,
} from './factors.ts'
import { listPasskeys, renamePasskey, startPasskeySignIn, verifyPasskeySignIn } from './passkey-sign-in.ts'
import {
  challengeFactor,
  startPasskeyRegistration,
  verifyFactor,
  verifyPasskeyRegistration,
  verifyRecoveryCode,
} from './verify-factor.ts'

interface Services extends AccountServices {
  metrics: { countSignIn(outcome: string): void }
}

export function factorHandlers(services: Services): Handlers<typeof factorRoutes> {
  return {
    enrolFactor({ context, body }) {
      const { factor_type: type, friendly_name: name, issuer } = body
      return enrolFactor({ ...services, ...context }, { type, name, issuer })
    },
    challengeFactor: ({ context, params }) => challengeFactor({ ...services, ...context }, params.factorId),
    verifyFactor: ({ context, params, body }) =>
      verifyFactor({ ...services, ...context }, { factorId: params.factorId, answer: body }),
    removeFactor: ({ context, params }) => removeFactor({ ...services, ...context }, params.factorId),
    readRecoveryCodes: ({ context }) => readRecoveryCodes({ ...services, ...context }),
    createRecoveryCodes: ({ context }) => createRecoveryCodes({ ...services, ...context }, false),
    replaceRecoveryCodes: ({ context }) => createRecoveryCodes({ ...services, ...context }, true),
    useRecoveryCode: ({ context, body }) => verifyRecoveryCode({ ...services, ...context }, body.code),
    removeRecoveryCodes: ({ context }) => removeRecoveryCodes({ ...services, ...context }),
    requestFactorLink: ({ context }) => requestFactorLink({ ...services, ...context }),
    useFactorLink: ({ context, body }) => useFactorLink({ ...services, ...context }, body.token_hash),
    startPasskeyRegistration: ({ context }) => startPasskeyRegistration({ ...services, ...context }),
    verifyPasskeyRegistration: ({ context, body }) =>
      verifyPasskeyRegistration(
        { ...services, ...context },
        { challengeId: body.challenge_id, credential: body.credential },
      ),
    startPasskeySignIn: ({ context }) => startPasskeySignIn({ ...services, ...context }),
    async verifyPasskeySignIn({ context, body }) {
      const answer = { challengeId: body.challenge_id, credential: body.credential }
      try {
        const session = await verifyPasskeySignIn({ ...services, ...context }, answer)
        services.metrics.countSignIn('ok')
        return session
      } catch (error) {
        services.metrics.countSignIn(error instanceof ProblemError ? error.code : 'failed')
        throw error
      }
    },
    listPasskeys: ({ context }) => listPasskeys({ ...services, ...context }),
    renamePasskey: ({ context, params, body }) =>
      renamePasskey({ ...services, ...context }, { id: params.passkeyId, name: body.friendly_name }),
    removePasskey: async ({ context, params }) => {
      await removeFactor({ ...services, ...context }, params.passkeyId)
      return undefined
    },
  }
}
