import { ReportCheckError } from './classify-failure.ts'
import { NoAnswer, PowerBiRefusal } from './failures.ts'
import {
  type EffectiveIdentity,
  type EmbedToken,
  type LastRefresh,
  type ListedReport,
  type NamedItem,
  parseJsonObject,
  type RefreshEnd,
  type ReportRef,
} from './power-bi.ts'
import type { PowerBiRest } from './power-bi-rest.ts'

/** Encodes a path segment. Refuses '.' and '..', which traverse the path even when encoded. */
function encodeSegment(id: string): string {
  if (/^\.{0,2}$/.test(id)) throw new PowerBiRefusal(404, 'PowerBIEntityNotFound', '', { requestId: null })
  return encodeURIComponent(id)
}

export function getReportPath(report: ReportRef): string {
  return `/groups/${encodeSegment(report.workspaceId)}/reports/${encodeSegment(report.reportId)}`
}

export function getDatasetPath({ workspaceId, datasetId }: Model): string {
  return `/groups/${encodeSegment(workspaceId)}/datasets/${encodeSegment(datasetId)}`
}

/** A semantic model and its workspace, which may differ from the report's. */
export interface Model {
  workspaceId: string
  datasetId: string
}

/** The facts about a report that its token needs. */
export interface ReportFacts {
  name: string | null
  isPaginated: boolean
  /** The only data source; null for a paginated report with others, undefined when unknown. */
  model: Model | null | undefined
}

/** Reads a report's name and model (Power BI REST, 'Reports - Get Report In Group'). */
export async function readReport(rest: PowerBiRest, report: ReportRef): Promise<ReportFacts> {
  const reply = await rest('GET', getReportPath(report))
  const { datasetId, datasetWorkspaceId, reportType } = reply
  const name = typeof reply.name === 'string' ? reply.name : null
  if (reportType === 'PaginatedReport')
    return { name, isPaginated: true, model: await readOnlySource(rest, report) }
  if (typeof datasetId !== 'string') throw new ReportCheckError('limited-content')
  const workspaceId = typeof datasetWorkspaceId === 'string' ? datasetWorkspaceId : report.workspaceId
  return { name, isPaginated: false, model: { workspaceId, datasetId } }
}

/** The name of a semantic model as a data source: 'sobe_wowvirtualserver-{dataset id}'. */
const MODEL_DATABASE = /(?:^|-)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i

/**
 * Reads the model of a paginated report from its data sources (Power BI REST, 'Reports - Get
 * Datasources In Group'). Row-level security needs a single model as the only source.
 */
