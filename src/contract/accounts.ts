import * as z from 'zod/mini'
import { MAX_MICROSOFT_ATTEMPTS } from './access.ts'
import { emailSchema, signInFormSchema } from './account-forms.ts'
import { newPasswordSchema } from './passwords.ts'
import type { Routes } from './route.ts'
import { lineSchema } from './text-schemas.ts'

/** A human-check pass, or the widget's answer (an ALTCHA payload is under 2 KiB, reCAPTCHA's under 4). */
const captchaSchema = lineSchema(8192)

/** Field in which the official auth-js client sends a captcha answer. */
const metaSecuritySchema = z.optional(z.strictObject({ captcha_token: z.optional(captchaSchema) }))

/** Identifies a browser that has signed in to the account before. */
const presentedDeviceSchema = z.optional(lineSchema(128))

const passwordGrantSchema = z.strictObject({
  ...signInFormSchema.shape,
  captcha: z.optional(captchaSchema),
  gotrue_meta_security: metaSecuritySchema,
  device_token: presentedDeviceSchema,
})
const refreshGrantSchema = z.strictObject({
  refresh_token: lineSchema(512, 1),
  /** The session's last access token, expired or not; with it the reply explains why the session ended. */
  access_token: z.optional(lineSchema(2048)),
  device_token: presentedDeviceSchema,
})

/** What auth-js sends with the request for a passkey's challenge. */
export const captchaBodySchema = z.strictObject({ gotrue_meta_security: metaSecuritySchema })

/** An authenticator's answer; @simplewebauthn/server checks its form. */
export const credentialSchema = z.looseObject({ id: lineSchema(1400, 1) })
export const challengeIdSchema = lineSchema(1024, 1)
/** Removes what people and devices put into a code: dashes, blanks, invisible characters, full width. */
export const normalizeCode = (typed: string) =>
  typed
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '')
export const codeSchema = z
  .string()
  .check(z.trim(), z.minLength(1), z.maxLength(64), z.overwrite(normalizeCode))

/** The answer to a challenge: a code, or what the authenticator signed. */
export const factorAnswerSchema = z.strictObject({
  challenge_id: challengeIdSchema,
  code: z.optional(codeSchema),
  webauthn: z.optional(z.looseObject({ credential_response: credentialSchema })),
})

/** A second factor in GoTrue's shape; the recovery codes count as one. */
export const factorSchema = z.object({
  id: z.uuid(),
  friendly_name: z.string(),
  factor_type: z.enum(['totp', 'webauthn', 'recovery_code']),
  status: z.enum(['verified', 'unverified']),
  created_at: z.string(),
  updated_at: z.string(),
})

/** The fields of GoTrue's user that its official client reads. */
const authUserSchema = z.object({
  id: z.uuid(),
  aud: z.literal('authenticated'),
  role: z.literal('authenticated'),
  email: z.string(),
  email_confirmed_at: z.nullable(z.string()),
  last_sign_in_at: z.nullable(z.string()),
  created_at: z.string(),
  app_metadata: z.object({
    provider: z.literal('email'),
    must_change_password: z.boolean(),
    /** What an 'aal1' session owes: showing a factor, or setting one up; null for others. */
    second_factor: z.nullable(z.enum(['verify', 'set-up'])),
    /** Until when a required factor may be missing; null if none is required, or one is there. */
    second_factor_due: z.nullable(z.string()),
  }),
  factors: z.array(factorSchema),
  user_metadata: z.object({ full_name: z.nullable(z.string()) }),
})
export type AuthUser = z.output<typeof authUserSchema>

/** Sent after a sign-in or a new password; presented at the next sign-in and at each refresh. */
const deviceTokenSchema = z.optional(z.string())

/** `expires_in` is in seconds from now, `expires_at` in seconds since the epoch. */
export const sessionSchema = z.object({
  access_token: z.string(),
  token_type: z.literal('bearer'),
  expires_in: z.number(),
  expires_at: z.number(),
  refresh_token: z.string(),
  device_token: deviceTokenSchema,
  user: authUserSchema,
})
export type Session = z.output<typeof sessionSchema>

