import type { REFRESH_ENDS } from '#contract/messages.ts'
import type { ExportFormat } from '#contract/report-exports.ts'
import type { Failure } from './classify-failure.ts'
import { ProxyReply } from './failures.ts'
import { OUTCOMES } from './outcomes.ts'

/** A report's ids from its setting. */
export interface ReportRef {
  workspaceId: string
  reportId: string
  /** Null to use the report's own dataset. */
  datasetId: string | null
}

/** The row-level-security identity that a token is issued for. */
export interface EffectiveIdentity {
  username: string
  roles: string[]
  customData: string
  /** Names the person who looks in Microsoft's own audit record. */
  auditableContext: string
}

export interface EmbedToken {
  token: string
  /** ms since the epoch */
  expiresAt: number
  /** Paginated reports are embedded at /rdlEmbed. */
  isPaginated: boolean
}

/** The result of a report test; `code` and the rest are of a failed call. */
export interface ReportTest extends Omit<Failure, 'outcome'> {
  outcome: Failure['outcome'] | 'ok' | 'capacity-unknown' | 'refresh-failed'
  /** Null when the test failed before. */
  reportName: string | null
  /** The last refresh of the dataset; null when unknown. */
  refreshedAt: Date | null
  /** The end of the portal's certificate or secret, if it is soon. */
  certificateEndsAt: Date | null
  /** How the last refresh ended, of the outcome 'refresh-failed' alone. */
  refreshEnd?: RefreshEnd
}

export interface NamedItem {
  id: string
  name: string
}

export interface ListedReport extends NamedItem {
  /** Null for reports without a single model. */
  datasetId: string | null
}

export type RefreshEnd = keyof typeof REFRESH_ENDS

/** The state of a dataset's newest refreshes. */
export interface LastRefresh {
  /** The end of the newest successful refresh; null when unknown. */
  refreshedAt: Date | null
  /** How and when the newest finished refresh ended, if not well, and the service's code. */
  failure: { how: RefreshEnd; at: Date; code: string | null } | null
  /** The start of a refresh that the service does not list as finished. */
  runningSince: Date | null
}

/** How far an export is in the service. */
export interface ExportState {
  status: 'running' | 'done' | 'failed'
  percent: number
  /** Of a failed one: the service was busy, and a new one may succeed after this pause. */
  retryAfterSeconds?: number | undefined
}

/** The port to the Power BI service. */
export interface PowerBi {
  /**
   * Issues a view-only embed token for one report and identity, within 8 s, or 15 s for the first on
   * a screen, because a cold capacity takes that long.
   * @throws ProblemError power-bi-rejected (fix settings), power-bi-unavailable, capacity-paused (retry)
   */
  generateEmbedToken(
    report: ReportRef,
    identity: EffectiveIdentity,
    options: { isFirst: boolean; maxMinutes?: number | undefined },
  ): Promise<EmbedToken>
  /**
   * @param isCheck bypasses the cached directory token
   * @throws ProblemError power-bi-rejected, power-bi-unavailable, capacity-paused
   */
  listWorkspaces(isCheck?: boolean): Promise<NamedItem[]>
  /** @throws ProblemError power-bi-rejected, power-bi-unavailable, capacity-paused */
  listReports(workspaceId: string): Promise<ListedReport[]>
  /** Cached for ten minutes per dataset; never fails. */
  readLastRefresh(report: ReportRef): Promise<LastRefresh>
  /**
   * Reads the newest refreshes without a cache; undefined where the service refuses them.
   * @throws ProblemError power-bi-unavailable, capacity-paused
   */
  readRefresh(report: ReportRef): Promise<LastRefresh | undefined>
  /**
   * Starts a refresh of the report's model; returns why none was started.
   * @throws ProblemError power-bi-rejected, power-bi-unavailable, capacity-paused
   */
  startRefresh(
    report: ReportRef,
  ): Promise<{ outcome: 'refresh-running' | 'no-write-permission'; message: string } | undefined>
  /**
   * Runs all steps from credentials to token without caches, and returns the first failure. Takes at
   * most 8 s and never throws.
   */
  testReport(report: ReportRef, identity: EffectiveIdentity): Promise<ReportTest>
  /**
   * Starts an export of a report with row-level security.
   * @param wanted.state a captured state; null as published
   * @returns the service's id
   * @throws ProblemError power-bi-rejected, power-bi-unavailable, capacity-paused
   */
  startExport(
    report: ReportRef,
    identity: EffectiveIdentity,
    wanted: { format: ExportFormat; state: string | null },
  ): Promise<string>
  /** @throws ProblemError power-bi-rejected, power-bi-unavailable, capacity-paused */
  readExport(report: ReportRef, exportId: string): Promise<ExportState>
  /**
   * Opens the file of a finished export; undefined when the service has it no more.
   * @throws ProblemError power-bi-unavailable
   */
  openExportFile(
    report: ReportRef,
    exportId: string,
  ): Promise<{ body: ReadableStream<Uint8Array>; type: string } | undefined>
  /** Returns the end of the certificate, or of the secret where the settings name it. */
  readCertificateEnd(): Promise<Date | undefined>
}

/** 'directory' issues the portal's own token, 'power-bi' is the REST API. */
type UpstreamService = 'directory' | 'power-bi'
type UpstreamOutcome = 'ok' | 'refused' | 'throttled' | 'failed' | 'timeout' | 'unreachable'

/** Called after each call to an outside service. */
export type CountCall = (service: UpstreamService, outcome: UpstreamOutcome, ms: number) => void

/** Makes a call, reads its reply and counts its outcome. @throws ProxyReply, the call's error */
export async function measureCall(
  countCall: CountCall,
  service: UpstreamService,
  call: () => Promise<Response>,
): Promise<{ reply: Response; text: string }> {
  const start = performance.now()
  try {
    const reply = await call()
    const text = await reply.text()
    // With these statuses Microsoft's gateways send pages too.
    const isTransient = reply.status === 429 || reply.status >= 500
    if (!isTransient && /^\s*</.test(text)) throw new ProxyReply(new URL(reply.url).host, reply.status)
    const words = `${reply.headers.get('x-powerbi-error-info')} ${text}`
    countCall(service, classifyStatus(reply.status, words), performance.now() - start)
    return { reply, text }
  } catch (error) {
    const outcome = (error as Error).name === 'TimeoutError' ? 'timeout' : 'unreachable'
    countCall(service, outcome, performance.now() - start)
    throw error
  }
}

/** Parses a JSON object or returns undefined: the parser's error would quote the text, and its secrets. */
export function parseJsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** @param words of the reply: an overloaded capacity may answer 400 */
export function classifyStatus(status: number, words = ''): UpstreamOutcome {
  if (status < 400) return 'ok'
  if (status === 429 || OUTCOMES['capacity-overloaded'].words?.test(words)) return 'throttled'
  return status < 500 ? 'refused' : 'failed'
}
