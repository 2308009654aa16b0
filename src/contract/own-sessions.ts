import * as z from 'zod/mini'
import type { Routes } from './route.ts'
import { instantSchema, userParams } from './users.ts'

/** Whether an address is in GROUP_NETWORKS; null without that setting, or if the address is unknown. */
const inGroupNetworkSchema = z.nullable(z.boolean())

const openSessionSchema = z.object({
  id: z.uuid(),
  /** Whether it is the caller's. */
  current: z.boolean(),
  /** 'Chrome no Windows' */
  device: z.string(),
  opened_at: instantSchema,
  last_used_at: instantSchema,
  in_group_network: inGroupNetworkSchema,
})
export type OpenSession = z.output<typeof openSessionSchema>

/** A sign-in, or the refused ones of an hour for the same reason. */
const signInSchema = z.object({
  at: instantSchema,
  /** Null for a sign-in; the problem code of a refusal. */
  refusal: z.nullable(z.string()),
  attempts: z.number(),
  /** Null for refused ones, which may come from several. */
  device: z.nullable(z.string()),
  in_group_network: inGroupNetworkSchema,
})
export type SignIn = z.output<typeof signInSchema>

const sessionsSchema = z.object({
  sessions: z.array(openSessionSchema),
  sign_ins: z.array(signInSchema),
  /** How many second factors are set up. */
  factors: z.number(),
})
export type Sessions = z.output<typeof sessionsSchema>

const accountSchema = z.extend(sessionsSchema, {
  /** Until when the sign-in is locked where it failed too often; null if it is open. */
  locked_until: z.nullable(instantSchema),
})
export type AccountState = z.output<typeof accountSchema>

export const ownSessionRoutes = {
  listOwnSessions: {
    method: 'GET',
    path: '/api/sessions/me',
    access: 'signedIn',
    summary: 'Where one is signed in, the latest used first, and one’s last ten sign-ins and refused ones',
    response: sessionsSchema,
  },
  listSessions: {
    method: 'GET',
    path: '/api/profiles/{userId}/sessions',
    access: 'admin',
    summary:
      'Where a person is signed in, their last ten sign-ins and refused ones, and a lock of the sign-in',
    params: userParams,
    response: accountSchema,
  },
  endOwnSession: {
    method: 'DELETE',
    path: '/api/sessions/me/{id}',
    access: 'signedIn',
    trail: 'sessions-ended',
    recentAuthentication: 'account',
    summary: 'Ends one of one’s own sessions; 404 for any other',
    params: z.object({ id: z.uuid() }),
  },
} as const satisfies Routes