/** Return URL of auth-js, which is ignored: links always lead to PUBLIC_URL. */
const redirectQuerySchema = z.object({ redirect_to: z.optional(lineSchema(2048)) })

/** Further fields of auth-js; only the captcha answer is used. */
const authJsExtras = {
  gotrue_meta_security: metaSecuritySchema,
  data: z.optional(z.looseObject({})),
  code_challenge: z.optional(z.nullable(lineSchema(256))),
  code_challenge_method: z.optional(z.nullable(lineSchema(16))),
}

const linkTokenSchema = lineSchema(128, 1)
const markSchema = lineSchema(128)

/** The same for known and unknown e-mails: a user in GoTrue's shape with a random id, and no session. */
const signedUpSchema = z.object({
  id: z.uuid(),
  aud: z.literal('authenticated'),
  role: z.literal('authenticated'),
  email: z.string(),
  confirmation_sent_at: z.string(),
  created_at: z.string(),
  /** Proves that a verification link is used in the browser that signed up; once, for half an hour. */
  confirmation_mark: z.string(),
})

/**
 * Owner of a mailed link, and what using it requires: nothing, a password, or a new link, because a
 * verification link sets a password in its first hour only. 'used' is returned only to the owner of a
 * used verification link. Of a Microsoft sign-in 'mailed' waits for a mailed link, 'linked' is done.
 */
const linkStateSchema = z.object({
  email: z.string(),
  state: z.enum(['confirms', 'asks-password', 'too-late', 'used', 'mailed', 'linked']),
})
export type LinkState = z.output<typeof linkStateSchema>

/** A proof of identity within a session: an access token alone. */
const renewedSchema = z.pick(sessionSchema, {
  access_token: true,
  token_type: true,
  expires_in: true,
  expires_at: true,
})
export type RenewedSession = z.output<typeof renewedSchema>

