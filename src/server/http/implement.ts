import { createHash, timingSafeEqual } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import type { Hono, Context as HonoContext } from 'hono'
import { type Access, getRefusal } from '#contract/access.ts'
import type { BodyOf, ParamsOf, QueryOf, ReplyOf, Route, Routes, Schema } from '#contract/route.ts'
import { compilePicker } from './compile-picker.ts'
import type { Actor, Context, PublicContext, RequestInfo } from './context.ts'
import { type AcceptStream, openEventStream } from './event-stream.ts'
import { ProblemError, toFieldError } from './problem-error.ts'
import { parseInput, readJsonBody } from './read-input.ts'

const DEFAULT_MAX_BODY_BYTES = 16 * 1024

/** Input of a handler: the context with the authorized caller, and the parsed request. */
interface HandlerInput<R extends Route> {
  context: R['access'] extends 'public' | 'operator'
    ? PublicContext & (R['optionalAuth'] extends true ? { actor: Actor | undefined } : unknown)
    : Context
  params: ParamsOf<R>
  query: QueryOf<R>
  body: BodyOf<R>
  /** State that a conditional write expects; undefined without If-Match. */
  ifMatch: R['conditional'] extends true ? string | undefined : undefined
}

/** A streamed file, with the name under which it is saved. */
export interface FileReply {
  body: ReadableStream<Uint8Array>
  type: string
  name: string
}

/** Result of a handler: the reply, a file, or for a route with events the acceptance of the stream. */
type HandlerReply<R extends Route> = R['events'] extends Schema
  ? AcceptStream
  : R['file'] extends true
    ? FileReply
    : ReplyOf<R>

/** One handler per route of a group; a missing one is a type error. */
export type Handlers<G extends Routes> = {
  [K in keyof G]: (input: HandlerInput<G[K]>) => Promise<HandlerReply<G[K]>> | HandlerReply<G[K]>
}

/** Authenticates an Authorization header; undefined if there is no valid session. */
export type Authenticate = (authorization: string | undefined) => Promise<Actor | undefined>

export interface HttpEnv {
  Variables: { info: RequestInfo }
}

interface RouteServices extends Pick<Context, 'db' | 'clock'> {
  authenticate: Authenticate
  /** Authorizes routes for operators, which sessions cannot use. */
  isOperator: IsOperator
  /** Whether replies are validated against their schema, as in tests. */
  validatesReplies?: boolean | undefined
}

/** Mounts routes: checks access before reading input, and drops fields that the reply schema lacks. */
export function implement<const G extends Routes>(
  app: Hono<HttpEnv>,
  services: RouteServices,
  routes: G,
  handlers: Handlers<G>,
): void {
  const { db, clock } = services
  const mount = (name: string, route: Route) => {
    const handler = handlers[name] as (input: HandlerInput<Route>) => unknown
    const pick = route.response && compilePicker(route.response)
    app.on(route.method, toHonoPath(route.path), async (hono) => {
      const { incoming, outgoing } = hono.env as HttpBindings
      annotateReply(outgoing, { route })
      const authorizeCaller = () => authorize(route, services, hono.req.header('authorization'), outgoing)
      const admitted = await authorizeCaller()
      const isBodyComplete = !route.body || incoming.complete
      const input = await readInput(route, hono)
      // A client may delay its body until after its session was ended.
      const actor = (isBodyComplete ? admitted : await authorizeCaller()) as never
      const key = route.idempotent && readIdempotencyKey(hono.req.header('idempotency-key'))
      const idempotency = key ? { key, text: JSON.stringify([route.method, route.path, input]) } : undefined
      const request = { ...hono.get('info'), ...(idempotency && { idempotency }) }
      const reply = await handler({ ...input, context: { db, clock, request, actor } })
      if (route.text) return hono.body(reply as string, 200, { 'Content-Type': route.text })
      if (route.file) return toFileResponse(reply as FileReply)
      if (route.events) return openEventStream(hono, reply as AcceptStream)
      if (!pick) return hono.body(null, 204)
      const picked = pick(reply) as object
      if (services.validatesReplies) route.response?.parse(picked)
      return hono.json(picked, route.status ?? 200)
    })
  }
  for (const path of listPaths(routes)) {
    for (const [name, route] of Object.entries(routes)) if (route.path === path) mount(name, route)
    rejectOtherMethods(app, routes, path)
  }
}

function toFileResponse({ body, type, name }: FileReply): Response {
  const disposition = `attachment; filename*=UTF-8''${encodeURIComponent(name)}`
  return new Response(body, { headers: { 'Content-Type': type, 'Content-Disposition': disposition } })
}

