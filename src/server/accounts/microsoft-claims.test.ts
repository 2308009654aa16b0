import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterEach, describe, expect, test } from 'vitest'
import { comeBack, goToMicrosoft } from '#server/testing/directory-calls.ts'
import { setUpDirectory } from '#server/testing/set-up-portal.ts'

/**
 * Claims of a v2.0 ID token, without those that Microsoft marks as of v1.0 or as not from the token
 * endpoint: https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference
 */
const BASIC = [
  ...['aud', 'iss', 'iat', 'idp', 'nbf', 'exp', 'aio', 'preferred_username', 'email', 'name', 'nonce', 'oid'],
  ...['roles', 'rh', 'sub', 'tid', 'sid', 'uti', 'ver', 'hasgroups', '_claim_names', '_claim_sources'],
]
/**
 * Optional claims for JWTs of v2.0:
 * https://learn.microsoft.com/entra/identity-platform/optional-claims-reference
 */
const OPTIONAL = [
  ...['acct', 'acrs', 'auth_time', 'ctry', 'email', 'fwd', 'groups', 'login_hint', 'sid', 'tenant_ctry'],
  ...['tenant_region_scope', 'upn', 'verified_primary_email', 'verified_secondary_email', 'vnet', 'xms_cc'],
  ...['xms_edov', 'xms_pdl', 'xms_pl', 'xms_tpl', 'ztdid', 'ipaddr', 'onprem_sid', 'pwd_exp', 'pwd_url'],
  ...['in_corp', 'family_name', 'given_name'],
]
/** Of a reply with tokens, and with an error: …/v2-oauth2-auth-code-flow, …/reference-error-codes */
const REPLY = ['access_token', 'token_type', 'expires_in', 'scope', 'refresh_token', 'id_token']
const ERROR = [
  'error',
  'error_description',
  'error_codes',
  'timestamp',
  'trace_id',
  'correlation_id',
  'error_uri',
]

describe('the emulated directory', () => {
  const { directory, portal } = setUpDirectory('embedded', 1)
  afterEach(() => {
    directory.hooks.alter = undefined
  })

  /** Signs an account in. @returns the reply of the token endpoint */
  async function enter(account: string, alter: (search: URLSearchParams) => void = () => {}) {
    const replies: Record<string, unknown>[] = []
    directory.hooks.alter = ({ body }) => void replies.push(body as Record<string, unknown>)
    const trip = await goToMicrosoft(portal, directory, account)
    const search = new URLSearchParams(trip.search)
    expect([...search.keys()].toSorted()).toEqual(['code', 'state'])
    alter(search)
    await comeBack(portal, { ...trip, search: `?${search}` })
    return replies[0] ?? {}
  }

  test('sends claims of Microsoft’s lists of v2.0 and nothing else, for every account', async () => {
    for (const { id, isDisabled } of directory.accounts) {
      if (isDisabled) continue
      const reply = await enter(id)
      expect(REPLY).toEqual(expect.arrayContaining(Object.keys(reply)))
      const claims = decodeJwt(String(reply.id_token))
      expect([...BASIC, ...OPTIONAL]).toEqual(expect.arrayContaining(Object.keys(claims)))
      expect(claims).toMatchObject({ ver: '2.0', tid: expect.any(String), oid: expect.any(String) })
      expect(decodeProtectedHeader(String(reply.id_token))).toEqual({
        ...{ typ: 'JWT', alg: 'RS256', kid: 'directory' },
      })
    }
  })

  test('leaves groups out for whoever is in none, as claims are only there with a value', async () => {
    expect(decodeJwt(String((await enter('convidado')).id_token))).not.toHaveProperty('groups')
    expect(decodeJwt(String((await enter('novata')).id_token)).groups).toHaveLength(2)
  })

  test('sends no claim of v1.0, whatever an account holds', async () => {
    const { claims } = directory.find('novata')
    const before = { ...claims }
    Object.assign(claims, { amr: ['pwd', 'mfa'], acr: '1', unique_name: 'x', email_verified: true })
    const sent = decodeJwt(String((await enter('novata')).id_token))
    for (const name of ['amr', 'acr', 'unique_name', 'email_verified', 'at_hash', 'c_hash'])
      expect(sent).not.toHaveProperty(name)
    for (const name of Object.keys(claims)) if (!(name in before)) delete claims[name]
  })

  test('answers errors with fields that Microsoft’s errors have, and a code', async () => {
    const reply = await enter('novata', (search) => search.set('code', 'another'))
    expect(ERROR).toEqual(expect.arrayContaining(Object.keys(reply)))
    expect(reply).toMatchObject({ error: 'invalid_grant', error_codes: [70000] })
  })
})
