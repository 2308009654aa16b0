import { readFile } from 'node:fs/promises'
import type { ConfidentialClientApplication, Configuration, INetworkModule } from '@azure/msal-node'
import { createCache } from '#server/cache.ts'
import { type Log, withHost } from '#server/log.ts'
import { CLOUDS } from './clouds.ts'
import { type Credential, readCredentialEnd } from './credential-end.ts'
import { DirectoryRefusal, NoAnswer, ProxyReply, readRetryAfter } from './failures.ts'
import { type CountCall, measureCall, parseJsonObject } from './power-bi.ts'

/** Renews early, because an embed token cannot outlive the directory token that it was issued with. */
const RENEW_WHEN_LEFT_MS = 30 * 60_000
/** Caches even short-lived tokens, so that not every request calls the directory. */
const MIN_CACHE_MS = 60_000
const TIMEOUT_MS = 4_000
/** The only key of the cache. */
const TOKEN = 'token'
/** Leaves time to request, issue and install a new certificate. */
const WARN_BEFORE_MS = 30 * 86_400_000

/** A certificate is the PEM of certificate and private key in one text. */
export interface DirectoryOptions extends Credential {
  tenantId: string
  clientId: string
  /** Files of the two; they are read again when the directory refuses the credentials. */
  credentialFiles?: { secret?: string | undefined; certificate?: string | undefined }
  /** The cloud's directory URL, without the tenant. */
  authority?: string
  scope?: string
  /** The token endpoint of the emulator, instead of login.microsoftonline.com's. */
  tokenEndpoint?: string | undefined
}

interface DirectoryServices {
  directory: DirectoryOptions
  log: Log
  countCall: CountCall
  /** ms since the epoch */
  clock: () => number
}

export interface DirectoryTokens {
  /** @throws DirectoryRefusal, ProxyReply, NoAnswer */
  read(signal: AbortSignal): Promise<string>
  /** Drops the token after the service refused it. */
  invalidate(token: string): void
  /** Returns the end of the certificate, or of the secret where the settings name it. */
  readCredentialEnd(): Promise<Date | undefined>
}

/** Caches one directory token per process. Coalesces concurrent requests, which msal-node does not. */
export function createDirectoryTokens(services: DirectoryServices): DirectoryTokens {
  const { directory, countCall, clock, log } = services
  const tokens = createCache<{ token: string; expiresAt: number }>(clock, {
    max: 1,
    ttl: MIN_CACHE_MS,
    noDeleteOnFetchRejection: true,
    async fetchMethod(_key, _stale, { options }) {
      const acquired = await acquire()
      const lifeMs = acquired.expiresAt - clock()
      options.ttl = Math.max(lifeMs - RENEW_WHEN_LEFT_MS, Math.min(MIN_CACHE_MS, lifeMs))
      return acquired
    },
  })
  const peekToken = () => tokens.peek(TOKEN, { allowStale: true })
  let client: Promise<ConfidentialClientApplication> | undefined
  /** The error of the last call, which the library replaces by its own. */
  let failure: unknown
  let { clientSecret, clientCertificate } = directory
  let adopted = [clientSecret, clientCertificate]
  const { scope = CLOUDS.public.scope } = directory

  async function acquire() {
    adoptNewCredentials()
    try {
      return await acquireOnce()
    } catch (error) {
      const isRefused = failure instanceof DirectoryRefusal && failure.error === 'invalid_client'
      if (!isRefused || !(await reloadCredentials())) throw error
      client = undefined
      return acquireOnce()
    }
  }

  /** Adopts credentials replaced in the options since. */
  function adoptNewCredentials(): void {
    if (adopted[0] === directory.clientSecret && adopted[1] === directory.clientCertificate) return
    adopted = [directory.clientSecret, directory.clientCertificate]
    ;[clientSecret, clientCertificate] = adopted
    client = undefined
  }

  /** Reads the credential files again; returns whether they differ from the refused credentials. */
  async function reloadCredentials(): Promise<boolean> {
    const { secret, certificate } = directory.credentialFiles ?? {}
    const before = [clientSecret, clientCertificate]
    clientSecret = (await readCredential(secret)) ?? clientSecret
    const pem = await readCredential(certificate)
    const isWhole = pem && (await readCertificate(pem).catch(() => undefined))?.privateKey
    if (isWhole) clientCertificate = pem
    return clientSecret !== before[0] || clientCertificate !== before[1]
  }

  async function acquireOnce() {
    const options = { ...directory, clientSecret, clientCertificate }
    client ??= createClient(options, countCall, (latest) => {
      failure = latest
    })
    failure = undefined
    const result = await (await client).acquireTokenByClientCredential({ scopes: [scope], skipCache: true })
    if (!result?.expiresOn) throw new Error('the directory answered without a token')
    // The library uses the machine's clock.
    const expiresAt = clock() + result.expiresOn.getTime() - Date.now()
    const endsAt = await readEnd()
    if (isExpiringSoon(endsAt, clock()))
      log.warn(
        { endsAt },
        `the ${clientSecret ? 'secret' : 'certificate'} of the service principal ends soon`,
      )
    return { token: result.accessToken, expiresAt }
  }

  async function readEnd(): Promise<Date | undefined> {
    adoptNewCredentials()
    return readCredentialEnd({ ...directory, clientSecret, clientCertificate })
  }

  return {
    readCredentialEnd: readEnd,
    async read(signal) {
      try {
        return (await raceSignal(tokens.forceFetch(TOKEN), signal)).token
      } catch (cause) {
        // The old token is still valid: a shorter embed token is better than none.
        const old = peekToken()
        if (old && old.expiresAt > clock() + MIN_CACHE_MS) return old.token
        throw toDirectoryFailure(failure ?? cause)
      }
    },
    invalidate(token) {
      if (peekToken()?.token === token) tokens.delete(TOKEN)
    },
  }
}

