import { createHmac, randomBytes } from 'node:crypto'
import { MAX_MICROSOFT_ATTEMPTS, MICROSOFT_SIGN_IN_MS } from '#contract/access.ts'
import { trimPasted } from '#contract/pasted-text.ts'
import { nameSchema } from '#contract/users.ts'
import { createCache } from '#server/cache.ts'
import { toIpPrefix } from '#server/http/client-ip.ts'
import type { PublicContext } from '#server/http/context.ts'
import type { Mount } from '#server/http/http-app.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import type { RateLimits } from '#server/http/rate-limits.ts'
import type { Log } from '#server/log.ts'
import type { RefusalCounter } from '#server/operations/audit.ts'
import { hashLinkToken } from './mails.ts'
import {
  CALLBACK_PATH,
  type Claims,
  DirectoryError,
  type MicrosoftDirectory,
  type SignInSecrets,
} from './microsoft-directory.ts'
import { isPreviousVersionActive } from './second-factor.ts'
import { parseCompanyEmail } from './sign-up.ts'
import type { Tokens } from './tokens.ts'

const START_PATH = '/auth/microsoft'
/** High, because a dealership shares one IP address; only failures after cookie and state stay counted. */
const CALLBACKS_PER_IP = { max: 60, windowSeconds: 300, perIp: 'refunded' } as const
/** The browser redeems it at once. */
const TOKEN_MS = 60_000
/** SHA-256 in base64url. */
const HASH = /^[\w-]{43}$/
/** Of the cookies of all attempts; proxies take headers of eight kilobytes. */
const MAX_COOKIE_CHARS = 4096
/** So that sign-ins that begin, which nothing limits, cost no query each. */
const REMEMBER_VERSION_MS = 5_000

export interface MicrosoftServices extends RateLimits, Pick<PublicContext, 'db' | 'clock'> {
  microsoft: MicrosoftDirectory
  tokens: Tokens
  log: Log
  countRefusal: RefusalCounter
  publicUrl: string
  companyEmailDomain: string
}

/** The session that links an account, proved recent before the redirect, or that renews its own proof. */
export interface SessionTicket {
  userId: string
  sessionId: string
  /** Address of the linked account, to renew. */
  renews?: string
  until: number
}

interface Cookie {
  /** What state, nonce and verifier are derived from. */
  secret: string
  /** Hash of the mark that the browser keeps. */
  mark: string
  link?: SessionTicket | undefined
  until: number
}

/** What the directory said of a person, until the browser redeems its token. */
export interface MicrosoftAnswer {
  tenantId: string
  objectId: string
  email: string
  /** Whether the directory says that the address is the person's. */
  isVerified: boolean
  name: string | null
  /** Null unless the claim is there and complete. */
  groups: string[] | null
  /** Claims that its token lacked, for the doctor. */
  missing: string[]
  isMultiFactor: boolean
  /** When the person showed who they are, in ms; null where the directory does not say it. */
  authenticatedAt: number | null
  refreshToken: string | null
  link?: SessionTicket | undefined
  /** Until when its token is taken, unless a link was mailed. */
  until: number
}

/** Seals a value for the browser or the database. */
export const sealJson = ({ microsoft }: Tokens, value: object): Uint8Array =>
  microsoft.seal(Buffer.from(JSON.stringify(value)))

/** @returns undefined for what this portal has not sealed */
export function openJson<T>({ microsoft }: Tokens, sealed: Uint8Array): T | undefined {
  try {
    const bytes = microsoft.open(sealed)
    return bytes && (JSON.parse(Buffer.from(bytes).toString()) as T)
  } catch {
    return undefined
  }
}

/** '__Host-' needs https; the demo and tests are plain http on this machine. */
const toCookiePrefix = (publicUrl: string) =>
  publicUrl.startsWith('https:') ? '__Host-patio-microsoft-' : 'patio-microsoft-'

/** Each attempt has its own cookie, so that no tab ends that of another. */
const toCookieName = (publicUrl: string, state: string) =>
  toCookiePrefix(publicUrl) + Buffer.from(hashLinkToken(state)).toString('base64url').slice(0, 12)

const buildCookie = (publicUrl: string, name: string, value: string, seconds: number) =>
  `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${publicUrl.startsWith('https:') ? '; Secure' : ''}`

