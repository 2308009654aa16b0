import { randomUUID } from 'node:crypto'
import {
  type EmulatedReport,
  findReport,
  findReportByDataset,
  getDatasetWorkspace,
  listWorkspaceIds,
  listWorkspaceReports,
} from '#emulators/power-bi/catalogue.ts'
import type { FaultTarget } from '#emulators/power-bi/instruments/faults.ts'
import { isObject, type Reply, refuse } from '#emulators/power-bi/reply.ts'
import {
  describeCapacities,
  describeDataset,
  describeDatasources,
  describeRefreshes,
  describeReport,
  describeRequestedRefresh,
  describeWorkspace,
  isRefreshing,
} from './describe-report.ts'
import { answerExportFile, answerExportStatus, startExport } from './export-report.ts'
import { generateToken } from './generate-token.ts'
import { readToken } from './signed-token.ts'

/** A call of the REST API; `path` starts after `/api`, `now` is in ms since the epoch. */
interface RestRequest {
  method: string
  path: string
  search: URLSearchParams
  authorization: string | null
  body: unknown
  secret: string
  now: number
  lifeS?: number | undefined
  /** The starts of the requested refreshes of each dataset, newest first, in ms since the epoch. */
  refreshes: Map<string, number[]>
}

const toChallenge = (text: string) => ({
  'WWW-Authenticate': `Bearer error="invalid_token", error_description="${text}"`,
})

/** Returns the expiry of the caller's directory token in ms, or an error reply. */
function checkBearer(request: RestRequest): number | Reply {
  const token = /^Bearer (\S+)$/i.exec(request.authorization ?? '')?.[1]
  if (!token) return refuse(401, 'InvalidToken', 'Access token is missing', { 'WWW-Authenticate': 'Bearer' })
  const exp = readToken(request.secret, 'directory', token)?.exp
  if (typeof exp !== 'number') {
    return refuse(401, 'InvalidToken', 'Access token is invalid', toChallenge('The signature is invalid'))
  }
  if (exp * 1000 > request.now) return exp * 1000
  const text = 'Access token has expired, resubmit with a new access token'
  // learn.microsoft.com/power-bi/developer/embedded/troubleshoot-rest-api, 'API call returns 403'
  return refuse(403, 'TokenExpired', text)
}

const createNotFound = () => refuse(404, 'PowerBIEntityNotFound')

function toOData(kind: string, body: object): Reply {
  return {
    status: 200,
    body: { '@odata.context': `http://api.powerbi.com/v1.0/myorg/$metadata#${kind}`, ...body },
  }
}

/**
 * Implements GET groups with `$top` or `$filter=id eq '…'`, the only filter
 * (learn.microsoft.com/rest/api/power-bi/groups/get-groups).
 */
function answerWorkspaces(search: URLSearchParams): Reply {
  const filter = search.get('$filter')
  const wanted = /^id eq '([^']*)'$/.exec(filter ?? '')?.[1]?.toLowerCase()
  if (filter !== null && wanted === undefined)
    return refuse(400, 'InvalidRequest', `Unknown filter ${filter}`)
  const top = Number(search.get('$top') ?? Number.POSITIVE_INFINITY)
  const ids = listWorkspaceIds().filter((id) => wanted === undefined || id === wanted)
  return toOData('groups', { value: ids.slice(0, top).map(describeWorkspace) })
}

/** GET groups/{g}/reports (learn.microsoft.com/rest/api/power-bi/reports/get-reports-in-group). */
function answerReports(workspaceId: string): Reply {
  return listWorkspaceIds().includes(workspaceId.toLowerCase())
    ? toOData('reports', { value: listWorkspaceReports(workspaceId).map(describeReport) })
    : refuse(401, 'PowerBINotAuthorizedException')
}

interface Endpoint {
  method: string
  path: RegExp
  /** The target of scripted faults. */
  on: FaultTarget
  /** @param ids of the path: those of group and report or dataset in lower case */
  answer: (
    request: RestRequest,
    ids: [group: string, id: string, exportId: string],
    directoryExpires: number,
  ) => Reply
}

/** Resolves the report, or the dataset, in the path's workspace. */
const answerForReport =
  (
    answer: (report: EmulatedReport, request: RestRequest, exportId: string) => Reply | undefined,
  ): Endpoint['answer'] =>
  (request, [group, id, exportId]) => {
    const report = findReport(id)
    const reply = report?.workspaceId === group && answer(report, request, exportId)
    return reply || createNotFound()
  }
const answerForDataset =
  (answer: (report: EmulatedReport, request: RestRequest) => Reply): Endpoint['answer'] =>
  (request, [group, id]) => {
    const report = findReportByDataset(id)
    return report && getDatasetWorkspace(report) === group ? answer(report, request) : createNotFound()
  }

