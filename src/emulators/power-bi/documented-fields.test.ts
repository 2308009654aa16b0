import { expect, test } from 'vitest'
import { EMULATED_PAGINATED_REPORT, EMULATED_THIN_REPORT } from './catalogue.ts'
import { isObject } from './reply.ts'
import { callEmulator, toIdentity, VENDAS } from './testing/call-emulator.ts'

const REST = 'https://learn.microsoft.com/rest/api/power-bi/'
const REPORT = `/groups/${VENDAS.workspaceId}/reports/${VENDAS.reportId}`
const DATASET = `/groups/${VENDAS.workspaceId}/datasets/${VENDAS.datasetId}`
const list = (text: string) => text.split(/\s+/)

/** The definitions of github.com/microsoft/PowerBI-CSharp, sdk/swaggers/swagger.json, by page. */
const REPORT_FIELDS = list(`id name datasetId appId description reportType originalReportId isOwnedByMe webUrl
  embedUrl users subscriptions datasetWorkspaceId`)
const EXPORT_FIELDS = list(`id createdDateTime lastActionDateTime reportId reportName status percentComplete
  resourceLocation resourceFileExtension expirationTime`)

interface Documented {
  page: string
  statuses: number[]
  /** Fields of the body; of its items, for lists. */
  fields: string[]
  read: () => ReturnType<ReturnType<typeof callEmulator>['call']>
}

let now = Date.UTC(2026, 10, 23, 12)
const { rest, signIn, generate } = callEmulator({ clock: () => now })

async function finishExport(): Promise<string> {
  const identities = [toIdentity(VENDAS.datasetId)]
  const started = await rest('POST', `${REPORT}/ExportTo`, {
    format: 'PDF',
    powerBIReportConfiguration: { identities },
  })
  now += 60_000
  return encodeURIComponent(started.json().id)
}

const CALLS: Record<string, Documented> = {
  'a token of the directory': {
    page: 'https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow',
    statuses: [200],
    fields: list('token_type expires_in access_token'),
    read: () => signIn(),
  },
  'a refusal of the directory': {
    page: 'https://learn.microsoft.com/entra/identity-platform/reference-error-codes',
    statuses: [400, 401],
    fields: list('error error_description error_codes timestamp trace_id correlation_id error_uri'),
    read: () => signIn({ client_secret: 'outro' }),
  },
  workspaces: {
    page: `${REST}groups/get-groups`,
    statuses: [200],
    fields: list(`id name isReadOnly isOnDedicatedCapacity capacityId dataflowStorageId
      defaultDatasetStorageFormat`),
    read: () => rest('GET', '/groups'),
  },
  'reports of a workspace': {
    page: `${REST}reports/get-reports-in-group`,
    statuses: [200],
    fields: REPORT_FIELDS,
    read: () => rest('GET', `/groups/${VENDAS.workspaceId}/reports`),
  },
  'a report': {
    page: `${REST}reports/get-report-in-group`,
    statuses: [200],
    fields: REPORT_FIELDS,
    read: () => rest('GET', REPORT),
  },
  'a report of a model elsewhere': {
    page: `${REST}reports/get-report-in-group`,
    statuses: [200],
    fields: REPORT_FIELDS,
    read: () =>
      rest('GET', `/groups/${EMULATED_THIN_REPORT.workspaceId}/reports/${EMULATED_THIN_REPORT.reportId}`),
  },
  'sources of a paginated report': {
    page: `${REST}reports/get-datasources-in-group`,
    statuses: [200],
    fields: list('name connectionString datasourceType connectionDetails gatewayId datasourceId'),
    read: () =>
      rest(
        'GET',
        `/groups/${EMULATED_PAGINATED_REPORT.workspaceId}/reports/${EMULATED_PAGINATED_REPORT.reportId}/datasources`,
      ),
  },
  'a model': {
    page: `${REST}datasets/get-dataset-in-group`,
    statuses: [200],
    // The definition writes some with a capital; the page's examples do not.
    fields: list(`id name configuredBy createdDate contentProviderType description upstreamDataflows
      createReportEmbedURL qnaEmbedURL webUrl isEffectiveIdentityRequired isEffectiveIdentityRolesRequired
      isOnPremGatewayRequired encryption users addRowsAPIEnabled isRefreshable isInPlaceSharingEnabled
      targetStorageMode queryScaleOutSettings`),
    read: () => rest('GET', DATASET),
  },
  refreshes: {
    page: `${REST}datasets/get-refresh-history-in-group`,
    statuses: [200],
    fields: list('refreshType startTime endTime serviceExceptionJson status requestId refreshAttempts'),
    read: () => rest('GET', `${DATASET}/refreshes?$top=10`),
  },
  'the start of a refresh': {
    page: `${REST}datasets/refresh-dataset-in-group`,
    statuses: [202],
    fields: [],
    read: () => rest('POST', `${DATASET}/refreshes`, { notifyOption: 'NoNotification' }),
  },
  capacities: {
    page: `${REST}capacities/get-capacities`,
    statuses: [200],
    fields: list('id displayName admins sku state capacityUserAccessRight region tenantKeyId tenantKey'),
    read: () => rest('GET', '/capacities'),
  },
  'an embed token': {
    page: `${REST}embed-token/generate-token`,
    statuses: [200],
    fields: list('token tokenId expiration'),
    read: () => generate(),
  },
  'the start of an export': {
    page: `${REST}reports/export-to-file-in-group`,
    statuses: [202],
    fields: EXPORT_FIELDS,
    read: () =>
      rest('POST', `${REPORT}/ExportTo`, {
        format: 'PDF',
        powerBIReportConfiguration: { identities: [toIdentity(VENDAS.datasetId)] },
      }),
  },
  'a finished export': {
    page: `${REST}reports/get-export-to-file-status-in-group`,
    statuses: [200, 202],
    fields: EXPORT_FIELDS,
    read: async () => rest('GET', `${REPORT}/exports/${await finishExport()}`),
  },
  'a refusal': {
    page: 'https://learn.microsoft.com/power-bi/developer/embedded/troubleshoot-rest-api',
    statuses: [401, 403, 404],
    fields: ['error'],
    read: () => rest('GET', `/groups/${VENDAS.workspaceId}/reports/${VENDAS.datasetId}`),
  },
}

