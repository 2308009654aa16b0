import { randomUUID } from 'node:crypto'
import {
  EMULATED_RLS_ROLE,
  EMULATED_SSO_REPORT,
  type EmulatedReport,
  findReport,
  findReportByDataset,
} from '#emulators/power-bi/catalogue.ts'
import { isObject, type Reply, refuse } from '#emulators/power-bi/reply.ts'
import { describeDataset } from './describe-report.ts'
import { signToken } from './signed-token.ts'

const CONTEXT =
  'http://api.powerbi.com/v1.0/myorg/$metadata#Microsoft.PowerBI.ServiceContracts.Api.V1.GenerateTokenResponse'

/** The input of GenerateToken; times in ms since the epoch, lifetime in seconds. */
export interface TokenRequest {
  body: unknown
  secret: string
  now: number
  /** The expiry of the caller's directory token, which an embed token cannot outlive. */
  directoryExpires: number
  /** A scripted lifetime, which overrides all others. */
  lifeS?: number | undefined
}

/** Public projects quote it for Direct Lake and other sources with single sign-on. */
const SSO_REFUSAL = 'Creating embed token with effective identity is not supported for this datasource'

const createBadRequest = (message: string) => refuse(400, 'InvalidRequest', message)

/** Computes the expiry in seconds since the epoch; undefined for an invalid lifetime. */
function computeExpiry(request: TokenRequest, lifetime: unknown): number | undefined {
  const isAbsent = lifetime === undefined || lifetime === null
  if (!isAbsent && (!Number.isInteger(lifetime) || (lifetime as number) < 0)) return undefined
  if (request.lifeS !== undefined) return Math.floor(request.now / 1000 + request.lifeS)
  // As in the service, 0 and longer lifetimes are limited to the directory token's.
  const asked =
    isAbsent || lifetime === 0 ? Number.POSITIVE_INFINITY : request.now + (lifetime as number) * 60_000
  return Math.floor(Math.min(asked, request.directoryExpires) / 1000)
}

function resolveIds(
  list: unknown,
  find: (id: string) => EmulatedReport | undefined,
): EmulatedReport[] | undefined {
  if (!Array.isArray(list)) return undefined
  const found = list.map((each) =>
    isObject(each) && typeof each.id === 'string' ? find(each.id) : undefined,
  )
  return found.every((report) => report !== undefined) ? found : undefined
}

/** Implements POST GenerateToken (V2); like the real one it does not match reports with datasets. */
export function generateToken(request: TokenRequest): Reply {
  const fields = request.body
  if (!isObject(fields)) return createBadRequest('The request body is not a JSON object')
  const { reports: reportList = [], datasets: datasetList = [], identities = [] } = fields
  const isEmpty = (list: unknown) => Array.isArray(list) && list.length === 0
  if (isEmpty(reportList) && isEmpty(datasetList)) return createBadRequest('reports or datasets are required')
  const reports = resolveIds(reportList, findReport)
  const datasets = resolveIds(datasetList, findReportByDataset)
  if (!reports || !datasets) return refuse(404, 'PowerBIEntityNotFound')
  // learn.microsoft.com/power-bi/paginated-reports/paginated-reports-embed, 'Token considerations'
  const isReadOnly = (datasetList as { xmlaPermissions?: unknown }[]).every(
    ({ xmlaPermissions }) => xmlaPermissions === 'ReadOnly',
  )
  if (reports.some(({ isPaginated }) => isPaginated) && !isReadOnly)
    return createBadRequest('Datasets of a paginated report require xmlaPermissions ReadOnly')
  if (!Array.isArray(identities) || !identities.every(isObject))
    return createBadRequest('identities must be a list')
  if (datasets.includes(EMULATED_SSO_REPORT) && identities.length > 0)
    return refuse(403, 'InvalidRequest', SSO_REFUSAL)
  const error = checkIdentities(datasets.map(describeDataset), identities)
  if (error) return createBadRequest(error)
  const exp = computeExpiry(request, fields.lifetimeInMinutes)
  if (exp === undefined) return createBadRequest('lifetimeInMinutes must be a whole number')
  const tokenId = randomUUID()
  const reportIds = reports.map(({ reportId }) => reportId)
  const datasetIds = datasets.map(({ datasetId }) => datasetId)
  const isEdit = (reportList as { allowEdit?: unknown }[]).some(({ allowEdit }) => allowEdit === true)
  const token = signToken(request.secret, 'embed', {
    tokenId,
    reportId: reportIds[0],
    datasetId: datasetIds[0],
    reportIds,
    datasetIds,
    accessLevel: isEdit ? 'Edit' : 'View',
    identities,
    iat: Math.floor(request.now / 1000),
    exp,
  })
  const expiration = new Date(exp * 1000).toISOString().replace('.000Z', 'Z')
  return { status: 200, body: { '@odata.context': CONTEXT, token, tokenId, expiration } }
}

