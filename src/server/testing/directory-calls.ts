import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeJwt, importJWK, type JWK, SignJWT } from 'jose'
import {
  createDirectoryAccounts,
  type DirectoryAccount,
  EMULATED_DIRECTORY_CLIENT,
  EMULATED_DIRECTORY_TENANT,
} from '#emulators/directory/directory-accounts.ts'
import {
  createDirectoryEmulator,
  type DirectoryEmulator,
  type DirectoryEmulatorOptions,
} from '#emulators/directory/directory-emulator.ts'
import { CALLBACK_PATH, createMicrosoftDirectory } from '#server/accounts/microsoft-directory.ts'
import { send } from './builders.ts'
import type { TestPortal } from './test-portal.ts'

const PUBLIC_URL = 'http://localhost'

export type Directory = Awaited<ReturnType<typeof startDirectory>>

/** Starts the emulated directory on a port of its own, and the portal's client of it. */
export async function startDirectory(timeoutSeconds?: number) {
  let emulator: DirectoryEmulator | undefined
  const hooks: {
    /** Changes a reply of the token endpoint. */
    alter?: DirectoryEmulatorOptions['alterTokenReply'] | undefined
    /** When people entered, in ms; null leaves it out. By default now, by the portal's clock. */
    authenticatedAt?: number | null | undefined
    /** Of the portal, which tests set ahead. */
    clock?: () => number
    /** Answers in the emulator's place. */
    intercept?:
      | ((path: string) => { type: string; body: string; status?: number } | 'hang' | undefined)
      | undefined
  } = {}
  const server = createServer((request, response) => {
    const instead = hooks.intercept?.(request.url ?? '')
    if (instead === 'hang') return
    if (instead) {
      response.writeHead(instead.status ?? 200, { 'Content-Type': instead.type })
      return void response.end(instead.body)
    }
    emulator?.handle(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/directory`
  const clientSecret = 'a secret of the directory for tests'
  const accounts = createDirectoryAccounts('grupopatio.com.br')
  const redirectUri = PUBLIC_URL + CALLBACK_PATH
  emulator = await createDirectoryEmulator({
    issuer,
    clientSecret,
    redirectUri,
    accounts,
    async alterTokenReply(context) {
      const { authenticatedAt: at = hooks.clock?.() ?? Date.now() } = hooks
      const claims = { auth_time: at === null ? undefined : Math.floor(at / 1000) }
      await signAgain(context, (emulator as DirectoryEmulator).key as JWK, claims)
      await hooks.alter?.(context)
    },
  })
  const options = {
    issuer,
    clientSecret,
    tenantId: EMULATED_DIRECTORY_TENANT,
    clientId: EMULATED_DIRECTORY_CLIENT,
  }
  return {
    issuer,
    options,
    hooks,
    key: emulator.key,
    accounts,
    /** @param multiFactor ENTRA_MULTI_FACTOR */
    createClient: (multiFactor?: string) =>
      createMicrosoftDirectory({ ...options, multiFactor }, PUBLIC_URL, timeoutSeconds),
    find: (id: string) => accounts.find((account) => account.id === id) as DirectoryAccount,
    stop() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Signs the ID token of a reply again, with other claims; undefined ones go. */
async function signAgain(context: { body?: unknown }, key: JWK, change: Record<string, unknown>) {
  const reply = context.body as { id_token?: string } | undefined
  if (!reply?.id_token) return
  const claims = { ...decodeJwt(reply.id_token), ...change }
  reply.id_token = await new SignJWT(JSON.parse(JSON.stringify(claims)))
    .setProtectedHeader({ typ: 'JWT', alg: 'RS256', kid: 'directory' })
    .sign(await importJWK(key, 'RS256'))
}

/** A browser's cookies of one host, by name. */
export class CookieJar {
  readonly cookies: Map<string, string>
  constructor(cookies: Iterable<[string, string]> = []) {
    this.cookies = new Map(cookies)
  }
  keep(reply: Response): void {
    for (const line of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value) this.cookies.set(name, value)
      else this.cookies.delete(name)
    }
  }
  get header(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }
}

/** One browser's way to Microsoft and back. */
export interface MicrosoftTrip {
  mark: string
  portalCookies: CookieJar
  /** Where the portal sent it. */
  begun: URL
  /** Query of the callback. */
  search: string
}

/**
 * Goes to Microsoft and chooses an account; an empty id cancels.
 * @param portalCookies of the browser, where it has other tabs
 * @param alter what the person changes in the address
 */
export async function goToMicrosoft(
  portal: TestPortal,
  directory: Directory,
  accountId: string,
  location?: (markHash: string) => string | Promise<string>,
  portalCookies = new CookieJar(),
  alter: (begun: URL) => void = () => {},
): Promise<MicrosoftTrip> {
  directory.hooks.clock = portal.clock
  const mark = randomBytes(32).toString('base64url')
  const hash = createHash('sha256').update(mark).digest('base64url')
  const theirs = new CookieJar()
  const get = async (url: string, jar: CookieJar, body?: string) => {
    const reply = await fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: {
        cookie: jar.header,
        ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(body !== undefined && { body }),
    })
    jar.keep(reply)
    return reply.headers.get('location') ?? ''
  }
  const path = (await location?.(hash)) ?? `/auth/microsoft?mark=${hash}`
  let next = await get(portal.url + path, portalCookies)
  const begun = new URL(next)
  if (next.startsWith(PUBLIC_URL)) return { mark, portalCookies, begun, search: next }
  alter(begun)
  next = begun.href
  for (let steps = 0; !next.startsWith(PUBLIC_URL) && steps < 8; steps++) {
    const url = new URL(next, directory.issuer).href
    next = url.includes('/interaction/')
      ? await get(url, theirs, `account=${accountId}`)
      : await get(url, theirs)
  }
  return { mark, portalCookies, begun, search: new URL(next).search }
}

/** Comes back to the portal. @returns the token or the refusal, and the deletion of the cookie */
export async function comeBack(
  portal: TestPortal,
  { portalCookies, search }: Pick<MicrosoftTrip, 'portalCookies' | 'search'>,
) {
  const reply = await fetch(`${portal.url}${CALLBACK_PATH}${search}`, {
    redirect: 'manual',
    headers: { cookie: portalCookies.header },
  })
  portalCookies.keep(reply)
  const location = reply.headers.get('location') ?? ''
  const hash = new URLSearchParams(location.split('#')[1])
  return {
    status: reply.status,
    location,
    cookie: reply.headers.get('set-cookie') ?? '',
    token: hash.get('token_hash') ?? undefined,
    refusal: hash.get('erro') ?? undefined,
  }
}

/** POST /verify with what came back; `token` of extras is an access token. */
export function redeemTrip(
  portal: TestPortal,
  tokenHash: string | undefined,
  mark: string,
  { token, ...extras }: { token?: string; device_token?: string } = {},
  isDryRun = false,
) {
  const body = { type: 'microsoft', token_hash: tokenHash ?? 'none', marks: [mark], ...extras }
  const path = `/api/auth/verify${isDryRun ? '?dryRun=true' : ''}`
  return send(portal, 'POST', path, { body, ...(token && { token }) })
}

/** The whole way of one browser. @returns the reply of POST /verify, or the refusal of the callback */
export async function enterWithMicrosoft(portal: TestPortal, directory: Directory, accountId: string) {
  const trip = await goToMicrosoft(portal, directory, accountId)
  const back = await comeBack(portal, trip)
  if (back.refusal) return { refusal: back.refusal, trip, status: 0, body: undefined }
  return { trip, refusal: undefined, ...(await redeemTrip(portal, back.token, trip.mark)) }
}
