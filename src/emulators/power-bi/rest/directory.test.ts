import { ConfidentialClientApplication } from '@azure/msal-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EMULATED_CLIENT_ID, EMULATED_TENANT_ID } from '#emulators/power-bi/catalogue.ts'
import { CLIENT_SECRET, callEmulator, decodePayload } from '#emulators/power-bi/testing/call-emulator.ts'
import { serveEmulator } from '#emulators/power-bi/testing/serve-emulator.ts'

const SCOPES = ['https://analysis.windows.net/powerbi/api/.default']

describe('directory with unmodified msal-node', () => {
  let served: Awaited<ReturnType<typeof serveEmulator>>
  beforeAll(async () => {
    served = await serveEmulator({ secret: 'chave', clientSecret: CLIENT_SECRET })
  })
  afterAll(() => served.close())

  function createClient(clientSecret: string) {
    const authority = `https://login.microsoftonline.com/${EMULATED_TENANT_ID}`
    const authorityMetadata = JSON.stringify({
      token_endpoint: `${served.at}/directory/${EMULATED_TENANT_ID}/oauth2/v2.0/token`,
      // Without the tenant as first path segment, msal-node overwrites that of the token endpoint.
      authorization_endpoint: `${authority}/oauth2/v2.0/authorize`,
      issuer: `${authority}/v2.0`,
      jwks_uri: `${authority}/discovery/v2.0/keys`,
    })
    const auth = { clientId: EMULATED_CLIENT_ID, clientSecret, authority, authorityMetadata }
    return new ConfidentialClientApplication({ auth })
  }

  it('issues a token that the REST API accepts', async () => {
    const result = await createClient(CLIENT_SECRET).acquireTokenByClientCredential({ scopes: SCOPES })
    expect(decodePayload(result?.accessToken ?? '')).toMatchObject({
      tid: EMULATED_TENANT_ID,
      appid: EMULATED_CLIENT_ID,
    })
    const missing = await fetch(`${served.at}/api/v1.0/myorg/groups/x/reports/y`, {
      headers: { authorization: `Bearer ${result?.accessToken}` },
    })
    expect(missing.status).toBe(404)
  })

  it('rejects a wrong secret like the real one', async () => {
    const attempt = createClient('errado').acquireTokenByClientCredential({ scopes: SCOPES })
    await expect(attempt).rejects.toThrow(/invalid_client.*AADSTS7000215/s)
  })
})

describe('directory', () => {
  const { signIn } = callEmulator()

  it.each([
    [{ client_secret: 'errado' }, EMULATED_TENANT_ID, 401, 'invalid_client', 7000215],
    [{}, '00000000-0000-4000-8000-000000000000', 400, 'invalid_request', 90002],
    [
      { client_id: '00000000-0000-4000-8000-000000000000' },
      EMULATED_TENANT_ID,
      400,
      'unauthorized_client',
      700016,
    ],
    [{ grant_type: 'password' }, EMULATED_TENANT_ID, 400, 'unsupported_grant_type', 70003],
    [{ scope: 'openid' }, EMULATED_TENANT_ID, 400, 'invalid_scope', 70011],
    [{ client_assertion: 'a.b.c' }, EMULATED_TENANT_ID, 401, 'invalid_client', 700027],
  ])('rejects %j', async (changes, tenant, status, error, code) => {
    const reply = await signIn(changes as Record<string, string>, tenant)
    expect(reply.status).toBe(status)
    expect(reply.json()).toMatchObject({ error, error_codes: [code] })
    expect(reply.json().error_description).toContain(`AADSTS${code}: `)
  })

  it('rejects the certificate of another client', async () => {
    const claims = { iss: EMULATED_TENANT_ID, sub: EMULATED_CLIENT_ID }
    const assertion = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`
    expect((await signIn({ client_assertion: assertion })).status).toBe(401)
  })

  it('accepts a certificate instead of a secret', async () => {
    const claims = { iss: EMULATED_CLIENT_ID, sub: EMULATED_CLIENT_ID }
    const assertion = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`
    expect((await signIn({ client_assertion: assertion, client_secret: '' })).status).toBe(200)
  })
})
