import { createHash, timingSafeEqual } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import type { Hono, Context as HonoContext } from 'hono'
import { type Access, refusalOf } from '#contract/access.ts'
import type { BodyOf, ParamsOf, QueryOf, ReplyOf, Route, Routes, Schema } from '#contract/route.ts'
import { compilePicker } from './compile-picker.ts'
import type { Actor, Context, PublicContext, RequestInfo } from './context.ts'
import { type AcceptStream, openEventStream } from './event-stream.ts'
import { invalidField, ProblemError } from './problem-error.ts'
import { parseInput, readJsonBody } from './read-input.ts'

const DEFAULT_MAX_BODY_BYTES = 16 * 1024

/** What a handler receives: the context, with the caller whom the route's access admits, and the parsed input. */
interface HandlerInput<R extends Route> {
  context: R['access'] extends 'public' | 'operator'
    ? PublicContext & (R['looksAtCaller'] extends true ? { actor: Actor | undefined } : unknown)
    : Context
  params: ParamsOf<R>
  query: QueryOf<R>
  body: BodyOf<R>
  /** The state that a conditional write rests on; undefined when the caller does not say. */
  ifMatch: R['conditional'] extends true ? string | undefined : undefined
}

/** What a handler gives: the reply, or, for a route with events, what takes the stream over. */
type HandlerReply<R extends Route> = R['events'] extends Schema ? AcceptStream : ReplyOf<R>

/** One handler for each route of a group: a missing one does not compile. */
export type Handlers<G extends Routes> = {
  [K in keyof G]: (input: HandlerInput<G[K]>) => Promise<HandlerReply<G[K]>> | HandlerReply<G[K]>
}

/** Finds the person behind an Authorization header; undefined when there is none. */
export type Authenticate = (authorization: string | undefined) => Promise<Actor | undefined>

export interface HttpEnv {
  Variables: { info: RequestInfo }
}

interface RouteServices extends Pick<Context, 'db' | 'clock'> {
  authenticate: Authenticate
  /** Opens routes for operators, which no session does. */
  isOperator: IsOperator
  /** Whether a reply whose values are not its schema's fails, as in tests. */
  checksReplies?: boolean | undefined
}

/** Mounts a group of routes: access is decided before input is read, the reply is cut to its response schema. */
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
    app.on(route.method, honoPath(route.path), async (hono) => {
      const { incoming, outgoing } = hono.env as HttpBindings
      noteOn(outgoing, { route })
      const ask = () => admit(route, services, hono.req.header('authorization'), outgoing)
      const admitted = await ask()
      const isAllThere = !route.body || incoming.complete
      const input = await readInput(route, hono)
      // A body may be held back until whoever sends it has been shut out.
      const actor = (isAllThere ? admitted : await ask()) as never
      const key = route.idempotent && readIdempotencyKey(hono.req.header('idempotency-key'))
      const once = key ? { key, asked: JSON.stringify([route.method, route.path, input]) } : undefined
      const request = { ...hono.get('info'), ...(once && { once }) }
      const reply = await handler({ ...input, context: { db, clock, request, actor } })
      if (route.text) return hono.body(reply as string, 200, { 'Content-Type': route.text })
      if (route.events) return openEventStream(hono, reply as AcceptStream)
      if (!pick) return hono.body(null, 204)
      const picked = pick(reply) as object
      if (services.checksReplies) route.response?.parse(picked)
      return hono.json(picked, route.status ?? 200)
    })
  }
  for (const path of pathsOf(routes)) {
    for (const [name, route] of Object.entries(routes)) if (route.path === path) mount(name, route)
    refuseOtherMethods(app, routes, path)
  }
}

/** Paths without parameters first: '/api/profiles/me' is not somebody's profile. */
function pathsOf(routes: Routes): string[] {
  const paths = [...new Set(Object.values(routes).map((route) => route.path))]
  const hasParams = (path: string) => Number(path.includes('{'))
  return paths.sort((a, b) => hasParams(a) - hasParams(b))
}

function refuseOtherMethods(app: Hono<HttpEnv>, routes: Routes, path: string): void {
  const methods = Object.values(routes).filter((route) => route.path === path)
  const allow = methods.map((route) => route.method).join(', ')
  app.all(honoPath(path), () => {
    throw new ProblemError('method-not-allowed', { allow })
  })
}

function honoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1')
}

async function admit(
  route: { access: Access } & Pick<Route, 'alsoFor' | 'looksAtCaller'>,
  { authenticate, isOperator }: RouteServices,
  authorization: string | undefined,
  outgoing: ServerResponse,
): Promise<Actor | undefined> {
  if (route.access === 'public') return route.looksAtCaller ? authenticate(authorization) : undefined
  if (route.access === 'operator' && isOperator(authorization)) return undefined
  const actor = await authenticate(authorization)
  if (actor) noteOn(outgoing, { userId: actor.profile.user_id })
  const refusal = refusalOf(route, actor)
  if (refusal) throw new ProblemError(refusal)
  return actor
}

/** A parameter given twice could mean one thing here and another to a proxy in front. */
function onlyOnce(query: Record<string, string[]>): Record<string, string> {
  const repeated = Object.keys(query).find((name) => query[name]?.length !== 1)
  if (repeated !== undefined) throw invalidField(repeated, 'Informe cada parâmetro uma única vez.')
  return Object.fromEntries(Object.entries(query).map(([name, [value = '']]) => [name, value]))
}

/** The one strong entity tag of an If-Match header, without its quotes; '*' asks for nothing (RFC 9110 section 13.1.1). */
function readIfMatch(header: string | undefined): string | undefined {
  if (header === undefined || header === '*') return undefined
  const tag = /^"([\x21\x23-\x7e]{0,100})"$/.exec(header)?.[1]
  if (tag === undefined)
    throw new ProblemError('invalid-input', { detail: 'O cabeçalho If-Match não tem a forma esperada.' })
  return tag
}

/** The key of an Idempotency-Key header, in quotes or without; long enough that nobody guesses it. */
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
    query: (route.query && parseInput(route.query, onlyOnce(req.queries()))) as never,
    ifMatch: (route.conditional && readIfMatch(req.header('if-match'))) as never,
    body: (route.body &&
      parseInput(
        route.body,
        await readJsonBody(req.raw, route.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES),
      )) as never,
  }
}

const NOTES = Symbol('notes')

/** What whoever counts and logs replies when they are out is told of a request. */
interface Notes {
  /** The route of the contract that answers; none for pages, files and unknown paths. */
  route?: Route
  /** Of the signed-in person who asks, admitted or not. */
  userId?: string
  ip?: string
}

export function noteOn(outgoing: ServerResponse, notes: Notes): void {
  Object.assign(notesOn(outgoing), notes)
}

export function notesOn(outgoing: ServerResponse & { [NOTES]?: Notes }): Notes {
  outgoing[NOTES] ??= {}
  return outgoing[NOTES]
}

/** Whether an Authorization header carries the token that opens the routes for operators. */
export type IsOperator = (authorization: string | undefined) => boolean

/**
 * Makes the check, in constant time whatever is presented.
 * @param token undefined closes those routes
 */
export function createIsOperator(token: string | undefined): IsOperator {
  if (!token) return () => false
  const expected = digestOf(token)
  return (authorization) => {
    const presented = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1]
    return presented !== undefined && timingSafeEqual(digestOf(presented), expected)
  }
}

/** Of one length, as the comparison demands. */
function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
