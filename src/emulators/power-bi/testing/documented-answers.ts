import type { Fault } from '#emulators/power-bi/instruments/faults.ts'

/**
 * An answer that the vendor may give. Its fields from `on` are a fault of the demo as they stand.
 * `words` says whose the text is: the page's, a public thread's, or ours where nobody shows one.
 */
export interface DocumentedAnswer extends Omit<Fault, 'times'> {
  name: string
  /** Address of Microsoft's page that describes the case. */
  page: string
  words: 'page' | 'thread' | 'ours'
  /** Address of the public thread that shows the answer itself; it is not Microsoft's word. */
  thread?: string
  /** The outcome that the portal gives it. */
  outcome: string
  /** Replies of the kind in a row; 4 by default, more than the portal tries. */
  times?: number
}

const LEARN = 'https://learn.microsoft.com/'
const GITHUB = 'https://github.com/'
const FORUM = 'https://community.fabric.microsoft.com/t5/'
const ENTRA = `${LEARN}entra/identity-platform/reference-error-codes`
const TROUBLESHOOT = `${LEARN}power-bi/developer/embedded/embedded-troubleshoot`
const REST = `${LEARN}power-bi/developer/embedded/troubleshoot-rest-api`
const EMBED_TOKEN = `${LEARN}power-bi/developer/embedded/generate-embed-token`
const OVERLOAD = `${LEARN}fabric/enterprise/capacity-planning-troubleshoot-errors`
const THROTTLING = `${LEARN}rest/api/fabric/articles/throttling`
const PRIVATE_LINK = `${LEARN}fabric/security/security-workspace-level-private-links-support`
const FABRIC_ERRORS = `${LEARN}rest/api/fabric/articles/get-started/fabric-api-troubleshooting`
const EXPORT = `${LEARN}power-bi/developer/embedded/export-to`
const REFRESH = `${LEARN}rest/api/power-bi/datasets/refresh-dataset-in-group`
const HISTORY = `${LEARN}power-bi/connect-data/asynchronous-refresh`
const DATASETS = `${LEARN}rest/api/power-bi/datasets/get-datasets-in-group`
const PAGINATED = `${LEARN}power-bi/developer/embedded/embed-paginated-reports`
const PRINCIPAL = `${LEARN}power-bi/developer/embedded/embed-service-principal`

const REQUEST_ID = '67ffe5da-b0c9-418c-81c7-78c25671cdc1'
const RequestId = REQUEST_ID

/** The service's usual body; most refusals have no message. */
const toBody = (code: string, message?: string) => ({
  error: {
    code,
    ...(message && { message }),
    'pbi.error': { code, parameters: {}, details: [], exceptionCulprit: 1 },
  },
})
/** The body of Fabric's services, with the code at its root. */
const toFabricBody = (errorCode: string, message: string) => ({
  errorCode,
  message,
  requestId: REQUEST_ID,
})

/** A refusal of the directory. */
function toDirectory(
  number: number,
  outcome: string,
  text: string,
  [status, error]: [number, string] = [400, 'invalid_request'],
): DocumentedAnswer {
  const about = `Trace ID: ${REQUEST_ID} Correlation ID: ${REQUEST_ID} Timestamp: 2026-11-23 08:00:00Z`
  return {
    name: `directory-${number}`,
    on: 'directory',
    status,
    body: {
      error,
      error_description: `AADSTS${number}: ${text} ${about}`,
      error_codes: [number],
      timestamp: '2026-11-23 08:00:00Z',
      trace_id: REQUEST_ID,
      correlation_id: REQUEST_ID,
      error_uri: `https://login.microsoftonline.com/error?code=${number}`,
    },
    page: ENTRA,
    words: 'page',
    outcome,
  }
}

const CLIENT: [number, string] = [401, 'invalid_client']
const UNAUTHORIZED: [number, string] = [400, 'unauthorized_client']
const BUSY: [number, string] = [503, 'temporarily_unavailable']