/** Headers of the service in a reply; x-powerbi-error-info is in public threads only. */
const HEADERS = list(
  'cache-control content-type requestid retry-after www-authenticate x-content-type-options x-powerbi-error-info',
)

test.each(Object.entries(CALLS))(
  '%s: says nothing that its page does not',
  async (_, { statuses, fields, read }) => {
    const reply = await read()
    expect(statuses).toContain(reply.status)
    for (const name of reply.headers.keys()) expect(HEADERS).toContain(name)
    if (fields.length === 0) return expect(reply.text).toBe('')
    const body = reply.json()
    const items: unknown[] = Array.isArray(body.value) ? body.value : [body]
    expect(items.length).toBeGreaterThan(0)
    for (const item of items.filter(isObject))
      expect([...fields, '@odata.context']).toEqual(expect.arrayContaining(Object.keys(item)))
  },
)

test('no reply has a value that its definition does not list', async () => {
  const { value } = (await rest('GET', `${DATASET}/refreshes?$top=60`)).json()
  const types = list('Scheduled OnDemand ViaApi ViaXmlaEndpoint ViaEnhancedApi OnDemandTraining')
  const statuses = list('Unknown Completed Failed Disabled Cancelled')
  for (const { refreshType, status } of value) {
    expect(types).toContain(refreshType)
    expect(statuses).toContain(status)
  }
  const id = await finishExport()
  expect((await rest('GET', `${REPORT}/exports/${id}`)).json().status).toBe('Succeeded')
  const [{ state, capacityUserAccessRight }] = (await rest('GET', '/capacities')).json().value
  expect(
    list(
      'NotActivated Active Provisioning ProvisionFailed PreSuspended Suspended Deleting Deleted Invalid UpdatingSku',
    ),
  ).toContain(state)
  expect(list('None Assign Admin')).toContain(capacityUserAccessRight)
  const { error } = (await rest('GET', `/groups/${VENDAS.workspaceId}/reports/${VENDAS.datasetId}`)).json()
  expect(Object.keys(error)).toEqual(['code', 'pbi.error'])
  expect(decodeURIComponent(id)).toMatch(/^[A-Za-z0-9+/]+={0,2}$/)
})
