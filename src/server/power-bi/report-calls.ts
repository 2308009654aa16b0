import { ProblemError } from '#server/http/problem-error.ts'
import { PowerBiRefusal } from './failures.ts'
import type { EffectiveIdentity, EmbedToken, ReportRef } from './power-bi.ts'
import type { PowerBiRest } from './power-bi-rest.ts'

/** One segment of a path. '.' and '..' would climb out of it, however they are encoded. */
function segment(id: string): string {
  if (/^\.{0,2}$/.test(id)) throw new PowerBiRefusal(404, 'PowerBIEntityNotFound', `'${id}' is no id`, null)
  return encodeURIComponent(id)
}

export function reportPathOf(report: ReportRef): string {
  return `/groups/${segment(report.workspaceId)}/reports/${segment(report.reportId)}`
}

export function datasetPathOf(report: ReportRef, datasetId: string): string {
  return `/groups/${segment(report.workspaceId)}/datasets/${segment(datasetId)}`
}

/** The report's name and the dataset that it shows. */
export async function readReport(rest: PowerBiRest, reportPath: string) {
  const { name, datasetId } = await rest.call('GET', reportPath)
  if (typeof datasetId !== 'string') throw unreadable('report without datasetId')
  return { name: typeof name === 'string' ? name : null, datasetId }
}

/** Whether the dataset has row-level security. */
export async function readNeedsIdentity(rest: PowerBiRest, datasetPath: string): Promise<boolean> {
  const dataset = await rest.call('GET', datasetPath)
  return dataset.isEffectiveIdentityRequired === true
}

/**
 * When the dataset was last refreshed, of its ten newest refreshes; null when none is over or the service does
 * not tell (GET refreshes, Power BI REST). Needs more than viewing: docs/power-bi.md.
 */
export async function readLastRefresh(rest: PowerBiRest, datasetPath: string): Promise<Date | null> {
  const { value } = await rest.call('GET', `${datasetPath}/refreshes?$top=10`)
  const refreshes = (Array.isArray(value) ? value : []) as ({ status?: unknown; endTime?: unknown } | null)[]
  const ends = refreshes
    .filter((refresh) => refresh?.status === 'Completed')
    .map((refresh) => Date.parse(String(refresh?.endTime)))
    .filter((end) => !Number.isNaN(end))
  return ends.length === 0 ? null : new Date(Math.max(...ends))
}

/** Asks for a view-only token; without an identity only for a dataset without row-level security. */
export async function requestEmbedToken(
  rest: PowerBiRest,
  reportPath: string,
  wanted: { datasetId: string; identity: EffectiveIdentity | undefined; minutes: number },
): Promise<EmbedToken> {
  const { datasetId, identity, minutes } = wanted
  const { token, expiration } = await rest.call('POST', `${reportPath}/GenerateToken`, {
    accessLevel: 'View',
    datasetId,
    lifetimeInMinutes: minutes,
    ...(identity && { identities: [{ ...identity, datasets: [datasetId] }] }),
  })
  const expiresAt = Date.parse(String(expiration))
  if (typeof token !== 'string' || token === '' || Number.isNaN(expiresAt)) throw unreadable('no token')
  return { token, expiresAt }
}

/** An answer that does not come, or not in the form that it should have. */
export function unreadable(what: string): ProblemError {
  return new ProblemError('power-bi-unavailable', { retryAfterSeconds: 10, cause: new Error(what) })
}