const DIRECTORY: DocumentedAnswer[] = [
  toDirectory(7000215, 'bad-credentials', 'Invalid client secret is provided.', CLIENT),
  toDirectory(7000222, 'secret-expired', 'The provided client secret keys are expired.', CLIENT),
  toDirectory(700027, 'bad-certificate', 'Client assertion failed signature validation.', CLIENT),
  toDirectory(
    700030,
    'bad-certificate',
    "Invalid certificate - subject name in certificate isn't authorized.",
    CLIENT,
  ),
  toDirectory(
    700016,
    'wrong-client-id',
    "The application wasn't found in the directory/tenant.",
    UNAUTHORIZED,
  ),
  toDirectory(7000112, 'application-disabled', 'The application is disabled.', UNAUTHORIZED),
  toDirectory(90002, 'wrong-tenant', "The tenant name wasn't found in the data store."),
  toDirectory(
    9001023,
    'wrong-tenant',
    "The grant type isn't supported over the /common or /consumers endpoints.",
  ),
  toDirectory(900382, 'wrong-cloud', "Confidential Client isn't supported in Cross Cloud request."),
  toDirectory(90038, 'wrong-cloud', "The specified tenant 'Y' belongs to the National Cloud 'X'."),
  {
    ...toDirectory(
      501051,
      'not-assigned',
      "Application 'b2d94e07'(portal) is not assigned to a role for the application 'https://analysis.windows.net/powerbi/api'(Power BI Service).",
      [400, 'invalid_grant'],
    ),
    page: 'https://login.microsoftonline.com/error?code=501051',
    words: 'thread',
    thread: 'https://doc.nais.io/security/auth/azure-ad/faq-troubleshooting/',
  },
  toDirectory(53003, 'conditional-access', 'Access has been blocked by Conditional Access policies.', [
    400,
    'interaction_required',
  ]),
  toDirectory(500011, 'no-power-bi', "The resource principal named {name} wasn't found in the tenant.", [
    400,
    'invalid_resource',
  ]),
  toDirectory(500014, 'no-power-bi', "The service principal for resource '{identifier}' is disabled.", [
    400,
    'invalid_resource',
  ]),
  toDirectory(
    90033,
    'directory-busy',
    "The Microsoft Online Directory Service (MSODS) isn't available.",
    BUSY,
  ),
  // Transient by its number and its `error`, whatever its status.
  {
    ...toDirectory(90024, 'directory-busy', 'A transient error has occurred. Try again.', [
      400,
      'temporarily_unavailable',
    ]),
  },
  toDirectory(90006, 'directory-busy', 'The service is temporarily unavailable.', BUSY),
  toDirectory(90055, 'directory-busy', 'There are too many incoming requests.', [
    429,
    'temporarily_unavailable',
  ]),
  toDirectory(50196, 'directory-busy', 'A client loop has been detected.', [400, 'invalid_grant']),
  toDirectory(
    90036,
    'directory-refused',
    'An unexpected, non-retryable error from the WCF service hosted by MSODS has occurred.',
  ),
]

const LIMITS =
  "Unable to complete the action because your organization's Fabric compute capacity has exceeded its limits. Try again later."
const OVERLOAD_THREAD = `${FORUM}Service/quot-Background-Rejection-quot-blocking-report-access-load/m-p/4782915`

