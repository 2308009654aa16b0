import { generateKeyPairSync, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Configuration, JWK, KoaContextWithOIDC } from 'oidc-provider'
import { type DirectoryAccount, EMULATED_DIRECTORY_CLIENT } from './directory-accounts.ts'

/** Said by Microsoft of an account that was disabled. */
const DISABLED_CODE = 50057
/** In seconds. */
const DAY = 86_400
const MAX_FORM_BYTES = 4_096
/**
 * Claims of v2.0 ID tokens besides those of the protocol, and the optional ones of docs/sign-in.md:
 * entra/identity-platform/id-token-claims-reference, …/optional-claims-reference.
 */
const CLAIMS = [
  ...['sub', 'tid', 'oid', 'ver', 'nbf', 'aio', 'rh', 'uti'],
  ...['acct', 'acrs', 'xms_edov', 'groups', 'hasgroups', '_claim_names', '_claim_sources'],
]

export interface DirectoryEmulatorOptions {
  /** The issuer, whose path the emulator is mounted at. */
  issuer: string
  clientSecret: string
  redirectUri: string
  accounts: DirectoryAccount[]
  /** Lets tests change replies of the token endpoint. */
  alterTokenReply?: (context: KoaContextWithOIDC) => Promise<void> | void
}

export type DirectoryEmulator = Awaited<ReturnType<typeof createDirectoryEmulator>>

/** Plays one tenant of Microsoft's directory with a real OpenID provider, and a page to choose from. */
export async function createDirectoryEmulator(options: DirectoryEmulatorOptions) {
  // A development dependency: production never gets here.
  const { default: Provider } = await import('oidc-provider')
  const { accounts } = options
  const base = new URL(options.issuer).pathname.replace(/\/$/, '')
  const key = createSigningKey()
  const provider = new Provider(options.issuer, createConfiguration(options, base, key))
  const find = (id: string | undefined) => accounts.find((account) => account.id === id)
  // From the token endpoint Microsoft sends no at_hash.
  provider.IdToken.prototype.set = function (this: { extra: object }, name: string, value: unknown) {
    if (name !== 'at_hash') Object.assign(this.extra, { [name]: value })
  }
  provider.use(async (any, next) => {
    await next()
    const context = any as unknown as KoaContextWithOIDC
    removeIssuer(context)
    if (context.oidc?.route !== 'token') return
    addErrorCodes(context, find)
    await options.alterTokenReply?.(context)
  })
  const serve = provider.callback()

  async function choose(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') return void sendPage(response, accounts)
    const account = find(new URLSearchParams(await readForm(request)).get('account') ?? undefined)
    const refusal = !account
      ? { error: 'access_denied', error_description: 'the user canceled the authentication' }
      : account.isDisabled
        ? { error: 'access_denied', error_description: `AADSTS${DISABLED_CODE}: account disabled` }
        : account.refusal
    const result = refusal ?? { login: { accountId: account?.id ?? '' } }
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
  }

  return {
    accounts,
    /** The private key that signs ID tokens. */
    key,
    handle(request: IncomingMessage, response: ServerResponse): void {
      const url = request.url ?? '/'
      // Where the provider finds the path that it is mounted at.
      Object.assign(request, { originalUrl: url, url: url.slice(base.length) || '/' })
      response.removeHeader('Content-Security-Policy')
      if (!url.startsWith(`${base}/interaction/`)) return void serve(request, response)
      choose(request, response).catch(() => response.writeHead(400).end('Comece de novo.'))
    },
  }
}

const createSigningKey = (): JWK => ({
  ...(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }) as JWK),
  alg: 'RS256',
  use: 'sig',
  kid: 'directory',
})