async function readOnlySource(rest: PowerBiRest, report: ReportRef): Promise<Model | null | undefined> {
  const { value } = await rest('GET', `${getReportPath(report)}/datasources`)
  if (!Array.isArray(value)) return undefined
  const ids = (value as (Record<string, unknown> | null)[]).map((source) => {
    const { server, database } = (source?.connectionDetails ?? {}) as { server?: unknown; database?: unknown }
    if (/^pbiazure:\/\//i.test(String(server)))
      return MODEL_DATABASE.exec(String(database))?.[1]?.toLowerCase()
    // Of a type that may be a model, absent details are unknown.
    return server || !/^(undefined|null|AnalysisServices)$/.test(String(source?.datasourceType))
      ? null
      : undefined
  })
  if (ids.includes(undefined)) return undefined
  const [datasetId, ...others] = new Set(ids)
  return datasetId && others.length === 0 ? { workspaceId: report.workspaceId, datasetId } : null
}

/** What a semantic model requires of a token. */
export interface ModelSecurity {
  needsIdentity: boolean
  /** Whether it has row-level security; live and single sign-on sources need an identity without it. */
  hasRoles: boolean
}

/**
 * Reads a dataset's security (Power BI REST, 'Datasets - Get Dataset In Group').
 * @throws ReportCheckError without write permission: the reply is id and name alone
 */
export async function readModelSecurity(rest: PowerBiRest, datasetPath: string): Promise<ModelSecurity> {
  const { isEffectiveIdentityRequired: needsIdentity, isEffectiveIdentityRolesRequired: hasRoles } =
    await rest('GET', datasetPath)
  if (typeof needsIdentity !== 'boolean' || typeof hasRoles !== 'boolean')
    throw new ReportCheckError('limited-content')
  return { needsIdentity, hasRoles }
}

export interface Workspace {
  isOnDedicatedCapacity?: unknown
  capacityId?: unknown
}

/** Reads a workspace (Power BI REST, 'Groups - Get Groups'); undefined when it is not listed. */
export async function readWorkspace(rest: PowerBiRest, workspaceId: string): Promise<Workspace | undefined> {
  const filter = encodeURIComponent(`id eq '${workspaceId}'`)
  const { value } = await rest('GET', `/groups?$filter=${filter}`)
  const [workspace] = (Array.isArray(value) ? value : []) as (Workspace | null)[]
  return workspace ?? undefined
}

export interface Capacity {
  id?: unknown
  sku?: unknown
  state?: unknown
}

/** Lists the capacities that the application may see (Power BI REST, 'Capacities - Get Capacities'). */
export async function listCapacities(rest: PowerBiRest): Promise<(Capacity | null)[]> {
  const { value } = await rest('GET', '/capacities')
  return Array.isArray(value) ? value : []
}

/** By `extendedStatus`, or else `status`, where a running refresh is 'Unknown'. */
const REFRESH_STATES: Record<string, 'completed' | 'running' | RefreshEnd> = {
  Completed: 'completed',
  Failed: 'failed',
  TimedOut: 'failed',
  Cancelled: 'cancelled',
  Disabled: 'disabled',
  InProgress: 'running',
  NotStarted: 'running',
}

/**
 * Reads the ten newest refreshes of a dataset (Power BI REST, 'Datasets - Get Refresh History In
 * Group'; powerbi-docs issues 4795 and 3892). Needs more than viewer permission: docs/power-bi.md.
 */
export async function readLastRefresh(rest: PowerBiRest, datasetPath: string): Promise<LastRefresh> {
  const { value } = await rest('GET', `${datasetPath}/refreshes?$top=10`)
  const listed = (Array.isArray(value) ? value : []) as (Record<string, unknown> | null)[]
  const refreshes = listed.map((refresh) => {
    const { status, extendedStatus, startTime, endTime, serviceExceptionJson } = refresh ?? {}
    const state = REFRESH_STATES[String(extendedStatus)] ?? REFRESH_STATES[String(status)]
    const startedAt = Date.parse(String(startTime))
    return {
      state: state ?? (status === 'Unknown' && !endTime ? 'running' : undefined),
      startedAt,
      at: Date.parse(String(endTime)) || startedAt,
      code: parseFailureCode(serviceExceptionJson),
    }
  })
  const finished = refreshes
    .filter(({ state, at }) => state && state !== 'running' && !Number.isNaN(at))
    .sort((a, b) => b.at - a.at)
  const [newest] = finished
  const how = newest?.state
  const good = finished.find(({ state }) => state === 'completed')
  // An older one that never ended is one that the service lost.
  const running = refreshes.find(
    ({ state, startedAt }) =>
      state === 'running' && startedAt > (newest?.startedAt || Number.NEGATIVE_INFINITY),
  )
  return {
    refreshedAt: good ? new Date(good.at) : null,
    failure:
      newest && how && how !== 'completed' && how !== 'running'
        ? { how, at: new Date(newest.at), code: newest.code }
        : null,
    runningSince: running ? new Date(running.startedAt) : null,
  }
}

/** Parses '{"errorCode":"ModelRefreshFailed_CredentialsNotSpecified"}'; accepts only code-like text. */
function parseFailureCode(json: unknown): string | null {
  const code = parseJsonObject(String(json))?.errorCode
  return /^\w{1,80}$/.exec(String(code ?? ''))?.[0] ?? null
}

/** Starts a refresh (Power BI REST, 'Datasets - Refresh Dataset In Group'); the reply has no body. */
export async function requestRefresh(rest: PowerBiRest, datasetPath: string): Promise<void> {
  await rest('POST', `${datasetPath}/refreshes`, { notifyOption: 'NoNotification' }, { isOnce: true })
}

/** More than any group of dealers has; the service does not page. */
const MAX_WORKSPACES = 1_000

/** Lists the application's workspaces (Power BI REST, 'Groups - Get Groups'), by name. */
export async function listWorkspaces(rest: PowerBiRest): Promise<NamedItem[]> {
  const { value } = await rest('GET', `/groups?$top=${MAX_WORKSPACES}`)
  return parseNamedItems(value).map(({ id, name }) => ({ id, name }))
}

/** Lists the reports of a workspace (Power BI REST, 'Reports - Get Reports In Group'), by name. */
export async function listReports(rest: PowerBiRest, workspaceId: string): Promise<ListedReport[]> {
  const { value } = await rest('GET', `/groups/${encodeSegment(workspaceId)}/reports`)
  return parseNamedItems(value).map(({ id, name, datasetId }) => ({
    id,
    name,
    datasetId: typeof datasetId === 'string' && datasetId !== '' ? datasetId : null,
  }))
}

/** Returns the items that have an id and a name, in Portuguese order of the names. */
function parseNamedItems(value: unknown): (NamedItem & { datasetId?: unknown })[] {
  const items = (Array.isArray(value) ? value : []) as (Partial<NamedItem> | null)[]
  return items
    .filter((item) => typeof item?.id === 'string' && typeof item.name === 'string')
    .map((item) => item as NamedItem)
    .sort((a, b) => a.name.localeCompare(b.name, 'pt-BR', { numeric: true }))
}

/** A report that passed checkReport. */
export interface CheckedReport {
  reportId: string
  isPaginated: boolean
  /** Undefined for a paginated report allowed without row-level security. */
  datasetId: string | undefined
  /** Whether the model has row-level security, and so needs an identity. */
  hasRowLevelSecurity: boolean
}

interface TokenRequest {
  report: CheckedReport
  identity: EffectiveIdentity
  minutes: number
  /** The timeout over all tries. */
  budgetMs?: number
}

/**
 * Requests a view-only token, also for a model in another workspace (Power BI REST, 'Embed Token -
 * Generate Token'). The service does not check that report and dataset match: the caller must.
 */
export async function requestEmbedToken(
  rest: PowerBiRest,
  { report, identity, minutes, budgetMs }: TokenRequest,
): Promise<EmbedToken> {
  const { reportId, isPaginated, datasetId, hasRowLevelSecurity } = report
  const { username, auditableContext } = identity
  const identities = [
    ...(datasetId && hasRowLevelSecurity ? [{ ...identity, datasets: [datasetId] }] : []),
    // Available in a paginated report as User!UserID.
    ...(isPaginated ? [{ username, auditableContext, reports: [reportId] }] : []),
  ]
  const dataset = { id: datasetId, ...(isPaginated && { xmlaPermissions: 'ReadOnly' }) }
  const body = {
    ...(datasetId && { datasets: [dataset] }),
    reports: [{ id: reportId }],
    lifetimeInMinutes: minutes,
    ...(identities.length > 0 && { identities }),
  }
  const { token, expiration } = await rest('POST', '/GenerateToken', body, { budgetMs })
  const expiresAt = Date.parse(String(expiration))
  if (typeof token !== 'string' || token === '' || Number.isNaN(expiresAt))
    throw new NoAnswer('power-bi', 'no token')
  return { token, expiresAt, isPaginated }
}
