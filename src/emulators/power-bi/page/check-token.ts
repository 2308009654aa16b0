import { EMULATED_REPORT_WITHOUT_RLS, type EmulatedReport } from '#emulators/power-bi/catalogue.ts'
import type { Scope } from '#emulators/power-bi/data-set-sums.ts'

/** The claims of an embed token; `exp` in seconds since the epoch. */
export interface TokenClaims {
  exp: number
  reportIds: string[]
  datasetIds: string[]
  identities: { datasets?: string[]; roles?: string[]; customData?: string }[]
}

/** The body of an `error` event. */
export interface ReportError {
  message: string
  detailedMessage: string
  errorCode: string
}

const createFailure = (detailedMessage: string, errorCode: string, message = 'LoadReportFailed') => {
  return { message, detailedMessage, errorCode }
}

/** Decodes an embed token; undefined when malformed. */
export function readClaims(token: string): TokenClaims | undefined {
  try {
    const [, payload = '', signature] = token.split('.')
    const bytes = Uint8Array.from(atob(payload.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0))
    const claims = JSON.parse(new TextDecoder().decode(bytes))
    if (!signature || typeof claims.exp !== 'number') return undefined
    const { exp, reportId, datasetId, identities = [] } = claims
    const { reportIds = [reportId], datasetIds = [datasetId] } = claims
    return { exp, reportIds, datasetIds, identities }
  } catch {
    return undefined
  }
}

/** Returns the error that prevents showing the report with this token. */
export function findTokenError(
  claims: TokenClaims | undefined,
  report: EmulatedReport | undefined,
): ReportError | undefined {
  if (!claims) return createFailure('Invalid embed token', '403')
  if (claims.exp * 1000 <= Date.now())
    return createFailure('Access token has expired, resubmit with a new access token', '403', 'TokenExpired')
  if (!report) return createFailure('Report not found', '404')
  if (!claims.reportIds.includes(report.reportId)) return createFailure('Report not in token', '404')
  if (!claims.datasetIds.includes(report.datasetId)) return createFailure('Dataset not in token', '403')
  return undefined
}

/**
 * Applies row-level security to the data: customData `M:FIAT|U:RJ` of the identity for the report's
 * dataset; nothing without one.
 */
export function toScope(data: Scope, claims: TokenClaims, report: EmulatedReport): Scope {
  if (report === EMULATED_REPORT_WITHOUT_RLS) return data
  const identity = claims.identities.find(({ datasets = [] }) =>
    datasets.some((id) => id.toLowerCase() === report.datasetId),
  )
  const path = identity?.customData?.split('|') ?? []
  return {
    marcas: data.marcas.filter((marca) => path.includes(`M:${marca}`)),
    estados: data.estados.filter((estado) => path.includes(`U:${estado}`)),
  }
}