/** Answers that every call may get, told for one of them. */
function toAnyCall(on: Fault['on']): DocumentedAnswer[] {
  return [
    {
      name: `${on}-overloaded-400`,
      on,
      status: 400,
      headers: { RequestId, 'x-powerbi-error-info': 'FabricThrottled' },
      body: toBody('FabricThrottled', LIMITS),
      page: OVERLOAD,
      words: 'thread',
      thread: OVERLOAD_THREAD,
      outcome: 'capacity-overloaded',
    },
    {
      name: `${on}-overloaded-429`,
      on,
      status: 429,
      headers: { RequestId },
      body: toFabricBody(
        'CapacityLimitExceeded',
        "Your organization's Fabric compute capacity has exceeded its limits. Try again later.",
      ),
      page: OVERLOAD,
      words: 'page',
      outcome: 'capacity-overloaded',
    },
    {
      name: `${on}-overloaded-model`,
      on,
      status: 400,
      headers: { RequestId },
      body: toBody('UnknownError', 'Cannot load model due to reaching capacity limits.'),
      page: OVERLOAD,
      words: 'page',
      outcome: 'capacity-overloaded',
    },
    {
      name: `${on}-capacity-not-active`,
      on,
      status: 404,
      headers: { RequestId },
      body: toFabricBody('CapacityNotActive', 'The capacity is not active.'),
      page: FABRIC_ERRORS,
      words: 'ours',
      thread: `${GITHUB}microsoft/powerbi-client-angular/issues/67`,
      outcome: 'capacity-paused',
    },
    {
      name: `${on}-inbound-policy`,
      on,
      status: 403,
      headers: { RequestId },
      body: toFabricBody(
        'RequestDeniedByInboundPolicy',
        'Request is denied due to inbound communication policy',
      ),
      page: PRIVATE_LINK,
      words: 'page',
      outcome: 'network-blocked',
    },
    {
      name: `${on}-429-an-hour`,
      on,
      status: 429,
      headers: { RequestId, 'Retry-After': '3392' },
      body: {
        message:
          'You have exceeded the amount of requests allowed in the current time frame and further requests will fail. Retry in 3392 seconds.',
      },
      page: THROTTLING,
      words: 'thread',
      thread: `${GITHUB}RuiRomano/pbimonitor/issues/58`,
      outcome: 'rate-limited',
    },
    {
      name: `${on}-service-principals-off`,
      on,
      status: 401,
      headers: { RequestId, 'X-PowerBI-Error-Info': 'ServicePrincipalIsNotAllowedByTenantAdminSwitch' },
      body: '',
      page: PRINCIPAL,
      words: 'thread',
      thread: `${FORUM}Developer/401-Unauthorized-response-when-fetching-an-embed-token-for-Power/td-p/4009737`,
      outcome: 'service-principals-off',
    },
    {
      name: `${on}-api-closed`,
      on,
      status: 403,
      headers: { RequestId },
      body: { Message: 'API is not accessible for application' },
      page: PRINCIPAL,
      words: 'thread',
      thread: `${FORUM}Developer/Why-does-the-API-call-stop-working-when-used-as-written-in-the/td-p/4399905`,
      outcome: 'api-closed',
    },
    {
      name: `${on}-500`,
      on,
      status: 500,
      headers: { RequestId },
      body: 'An error has occurred',
      page: REST,
      words: 'page',
      outcome: 'service-down',
    },
    {
      name: `${on}-gateway-page`,
      on,
      status: 502,
      body: '<html><head><title>502 Bad Gateway</title></head></html>',
      page: `${LEARN}azure/application-gateway/application-gateway-troubleshooting-502`,
      words: 'page',
      outcome: 'service-down',
    },
    {
      name: `${on}-proxy-page`,
      on,
      status: 403,
      body: '<html><h1>Access denied</h1></html>',
      page: `${LEARN}power-bi/admin/power-bi-allow-list-urls`,
      words: 'ours',
      outcome: 'foreign-answer',
    },
  ]
}