/** Creates the two addresses outside the API: the contract has neither redirects nor cookies. */
export function createMicrosoftMount(services: MicrosoftServices): Mount {
  const { publicUrl, db, clock } = services
  const isUpgrading = createCache<boolean>(clock, {
    max: 1,
    ttl: REMEMBER_VERSION_MS,
    fetchMethod: () => isPreviousVersionActive(db, clock()),
  })
  const redirect = (location: string, cookies: readonly string[] = []) => {
    const headers = new Headers({ Location: location })
    for (const cookie of cookies) headers.append('Set-Cookie', cookie)
    return new Response(null, { status: 302, headers })
  }
  return {
    path: START_PATH,
    async handle(request, info) {
      const { pathname, search, searchParams } = new URL(request.url)
      const context = { ...services, request: info, isUpgrading: () => isUpgrading.fetch('') }
      const isCallback = pathname === CALLBACK_PATH
      if (!isCallback && pathname !== START_PATH) throw new ProblemError('not-found')
      if (request.method !== 'GET') throw new ProblemError('method-not-allowed', { allow: 'GET' })
      const cookies = readCookies(request.headers.get('cookie'), toCookiePrefix(publicUrl))
      const own = toCookieName(publicUrl, searchParams.get('state') ?? '')
      // A callback ends its own attempt alone.
      const ended = isCallback && cookies.has(own) ? [buildCookie(publicUrl, own, '', 0)] : []
      try {
        if (!isCallback) {
          const begun = await begin(context, searchParams, cookies)
          return redirect(begun.location, begun.cookies)
        }
        const token = await finish(context, search, cookies.get(own))
        return redirect(`${publicUrl}/auth/callback#token_hash=${token}&type=microsoft`, ended)
      } catch (error) {
        if (!(error instanceof DirectoryError)) throw error
        const { refusal, code, cause } = error
        services.countRefusal({ email: '', outcome: `microsoft ${refusal}`, ip: info.ip })
        services.log.warn(
          { requestId: info.requestId, refusal, code, err: cause },
          'sign-in with Microsoft refused',
        )
        return redirect(`${publicUrl}/auth/callback#type=microsoft&erro=${refusal}`, ended)
      }
    },
  }
}

/** Reads the cookies of attempts, by name. */
function readCookies(header: string | null, prefix: string): Map<string, string> {
  const pairs = (header ?? '').split(/; */).filter((pair) => pair.startsWith(prefix))
  return new Map(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]))
}

interface MicrosoftContext extends MicrosoftServices, Pick<PublicContext, 'request'> {
  isUpgrading(): Promise<boolean | undefined>
}

/**
 * Draws the secret of a sign-in and seals it into a cookie; writes no row and so needs no limit.
 * @param others cookies of attempts that are under way, of which the oldest end
 */
async function begin(context: MicrosoftContext, query: URLSearchParams, others: Map<string, string>) {
  const { tokens, clock, microsoft, publicUrl } = context
  const mark = query.get('mark') ?? ''
  const sealedTicket = query.get('ligar')
  const link = sealedTicket
    ? openJson<SessionTicket>(tokens, Buffer.from(sealedTicket, 'base64url'))
    : undefined
  const isStale = sealedTicket && (!link?.userId || link.until <= clock())
  if (!HASH.test(mark) || isStale) throw new DirectoryError('other-browser')
  if (await context.isUpgrading()) throw new DirectoryError('upgrading')
  const cookie: Cookie = {
    secret: randomBytes(32).toString('base64url'),
    mark,
    link,
    until: clock() + MICROSOFT_SIGN_IN_MS,
  }
  const secrets = deriveSecrets(cookie.secret)
  const { href } = await microsoft.buildRedirect(secrets, link?.renews)
  const name = toCookieName(publicUrl, secrets.state)
  const value = Buffer.from(sealJson(tokens, cookie)).toString('base64url')
  return {
    location: href,
    cookies: [
      buildCookie(publicUrl, name, value, MICROSOFT_SIGN_IN_MS / 1000),
      ...listOldest(context, others, value.length).map((old) => buildCookie(publicUrl, old, '', 0)),
    ],
  }
}

