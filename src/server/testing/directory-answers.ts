import type { MicrosoftRefusal } from '#contract/microsoft.ts'

const ERRORS = 'https://learn.microsoft.com/entra/identity-platform/reference-error-codes'
const FLOW = 'https://learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow'

/** One answer of Microsoft's directory, with the page that tells of it. */
interface DirectoryAnswer {
  /** Microsoft's code, without AADSTS; undefined where it sends none. */
  code?: number
  error: string
  refusal: MicrosoftRefusal
  page: string
  /** What 'Saúde' says besides; nothing where no administrator has to act. */
  health?: RegExp
}

const CONSENT = /falta o consentimento do administrador/
const PORTAL = /a Microsoft recusou o portal/

/** What the authorization endpoint may send back to the portal. */
export const REDIRECT_ANSWERS: readonly DirectoryAnswer[] = [
  { error: 'access_denied', refusal: 'cancelled', page: FLOW },
  { code: 65004, error: 'access_denied', refusal: 'cancelled', page: ERRORS },
  { code: 50105, error: 'access_denied', refusal: 'not-permitted', page: ERRORS },
  { code: 50105, error: 'interaction_required', refusal: 'not-permitted', page: ERRORS },
  { code: 50057, error: 'access_denied', refusal: 'not-permitted', page: ERRORS },
  { code: 50131, error: 'access_denied', refusal: 'not-permitted', page: ERRORS },
  { code: 53000, error: 'access_denied', refusal: 'not-permitted', page: ERRORS },
  { code: 53003, error: 'access_denied', refusal: 'not-permitted', page: ERRORS },
  { code: 530032, error: 'access_denied', refusal: 'not-permitted', page: ERRORS },
  { code: 530035, error: 'access_denied', refusal: 'not-permitted', page: ERRORS },
  { code: 90094, error: 'access_denied', refusal: 'consent-missing', page: ERRORS, health: CONSENT },
  { code: 90095, error: 'access_denied', refusal: 'consent-missing', page: ERRORS, health: CONSENT },
  { code: 65001, error: 'consent_required', refusal: 'consent-missing', page: ERRORS, health: CONSENT },
  { error: 'consent_required', refusal: 'consent-missing', page: FLOW, health: CONSENT },
  { code: 50076, error: 'interaction_required', refusal: 'cancelled', page: ERRORS },
  { code: 50079, error: 'interaction_required', refusal: 'cancelled', page: ERRORS },
  { code: 16000, error: 'interaction_required', refusal: 'cancelled', page: ERRORS },
  { code: 50058, error: 'login_required', refusal: 'cancelled', page: ERRORS },
  { error: 'server_error', refusal: 'directory-unavailable', page: FLOW },
  { code: 90033, error: 'temporarily_unavailable', refusal: 'directory-unavailable', page: ERRORS },
  { code: 50000, error: 'server_error', refusal: 'directory-unavailable', page: ERRORS },
  { code: 700016, error: 'unauthorized_client', refusal: 'misconfigured', page: ERRORS, health: PORTAL },
  { code: 7000112, error: 'unauthorized_client', refusal: 'misconfigured', page: ERRORS, health: PORTAL },
  { code: 900382, error: 'invalid_request', refusal: 'misconfigured', page: ERRORS, health: PORTAL },
  { code: 650056, error: 'invalid_resource', refusal: 'misconfigured', page: ERRORS, health: PORTAL },
  { error: 'unsupported_response_type', refusal: 'misconfigured', page: FLOW, health: PORTAL },
  // Not on the page yet: the vendor adds errors without notice.
  { error: 'something_new', refusal: 'not-permitted', page: ERRORS },
]

