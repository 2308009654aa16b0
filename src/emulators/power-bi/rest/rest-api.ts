import { randomUUID } from 'node:crypto'
import {
  datasetWorkspaceOf,
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
import { generateTokenForReport, generateTokenV2, type TokenRequest } from './generate-token.ts'
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

const ID = '([0-9a-zA-Z-]+)'
const GROUP = `^/v1\\.0/myorg/groups/${ID}`
const REPORTS = new RegExp(`${GROUP}/reports$`)
const REPORT = new RegExp(`${GROUP}/reports/${ID}$`)
const DATASOURCES = new RegExp(`${GROUP}/reports/${ID}/datasources$`)
const REPORT_TOKEN = new RegExp(`${GROUP}/reports/${ID}/GenerateToken$`)
const DATASET = new RegExp(`${GROUP}/datasets/${ID}$`)
const REFRESHES = new RegExp(`${GROUP}/datasets/${ID}/refreshes$`)
const GROUPS = /^\/v1\.0\/myorg\/groups$/
const TOKEN_V2 = /^\/v1\.0\/myorg\/GenerateToken$/

/** Which scripted faults a path takes; undefined for the calls that cannot be scripted. */
export function faultTargetOf(path: string): FaultTarget | undefined {
  if (REPORT_TOKEN.test(path) || TOKEN_V2.test(path)) return 'generateToken'
  if (REPORT.test(path)) return 'report'
  if (DATASOURCES.test(path)) return 'datasources'
  if (REFRESHES.test(path)) return 'refreshes'
  if (GROUPS.test(path)) return 'groups'
  if (REPORTS.test(path)) return 'reports'
  return DATASET.test(path) ? 'dataset' : undefined
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

/** The report or dataset of a path, when it lives in the path's workspace. */
function findReport(match: RegExpExecArray) {
  const report = reportOfId(match[2] ?? '')
  return report?.workspaceId === match[1]?.toLowerCase() ? report : undefined
}
function findDataset(match: RegExpExecArray) {
  const report = reportOfDataset(match[2] ?? '')
  return report && datasetWorkspaceOf(report) === match[1]?.toLowerCase() ? report : undefined
}

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

function answerGet(request: RestRequest): Reply {
  if (GROUPS.test(request.path)) return listWorkspaces(request.search)
  const reports = REPORTS.exec(request.path)
  if (reports) return listReports(reports[1] ?? '')
  const report = REPORT.exec(request.path)
  if (report) {
    const found = findReport(report)
    return found ? odata('reports/$entity', describeReport(found)) : notFound(`Report ${report[2]}`)
  }
  const datasources = DATASOURCES.exec(request.path)
  if (datasources) {
    const found = findReport(datasources)
    return found?.isPaginated
      ? odata('datasources', { value: describeDatasources(found) })
      : notFound(`Paginated report ${datasources[2]}`)
  }
  const dataset = DATASET.exec(request.path)
  const refreshes = REFRESHES.exec(request.path)
  const asked = dataset ?? refreshes
  if (!asked) return refuse(404, 'ResourceNotFound', `No HTTP resource matches ${request.path}`)
  const found = findDataset(asked)
  if (!found) return notFound(`Dataset ${asked[2]}`)
  return refreshes
    ? odata('refreshes', { value: describeRefreshes(request.now, Number(request.search.get('$top') ?? 60)) })
    : odata('datasets/$entity', describeDataset(found))
}

function answerPost(request: RestRequest, tokenRequest: TokenRequest): Reply {
  const match = REPORT_TOKEN.exec(request.path)
  if (match) {
    const report = findReport(match)
    return report ? generateTokenForReport(tokenRequest, report) : notFound(`Report ${match[2]}`)
  }
  if (TOKEN_V2.test(request.path)) return generateTokenV2(tokenRequest)
  return refuse(404, 'ResourceNotFound', `No HTTP resource matches ${request.path}`)
}

/** The part of the Power BI REST API (v1.0) that embedding for customers needs, every answer with a RequestId. */
export function answerRestCall(request: RestRequest): Reply {
  const bearer = checkBearer(request)
  if (typeof bearer !== 'number') return bearer
  const { body, secret, now, lifeS } = request
  const reply =
    request.method === 'GET'
      ? answerGet(request)
      : request.method === 'POST'
        ? answerPost(request, { body, secret, now, directoryExpires: bearer, lifeS })
        : refuse(405, 'MethodNotAllowed', `The resource does not support ${request.method}`)
  return { ...reply, headers: { RequestId: randomUUID(), ...reply.headers } }
}