const REPORT: DocumentedAnswer[] = [
  {
    name: 'report-401',
    on: 'report',
    status: 401,
    headers: { RequestId },
    body: toBody('PowerBINotAuthorizedException'),
    page: TROUBLESHOOT,
    words: 'thread',
    thread: `${LEARN}answers/questions/1624660/status-code-401-unauthorized-al-generar-el-token-a`,
    outcome: 'no-workspace-access',
  },
  {
    name: 'report-403',
    on: 'report',
    status: 403,
    headers: { RequestId },
    body: toBody('PowerBINotAuthorizedException'),
    page: REST,
    words: 'ours',
    outcome: 'no-workspace-access',
  },
  {
    name: 'report-token-expired',
    on: 'report',
    status: 403,
    headers: { RequestId },
    body: {
      error: {
        code: 'TokenExpired',
        message: 'Access token has expired, resubmit with a new access token',
      },
    },
    page: REST,
    words: 'page',
    // Once: the second try has a new directory token.
    times: 1,
    outcome: 'ok',
  },
  {
    name: 'report-folder-not-found',
    on: 'report',
    status: 404,
    headers: { RequestId },
    body: toBody('PowerBIFolderNotFound'),
    page: REST,
    words: 'thread',
    thread: `${GITHUB}MicrosoftDocs/powerbi-docs/issues/1109`,
    outcome: 'no-workspace-access',
  },
  {
    name: 'report-404',
    on: 'report',
    status: 404,
    headers: { RequestId },
    body: toBody('PowerBIEntityNotFound'),
    page: TROUBLESHOOT,
    words: 'thread',
    thread: `${GITHUB}DevScope/powerbi-powershell-modules/issues/66`,
    outcome: 'report-not-found',
  },
  {
    name: 'dataset-403',
    on: 'dataset',
    status: 403,
    headers: { RequestId },
    body: toBody('PowerBINotAuthorizedException'),
    page: EMBED_TOKEN,
    words: 'ours',
    outcome: 'no-model-access',
  },
  {
    name: 'dataset-404',
    on: 'dataset',
    status: 404,
    headers: { RequestId },
    body: toBody('PowerBIEntityNotFound'),
    page: TROUBLESHOOT,
    words: 'ours',
    outcome: 'dataset-not-found',
  },
  {
    name: 'dataset-limited-content',
    on: 'dataset',
    status: 200,
    headers: { RequestId },
    body: { id: '91f4b6c8-27e5-4a0d-b3c9-e5d80a16f201', name: 'Vendas do grupo' },
    page: DATASETS,
    words: 'page',
    outcome: 'limited-content',
  },
]

const DATASET = 'Creating embed token for accessing dataset 91f4b6c8-27e5-4a0d-b3c9-e5d80a16f201'
const IDENTITY_THREAD = `${GITHUB}MicrosoftDocs/powerbi-docs/issues/1109`

/** A refusal of GenerateToken; Microsoft's page lists the reasons, threads show the words. */
const toToken = (
  name: string,
  status: number,
  outcome: string,
  message: string,
  more: Partial<DocumentedAnswer> = {},
): DocumentedAnswer => ({
  name: `token-${name}`,
  on: 'generateToken',
  status,
  headers: { RequestId },
  body: toBody('InvalidRequest', message),
  page: TROUBLESHOOT,
  words: 'thread',
  thread: IDENTITY_THREAD,
  outcome,
  ...more,
})

const TOKEN: DocumentedAnswer[] = [
  toToken(
    'identity-required',
    400,
    'identity-required',
    `${DATASET} requires effective identity to be provided`,
  ),
  toToken(
    'roles-required',
    400,
    'identity-required',
    `${DATASET} requires roles to be included in provided effective identity`,
  ),
  toToken('identity-forbidden', 400, 'identity-forbidden', `${DATASET} shouldn't have effective identity`),
  toToken(
    'single-sign-on',
    403,
    'sso-connection',
    'Creating embed token with effective identity is not supported for this datasource',
    { page: EMBED_TOKEN, thread: `${GITHUB}MicrosoftDocs/powerbi-docs/issues/910` },
  ),
  toToken(
    'analysis-services',
    403,
    'sso-connection',
    `${DATASET} requires effective identity username to be identical to the caller's principal name`,
    { page: EMBED_TOKEN, thread: 'https://www.volcengine.com/article/1795892' },
  ),
  toToken(
    'no-capacity',
    403,
    'no-capacity',
    'The user has exceeded the amount of embed token that can be generated on a shared capacity',
    {
      body: toBody(
        'Forbidden',
        'The user has exceeded the amount of embed token that can be generated on a shared capacity',
      ),
      page: REST,
      words: 'page',
    },
  ),
  toToken('unknown-role', 400, 'unknown-role', "Effective identity: role 'Portal' was not found", {
    words: 'ours',
  }),
  toToken('embedding-off', 403, 'embedding-off', '', {
    body: toBody('PowerBINotAuthorizedException'),
    page: REST,
    words: 'ours',
  }),
  toToken('404-after-the-report', 404, 'not-a-member', '', {
    body: toBody('PowerBIEntityNotFound'),
    page: EMBED_TOKEN,
    thread: 'https://stackoverflow.com/questions/64109695',
  }),
  toToken('xmla-off', 400, 'xmla-off', 'The XMLA endpoint of the capacity is off', {
    page: PAGINATED,
    words: 'ours',
  }),
]

