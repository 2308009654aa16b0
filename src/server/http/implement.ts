import type { Context, Hono } from 'hono'
import { type Access, refusalOf } from '#contract/access.ts'
import type { BodyOf, ParamsOf, QueryOf, ReplyOf, Route, Routes } from '#contract/route.ts'
import type { Actor } from './actor.ts'
import { parseInput } from './parse-input.ts'
import { ProblemError } from './problem-error.ts'
import { readJsonBody } from './read-body.ts'
import type { RequestInfo } from './request-info.ts'

const DEFAULT_MAX_BODY_BYTES = 16 * 1024

/** What a handler receives: parsed input, the caller whom the route's access admits, and the request's facts. */
export interface HandlerInput<R extends Route> {
  params: ParamsOf<R>
  query: QueryOf<R>
  body: BodyOf<R>
  actor: R['access'] extends 'public' | 'operator' ? undefined : Actor
  request: RequestInfo
}

/** One handler for each route of a group: a missing one does not compile. */
export type Handlers<G extends Routes> = {
  [K in keyof G]: (input: HandlerInput<G[K]>) => Promise<ReplyOf<G[K]>> | ReplyOf<G[K]>
}

/** Finds the person behind an Authorization header; undefined stands for nobody. */
export type Authenticate = (authorization: string | undefined) => Promise<Actor | undefined>

export interface HttpEnv {
  Variables: { info: RequestInfo }
}

/**
 * Mounts a group of routes. The only way in: access is decided before any input is read, the reply is
 * cut to what the response schema lists.
 */
export function implement<const G extends Routes>(
  app: Hono<HttpEnv>,
  authenticate: Authenticate,
  routes: G,
  handlers: Handlers<G>,
): void {
  for (const [name, route] of Object.entries(routes)) {
    const handler = handlers[name] as (input: HandlerInput<Route>) => unknown
    app.on(route.method, honoPath(route.path), async (context) => {
      const actor = await admit(route, authenticate, context.req.header('authorization'))
      const input = await readInput(route, context)
      const reply = await handler({ ...input, actor: actor as never, request: context.get('info') })
      if (!route.response) return context.body(null, 204)
      return context.json(route.response.parse(reply) as object, route.status ?? 200)
    })
  }
  for (const path of new Set(Object.values(routes).map((route) => route.path)))
    refuseOtherMethods(app, routes, path)
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
  route: { access: Access } & Pick<Route, 'alsoFor'>,
  authenticate: Authenticate,
  authorization: string | undefined,
): Promise<Actor | undefined> {
  if (route.access === 'public') return undefined
  const actor = await authenticate(authorization)
  const refusal = refusalOf(route, actor)
  if (refusal) throw new ProblemError(refusal)
  return actor
}

/** A parameter given twice could mean one thing here and another to a proxy in front. */
function onlyOnce(query: Record<string, string[]>): Record<string, string> {
  const repeated = Object.keys(query).find((name) => query[name]?.length !== 1)
  if (repeated !== undefined) {
    const message = 'Informe cada parâmetro uma única vez.'
    throw new ProblemError('invalid-input', { detail: message, fields: [{ path: repeated, message }] })
  }
  return Object.fromEntries(Object.entries(query).map(([name, [value = '']]) => [name, value]))
}

async function readInput(route: Route, context: Context<HttpEnv>) {
  const { req } = context
  return {
    params: (route.params && parseInput(route.params, req.param())) as never,
    query: (route.query && parseInput(route.query, onlyOnce(req.queries()))) as never,
    body: (route.body &&
      parseInput(
        route.body,
        await readJsonBody(req.raw, route.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES),
      )) as never,
  }
}
