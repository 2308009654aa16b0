import * as z from 'zod/mini'
import {
  captchaBodySchema,
  challengeIdSchema,
  codeSchema,
  credentialSchema,
  factorAnswerSchema,
  type factorSchema,
  sessionSchema,
} from './accounts.ts'
import type { Routes } from './route.ts'
import { cleanLine } from './text-rules.ts'
import { lineSchema } from './text-schemas.ts'

export const FACTOR_TYPES = ['totp', 'webauthn'] as const
export type FactorType = (typeof FACTOR_TYPES)[number]
export type Factor = z.output<typeof factorSchema>

export const MAX_FACTOR_NAME = 60
export const RECOVERY_CODES = 10
/** People with more than this many devices are rare; a stolen session must not fill the table. */
export const MAX_FACTORS = 10

/** One proof of identity in an access token, as in GoTrue: its method and time in seconds. */
export interface AmrEntry {
  method: string
  timestamp: number
}

const nameSchema = z.string().check(z.overwrite(cleanLine), z.maxLength(MAX_FACTOR_NAME))
export type CredentialAnswer = z.output<typeof credentialSchema>
export type FactorAnswer = z.output<typeof factorAnswerSchema>

const factorParams = z.object({ factorId: z.uuid() })
const passkeyParams = z.object({ passkeyId: z.uuid() })
const enrolledSchema = z.object({
  id: z.uuid(),
  type: z.enum(FACTOR_TYPES),
  friendly_name: z.string(),
  totp: z.optional(z.object({ qr_code: z.string(), secret: z.string(), uri: z.string() })),
})
const optionsSchema = z.looseObject({ challenge: z.string() })
const challengeSchema = z.object({
  id: z.string(),
  type: z.enum(FACTOR_TYPES),
  /** Seconds since the epoch. */
  expires_at: z.number(),
  webauthn: z.optional(
    z.object({
      type: z.enum(['create', 'request']),
      credential_options: z.object({ publicKey: optionsSchema }),
    }),
  ),
})
const passkeyOptionsSchema = z.object({
  challenge_id: z.string(),
  options: optionsSchema,
  expires_at: z.number(),
})
const passkeyAnswerSchema = z.strictObject({ challenge_id: challengeIdSchema, credential: credentialSchema })
const passkeySchema = z.object({
  id: z.uuid(),
  friendly_name: z.string(),
  created_at: z.string(),
  last_used_at: z.optional(z.string()),
})
const codesSchema = z.object({
  id: z.uuid(),
  type: z.literal('recovery_code'),
  total: z.number(),
  codes: z.array(z.string()),
})
const codeStatusSchema = z.object({
  id: z.uuid(),
  type: z.literal('recovery_code'),
  total: z.number(),
  remaining: z.number(),
})

const forSecondStep = { access: 'signedIn', alsoFor: ['aal1'] } as const
const forOwner = { access: 'signedIn', recentAuthentication: 'account' } as const