/** A refusal of a refresh; no page gives its words, except that eight a day are allowed. */
const toRefresh = (
  name: string,
  outcome: string,
  text: string,
  more: Partial<DocumentedAnswer> = {},
): DocumentedAnswer => ({
  name: `refresh-${name}`,
  on: 'refreshes',
  status: 400,
  headers: { RequestId },
  body: toBody('InvalidRequest', `Invalid dataset refresh request. ${text}`),
  page: REFRESH,
  words: 'ours',
  outcome,
  ...more,
})

const REFRESHES: DocumentedAnswer[] = [
  toRefresh('running', 'refresh-running', 'Another refresh request is already executing', {
    words: 'thread',
    thread: `${GITHUB}microsoft/PowerBI-CSharp/issues/120`,
  }),
  toRefresh('eight-a-day', 'refresh-limit', 'The dataset has reached the limit of refreshes a day', {
    thread: `${GITHUB}Azure-Samples/powerbi-powershell/issues/14`,
  }),
  toRefresh('direct-query', 'refresh-unsupported', 'The dataset is not model based or uses DirectQuery', {
    thread: `${GITHUB}microsoft/PowerBI-CSharp/issues/120`,
  }),
  toRefresh('credentials', 'refresh-credentials', 'The credentials of a data source are missing or wrong'),
  toRefresh('403', 'no-write-permission', '', { status: 403, body: toBody('PowerBINotAuthorizedException') }),
  toRefresh('429', 'rate-limited', '', {
    status: 429,
    headers: { RequestId, 'Retry-After': '55' },
    body: {
      message:
        'You have exceeded the amount of requests allowed in the current time frame. Retry in 55 seconds.',
    },
    page: THROTTLING,
    words: 'thread',
    thread: `${GITHUB}RuiRomano/pbimonitor/issues/58`,
  }),
]

const EXPORTS: DocumentedAnswer[] = [
  {
    name: 'export-labelled',
    on: 'exportTo',
    status: 400,
    headers: { RequestId },
    body: toBody(
      'InvalidRequest',
      "A report with a sensitivity label can't be exported to a .pdf or a .pptx using a service principal",
    ),
    page: EXPORT,
    words: 'ours',
    outcome: 'export-labelled',
  },
  {
    name: 'export-50-pages',
    on: 'exportTo',
    status: 400,
    headers: { RequestId },
    body: toBody(
      'InvalidRequest',
      'The number of exports that can be included in a single exported report is 50',
    ),
    page: EXPORT,
    words: 'ours',
    outcome: 'export-limit',
  },
  {
    name: 'export-off',
    on: 'exportTo',
    status: 403,
    headers: { RequestId },
    body: toBody('PowerBINotAuthorizedException'),
    page: EXPORT,
    words: 'ours',
    thread: `${GITHUB}MicrosoftDocs/powerbi-docs/issues/3140`,
    outcome: 'export-off',
  },
  {
    name: 'export-paginated-model',
    on: 'exportTo',
    status: 403,
    headers: { RequestId },
    body: toBody(
      'Forbidden',
      'Exporting a paginated report requires permissions in both report and dataset workspaces',
    ),
    page: EXPORT,
    words: 'thread',
    thread: `${GITHUB}MicrosoftDocs/powerbi-docs/issues/3664`,
    outcome: 'no-model-access',
  },
  {
    name: 'export-500-at-once',
    on: 'exportTo',
    status: 429,
    headers: { RequestId, 'Retry-After': '30' },
    body: toBody('TooManyRequests', 'Too Many Requests'),
    page: EXPORT,
    words: 'page',
    outcome: 'rate-limited',
  },
  {
    name: 'export-status-failed',
    on: 'exportStatus',
    status: 200,
    headers: { RequestId },
    body: { status: 'Failed', percentComplete: 0 },
    page: EXPORT,
    words: 'page',
    outcome: 'export-failed',
  },
  {
    name: 'export-status-failed-retry-after',
    on: 'exportStatus',
    status: 200,
    headers: { RequestId, 'Retry-After': '20' },
    body: { status: 'Failed', percentComplete: 0 },
    page: EXPORT,
    words: 'page',
    times: 1,
    outcome: 'ok',
  },
]