type DatasetSecurity = ReturnType<typeof describeDataset>

/** An unvalidated effective identity. */
type Identity = Record<string, unknown>

const isTextList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')

function checkIdentity(identity: Identity, allowed: readonly DatasetSecurity[]): string | undefined {
  const { username, roles = [], datasets, reports, customData, auditableContext } = identity
  if (typeof username !== 'string' || username === '') return 'Effective identity: username is required'
  if (!/^[\x21-\x7e]{1,256}$/.test(username)) {
    return 'Effective identity: username must be at most 256 ASCII characters without spaces'
  }
  if (auditableContext !== undefined && typeof auditableContext !== 'string') {
    return 'Effective identity: auditableContext must be a string'
  }
  // An identity for a paginated report names the report instead.
  if (datasets === undefined && isTextList(reports) && reports.length > 0) return undefined
  if (!isTextList(datasets) || datasets.length === 0) return 'Effective identity: datasets are required'
  if (!isTextList(roles) || roles.length > 50 || !roles.every((role) => /^[^,]{1,50}$/.test(role))) {
    return 'Effective identity: roles must be at most 50 of at most 50 characters, without commas'
  }
  if (customData !== undefined && typeof customData !== 'string') {
    return 'Effective identity: customData must be a string'
  }
  const unknown = roles.find((role) => role !== EMULATED_RLS_ROLE)
  if (unknown !== undefined) return `Effective identity: role '${unknown}' does not exist in the dataset`
  const unknownId = datasets.find((id) => !allowed.some((dataset) => dataset.id === id.toLowerCase()))
  return unknownId && `Effective identity names dataset ${unknownId}, which the token is not for`
}

function checkDataset(dataset: DatasetSecurity, identities: readonly Identity[]): string | undefined {
  const own = identities.filter(({ datasets }) =>
    (datasets as string[] | undefined)?.some((id) => id.toLowerCase() === dataset.id),
  )
  const intro = `Creating embed token for accessing dataset ${dataset.id}`
  if (!dataset.isEffectiveIdentityRequired) {
    return own.length > 0 ? `${intro} shouldn't have effective identity` : undefined
  }
  if (own.length === 0) return `${intro} requires effective identity to be provided`
  if (own.length > 1) return `${intro} requires one effective identity, ${own.length} were provided`
  const hasRoles = isTextList(own[0]?.roles) && own[0].roles.length > 0
  if (dataset.isEffectiveIdentityRolesRequired && !hasRoles) {
    return `${intro} requires roles to be included in provided effective identity`
  }
  return undefined
}

/**
 * Returns the error of these identities for these datasets: row-level security requires an identity
 * and vice versa, names and roles have limits (Power BI REST, EffectiveIdentity).
 */
export function checkIdentities(datasets: readonly DatasetSecurity[], identities: readonly Identity[]) {
  const error = identities.map((identity) => checkIdentity(identity, datasets)).find(Boolean)
  return error ?? datasets.map((dataset) => checkDataset(dataset, identities)).find(Boolean)
}