/** Static paths first, so that '/api/profiles/me' does not match '/api/profiles/{userId}'. */
function listPaths(routes: Routes): string[] {
  const paths = [...new Set(Object.values(routes).map((route) => route.path))]
  const hasParams = (path: string) => Number(path.includes('{'))
  return paths.sort((a, b) => hasParams(a) - hasParams(b))
}

function rejectOtherMethods(app: Hono<HttpEnv>, routes: Routes, path: string): void {
  const methods = Object.values(routes).filter((route) => route.path === path)
  const allow = methods.map((route) => route.method).join(', ')
  app.all(toHonoPath(path), () => {
    throw new ProblemError('method-not-allowed', { allow })
  })
}

function toHonoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1')
}

async function authorize(
  route: { access: Access } & Pick<Route, 'alsoFor' | 'optionalAuth'>,
  { authenticate, isOperator }: RouteServices,
  authorization: string | undefined,
  outgoing: ServerResponse,
): Promise<Actor | undefined> {
  if (route.access === 'public') return route.optionalAuth ? authenticate(authorization) : undefined
  if (route.access === 'operator' && isOperator(authorization)) return undefined
  const actor = await authenticate(authorization)
  if (actor)
    annotateReply(outgoing, {
      userId: actor.profile.user_id,
      isAdministrator: actor.role === 'admin',
    })
  const refusal = getRefusal(route, actor)
  if (refusal) throw new ProblemError(refusal)
  return actor
}

/** A proxy may interpret a repeated parameter differently. */
function rejectRepeated(query: Record<string, string[]>): Record<string, string> {
  const repeated = Object.keys(query).find((name) => query[name]?.length !== 1)
  if (repeated !== undefined) throw toFieldError(repeated, 'Informe cada parâmetro uma única vez.')
  return Object.fromEntries(Object.entries(query).map(([name, [value = '']]) => [name, value]))
}

/** Parses the entity tag of If-Match, without quotes; '*' sets no condition (RFC 9110 section 13.1.1). */
function readIfMatch(header: string | undefined): string | undefined {
  if (header === undefined || header === '*') return undefined
  const tag = /^"([\x21\x23-\x7e]{0,100})"$/.exec(header)?.[1]
  if (tag === undefined)
    throw new ProblemError('invalid-input', { detail: 'O cabeçalho If-Match não tem a forma esperada.' })
  return tag
}

/** Parses an Idempotency-Key header, with or without quotes; the minimum length prevents guessing. */
function readIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  const key = /^("?)([\x21\x23-\x7e]{16,100})\1$/.exec(header)?.[2]
  if (key === undefined)
    throw new ProblemError('invalid-input', {
      detail: 'O cabeçalho Idempotency-Key não tem a forma esperada: 16 a 100 caracteres visíveis.',
    })
  return key
}

async function readInput(route: Route, { req }: HonoContext<HttpEnv>) {
  return {
    params: (route.params && parseInput(route.params, req.param())) as never,
    query: (route.query && parseInput(route.query, rejectRepeated(req.queries()))) as never,
    ifMatch: (route.conditional && readIfMatch(req.header('if-match'))) as never,
    body: (route.body &&
      parseInput(
        route.body,
        await readJsonBody(req.raw, route.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES),
      )) as never,
  }
}

const ANNOTATIONS = Symbol('annotations')

/** Facts of a request for metrics and the request log. */
interface Annotations {
  /** Route of the contract; undefined for pages, files and unknown paths. */
  route?: Route
  /** Id of the signed-in person, authorized or not. */
  userId?: string
  isAdministrator?: boolean
  ip?: string
}

export function annotateReply(outgoing: ServerResponse, annotations: Annotations): void {
  Object.assign(replyAnnotations(outgoing), annotations)
}

export function replyAnnotations(outgoing: ServerResponse & { [ANNOTATIONS]?: Annotations }): Annotations {
  outgoing[ANNOTATIONS] ??= {}
  return outgoing[ANNOTATIONS]
}

/** Checks an Authorization header for the operators' token. */
export type IsOperator = (authorization: string | undefined) => boolean

/**
 * Creates the check, which takes constant time.
 * @param token undefined closes the operators' routes
 */
export function createOperatorCheck(token: string | undefined): IsOperator {
  if (!token) return () => false
  const expected = hashToken(token)
  return (authorization) => {
    const presented = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1]
    return presented !== undefined && timingSafeEqual(hashToken(presented), expected)
  }
}

/** Hashes to equal lengths, which the comparison requires. */
function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
