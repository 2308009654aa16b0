import {
  EMULATED_CAPACITY_ID,
  EMULATED_REPORT_WITHOUT_RLS,
  EMULATED_SSO_REPORT,
  type EmulatedReport,
  getDatasetWorkspace,
  listWorkspaceReports,
} from '#emulators/power-bi/catalogue.ts'

const APP = 'https://app.powerbi.com'
const CLUSTER = {
  clusterUrl: 'https://WABI-BRAZIL-SOUTH-redirect.analysis.windows.net',
  embedFeatures: { usageMetricsVNext: true },
}

/**
 * Returns the reply of GET report; embedUrl has the cluster in `config`, as in the real one. Paginated
 * ones have no dataset (learn.microsoft.com/power-bi/paginated-reports/paginated-reports-embed).
 */
export function describeReport(report: EmulatedReport) {
  const { reportId, workspaceId, name, isPaginated = false } = report
  const config = encodeURIComponent(Buffer.from(JSON.stringify(CLUSTER)).toString('base64'))
  const [page, embed] = isPaginated ? ['rdlreports', 'rdlEmbed'] : ['reports', 'reportEmbed']
  return {
    id: reportId,
    reportType: isPaginated ? 'PaginatedReport' : 'PowerBIReport',
    name,
    webUrl: `${APP}/groups/${workspaceId}/${page}/${reportId}`,
    embedUrl: `${APP}/${embed}?reportId=${reportId}&groupId=${workspaceId}&w=2&config=${config}`,
    isOwnedByMe: true,
    ...(!isPaginated && { datasetId: report.datasetId }),
    // Only that of another workspace, as the REST description says of related datasets.
    ...(report.datasetWorkspaceId && { datasetWorkspaceId: report.datasetWorkspaceId }),
    users: [],
    subscriptions: [],
  }
}

/** learn.microsoft.com/rest/api/power-bi/reports/get-datasources-in-group, of a paginated report. */
export function describeDatasources(report: EmulatedReport) {
  return [
    {
      datasourceType: 'AnalysisServices',
      connectionDetails: {
        server: 'pbiazure://api.powerbi.com/',
        database: `sobe_wowvirtualserver-${report.datasetId}`,
      },
    },
  ]
}

/** Returns the reply of GET dataset. A source with single sign-on needs an identity without roles. */
export function describeDataset(report: EmulatedReport) {
  const needsIdentity = report !== EMULATED_REPORT_WITHOUT_RLS
  return {
    id: report.datasetId,
    name: report.name,
    webUrl: `${APP}/groups/${getDatasetWorkspace(report)}/datasets/${report.datasetId}`,
    addRowsAPIEnabled: false,
    configuredBy: 'bi@grupopatio.com.br',
    isRefreshable: true,
    isEffectiveIdentityRequired: needsIdentity,
    isEffectiveIdentityRolesRequired: needsIdentity && report !== EMULATED_SSO_REPORT,
    isOnPremGatewayRequired: false,
    targetStorageMode: 'Abf',
    createdDate: '2024-10-21T14:03:27.410Z',
    queryScaleOutSettings: { autoSyncReadOnlyReplicas: true, maxReadOnlyReplicas: 0 },
  }
}

/**
 * Returns the nightly refreshes before `now` (ms since the epoch), newest first
 * (learn.microsoft.com/rest/api/power-bi/datasets/get-refresh-history-in-group).
 */
export function describeRefreshes(now: number, top: number) {
  const day = new Date(now).toISOString().slice(0, 10)
  const today = Date.parse(`${day}T06:00:00.000Z`)
  const start = today + 4 * 60_000 <= now ? today : today - 86_400_000
  return Array.from({ length: Math.min(top, 30) }, (_, day) => {
    const startedAt = start - day * 86_400_000
    return {
      requestId: `0f6a2b7e-4c1d-4e9a-8b35-${String(startedAt).slice(0, 12)}`,
      refreshType: 'Scheduled',
      startTime: new Date(startedAt).toISOString(),
      endTime: new Date(startedAt + 3 * 60_000 + 41_000).toISOString(),
      status: 'Completed',
    }
  })
}

/** How long a requested refresh takes. */
const REFRESH_MS = 20_000

export const isRefreshing = (now: number, startedAt: number) => now - startedAt < REFRESH_MS

/** Describes a refresh that POST refreshes started; a running one has status 'Unknown' and no end. */
export function describeRequestedRefresh(now: number, startedAt: number) {
  return {
    requestId: `9399bb89-25d1-44f8-8576-${String(startedAt).slice(0, 12)}`,
    refreshType: 'ViaApi',
    startTime: new Date(startedAt).toISOString(),
    ...(isRefreshing(now, startedAt)
      ? { status: 'Unknown' }
      : { status: 'Completed', endTime: new Date(startedAt + REFRESH_MS).toISOString() }),
  }
}

/** Returns an item of GET groups (learn.microsoft.com/rest/api/power-bi/groups/get-groups). */
export function describeWorkspace(id: string) {
  return {
    id,
    name: `BI · ${listWorkspaceReports(id)[0]?.name ?? 'Modelos de dados'}`,
    isReadOnly: false,
    isOnDedicatedCapacity: true,
    capacityId: EMULATED_CAPACITY_ID.toUpperCase(),
  }
}

/** GET capacities (learn.microsoft.com/rest/api/power-bi/capacities/get-capacities). */
export function describeCapacities() {
  return [
    {
      id: EMULATED_CAPACITY_ID,
      displayName: 'BI do grupo',
      admins: ['bi@grupopatio.com.br'],
      sku: 'F8',
      state: 'Active',
      region: 'Brazil South',
      capacityUserAccessRight: 'Assign',
    },
  ]
}
