import { ProblemError } from '#server/http/problem-error.ts'
import type { Log } from '#server/log.ts'
import type { DirectoryTokens } from './directory-token.ts'
import {
  type CountCall,
  counted,
  type EffectiveIdentity,
  type EmbedToken,
  PassingFailure,
  PowerBiRefusal,
  type ReportRef,
} from './power-bi.ts'
import { DirectoryRefusal } from './refusals.ts'

const TRIES = 2
const ALL_TRIES_MS = 8_000
/** What is left for a second try when the first one stays silent. */
const SECOND_TRY_MS = 3_000
const MAX_PAUSE_MS = 2_000

/**
 * One call of the REST API; at most two tries.
 * @param path after /v1.0/myorg
 * @param budgetMs for all tries, 8 s unless said
 * @throws PowerBiRefusal for a definite 4xx, DirectoryRefusal, ProblemError power-bi-unavailable for anything that may pass
 */
export type PowerBiRest = (
  method: 'GET' | 'POST',
  path: string,
  body?: object,
  budgetMs?: number,
) => Promise<Record<string, unknown>>

interface RestOptions {
  /** 'https://api.powerbi.com', or the emulator's. */
  apiBase: string
  directory: DirectoryTokens
  countCall: CountCall
  log: Log
}

export function createPowerBiRest({ apiBase, directory, countCall, log }: RestOptions): PowerBiRest {
  async function tryOnce(
    {
      method,
      path,
      body,
      budgetMs,
    }: { method: string; path: string; body: object | undefined; budgetMs: number },
    overall: AbortSignal,
  ) {
    const token = await directory.read(overall)
    const send = () =>
      fetch(`${apiBase}/v1.0/myorg${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.any([overall, AbortSignal.timeout(budgetMs - SECOND_TRY_MS)]),
      })
    const reply = await counted(countCall, 'power-bi', send)
    const answer = objectOf(await reply.text())
    if (reply.ok && answer) return answer
    // It counts as a failure that may pass.
    if (reply.ok) throw new Error('Power BI answered without a JSON object')
    const requestId = reply.headers.get('requestid')
    log.warn({ method, path, status: reply.status, powerBiRequestId: requestId }, 'Power BI refused a call')
    // The directory token may have been revoked: the second try brings a new one.
    if (reply.status === 401) directory.forget(token)
    const retryAfter = Number(reply.headers.get('retry-after')) || undefined
    const refusal = refusalOf(reply, answer)
    // A paused capacity is told with all kinds of statuses and does not come back within seconds.
    const mayPass = (reply.status === 429 || reply.status >= 500) && refusal.code !== 'CapacityNotActive'
    if (mayPass) throw new PassingFailure(reply.status, retryAfter)
    throw refusal
  }

  return async (method, path, body, budgetMs = ALL_TRIES_MS) => {
    const overall = AbortSignal.timeout(budgetMs)
    for (let attempt = 1; ; attempt++) {
      try {
        return await tryOnce({ method, path, body, budgetMs }, overall)
      } catch (error) {
        const isLast = attempt >= TRIES || overall.aborted
        const isExpiredToken = error instanceof PowerBiRefusal && error.status === 401
        if (error instanceof ProblemError || error instanceof DirectoryRefusal) throw error
        if (error instanceof PowerBiRefusal && (isLast || !isExpiredToken)) throw error
        const retryAfterSeconds = error instanceof PassingFailure ? error.retryAfterSeconds : undefined
        const pauseMs = (retryAfterSeconds ?? 0.25) * 1000
        if (isLast || pauseMs > MAX_PAUSE_MS)
          throw new ProblemError('power-bi-unavailable', {
            retryAfterSeconds: retryAfterSeconds ?? 10,
            cause: error,
          })
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
    }
  }
}

/** The object that a reply is; the parser's own error would quote the text, which may hold a token. */
function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    // Proxies in between answer in HTML.
    return undefined
  }
}

/** The service's code stands in the body or, for some refusals, in a header alone. */
function refusalOf({ status, headers }: Response, body: Record<string, unknown> | undefined): PowerBiRefusal {
  const error = body?.error as { code?: unknown; message?: unknown } | null | undefined
  const code = error?.code ?? headers.get('x-powerbi-error-info') ?? ''
  // The gateway in front of the service says {"Message": "API is not accessible for application"}, without more.
  const message = error?.message ?? body?.Message ?? body?.message ?? ''
  return new PowerBiRefusal(status, String(code), String(message), headers.get('requestid'))
}

/** One segment of a path. '.' and '..' would climb out of it, however they are encoded. */
function segment(id: string): string {
  if (/^\.{0,2}$/.test(id)) throw new PowerBiRefusal(404, 'PowerBIEntityNotFound', `'${id}' is no id`, null)
  return encodeURIComponent(id)
}

export function reportPathOf(report: Pick<ReportRef, 'workspaceId' | 'reportId'>): string {
  return `/groups/${segment(report.workspaceId)}/reports/${segment(report.reportId)}`
}

export function datasetPathOf({ workspaceId, datasetId }: Model): string {
  return `/groups/${segment(workspaceId)}/datasets/${segment(datasetId)}`
}

/** A semantic model, by the workspace that it lives in, which need not be the report's. */
export interface Model {
  workspaceId: string
  datasetId: string
}

/** The report's name and the model that it shows (Power BI REST, 'Reports - Get Report In Group'). */
export async function readReport(rest: PowerBiRest, report: Pick<ReportRef, 'workspaceId' | 'reportId'>) {
  const { name, datasetId, datasetWorkspaceId } = await rest('GET', reportPathOf(report))
  if (typeof datasetId !== 'string') throw unreadable('report without datasetId')
  const workspaceId = typeof datasetWorkspaceId === 'string' ? datasetWorkspaceId : report.workspaceId
  return { name: typeof name === 'string' ? name : null, model: { workspaceId, datasetId } }
}

/** Whether the dataset has row-level security. */
export async function readNeedsIdentity(rest: PowerBiRest, datasetPath: string): Promise<boolean> {
  const dataset = await rest('GET', datasetPath)
  return dataset.isEffectiveIdentityRequired === true
}

/**
 * Whether the workspace is on a capacity of its own, without which the service gives trial tokens alone (Power BI
 * REST, 'Groups - Get Groups'); undefined when the service does not tell.
 */
export async function readHasCapacity(rest: PowerBiRest, workspaceId: string): Promise<boolean | undefined> {
  const filter = encodeURIComponent(`id eq '${workspaceId}'`)
  const { value } = await rest('GET', `/groups?$filter=${filter}`)
  const [group] = (Array.isArray(value) ? value : []) as ({ isOnDedicatedCapacity?: unknown } | null)[]
  return typeof group?.isOnDedicatedCapacity === 'boolean' ? group.isOnDedicatedCapacity : undefined
}

/**
 * When the dataset was last refreshed, of its ten newest refreshes; null when none is over or the service does
 * not tell (GET refreshes, Power BI REST). Needs more than viewing: docs/power-bi.md.
 */
export async function readLastRefresh(rest: PowerBiRest, datasetPath: string): Promise<Date | null> {
  const { value } = await rest('GET', `${datasetPath}/refreshes?$top=10`)
  const refreshes = (Array.isArray(value) ? value : []) as ({ status?: unknown; endTime?: unknown } | null)[]
  const ends = refreshes
    .filter((refresh) => refresh?.status === 'Completed')
    .map((refresh) => Date.parse(String(refresh?.endTime)))
    .filter((end) => !Number.isNaN(end))
  return ends.length === 0 ? null : new Date(Math.max(...ends))
}

interface TokenWish {
  reportId: string
  datasetId: string
  identity: EffectiveIdentity | undefined
  minutes: number
  /** For all tries, in milliseconds. */
  budgetMs?: number
}

/**
 * Asks for a view-only token, also for a model in another workspace (Power BI REST, 'Embed Token - Generate Token');
 * without an identity only for a dataset without row-level security. The service does not ask whether report and
 * dataset belong together: the caller must know.
 */
export async function requestEmbedToken(
  rest: PowerBiRest,
  { reportId, datasetId, identity, minutes, budgetMs }: TokenWish,
): Promise<EmbedToken> {
  const body = {
    datasets: [{ id: datasetId }],
    reports: [{ id: reportId }],
    lifetimeInMinutes: minutes,
    ...(identity && { identities: [{ ...identity, datasets: [datasetId] }] }),
  }
  const { token, expiration } = await rest('POST', '/GenerateToken', body, budgetMs)
  const expiresAt = Date.parse(String(expiration))
  if (typeof token !== 'string' || token === '' || Number.isNaN(expiresAt)) throw unreadable('no token')
  return { token, expiresAt }
}

/** An answer that does not come, or not in the form that it should have. */
export function unreadable(what: string): ProblemError {
  return new ProblemError('power-bi-unavailable', { retryAfterSeconds: 10, cause: new Error(what) })
}