export function isExpiringSoon(end: Date | undefined, now: number): end is Date {
  return end !== undefined && end.getTime() - now < WARN_BEFORE_MS
}

/** Reads a credential file; undefined when it is missing, unreadable or empty. */
async function readCredential(file: string | undefined): Promise<string | undefined> {
  const text = file && (await readFile(file, 'utf8').catch(() => ''))
  return text?.trim() || undefined
}

async function raceSignal<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  return Promise.race([work, aborted])
}

function toDirectoryFailure(cause: unknown): Error {
  const isAnswer = cause instanceof DirectoryRefusal || cause instanceof ProxyReply
  return isAnswer ? cause : new NoAnswer('directory', cause)
}

async function createClient(
  options: DirectoryOptions,
  countCall: CountCall,
  onFailure: (failure: unknown) => void,
): Promise<ConfidentialClientApplication> {
  // Loaded on demand: it takes a third of the startup time.
  const { ConfidentialClientApplication } = await import('@azure/msal-node')
  const authority = `${options.authority ?? CLOUDS.public.authority}/${options.tenantId}`
  const auth: Configuration['auth'] = { clientId: options.clientId, authority }
  if (options.clientSecret) auth.clientSecret = options.clientSecret
  else if (options.clientCertificate)
    auth.clientCertificate = await readCertificate(options.clientCertificate)
  if (options.tokenEndpoint) auth.authorityMetadata = buildMetadata(options.tokenEndpoint, authority)
  return new ConfidentialClientApplication({
    auth,
    system: { networkClient: createNetworkClient(countCall, onFailure) },
  })
}

async function readCertificate(pem: string) {
  const { X509Certificate } = await import('node:crypto')
  const certificate = new X509Certificate(pem)
  const privateKey =
    /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]+?-----END [A-Z ]*PRIVATE KEY-----/.exec(pem)?.[0] ?? ''
  return { thumbprintSha256: certificate.fingerprint256.replaceAll(':', ''), privateKey, x5c: pem }
}

/** Skips msal's discovery, which refuses http authorities: with metadata it only calls this endpoint. */
function buildMetadata(tokenEndpoint: string, authority: string): string {
  return JSON.stringify({
    token_endpoint: tokenEndpoint,
    authorization_endpoint: `${authority}/oauth2/v2.0/authorize`,
    issuer: `${authority}/v2.0`,
    jwks_uri: `${authority}/discovery/v2.0/keys`,
  })
}

/**
 * Replaces msal's network client, which has no timeout. Failures bypass msal, which would throttle
 * all calls for the next minute.
 */
function createNetworkClient(countCall: CountCall, onFailure: (failure: unknown) => void): INetworkModule {
  async function send<T>(
    method: string,
    url: string,
    options?: { headers?: Record<string, string>; body?: string },
  ) {
    const request = () =>
      fetch(url, {
        method,
        ...(options?.headers && { headers: options.headers }),
        ...(options?.body !== undefined && { body: options.body }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
    try {
      const { reply, text } = await withHost(new URL(url).host, () =>
        measureCall(countCall, 'directory', request),
      )
      const { status } = reply
      const body = parseJsonObject(text)
      if (body ? status >= 400 : status === 429 || status >= 500)
        throw new DirectoryRefusal(status, body ?? {}, readRetryAfter(reply.headers))
      if (status >= 400) throw new ProxyReply(new URL(url).host, status)
      if (!body) throw new Error('the directory answered without a JSON object')
      return { headers: Object.fromEntries(reply.headers), body: body as T, status }
    } catch (error) {
      onFailure(error)
      throw error
    }
  }
  return {
    sendGetRequestAsync: (url, options) => send('GET', url, options),
    sendPostRequestAsync: (url, options) => send('POST', url, options),
  }
}