function createEndpoint(call: string, on: FaultTarget, answer: Endpoint['answer']): Endpoint {
  const [method = '', path = ''] = call.split(' ')
  const pattern = new RegExp(
    `^/v1\\.0/myorg/${path.replaceAll('{id}', '([0-9a-zA-Z-]+)').replace('{export}', '([\\w%=]+)')}$`,
  )
  return { method, path: pattern, on, answer }
}

const answerReport = answerForReport((report) => toOData('reports/$entity', describeReport(report)))
const answerDatasources = answerForReport((report) =>
  report.isPaginated ? toOData('datasources', { value: describeDatasources(report) }) : undefined,
)
const answerDataset = answerForDataset((report) => toOData('datasets/$entity', describeDataset(report)))
const answerRefreshes = answerForDataset(({ datasetId }, { now, search, refreshes }) => {
  const top = Number(search.get('$top') ?? 60)
  const requested = (refreshes.get(datasetId) ?? []).map((start) => describeRequestedRefresh(now, start))
  return toOData('refreshes', { value: [...requested, ...describeRefreshes(now, top)].slice(0, top) })
})

/** POST refreshes (learn.microsoft.com/rest/api/power-bi/datasets/refresh-dataset-in-group). */
const answerRefreshRequest = answerForDataset(({ datasetId }, { body, now, refreshes }) => {
  const option = isObject(body) ? body.notifyOption : undefined
  if (!['NoNotification', 'MailOnFailure', 'MailOnCompletion'].includes(String(option)))
    return refuse(400, 'InvalidRequest', 'notifyOption is required')
  const starts = refreshes.get(datasetId) ?? []
  if (starts[0] !== undefined && isRefreshing(now, starts[0])) {
    const text = 'Invalid dataset refresh request. Another refresh request is already executing'
    return refuse(400, 'InvalidRequest', text)
  }
  refreshes.set(datasetId, [now, ...starts])
  return { status: 202 }
})

const ENDPOINTS: Endpoint[] = [
  createEndpoint('POST GenerateToken', 'generateToken', (request, _, directoryExpires) =>
    generateToken({ ...request, directoryExpires }),
  ),
  createEndpoint('GET capacities', 'capacities', () =>
    toOData('capacities', { value: describeCapacities() }),
  ),
  createEndpoint('GET groups', 'groups', ({ search }) => answerWorkspaces(search)),
  createEndpoint('GET groups/{id}/reports', 'reports', (_, [group]) => answerReports(group)),
  createEndpoint('GET groups/{id}/reports/{id}', 'report', answerReport),
  createEndpoint('GET groups/{id}/reports/{id}/datasources', 'datasources', answerDatasources),
  createEndpoint('POST groups/{id}/reports/{id}/ExportTo', 'exportTo', answerForReport(startExport)),
  createEndpoint(
    'GET groups/{id}/reports/{id}/exports/{export}',
    'exportStatus',
    answerForReport((report, request, id) => answerExportStatus(report, id, request)),
  ),
  createEndpoint(
    'GET groups/{id}/reports/{id}/exports/{export}/file',
    'exportFile',
    answerForReport((report, request, id) => answerExportFile(report, id, request)),
  ),
  createEndpoint('GET groups/{id}/datasets/{id}', 'dataset', answerDataset),
  createEndpoint('GET groups/{id}/datasets/{id}/refreshes', 'refreshes', answerRefreshes),
  createEndpoint('POST groups/{id}/datasets/{id}/refreshes', 'refreshes', answerRefreshRequest),
]

/** Finds the fault target of a path; undefined for calls that cannot be scripted. */
export function findFaultTarget(path: string): FaultTarget | undefined {
  return ENDPOINTS.find((each) => each.path.test(path))?.on
}

/** Implements the Power BI REST API (v1.0) for embedding; every reply has a RequestId. */
export function answerRestCall(request: RestRequest): Reply {
  const { method, path } = request
  const bearer = checkBearer(request)
  if (typeof bearer !== 'number') return bearer
  const found = ENDPOINTS.find((each) => each.method === method && each.path.test(path))
  const [, group = '', id = '', exportId = ''] = found?.path.exec(path) ?? []
  const reply = found
    ? found.answer(request, [group.toLowerCase(), id.toLowerCase(), decodeURIComponent(exportId)], bearer)
    : refuse(404, 'ResourceNotFound', `No HTTP resource matches ${method} ${path}`)
  return { ...reply, headers: { RequestId: randomUUID(), ...reply.headers } }
}
