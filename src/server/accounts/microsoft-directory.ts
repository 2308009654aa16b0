import type { ClientAuth, Configuration } from 'openid-client'
import type { MicrosoftRefusal } from '#contract/microsoft.ts'

const TIMEOUT_SECONDS = 8
/** Difference between the clocks of directory and portal that is forgiven, in seconds. */
export const CLOCK_TOLERANCE = 60
/** In seconds; prompt=login asks for less, but a provider may take minutes over a second step. */
const RENEWAL_MAX_AGE = 600
/** Error codes of an account that was disabled or deleted. */
const DISABLED_CODES = [50057, 50034]
/** Of a refresh token that expired or was revoked, as by a new password. */
const ENDED_CODES = [50132, 50133, 50173, 70008, 70043, 700082, 700084]
const SCOPE = 'openid profile email offline_access'
export const CALLBACK_PATH = '/auth/microsoft/callback'

export interface DirectoryOptions {
  /** Of one tenant, exactly as its ID tokens have it. */
  issuer: string
  tenantId: string
  clientId: string
  clientSecret?: string | undefined
  /** PEM of certificate and private key in one text. */
  clientCertificate?: string | undefined
}

/** What one sign-in keeps in the browser's cookie between redirect and callback. */
export interface SignInSecrets {
  state: string
  nonce: string
  verifier: string
}

/** The claims of a verified ID token, unread as yet. */
export type Claims = Record<string, unknown>

/** The directory refused, failed or was not believed. */
export class DirectoryError extends Error {
  readonly refusal: MicrosoftRefusal
  constructor(refusal: MicrosoftRefusal, cause?: unknown) {
    super(refusal, { cause })
    this.refusal = refusal
  }
}

/** How a refresh token was answered. */
export type Standing =
  | { kind: 'active'; refreshToken: string | undefined }
  | { kind: 'disabled' | 'ended' | 'unknown' }

export type MicrosoftDirectory = ReturnType<typeof createMicrosoftDirectory>

