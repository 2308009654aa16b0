import * as z from 'zod/mini'
import { signInMessages } from './messages.ts'
import { defineRoutes } from './route.ts'

/** An address as people type it: trimmed; its case is folded by the server. */
export const emailSchema = z
  .string()
  .check(z.trim(), z.maxLength(255, signInMessages.emailTooLong), z.email(signInMessages.emailInvalid))

/** The sign-in form, SPEC section 5: checked in this order, the first failing message is shown. */
export const signInFormSchema = z.object({
  email: emailSchema,
  password: z
    .string()
    .check(z.minLength(1, signInMessages.passwordRequired), z.maxLength(128, signInMessages.passwordTooLong)),
})

/** A human-check pass, or a raw answer of the widget (an ALTCHA payload is under 2 KiB, reCAPTCHA's under 4). */
const captchaSchema = z.string().check(z.maxLength(8192))

/** Where the official auth-js client puts a captcha answer. */
const metaSecuritySchema = z.optional(z.strictObject({ captcha_token: z.optional(captchaSchema) }))

const passwordGrantSchema = z.strictObject({
  ...signInFormSchema.shape,
  captcha: z.optional(captchaSchema),
  gotrue_meta_security: metaSecuritySchema,
})
const refreshGrantSchema = z.strictObject({
  refresh_token: z.string().check(z.minLength(1), z.maxLength(512)),
})

/** The signed-in user in GoTrue's shape, as far as its official client reads it. */
export const authUserSchema = z.object({
  id: z.uuid(),
  aud: z.literal('authenticated'),
  role: z.literal('authenticated'),
  email: z.string(),
  email_confirmed_at: z.nullable(z.string()),
  last_sign_in_at: z.nullable(z.string()),
  created_at: z.string(),
  app_metadata: z.object({ provider: z.literal('email'), must_change_password: z.boolean() }),
  user_metadata: z.object({ full_name: z.nullable(z.string()) }),
})
export type AuthUser = z.output<typeof authUserSchema>

/** Times: expires_in in seconds from now, expires_at in seconds since the epoch. */
export const sessionSchema = z.object({
  access_token: z.string(),
  token_type: z.literal('bearer'),
  expires_in: z.number(),
  expires_at: z.number(),
  refresh_token: z.string(),
  user: authUserSchema,
})
export type Session = z.output<typeof sessionSchema>

/** auth-js sends where it wants to return to; links only ever lead to the configured PUBLIC_URL. */
const redirectQuerySchema = z.object({ redirect_to: z.optional(z.string().check(z.maxLength(2048))) })

export const signInRoutes = defineRoutes({
  issueToken: {
    method: 'POST',
    path: '/api/auth/token',
    access: 'public',
    summary: 'Signs in with e-mail and password, or trades a refresh token for a new session',
    query: z.object({ grant_type: z.enum(['password', 'refresh_token']) }),
    body: z.union([passwordGrantSchema, refreshGrantSchema]),
    response: sessionSchema,
  },
  readUser: {
    method: 'GET',
    path: '/api/auth/user',
    access: 'signedIn',
    alsoFor: ['recovery', 'forcedChange'],
    summary: 'The signed-in user',
    response: authUserSchema,
  },
  signOut: {
    method: 'POST',
    path: '/api/auth/logout',
    access: 'signedIn',
    alsoFor: ['recovery', 'forcedChange'],
    summary: 'Ends every session of the user (global), this one (local) or all but this one (others)',
    query: z.object({ scope: z._default(z.enum(['global', 'local', 'others']), 'global') }),
  },
  resendVerification: {
    method: 'POST',
    path: '/api/auth/resend',
    access: 'public',
    summary: 'Mails a new verification link; answers alike for known and unknown addresses',
    query: redirectQuerySchema,
    body: z.strictObject({
      type: z.literal('signup'),
      email: emailSchema,
      gotrue_meta_security: metaSecuritySchema,
    }),
    response: z.object({}),
  },
  verifyEmailLink: {
    method: 'POST',
    path: '/api/auth/verify',
    access: 'public',
    summary: 'Uses the link of a verification mail up, once, and signs its owner in',
    query: redirectQuerySchema,
    body: z.strictObject({
      type: z.literal('signup'),
      token_hash: z.string().check(z.minLength(1), z.maxLength(128)),
      gotrue_meta_security: metaSecuritySchema,
    }),
    response: sessionSchema,
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
    summary: 'Checks a human-verification answer once and trades it for a pass that lives two minutes',
    body: z.strictObject({ token: z.string().check(z.minLength(1), z.maxLength(8192)) }),
    response: z.object({ success: z.boolean(), pass: z.optional(z.string()) }),
  },
})
