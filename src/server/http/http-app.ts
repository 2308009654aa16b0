import { randomUUID } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import { serveStatic } from '@hono/node-server/serve-static'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type Context, Hono } from 'hono'
import { isDatabaseUnavailable } from '#server/database/database.ts'
import type { Log } from '#server/log.ts'
import { type Brand, serveBrand } from './brand.ts'
import { getClientIp, isTrusted, type TrustedProxies } from './client-ip.ts'
import type { RequestInfo } from './context.ts'
import { annotateReply, type HttpEnv, replyAnnotations } from './implement.ts'
import { type PortalPageOptions, servePortalPage } from './portal-page.ts'
import { ProblemError, toProblem } from './problem-error.ts'

/** A handler of a path and its subpaths, such as '/demo/power-bi'. */
export interface Mount {
  path: string
  /** @returns undefined when it has answered by Node's response itself */
  handle(request: Request, info: RequestInfo, node: HttpBindings): Promise<Response | undefined>
}

export type HttpApp = Hono<HttpEnv>

interface HttpOptions {
  log: Log
  trustedProxies: TrustedProxies
  allowedHosts: string[] | undefined
  page?: { folder: string; brand: Brand; portal: PortalPageOptions }
  mounts?: Mount[]
}

/**
 * Creates the HTTP app: request info, error handling, mounts, static files and pages.
 * @param mountApi mounts the routes of the contract
 */
export function createHttpApp(options: HttpOptions, mountApi: (app: HttpApp) => void): HttpApp {
  const app: HttpApp = new Hono<HttpEnv>()
  app.use(async (context, next) => {
    setRequestInfo(context, options)
    await next()
  })
  app.onError((error, context) => writeProblem(context, toProblemError(error, context, options.log)))
  app.notFound((context) => writeProblem(context, new ProblemError('not-found')))
  mountApi(app)
  app.all('/api/*', (context) => context.notFound())
  for (const { path, handle } of options.mounts ?? [])
    app.all(`${path}/*`, async (context) => {
      const reply = await handle(context.req.raw, context.get('info'), context.env as HttpBindings)
      return reply ?? RESPONSE_ALREADY_SENT
    })
  if (options.page) {
    serveAssets(app, options.page.folder)
    const { brand, portal } = options.page
    const styles = serveBrand(app, brand)
    const addBrand = <Built extends { html: string }>(built: Built): Built => ({
      ...built,
      html: built.html.replace('/brand.css', styles),
    })
    servePortalPage(app, { ...addBrand(portal), previous: portal.previous && addBrand(portal.previous) })
  }
  return app
}

/** Built files have hashed names and never change, but for one; the build adds compressed files. */
function serveAssets(app: HttpApp, folder: string): void {
  const serve = (caching: string) =>
    serveStatic<HttpEnv>({
      root: folder,
      precompressed: true,
      onFound: (_, context) => {
        context.header('Cache-Control', caching)
        context.header('Vary', 'Accept-Encoding')
      },
    })
  app.get('/recover.js', serve('public, max-age=86400'))
  app.get(
    '/assets/*',
    serve('public, max-age=31536000, immutable'),
    // The page would be taken for the requested script or style sheet.
    (context) => context.notFound(),
  )
}

function setRequestInfo(context: Context<HttpEnv>, options: HttpOptions): void {
  const { incoming, outgoing } = context.env as HttpBindings
  const peer = incoming.socket.remoteAddress ?? ''
  const requestId = randomUUID()
  const forwardedFor = context.req.header('x-forwarded-for')
  const ip = getClientIp(peer, forwardedFor, options.trustedProxies)
  annotateReply(outgoing, { ip })
  context.set('info', {
    requestId,
    ip,
    forwarded:
      forwardedFor === undefined ? 'none' : isTrusted(peer, options.trustedProxies) ? 'trusted' : 'ignored',
    userAgent: context.req.header('user-agent')?.slice(0, 300) ?? null,
  })
  outgoing.setHeader('X-Request-Id', requestId)
  const host = context.req.header('host')?.replace(/:\d+$/, '')
  if (options.allowedHosts && !options.allowedHosts.includes(host ?? ''))
    throw new ProblemError('misdirected-request')
}

/** Converts any thrown value to a problem; logs only unexpected ones, with the request id. */
function toProblemError(error: unknown, context: Context<HttpEnv>, log: Log): ProblemError {
  const { requestId } = context.get('info')
  if (error instanceof ProblemError) {
    if (error.options.cause) log.warn({ requestId, code: error.code, err: error.options.cause }, 'refused')
    return error
  }
  if (isDatabaseUnavailable(error)) {
    log.error({ requestId, err: error }, 'database unavailable')
    return new ProblemError('database-unavailable', { retryAfterSeconds: 5 })
  }
  log.error({ requestId, err: error }, 'unexpected failure')
  return new ProblemError('internal')
}

function writeProblem(context: Context<HttpEnv>, error: ProblemError): Response {
  const { outgoing } = context.env as HttpBindings
  const { isAdministrator } = replyAnnotations(outgoing)
  const problem = toProblem(error, context.get('info').requestId, isAdministrator)
  const headers: Record<string, string> = { 'Content-Type': 'application/problem+json' }
  if (error.options.retryAfterSeconds) headers['Retry-After'] = String(error.options.retryAfterSeconds)
  if (problem.status === 401) headers['WWW-Authenticate'] = 'Bearer'
  if (error.options.allow) headers.Allow = error.options.allow
  // The official auth-js client reads these two fields.
  const forAuthJs = context.req.path.startsWith('/api/auth/')
    ? { msg: problem.detail, error_code: problem.code.replaceAll('-', '_') }
    : {}
  return context.body(JSON.stringify({ ...problem, ...forAuthJs }), problem.status as 400, headers)
}
