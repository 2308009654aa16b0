import type * as z from 'zod/mini'
import type { Access, LimitedSessionKind, RecentAuthentication } from './access.ts'
import type { TrailAction } from './audit-actions.ts'

export type Schema = z.ZodMiniType

/** The entries of the audit trail that a successful call may leave, or why it leaves none. */
export type Trail = TrailAction | readonly TrailAction[] | { none: string }

/**
 * One operation of the API. Mounted by the server, called by the browser, and the source of the
 * OpenAPI document and of the test of every route × caller. A write without `trail` does not compile.
 */
export type Route = RouteFields &
  ({ method: 'GET'; trail?: Trail } | { method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'; trail: Trail })

interface RouteFields {
  /** Path with parameters in braces, as in OpenAPI: '/api/profiles/{userId}'. */
  path: `/api/${string}`
  /** Required, so that a route without an access rule does not compile. */
  access: Access
  /** Limited sessions (reset link, forced password change) that may also call it. */
  alsoFor?: readonly LimitedSessionKind[]
  /** Full sessions need a recent password: 403 `reauthentication-needed`. */
  recentAuthentication?: RecentAuthentication
  /** A public route that also authenticates a session if there is one. */
  optionalAuth?: true
  summary: string
  params?: Schema
  query?: Schema
  body?: Schema
  /** Schema of the reply; unlisted keys are dropped. Without it the reply is 204. */
  response?: Schema
  /** Media type of a text reply, instead of a response schema. */
  text?: string
  /** The reply is a file, streamed, instead of a response schema. */
  file?: true
  /** Schema of each server-sent event's data, instead of a response: the reply is a text/event-stream. */
  events?: Schema
  /** Accepts If-Match: a write based on an outdated state gets 409. */
  conditional?: true
  /**
   * Accepts Idempotency-Key: repeated requests within a day get the first answer; a different request
   * with the same key gets 422.
   */
  idempotent?: true
  /** Status of a successful reply; by default 200, or 204 without a response schema. */
  status?: 200 | 201 | 202
  /** Largest request body in bytes; 16 KiB by default. */
  maxBodyBytes?: number
}

export type Routes = Record<string, Route>

/** A route without `access`, so that a missing one is reported where the route is defined. */
export type RouteShape = Omit<Route, 'access'>

type Output<S> = S extends Schema ? z.output<S> : undefined
type Input<S> = S extends Schema ? z.input<S> : undefined

/** Parsed input of a handler. */
export type ParamsOf<R extends RouteShape> = Output<R['params']>
export type QueryOf<R extends RouteShape> = Output<R['query']>
export type BodyOf<R extends RouteShape> = Output<R['body']>
/** Result of a handler, and the browser's reply. */
export type ReplyOf<R extends RouteShape> = R['text'] extends string
  ? string
  : R['response'] extends Schema
    ? Output<R['response']>
    : undefined
/** Body before parsing; params and query are passed parsed, and the URL contains their texts. */
export type BodyIn<R extends RouteShape> = Input<R['body']>

/** Builds a path with URL-encoded parameters: ('/api/a/{id}', {id: 'x y'}) → '/api/a/x%20y'. */
export function buildPath({ path }: { path: string }, params: Record<string, unknown> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
}