/** What the token endpoint may answer, with the status of it. */
export const TOKEN_ANSWERS: readonly (DirectoryAnswer & { status: number })[] = [
  { status: 400, code: 70008, error: 'invalid_grant', refusal: 'expired', page: ERRORS },
  { status: 400, code: 54005, error: 'invalid_grant', refusal: 'expired', page: ERRORS },
  { status: 400, code: 501481, error: 'invalid_grant', refusal: 'expired', page: ERRORS },
  { status: 400, error: 'invalid_grant', refusal: 'expired', page: FLOW },
  { status: 400, code: 50076, error: 'invalid_grant', refusal: 'cancelled', page: ERRORS },
  { status: 400, code: 50079, error: 'interaction_required', refusal: 'cancelled', page: ERRORS },
  { status: 400, code: 53003, error: 'invalid_grant', refusal: 'not-permitted', page: ERRORS },
  { status: 400, code: 50057, error: 'invalid_grant', refusal: 'not-permitted', page: ERRORS },
  { status: 400, code: 50105, error: 'invalid_grant', refusal: 'not-permitted', page: ERRORS },
  {
    status: 400,
    code: 65001,
    error: 'invalid_grant',
    refusal: 'consent-missing',
    page: ERRORS,
    health: CONSENT,
  },
  { status: 400, error: 'consent_required', refusal: 'consent-missing', page: FLOW, health: CONSENT },
  {
    status: 401,
    code: 7000215,
    error: 'invalid_client',
    refusal: 'misconfigured',
    page: ERRORS,
    health: PORTAL,
  },
  {
    status: 401,
    code: 7000222,
    error: 'invalid_client',
    refusal: 'misconfigured',
    page: ERRORS,
    health: PORTAL,
  },
  {
    status: 401,
    code: 700027,
    error: 'invalid_client',
    refusal: 'misconfigured',
    page: ERRORS,
    health: PORTAL,
  },
  {
    status: 400,
    code: 700016,
    error: 'unauthorized_client',
    refusal: 'misconfigured',
    page: ERRORS,
    health: PORTAL,
  },
  {
    status: 400,
    code: 900382,
    error: 'invalid_request',
    refusal: 'misconfigured',
    page: ERRORS,
    health: PORTAL,
  },
  {
    status: 400,
    code: 70011,
    error: 'invalid_scope',
    refusal: 'misconfigured',
    page: ERRORS,
    health: PORTAL,
  },
  {
    status: 400,
    code: 70003,
    error: 'unsupported_grant_type',
    refusal: 'misconfigured',
    page: ERRORS,
    health: PORTAL,
  },
  { status: 400, error: 'invalid_resource', refusal: 'misconfigured', page: FLOW, health: PORTAL },
  {
    status: 503,
    code: 90033,
    error: 'temporarily_unavailable',
    refusal: 'directory-unavailable',
    page: ERRORS,
  },
  { status: 400, error: 'temporarily_unavailable', refusal: 'directory-unavailable', page: FLOW },
  { status: 429, code: 90055, error: 'invalid_request', refusal: 'directory-unavailable', page: ERRORS },
  { status: 429, code: 50196, error: 'invalid_grant', refusal: 'directory-unavailable', page: ERRORS },
  { status: 500, error: 'server_error', refusal: 'directory-unavailable', page: FLOW },
]

/** Answers that are no JSON of the directory, as from a proxy before it. */
export const ODD_ANSWERS: readonly { name: string; status: number; type: string; body: string }[] = [
  { name: 'a page of HTML', status: 200, type: 'text/html', body: '<h1>Proxy</h1>' },
  { name: 'a page of HTML that says that it is busy', status: 429, type: 'text/html', body: '<h1>429</h1>' },
  { name: 'a page of HTML of a gateway', status: 502, type: 'text/html', body: '<h1>502</h1>' },
  { name: 'half a reply', status: 200, type: 'application/json', body: '{"id_token":' },
  { name: 'an empty reply', status: 200, type: 'application/json', body: '' },
  { name: 'an error without a body', status: 400, type: 'application/json', body: '' },
]

/**
 * Codes that stay on Microsoft's own page, as of ERRORS: the portal hears nothing of them. 50105 does
 * so in most tenants: https://github.com/nextauthjs/next-auth/issues/5455.
 */
export const PAGE_CODES = [50011, 50020, 50105, 50126, 53003, 90002, 90094, 700016]