/** Paths and shapes of auth-js (`mfa`, `passkey`), and the links that allow enrolling. */
export const factorRoutes = {
  enrolFactor: {
    method: 'POST',
    path: '/api/auth/factors',
    trail: { none: 'protects nothing until it is verified: factor-added' },
    ...forSecondStep,
    recentAuthentication: 'account',
    summary:
      'Begins a second factor; needs a verified e-mail, and a browser that the account knew before or a mailed link (409 otherwise)',
    body: z.strictObject({
      factor_type: z.enum(FACTOR_TYPES),
      friendly_name: z.optional(nameSchema),
      issuer: z.optional(lineSchema(100)),
    }),
    response: enrolledSchema,
  },
  challengeFactor: {
    method: 'POST',
    path: '/api/auth/factors/{factorId}/challenge',
    trail: { none: 'a challenge is not stored' },
    ...forSecondStep,
    summary: 'Begins to show a factor of one’s own; the challenge lives five minutes and serves once',
    params: factorParams,
    // As auth-js sends it; the path names the factor.
    body: z.strictObject({ factorId: z.uuid(), webauthn: z.optional(z.looseObject({})) }),
    response: challengeSchema,
  },
  verifyFactor: {
    method: 'POST',
    path: '/api/auth/factors/{factorId}/verify',
    trail: ['factor-added', 'sign-in', 'sign-in-refused'],
    ...forSecondStep,
    summary: 'Shows a factor: the session has both steps from then on; the first factor ends all others',
    params: factorParams,
    body: factorAnswerSchema,
    response: sessionSchema,
  },
  removeFactor: {
    method: 'DELETE',
    path: '/api/auth/factors/{factorId}',
    trail: 'factor-removed',
    ...forOwner,
    summary: 'Removes a factor of one’s own; the recovery codes go with the last one',
    params: factorParams,
    response: z.object({ id: z.uuid() }),
  },
  readRecoveryCodes: {
    method: 'GET',
    path: '/api/auth/factors/recovery-codes',
    access: 'signedIn',
    summary: 'How many recovery codes are left; 404 without any',
    response: codeStatusSchema,
  },
  createRecoveryCodes: {
    method: 'POST',
    path: '/api/auth/factors/recovery-codes',
    trail: 'recovery-codes-created',
    ...forOwner,
    summary: 'Ten recovery codes, shown this once; 409 without another factor, or if there are some',
    response: codesSchema,
  },
  replaceRecoveryCodes: {
    method: 'POST',
    path: '/api/auth/factors/recovery-codes/regenerate',
    trail: 'recovery-codes-created',
    ...forOwner,
    summary: 'Ten new recovery codes, shown this once; the earlier ones stop serving',
    response: codesSchema,
  },
  useRecoveryCode: {
    method: 'POST',
    path: '/api/auth/factors/recovery-codes/verify',
    trail: ['recovery-code-used', 'sign-in', 'sign-in-refused'],
    ...forSecondStep,
    summary: 'Uses a recovery code up in place of a factor; ends the other sessions and mails a notice',
    body: z.strictObject({ code: codeSchema }),
    response: sessionSchema,
  },
  removeRecoveryCodes: {
    method: 'DELETE',
    path: '/api/auth/factors/recovery-codes',
    trail: 'recovery-codes-removed',
    ...forOwner,
    summary: 'Removes the recovery codes',
    response: z.object({ id: z.uuid() }),
  },
  requestFactorLink: {
    method: 'POST',
    path: '/api/auth/factors/link',
    trail: { none: 'mails a link; its use leads to factor-added' },
    ...forSecondStep,
    summary: 'Mails a link that allows this browser to begin a factor',
  },
  useFactorLink: {
    method: 'POST',
    path: '/api/auth/factors/link/verify',
    trail: { none: 'allows one session to add a factor: factor-added' },
    ...forSecondStep,
    summary: 'Uses that link, in a session of its owner',
    body: z.strictObject({ token_hash: lineSchema(128, 1) }),
  },
  startPasskeyRegistration: {
    method: 'POST',
    path: '/api/auth/passkeys/registration/options',
    trail: { none: 'a challenge is not stored' },
    ...forSecondStep,
    recentAuthentication: 'account',
    summary: 'Begins a passkey; needs what a factor needs',
    body: z.strictObject({}),
    response: passkeyOptionsSchema,
  },
  verifyPasskeyRegistration: {
    method: 'POST',
    path: '/api/auth/passkeys/registration/verify',
    trail: ['factor-added', 'sign-in', 'sign-in-refused'],
    ...forSecondStep,
    recentAuthentication: 'account',
    summary: 'Adds the passkey; the session’s second step is done with it',
    body: passkeyAnswerSchema,
    response: passkeySchema,
  },
  startPasskeySignIn: {
    method: 'POST',
    path: '/api/auth/passkeys/authentication/options',
    trail: { none: 'a challenge is not stored' },
    access: 'public',
    summary: 'A challenge for signing in with a passkey alone',
    body: captchaBodySchema,
    response: passkeyOptionsSchema,
  },
  verifyPasskeySignIn: {
    method: 'POST',
    path: '/api/auth/passkeys/authentication/verify',
    trail: ['sign-in', 'sign-in-refused'],
    access: 'public',
    summary: 'Signs in with a passkey, which counts as both steps',
    body: passkeyAnswerSchema,
    response: sessionSchema,
  },
  listPasskeys: {
    method: 'GET',
    path: '/api/auth/passkeys',
    access: 'signedIn',
    summary: 'One’s own passkeys',
    response: z.array(passkeySchema),
  },
  renamePasskey: {
    method: 'PATCH',
    path: '/api/auth/passkeys/{passkeyId}',
    trail: 'factor-renamed',
    access: 'signedIn',
    summary: 'Renames a passkey of one’s own, or an app of codes by its id',
    params: passkeyParams,
    body: z.strictObject({
      friendly_name: nameSchema.check(z.minLength(1)),
    }),
    response: passkeySchema,
  },
  removePasskey: {
    method: 'DELETE',
    path: '/api/auth/passkeys/{passkeyId}',
    trail: 'factor-removed',
    ...forOwner,
    summary: 'Removes a passkey of one’s own, as a factor',
    params: passkeyParams,
  },
} as const satisfies Routes
