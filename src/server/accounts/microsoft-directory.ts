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
  /** Authentication context that takes two steps, or 'always' where every sign-in does. */
  multiFactor?: string | undefined
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
  /** Of Microsoft, for the administrator. */
  readonly code: string | undefined
  constructor(refusal: MicrosoftRefusal, cause?: unknown, code?: string) {
    super(refusal, { cause })
    this.refusal = refusal
    this.code = code
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

  const { tenantId, multiFactor } = options
  /** 'always' asks for none. */
  const context = multiFactor === 'always' ? undefined : multiFactor

  return {
    tenantId,
    /** The authentication context that each sign-in asks for. */
    context,
    /** Whether the person has shown two steps there, by a verified token or by the administrator's word. */
    isMultiFactor: ({ acrs }: Claims): boolean =>
      context ? [acrs].flat().includes(context) : multiFactor !== undefined,
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
        // The context counts by the signed claim alone: this parameter is in anybody's hands.
        ...(context && {
          claims: JSON.stringify({ id_token: { acrs: { essential: true, value: context } } }),
        }),
        // Microsoft documents prompt; max_age asks for the claim auth_time by the standard alone.
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
          throw toDirectoryError(error)
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
/** What Microsoft's `error` means here: entra/identity-platform/v2-oauth2-auth-code-flow. */
const REFUSALS: Record<string, MicrosoftRefusal> = {
  access_denied: 'cancelled',
  login_required: 'cancelled',
  interaction_required: 'cancelled',
  consent_required: 'consent-missing',
  invalid_grant: 'expired',
  server_error: 'directory-unavailable',
  temporarily_unavailable: 'directory-unavailable',
  invalid_client: 'misconfigured',
  unauthorized_client: 'misconfigured',
  unsupported_response_type: 'misconfigured',
  unsupported_grant_type: 'misconfigured',
  invalid_request: 'misconfigured',
  invalid_resource: 'misconfigured',
  invalid_scope: 'misconfigured',
}
/** Codes that say more than the error beside them, as long as Microsoft keeps them. */
const CODES: readonly [RegExp, MicrosoftRefusal][] = [
  // Disabled, not assigned to the application, or held by Conditional Access.
  [/^(50057|50105|50131|53\d{3,4})$/, 'not-permitted'],
  [/^(65001|9009[045])$/, 'consent-missing'],
  // A second step that is still due.
  [/^(5007[24689])$/, 'cancelled'],
]

/** Sorts an error of the library into the refusal that the person reads. */
function toDirectoryError(error: unknown): DirectoryError {
  const { name, code: kind, error: said, error_description, status, cause } = error as Record<string, unknown>
  if (name !== 'AuthorizationResponseError' && name !== 'ResponseBodyError') {
    const isUnavailable = error instanceof TypeError || UNAVAILABLE.includes(String(kind))
    return new DirectoryError(isUnavailable ? 'directory-unavailable' : 'invalid-answer', error)
  }
  const codes = (cause as { error_codes?: unknown[] } | undefined)?.error_codes
  const code = String(codes?.[0] ?? /AADSTS(\d+)/.exec(String(error_description))?.[1])
  const word = Object.hasOwn(REFUSALS, String(said)) ? String(said) : undefined
  const refusal = status === 429 ? 'directory-unavailable' : CODES.find(([known]) => known.test(code))?.[1]
  return new DirectoryError(
    refusal ?? (word ? REFUSALS[word] : undefined) ?? 'not-permitted',
    error,
    /^\d{5,8}$/.test(code) ? `AADSTS${code}` : word,
  )
}
