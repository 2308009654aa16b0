import { randomUUID } from 'node:crypto'
import { EMULATED_CLIENT_ID, EMULATED_TENANT_ID } from '#emulators/power-bi/catalogue.ts'
import type { Reply } from '#emulators/power-bi/reply.ts'
import { signToken } from './signed-token.ts'

const RESOURCE = 'https://analysis.windows.net/powerbi/api'
/** The real directory's token lifetime for a service principal, in seconds. */
const DEFAULT_LIFE_S = 3599

interface DirectoryRequest {
  tenant: string
  form: URLSearchParams
  clientSecret: string
  secret: string
  /** Milliseconds since the epoch. */
  now: number
  /** Seconds; about an hour by default. */
  lifeS?: number | undefined
}

function toRefusal(now: number, status: number, error: string, number: number, text: string): Reply {
  const [trace, correlation] = [randomUUID(), randomUUID()]
  const timestamp = `${new Date(now).toISOString().slice(0, 19).replace('T', ' ')}Z`
  const about = `Trace ID: ${trace} Correlation ID: ${correlation} Timestamp: ${timestamp}`
  return {
    status,
    body: {
      error,
      error_description: `AADSTS${number}: ${text} ${about}`,
      error_codes: [number],
      timestamp,
      trace_id: trace,
      correlation_id: correlation,
      error_uri: `https://login.microsoftonline.com/error?code=${number}`,
    },
  }
}

/** Whether a certificate's assertion is the client's. Does not verify the signature. */
function isClientAssertion(assertion: string): boolean {
  try {
    const claims = JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString())
    return claims.iss === EMULATED_CLIENT_ID && claims.sub === EMULATED_CLIENT_ID
  } catch {
    return false
  }
}

/** Returns the first applicable error of the real directory: status, error, AADSTS number, description. */
function findError({
  tenant,
  form,
  clientSecret,
}: DirectoryRequest): [number, string, number, string] | undefined {
  const client = form.get('client_id') ?? ''
  const assertion = form.get('client_assertion')
  const scope = form.get('scope') ?? ''
  if (tenant.toLowerCase() !== EMULATED_TENANT_ID)
    return [400, 'invalid_request', 90002, `Tenant '${tenant}' not found.`]
  if (form.get('grant_type') !== 'client_credentials')
    return [400, 'unsupported_grant_type', 70003, 'The app requested an unsupported grant type.']
  if (client.toLowerCase() !== EMULATED_CLIENT_ID) {
    const text = `Application with identifier '${client}' was not found in the directory '${tenant}'.`
    return [400, 'unauthorized_client', 700016, text]
  }
  if (assertion !== null && !isClientAssertion(assertion)) {
    const text = 'The certificate used to sign the client assertion is not known.'
    return [401, 'invalid_client', 700027, text]
  }
  if (assertion === null && form.get('client_secret') !== clientSecret) {
    const text = `Invalid client secret provided for app '${client}'. Ensure the secret being sent is the value.`
    return [401, 'invalid_client', 7000215, text]
  }
  if (!scope.split(' ').includes(`${RESOURCE}/.default`))
    return [400, 'invalid_scope', 70011, `The provided value for scope ${scope} is not valid.`]
  return undefined
}

/** Implements the client credentials grant (RFC 6749 section 4.4), with the real directory's errors. */
export function answerTokenRequest(request: DirectoryRequest): Reply {
  const error = findError(request)
  if (error) return toRefusal(request.now, ...error)
  const lifeS = request.lifeS ?? DEFAULT_LIFE_S
  const issued = Math.floor(request.now / 1000)
  const token = signToken(request.secret, 'directory', {
    aud: RESOURCE,
    iss: `https://sts.windows.net/${EMULATED_TENANT_ID}/`,
    iat: issued,
    nbf: issued,
    exp: Math.floor(request.now / 1000 + lifeS),
    appid: EMULATED_CLIENT_ID,
    tid: EMULATED_TENANT_ID,
    uti: randomUUID(),
  })
  return {
    status: 200,
    body: { token_type: 'Bearer', expires_in: lifeS, access_token: token },
  }
}
