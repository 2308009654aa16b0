import { randomUUID } from 'node:crypto'
import {
  datasetWorkspaceOf,
  type EmulatedReport,
  emulatedWorkspaceIds,
  reportOfDataset,
  reportOfId,
  reportsOfWorkspace,
} from '#emulators/power-bi/catalogue.ts'
import type { FaultTarget } from '#emulators/power-bi/instruments/faults.ts'
import { type Reply, refuse } from '#emulators/power-bi/reply.ts'
import {
  describeDataset,
  describeDatasources,
  describeRefreshes,
  describeReport,
  describeWorkspace,
} from './describe-report.ts'
import { generateToken } from './generate-token.ts'
import { readToken } from './signed-token.ts'

/** A call of the REST API; `path` begins behind `/api`, `now` is in milliseconds since the epoch. */
interface RestRequest {
  method: string
  path: string
  search: URLSearchParams
  authorization: string | null
  body: unknown
  secret: string
  now: number
  lifeS?: number | undefined
}

const challenge = (text: string) => ({
  'WWW-Authenticate': `Bearer error="invalid_token", error_description="${text}"`,
})

/** When the caller's directory token ends in milliseconds, or the refusal that it gets. */
function checkBearer(request: RestRequest): number | Reply {
  const token = /^Bearer (\S+)$/i.exec(request.authorization ?? '')?.[1]
  if (!token) return refuse(401, 'InvalidToken', 'Access token is missing', { 'WWW-Authenticate': 'Bearer' })
  const exp = readToken(request.secret, 'directory', token)?.exp
  if (typeof exp !== 'number') {
    return refuse(401, 'InvalidToken', 'Access token is invalid', challenge('The signature is invalid'))
  }
  if (exp * 1000 > request.now) return exp * 1000
  const text = 'Access token has expired, resubmit with a new access token'
  return refuse(401, 'TokenExpired', text, challenge('The access token expired'))
}

const notFound = (what: string) => refuse(404, 'PowerBIEntityNotFound', `${what} is not found`)

function odata(kind: string, body: object): Reply {
  return {
    status: 200,
    body: { '@odata.context': `http://api.powerbi.com/v1.0/myorg/$metadata#${kind}`, ...body },
  }
}

/**
 * GET groups, with `$top` or `$filter=id eq '…'`; no other filter is known here
 * (learn.microsoft.com/rest/api/power-bi/groups/get-groups).
 */
function listWorkspaces(search: URLSearchParams): Reply {
  const filter = search.get('$filter')
  const wanted = /^id eq '([^']*)'$/.exec(filter ?? '')?.[1]?.toLowerCase()
  if (filter !== null && wanted === undefined)
    return refuse(400, 'InvalidRequest', `Unknown filter ${filter}`)
  const top = Number(search.get('$top') ?? Number.POSITIVE_INFINITY)
  const ids = emulatedWorkspaceIds().filter((id) => wanted === undefined || id === wanted)
  return odata('groups', { value: ids.slice(0, top).map(describeWorkspace) })
}

/** GET groups/{g}/reports (learn.microsoft.com/rest/api/power-bi/reports/get-reports-in-group). */
function listReports(workspaceId: string): Reply {
  return emulatedWorkspaceIds().includes(workspaceId.toLowerCase())
    ? odata('reports', { value: reportsOfWorkspace(workspaceId).map(describeReport) })
    : refuse(401, 'PowerBINotAuthorizedException', 'The caller is no member of the workspace')
}

interface Endpoint {
  method: string
  path: RegExp
  /** Which scripted faults it takes. */
  on: FaultTarget
  /** @param ids of the path, in lower case */
  answer: (request: RestRequest, ids: [group: string, id: string], directoryExpires: number) => Reply
}

/** Answers for the report, or the dataset, that lives in the path's workspace. */
const ofReport =
  (answer: (report: EmulatedReport) => Reply | undefined): Endpoint['answer'] =>
  (_, [group, id]) => {
    const report = reportOfId(id)
    return (report?.workspaceId === group && answer(report)) || notFound(`Report ${id}`)
  }
const ofDataset =
  (answer: (report: EmulatedReport, request: RestRequest) => Reply): Endpoint['answer'] =>
  (request, [group, id]) => {
    const report = reportOfDataset(id)
    return report && datasetWorkspaceOf(report) === group
      ? answer(report, request)
      : notFound(`Dataset ${id}`)
  }

function endpoint(call: string, on: FaultTarget, answer: Endpoint['answer']): Endpoint {
  const [method = '', path = ''] = call.split(' ')
  const pattern = new RegExp(`^/v1\\.0/myorg/${path.replaceAll('{id}', '([0-9a-zA-Z-]+)')}$`)
  return { method, path: pattern, on, answer }
}

const describeOne = ofReport((report) => odata('reports/$entity', describeReport(report)))
const listDatasources = ofReport((report) =>
  report.isPaginated ? odata('datasources', { value: describeDatasources(report) }) : undefined,
)
const describeItsDataset = ofDataset((report) => odata('datasets/$entity', describeDataset(report)))
const listRefreshes = ofDataset((_, { now, search }) =>
  odata('refreshes', { value: describeRefreshes(now, Number(search.get('$top') ?? 60)) }),
)

const ENDPOINTS: Endpoint[] = [
  endpoint('POST GenerateToken', 'generateToken', (request, _, directoryExpires) =>
    generateToken({ ...request, directoryExpires }),
  ),
  endpoint('GET groups', 'groups', ({ search }) => listWorkspaces(search)),
  endpoint('GET groups/{id}/reports', 'reports', (_, [group]) => listReports(group)),
  endpoint('GET groups/{id}/reports/{id}', 'report', describeOne),
  endpoint('GET groups/{id}/reports/{id}/datasources', 'datasources', listDatasources),
  endpoint('GET groups/{id}/datasets/{id}', 'dataset', describeItsDataset),
  endpoint('GET groups/{id}/datasets/{id}/refreshes', 'refreshes', listRefreshes),
]

/** Which scripted faults a path takes; undefined for the calls that cannot be scripted. */
export function faultTargetOf(path: string): FaultTarget | undefined {
  return ENDPOINTS.find((each) => each.path.test(path))?.on
}

/** The part of the Power BI REST API (v1.0) that embedding for customers needs, every answer with a RequestId. */
export function answerRestCall(request: RestRequest): Reply {
  const { method, path } = request
  const bearer = checkBearer(request)
  if (typeof bearer !== 'number') return bearer
  const found = ENDPOINTS.find((each) => each.path.test(path))
  const [, group = '', id = ''] = found?.path.exec(path) ?? []
  const reply =
    found?.method === method
      ? found.answer(request, [group.toLowerCase(), id.toLowerCase()], bearer)
      : refuse(404, 'ResourceNotFound', `No HTTP resource matches ${method} ${path}`)
  return { ...reply, headers: { RequestId: randomUUID(), ...reply.headers } }
}