/** Creates the client of the tenant's OpenID endpoints. Reads the configuration at its first use. */
export function createMicrosoftDirectory(
  options: DirectoryOptions,
  publicUrl: string,
  timeoutSeconds = TIMEOUT_SECONDS,
) {
  const redirectUri = publicUrl + CALLBACK_PATH
  let known: { secret: string | undefined; configuration: Promise<Configuration> } | undefined

  /** Follows replaced credentials, and asks again after a failure. */
  async function configure(): Promise<Configuration> {
    const secret = options.clientSecret ?? options.clientCertificate
    if (known?.secret !== secret) known = undefined
    known ??= { secret, configuration: discover(options, timeoutSeconds) }
    try {
      return await known.configuration
    } catch (error) {
      known = undefined
      throw new DirectoryError('directory-unavailable', error)
    }
  }

  return {
    tenantId: options.tenantId,
    /** Reads the OpenID configuration. @throws DirectoryError */
    readMetadata: async () => (await configure()).serverMetadata(),

    /** @param renewing the address whose owner shall type the password again; undefined for a sign-in */
    async buildRedirect(secrets: SignInSecrets, renewing?: string): Promise<URL> {
      const openid = await import('openid-client')
      return openid.buildAuthorizationUrl(await configure(), {
        redirect_uri: redirectUri,
        scope: SCOPE,
        state: secrets.state,
        nonce: secrets.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(secrets.verifier),
        code_challenge_method: 'S256',
        response_mode: 'query',
        // By the standard, max_age also asks for the claim auth_time.
        ...(renewing && { prompt: 'login', max_age: String(RENEWAL_MAX_AGE), login_hint: renewing }),
      })
    },

    /**
     * Trades the code of a callback for the claims of a verified ID token.
     * @param search the query of the callback, with its question mark
     * @throws DirectoryError
     */
    async redeem(search: string, { state, nonce, verifier }: SignInSecrets) {
      const openid = await import('openid-client')
      const configuration = await configure()
      const tokens = await openid
        .authorizationCodeGrant(configuration, new URL(redirectUri + search), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        .catch((error: unknown) => {
          throw new DirectoryError(toRefusal(error), error)
        })
      return { claims: tokens.claims() as Claims, refreshToken: tokens.refresh_token }
    },

    /** Whether the directory accepts the credentials, whatever it thinks of the grant. */
    async tryCredentials(): Promise<boolean> {
      const openid = await import('openid-client')
      try {
        await openid.clientCredentialsGrant(await configure(), { scope: `${options.clientId}/.default` })
        return true
      } catch (error) {
        if (!(error instanceof openid.ResponseBodyError)) throw error
        return error.error !== 'invalid_client'
      }
    },

    /** Whether the redirect address is registered: only there does the directory refuse by redirecting. */
    async tryRedirect(): Promise<boolean> {
      const openid = await import('openid-client')
      const secrets = { state: 'doctor', nonce: 'doctor', verifier: openid.randomPKCECodeVerifier() }
      const url = await this.buildRedirect(secrets)
      url.searchParams.set('prompt', 'none')
      const signal = AbortSignal.timeout(timeoutSeconds * 1000)
      const reply = await fetch(url, { redirect: 'manual', signal })
      return reply.headers.get('location')?.startsWith(redirectUri) ?? false
    },

    /** Asks whether an account is still there; whatever is not said clearly is 'unknown'. */
    async askStanding(refreshToken: string): Promise<Standing> {
      const openid = await import('openid-client')
      try {
        const { refresh_token } = await openid.refreshTokenGrant(await configure(), refreshToken)
        return { kind: 'active', refreshToken: refresh_token }
      } catch (error) {
        if (!(error instanceof openid.ResponseBodyError) || error.error !== 'invalid_grant')
          return { kind: 'unknown' }
        const said = (error.cause as { error_codes?: unknown }).error_codes
        const codes: unknown[] = Array.isArray(said) ? said : []
        const has = (known: readonly unknown[]) => codes.some((code) => known.includes(code))
        if (has(DISABLED_CODES)) return { kind: 'disabled' }
        // Without a code it is what the standard says; others, as of Conditional Access, may pass.
        return { kind: codes.length === 0 || has(ENDED_CODES) ? 'ended' : 'unknown' }
      }
    },
  }
}

async function discover(options: DirectoryOptions, timeout: number): Promise<Configuration> {
  const openid = await import('openid-client')
  const issuer = new URL(options.issuer)
  const { allowInsecureRequests, enableNonRepudiationChecks } = openid
  return openid.discovery(
    issuer,
    options.clientId,
    { id_token_signed_response_alg: 'RS256', [openid.clockTolerance]: CLOCK_TOLERANCE },
    await createClientAuth(options),
    {
      timeout,
      execute: [
        // Without it the library trusts TLS alone, and checks no signature.
        enableNonRepudiationChecks,
        // Plain http is for the demo and tests; production refuses ENTRA_ISSUER.
        ...(issuer.protocol === 'http:' ? [allowInsecureRequests] : []),
      ],
    },
  )
}

async function createClientAuth({ clientSecret, clientCertificate }: DirectoryOptions): Promise<ClientAuth> {
  const openid = await import('openid-client')
  if (clientSecret || !clientCertificate) return openid.ClientSecretPost(clientSecret)
  const { createPrivateKey, webcrypto, X509Certificate } = await import('node:crypto')
  const der = createPrivateKey(clientCertificate).export({ type: 'pkcs8', format: 'der' })
  const algorithm = { name: 'RSA-PSS', hash: 'SHA-256' }
  const key = (await webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign'])) as CryptoKey
  const { fingerprint256 } = new X509Certificate(clientCertificate)
  const thumbprint = Buffer.from(fingerprint256.replaceAll(':', ''), 'hex').toString('base64url')
  return (server, client, body, headers) =>
    openid.PrivateKeyJwt(key, {
      [openid.modifyAssertion](header, payload) {
        header['x5t#S256'] = thumbprint
        // Microsoft wants its token endpoint as the audience.
        payload.aud = server.token_endpoint as string
      },
    })(server, client, body, headers)
}

/** Errors that say that the directory, or something before it, did not answer as it should. */
const UNAVAILABLE = [
  'OAUTH_TIMEOUT',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_PARSE_ERROR',
]
/** Of an account that is disabled, not assigned to the application, or held by Conditional Access. */
const NOT_PERMITTED = /AADSTS(50057|50105|53\d{3})\b/

/** Sorts an error of the library into the refusal that the person reads. */
function toRefusal(error: unknown): MicrosoftRefusal {
  const { name, code, error: said, error_description, status } = error as Record<string, unknown>
  if (name === 'AuthorizationResponseError') {
    if (said === 'server_error' || said === 'temporarily_unavailable') return 'directory-unavailable'
    const isCancelled = said === 'access_denied' && !NOT_PERMITTED.test(String(error_description))
    return isCancelled ? 'cancelled' : 'not-permitted'
  }
  if (name === 'ResponseBodyError') {
    if (Number(status) >= 500 || said === 'temporarily_unavailable') return 'directory-unavailable'
    return said === 'invalid_client' || said === 'unauthorized_client' ? 'misconfigured' : 'invalid-answer'
  }
  const isUnavailable = error instanceof TypeError || UNAVAILABLE.includes(String(code))
  return isUnavailable ? 'directory-unavailable' : 'invalid-answer'
}