/** Shorter in the cookie than the three; the state that everybody sees gives none of the others away. */
function deriveSecrets(secret: string): SignInSecrets {
  const derive = (label: string) => createHmac('sha256', secret).update(label).digest('base64url')
  return { state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') }
}

const openCookie = ({ tokens }: MicrosoftContext, sealed: string) =>
  openJson<Cookie>(tokens, Buffer.from(sealed, 'base64url'))

/** Lists the cookies that a further one leaves no room for, also by what the names take. */
function listOldest(context: MicrosoftContext, others: Map<string, string>, chars: number): string[] {
  const newest = [...others]
    .map(([name, value]) => ({ name, value, until: openCookie(context, value)?.until ?? 0 }))
    .sort((one, other) => other.until - one.until)
  let total = chars
  return newest.flatMap(({ name, value }, index) => {
    total += name.length + value.length
    return index + 1 < MAX_MICROSOFT_ATTEMPTS && total <= MAX_COOKIE_CHARS ? [] : [name]
  })
}

/**
 * Finishes what the cookie began, and keeps what the directory said for one minute.
 * @returns the token with which the browser that holds the mark redeems it
 * @throws DirectoryError
 */
async function finish(context: MicrosoftContext, search: string, sealed: string | undefined) {
  // First, because it costs nothing: pictures of a page elsewhere must not use up the limit.
  const cookie = checkCookie(context, sealed, search)
  const key = `microsoft ${toIpPrefix(context.request.ip)}`
  await context.consumeRateLimit(key, CALLBACKS_PER_IP).catch((error: unknown) => {
    throw error instanceof ProblemError ? new DirectoryError('too-many', error) : error
  })
  const secrets = deriveSecrets(cookie.secret)
  await useState(context, secrets.state)
  const redeemed = await context.microsoft.redeem(search, secrets)
  const answer = readClaims(context, redeemed.claims)
  const token = randomBytes(32).toString('base64url')
  const { refreshToken = null } = redeemed
  const until = context.clock() + TOKEN_MS
  await context.db
    .updateTable('microsoft_sign_ins')
    .set({
      token_hash: hashLinkToken(token),
      mark_hash: Buffer.from(cookie.mark, 'base64url'),
      answer: sealJson(context.tokens, {
        ...answer,
        refreshToken,
        link: cookie.link,
        until,
      } satisfies MicrosoftAnswer),
    })
    .where('state_hash', '=', hashLinkToken(secrets.state))
    .execute()
  await context.refundRateLimit(key)
  return token
}

/** @throws DirectoryError for another browser's callback, or another sign-in's */
function checkCookie(context: MicrosoftContext, sealed: string | undefined, search: string): Cookie {
  const cookie = sealed ? openCookie(context, sealed) : undefined
  // A ticket is sealed with the same key, but has no secret.
  if (!cookie?.secret || cookie.until <= context.clock()) throw new DirectoryError('other-browser')
  const states = new URLSearchParams(search).getAll('state')
  if (states.length !== 1 || states[0] !== deriveSecrets(cookie.secret).state)
    throw new DirectoryError('other-browser')
  return cookie
}

/** @throws DirectoryError for a state that came back before */
async function useState({ db, clock }: MicrosoftContext, state: string): Promise<void> {
  const now = clock()
  const added = await db
    .insertInto('microsoft_sign_ins')
    .values({ state_hash: hashLinkToken(state), expires_at: new Date(now + MICROSOFT_SIGN_IN_MS) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('state_hash')
    .executeTakeFirst()
  if (!added) throw new DirectoryError('replayed')
}

/** Reads the claims of a verified ID token. @throws DirectoryError for whom the portal does not admit */
function readClaims(
  { microsoft, companyEmailDomain }: Pick<MicrosoftServices, 'microsoft' | 'companyEmailDomain'>,
  given: Claims,
): Omit<MicrosoftAnswer, 'refreshToken' | 'link' | 'until'> {
  // Directories hold what somebody has pasted.
  const claims: Claims = Object.fromEntries(
    Object.entries(given).map(([key, value]) => [key, typeof value === 'string' ? trimPasted(value) : value]),
  )
  const { tid, oid, acct, email, preferred_username, xms_edov, name, auth_time } = claims
  if (typeof tid !== 'string' || tid.toLowerCase() !== microsoft.tenantId)
    throw new DirectoryError('other-tenant')
  if (typeof oid !== 'string' || oid === '') throw new DirectoryError('invalid-answer')
  if (acct === undefined || acct === null) throw new DirectoryError('kind-unknown')
  if (acct !== 0 && acct !== '0') throw new DirectoryError('guest')
  const isMultiFactor = microsoft.isMultiFactor(claims)
  const address = email ?? preferred_username
  if (typeof address !== 'string' || !address.includes('@')) throw new DirectoryError('no-address')
  return {
    tenantId: microsoft.tenantId,
    objectId: oid.toLowerCase(),
    email: parseAddress(address, companyEmailDomain),
    // Microsoft sends it as a boolean or a text; absent is unverified.
    isVerified: email !== undefined && [true, 1, '1', 'true'].includes(xms_edov as never),
    name: nameSchema.safeParse(name).data ?? null,
    groups: readGroups(claims),
    missing: [...listMissing(claims), ...(microsoft.context && !isMultiFactor ? ['acrs'] : [])],
    isMultiFactor,
    authenticatedAt: typeof auth_time === 'number' ? auth_time * 1000 : null,
  }
}

function parseAddress(address: string, domain: string): string {
  try {
    return parseCompanyEmail(address, domain)
  } catch (error) {
    throw new DirectoryError('foreign-address', error)
  }
}

/** Whether a person is in more groups than a token takes. */
const isOverage = ({ hasgroups, _claim_names }: Claims): boolean =>
  Boolean(hasgroups || (_claim_names as { groups?: unknown } | undefined)?.groups)

/** A claim that is missing, or too long for the token, says nothing about the groups. */
function readGroups(claims: Claims): string[] | null {
  const { groups } = claims
  const isComplete = Array.isArray(groups) && groups.every((group) => typeof group === 'string')
  return isComplete && !isOverage(claims)
    ? groups.map((group: string) => trimPasted(group).toLowerCase())
    : null
}

function listMissing(claims: Claims): string[] {
  const absent = ['email', 'xms_edov', 'auth_time', 'groups'].filter((name) => claims[name] == null)
  return isOverage(claims) ? [...absent.filter((name) => name !== 'groups'), 'groups-overage'] : absent
}