function createConfiguration(
  { clientSecret, redirectUri, accounts }: DirectoryEmulatorOptions,
  base: string,
  key: JWK,
): Configuration {
  return {
    clients: [
      {
        client_id: EMULATED_DIRECTORY_CLIENT,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'client_secret_post',
        grant_types: ['authorization_code', 'refresh_token'],
        // As where the optional claim is switched on.
        require_auth_time: true,
      },
    ],
    jwks: { keys: [key] },
    cookies: { keys: [clientSecret] },
    claims: {
      openid: CLAIMS,
      email: ['email'],
      profile: ['name', 'preferred_username'],
    },
    // As Microsoft does, all claims are in the ID token.
    conformIdTokenClaims: false,
    features: { claimsParameter: { enabled: true }, devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `${base}/interaction/${uid}` },
    issueRefreshToken: () => true,
    ttl: { AccessToken: 3600, Grant: DAY, IdToken: 3600, Interaction: 600, RefreshToken: DAY, Session: 3600 },
    pkce: { required: () => true },
    findAccount(_, id) {
      const account = accounts.find((candidate) => candidate.id === id)
      if (!account || account.isDisabled) return undefined
      return {
        accountId: id,
        claims(_use, _scope, requested) {
          const wanted = (requested.acrs as { value?: string } | undefined)?.value
          const acrs = account.contexts?.filter((context) => context === wanted)
          const nbf = Math.floor(Date.now() / 1000) - 300
          const [aio, rh, uti] = [randomUUID(), randomUUID(), randomUUID()]
          return {
            ...{ ver: '2.0', nbf, aio, rh, uti },
            ...(acrs?.length && { acrs }),
            ...account.claims,
            sub: id,
          }
        },
      }
    },
    // The tenant's administrator has consented for everybody.
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId ?? '',
        accountId: oidc.session?.accountId ?? '',
      })
      grant.addOIDCScope('openid profile email offline_access')
      grant.addOIDCClaims(['acrs'])
      await grant.save()
      return grant
    },
  }
}

/** Removes what the provider says of itself beside an answer, and Microsoft does not. */
function removeIssuer(context: KoaContextWithOIDC): void {
  const location = context.response.get('location')
  if (URL.canParse(location)) {
    const url = new URL(location)
    url.searchParams.delete('iss')
    context.set('location', url.href)
  }
  const metadata = context.body as Record<string, unknown> | undefined
  if (context.oidc?.route === 'discovery') delete metadata?.authorization_response_iss_parameter_supported
}

/** Adds the codes that Microsoft's errors have: entra/identity-platform/reference-error-codes. */
function addErrorCodes(
  { oidc, body }: KoaContextWithOIDC,
  find: (id: string | undefined) => DirectoryAccount | undefined,
): void {
  const reply = body as { error?: string; error_description?: string; error_codes?: number[] } | undefined
  if (!reply?.error) return
  const isDisabled = find(oidc.entities.RefreshToken?.accountId)?.isDisabled
  const code = reply.error === 'invalid_client' ? 7000215 : isDisabled ? DISABLED_CODE : 70000
  reply.error_codes = [code]
  reply.error_description = `AADSTS${code}: ${reply.error_description}`
}

async function readForm(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) {
    text += String(chunk)
    if (text.length > MAX_FORM_BYTES) throw new Error('the form is too large')
  }
  return text
}

const PAGE_STYLE =
  'body{font:16px system-ui;max-width:28rem;margin:3rem auto;padding:0 1rem;color:#1b1b1b;background:#fff}h1{font-size:1.25rem}button{display:block;width:100%;margin:.5rem 0;padding:.75rem 1rem;text-align:left;font:inherit;color:inherit;background:#f4f4f5;border:1px solid #d4d4d8;border-radius:.5rem}button:focus-visible{outline:2px solid #2563eb}small{display:block;color:#52525b}'

function sendPage(response: ServerResponse, accounts: readonly DirectoryAccount[]): void {
  const buttons = accounts.map(
    ({ id, label, claims }) =>
      `<button name="account" value="${id}">${claims.email}<small>${claims.name}: ${label}</small></button>`,
  )
  response.setHeader('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'")
  response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' })
  response.end(`<!doctype html><html lang="pt-BR"><meta name="viewport" content="width=device-width">
<title>Escolha uma conta</title><style>${PAGE_STYLE}</style><h1>Escolha uma conta</h1>
<p>Esta página faz o papel da Microsoft na demonstração.</p>
<form method="post">${buttons.join('')}<button name="account" value="">Cancelar</button></form></html>`)
}