export const accountRoutes = {
  issueToken: {
    method: 'POST',
    path: '/api/auth/token',
    access: 'public',
    trail: ['sign-in', 'first-step', 'sign-in-refused', 'session-reuse', 'builtin-admin-failures'],
    summary: 'Signs in with e-mail and password, or trades a refresh token for a new session',
    query: z.object({ grant_type: z.enum(['password', 'refresh_token']) }),
    body: z.union([passwordGrantSchema, refreshGrantSchema]),
    response: sessionSchema,
  },
  readUser: {
    method: 'GET',
    path: '/api/auth/user',
    access: 'signedIn',
    alsoFor: ['recovery', 'forcedChange', 'aal1'],
    summary: 'The signed-in user',
    response: authUserSchema,
  },
  signOut: {
    method: 'POST',
    path: '/api/auth/logout',
    access: 'signedIn',
    trail: 'sessions-ended',
    alsoFor: ['recovery', 'forcedChange', 'aal1'],
    summary:
      'Ends every session of the user (global), this one (local) or, after a recent authentication, all but this one (others)',
    query: z.object({ scope: z._default(z.enum(['global', 'local', 'others']), 'global') }),
  },
  signUp: {
    method: 'POST',
    path: '/api/auth/signup',
    access: 'public',
    trail: ['account-created', 'sign-up-repeated'],
    summary: 'Creates an account and mails its verification link; answers alike for new and known e-mails',
    query: redirectQuerySchema,
    body: z.strictObject({
      email: emailSchema,
      password: newPasswordSchema,
      captcha: z.optional(captchaSchema),
      ...authJsExtras,
    }),
    response: signedUpSchema,
  },
  requestRecovery: {
    method: 'POST',
    path: '/api/auth/recover',
    access: 'public',
    trail: { none: 'mails a link; its use is password-reset' },
    summary: 'Mails a link for setting a new password; answers alike for known and unknown e-mails',
    query: redirectQuerySchema,
    body: z.strictObject({ email: emailSchema, ...authJsExtras }),
    response: z.object({}),
  },
  setPassword: {
    method: 'PUT',
    path: '/api/auth/user',
    access: 'signedIn',
    trail: 'password-reset',
    alsoFor: ['recovery'],
    summary: 'Sets the password of a session that came from a reset link, which ends with it; others get 403',
    body: z.strictObject({ password: newPasswordSchema, ...authJsExtras }),
    response: z.extend(authUserSchema, { device_token: deviceTokenSchema }),
  },
  changePassword: {
    method: 'POST',
    path: '/api/functions/change-password',
    access: 'signedIn',
    trail: 'password-changed',
    alsoFor: ['forcedChange'],
    recentAuthentication: 'account',
    summary: 'Sets a new password and ends the other sessions; a rule that it breaks comes back as error',
    body: z.strictObject({ newPassword: newPasswordSchema }),
    response: z.object({
      success: z.optional(z.boolean()),
      error: z.optional(z.string()),
      device_token: deviceTokenSchema,
    }),
  },
  reauthenticate: {
    method: 'POST',
    path: '/api/auth/reauthenticate',
    access: 'signedIn',
    // Setting a required factor up asks for it.
    alsoFor: ['aal1'],
    trail: ['reauthenticated', 'sign-in-refused'],
    summary:
      'Proves again who one is, by the password or a factor: a new access token for what asks for a recent authentication',
    body: z.union([
      z.strictObject({ password: signInFormSchema.shape.password, device_token: presentedDeviceSchema }),
      z.strictObject({ factor_id: z.uuid(), ...factorAnswerSchema.shape }),
    ]),
    response: renewedSchema,
  },
  disownEmail: {
    method: 'POST',
    path: '/api/auth/not-me',
    access: 'public',
    trail: ['account-disowned', 'password-disowned', 'factor-disowned'],
    summary:
      "Uses the 'não fui eu' link of a mail: removes an unverified account, or ends all sessions and starts a reset",
    body: z.strictObject({ token_hash: linkTokenSchema }),
    response: z.object({ outcome: z.enum(['account-removed', 'sessions-ended']) }),
  },
  resendVerification: {
    method: 'POST',
    path: '/api/auth/resend',
    access: 'public',
    trail: { none: 'mails a link again; its use is email-verified' },
    summary: 'Mails a new verification link; answers alike for known and unknown e-mails',
    query: redirectQuerySchema,
    body: z.strictObject({ type: z.literal('signup'), email: emailSchema, ...authJsExtras }),
    response: z.object({}),
  },
  verifyEmailLink: {
    method: 'POST',
    path: '/api/auth/verify',
    access: 'public',
    trail: [
      ...(['email-verified', 'password-reset', 'invitation-accepted', 'invitation-lost'] as const),
      ...(['sign-in', 'account-created', 'microsoft-linked', 'microsoft-refused'] as const),
      ...(['first-step', 'reauthenticated'] as const),
    ],
    optionalAuth: true,
    summary:
      'Uses the link of a verification, reset or invitation mail up, once, with a password to set or without, and opens a session for its owner; or only tells about it',
    query: z.extend(redirectQuerySchema, { dryRun: z.optional(z.enum(['true', 'false'])) }),
    body: z.strictObject({
      type: z.enum(['signup', 'recovery', 'invite', 'microsoft']),
      token_hash: linkTokenSchema,
      mark: z.optional(markSchema),
      /** Of the attempts of this browser with Microsoft, newest first. */
      marks: z.optional(z.array(markSchema.check(z.minLength(1))).check(z.maxLength(MAX_MICROSOFT_ATTEMPTS))),
      password: z.optional(newPasswordSchema),
      /** Of a sign-in with Microsoft. */
      device_token: presentedDeviceSchema,
      gotrue_meta_security: metaSecuritySchema,
    }),
    response: z.union([sessionSchema, renewedSchema, linkStateSchema]),
  },
  readChallenge: {
    method: 'GET',
    path: '/api/auth/challenge',
    access: 'public',
    summary: 'A new ALTCHA proof-of-work challenge',
    response: z.object({ parameters: z.looseObject({}), signature: z.string() }),
  },
  verifyRecaptcha: {
    method: 'POST',
    path: '/api/functions/verify-recaptcha',
    access: 'public',
    trail: { none: 'checks that a person asks and keeps nothing about them' },
    summary: 'Checks a human-verification answer once and trades it for a pass that lives two minutes',
    body: z.strictObject({ token: lineSchema(8192, 1) }),
    response: z.object({ success: z.boolean(), pass: z.optional(z.string()) }),
  },
} as const satisfies Routes
