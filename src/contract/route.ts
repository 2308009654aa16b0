import type * as z from 'zod/mini'
import type { Access, LimitedSessionKind } from './access.ts'

export type Schema = z.ZodMiniType

/**
 * One operation of the API. The server mounts it, the browser calls it, and the OpenAPI document and the
 * test of every route × caller are derived from it.
 */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path with its parameters in braces, as in OpenAPI: '/api/profiles/{userId}'. */
  path: `/api/${string}`
  /** Required on purpose: a route that does not say who may call it does not compile. */
  access: Access
  /** Limited sessions (reset link, forced password change) that may call it too. */
  alsoFor?: readonly LimitedSessionKind[]
  /** A public route that also looks at who asks, if somebody is signed in. */
  optionalAuth?: true
  summary: string
  params?: Schema
  query?: Schema
  body?: Schema
  /** What leaves: keys that the schema does not list are dropped. Without it the reply is 204. */
  response?: Schema
  /** Media type of a reply that is text of its own kind instead of JSON; there is no response schema then. */
  text?: string
  /** Data of each server-sent event: the reply is a text/event-stream that lasts, and there is no response. */
  events?: Schema
  /** Takes an If-Match header: a write that rests on an older state is refused with 409. */
  conditional?: true
  /**
   * Takes an Idempotency-Key header: the same request again under the same key, within a day, is not done twice but gets
   * the first answer; another request under it is refused with 422.
   */
  idempotent?: true
  /** Status of a successful reply; 200, or 204 without a response schema. */
  status?: 200 | 201 | 202
  /** Largest request body in bytes; 16 KiB unless said. */
  maxBodyBytes?: number
}

export type Routes = Record<string, Route>

/** A route whose `access` may be missing: who forgets it is told at the route, not wherever its types are read. */
export type RouteShape = Omit<Route, 'access'>

type Output<S> = S extends Schema ? z.output<S> : undefined
type Input<S> = S extends Schema ? z.input<S> : undefined

/** Parsed input as a handler receives it. */
export type ParamsOf<R extends RouteShape> = Output<R['params']>
export type QueryOf<R extends RouteShape> = Output<R['query']>
export type BodyOf<R extends RouteShape> = Output<R['body']>
/** What a handler returns, and what the browser receives. */
export type ReplyOf<R extends RouteShape> = R['text'] extends string
  ? string
  : R['response'] extends Schema
    ? Output<R['response']>
    : undefined
/** The body as a caller passes it in; params and query are given as they are parsed, and the address holds their texts. */
export type BodyIn<R extends RouteShape> = Input<R['body']>

/** Fills the path's parameters in, URL-encoded: ('/api/a/{id}', {id: 'x y'}) → '/api/a/x%20y'. */
export function pathWith({ path }: { path: string }, params: Record<string, unknown> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
}