/** What GET refreshes may list; MicrosoftDocs/powerbi-docs issues 4795 and 3892 compare the pages. */
export const DOCUMENTED_REFRESHES = {
  page: HISTORY,
  runningWithEnd: {
    requestId: '474fc5a0-3d69-4c5d-adb4-8a846fa5580b',
    refreshType: 'ViaEnhancedApi',
    startTime: '2020-12-07T01:05:54.157324Z',
    endTime: '2020-12-07T01:05:57.353371Z',
    status: 'Unknown',
    extendedStatus: 'InProgress',
  },
  notStarted: {
    requestId: '85a82498-2209-428c-b273-f87b3a1eb905',
    refreshType: 'ViaEnhancedApi',
    startTime: '2020-12-07T01:05:54.157324Z',
    endTime: '2020-12-07T01:05:57.353371Z',
    status: 'Unknown',
    extendedStatus: 'NotStarted',
  },
  cancelled: { status: 'Cancelled', extendedStatus: 'Cancelled' },
  disabled: { status: 'Disabled', extendedStatus: 'Disabled' },
}

const EXPIRED = 'Access token has expired, resubmit with a new access token'
const GET_REPORT = 'Get report failed'

/** An event of the frame: 'Typical errors when embedding for non-Power BI users'. */
const toFrame = (
  name: string,
  outcome: string,
  message: string,
  detailedMessage: string,
  errorCode = '',
): DocumentedAnswer => ({
  name: `frame-${name}`,
  on: 'frame',
  message,
  detailedMessage,
  errorCode,
  page: TROUBLESHOOT,
  words: 'page',
  outcome,
})

const FRAME: DocumentedAnswer[] = [
  toFrame('expired', 'renew', 'TokenExpired', EXPIRED, '403'),
  toFrame(
    'expired-in-a-visual',
    'renew',
    'TokenExpired',
    `${EXPIRED}. Couldn't render a report visual titled: Unidades`,
  ),
  toFrame('no-such-report', 'wrong-id', 'LoadReportFailed', GET_REPORT, '404'),
  toFrame('another-token', 'wrong-token', 'LoadReportFailed', GET_REPORT, '403'),
  toFrame('no-guid', 'wrong-id', 'LoadReportFailed', GET_REPORT, '500'),
  toFrame(
    'bad-token',
    'wrong-token',
    'LoadReportFailed',
    "Fail to initialize - Couldn't resolve cluster",
    '403',
  ),
  toFrame('wrong-group', 'no-workspace-access', 'PowerBINotAuthorizedException', GET_REPORT, '401'),
  toFrame('no-token', 'wrong-token', 'Invalid parameters', 'powerbiToken parameter not specified'),
  toFrame(
    'capacity-in-a-visual',
    'capacity',
    'OpenConnectionError',
    "Can't display the visual. Couldn't render a report visual titled: Unidades",
  ),
  toFrame(
    'capacity',
    'capacity',
    'ExplorationContainer_FailedToLoadModel_DefaultDetails',
    "Couldn't load the model schema associated with this report. Make sure you have a connection to the server and try again.",
  ),
]

/** The unkind answers of directory, REST API and frame, from Microsoft's pages, each with its address. */
export const DOCUMENTED_ANSWERS: readonly DocumentedAnswer[] = [
  ...(['report', 'dataset', 'generateToken', 'exportTo', 'exportStatus'] as const).flatMap(toAnyCall),
  ...DIRECTORY,
  ...REPORT,
  ...TOKEN,
  ...REFRESHES,
  ...EXPORTS,
  ...FRAME,
]

/** Returns the fault that scripts an answer. */
export function toFault(answer: DocumentedAnswer): Fault {
  const { name, page, words, thread, outcome, ...fault } = answer
  return { times: 4, ...fault }
}
