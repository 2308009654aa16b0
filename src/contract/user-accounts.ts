import * as z from 'zod/mini'
import type { Routes } from './route.ts'
import { roleSchema, userParams } from './users.ts'

/** What an administrator can do for a person who cannot get in, or whose account may be in other hands. */
export const ACCOUNT_ACTIONS = [
  'send-reset',
  'unlock',
  'end-sessions',
  'resend-verification',
  'reset-factor',
] as const
export type AccountAction = (typeof ACCOUNT_ACTIONS)[number]

export const userAccountRoutes = {
  helpWithAccount: {
    method: 'POST',
    path: '/api/profiles/{userId}/account',
    access: 'admin',
    trail: ['reset-link-sent', 'account-unlocked', 'sessions-ended', 'verification-resent', 'factor-reset'],
    recentAuthentication: 'account',
    summary:
      'Mails a person a link for a new password or for the verification, clears the lock-out, ends all sessions, or removes the second factors; 409 for oneself, or if there is nothing to do',
    params: userParams,
    body: z.strictObject({ action: z.enum(ACCOUNT_ACTIONS) }),
  },
  changeRole: {
    method: 'PUT',
    path: '/api/profiles/{userId}/role',
    access: 'admin',
    trail: ['role-changed', 'invitation-withdrawn'],
    recentAuthentication: 'account',
    summary:
      'Makes a person with a verified e-mail an administrator, or an ordinary user again; 409 for oneself, or where the person was changed since',
    conditional: true,
    params: userParams,
    body: z.strictObject({ role: roleSchema }),
  },
} as const satisfies Routes
