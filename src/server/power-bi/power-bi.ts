import type { ReportTestOutcome } from '#contract/report-settings.ts'

/** A report as the settings name it. */
export interface ReportRef {
  workspaceId: string
  reportId: string
  /** Null when the setting does not say: the service is asked then. */
  datasetId: string | null
}

/** The row-level-security identity that a token is issued for. */
export interface EffectiveIdentity {
  username: string
  roles: string[]
  customData: string
}

export interface EmbedToken {
  token: string
  /** ms since the epoch */
  expiresAt: number
  /** Paginated reports live at /rdlEmbed. */
  isPaginated: boolean
}

/** What a dry run found. */
export interface ReportTest {
  outcome: Exclude<ReportTestOutcome, 'not-testable'>
  /** Null when the service was not asked that far. */
  reportName: string | null
  /** When the dataset was last refreshed; null when the service does not tell. */
  refreshedAt: Date | null
  /** The service's or the directory's own code of the refusal. */
  code: string | null
  /** The id of the refused request, which Microsoft's support asks for. */
  requestId: string | null
  /** When the portal's certificate ends, if that is soon. */
  certificateEndsAt: Date | null
}

export interface NamedItem {
  id: string
  name: string
}

export interface ListedReport extends NamedItem {
  /** Null for reports that show no single model. */
  datasetId: string | null
}

/** What the newest refreshes of a dataset tell. */
export interface LastRefresh {
  /** When the newest one that went well ended; null where the service does not tell. */
  refreshedAt: Date | null
  /** Whether the newest one that is over has failed. */
  hasFailed: boolean
}

/** The Power BI service, as far as the portal needs it. */
export interface PowerBi {
  /**
   * Issues a view-only embed token for one report and one identity, within 8 s; within 15 s when it is the first
   * on somebody's screen, because a cold capacity takes that long. It lives maxMinutes at most, where that is given.
   * @throws ProblemError power-bi-rejected (a setting is wrong), power-bi-unavailable and capacity-paused (try later)
   */
  generateEmbedToken(
    report: ReportRef,
    identity: EffectiveIdentity,
    options: { isFirst: boolean; maxMinutes?: number | undefined },
  ): Promise<EmbedToken>
  /**
   * @param isCheck asks the directory too, instead of using what it answered before
   * @throws ProblemError power-bi-rejected, power-bi-unavailable, capacity-paused
   */
  listWorkspaces(isCheck?: boolean): Promise<NamedItem[]>
  /** @throws ProblemError power-bi-rejected, power-bi-unavailable, capacity-paused */
  listReports(workspaceId: string): Promise<ListedReport[]>
  /** Asks the service at most once in ten minutes for each dataset; never fails. */
  readLastRefresh(report: ReportRef): Promise<LastRefresh>
  /**
   * Goes the same way from the credentials to the token with nothing remembered, throws the token away and
   * says where it stopped. Takes 8 s at most and never fails: what goes wrong is the answer.
   */
  testReport(report: ReportRef, identity: EffectiveIdentity): Promise<ReportTest>
}

/** What the service said when it refused: its status, its own code (or two) and message, and the id to quote to support. */
export class PowerBiRefusal extends Error {
  readonly status: number
  readonly code: string
  readonly requestId: string | null
  constructor(status: number, code: string, message: string, requestId: string | null) {
    super(message)
    this.status = status
    this.code = code
    this.requestId = requestId
  }
}

/** A failure that may pass by itself: 429 or 5xx, of the service or of the directory. */
export class TransientError extends Error {
  readonly status: number
  readonly retryAfterSeconds: number | undefined
  constructor(status: number, retryAfterSeconds: number | undefined) {
    super(`asked to try later with ${status}`)
    this.status = status
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Mostly a web page, where the service's JSON should be: a proxy, a firewall or a captive portal in between has answered. */
export class UnexpectedResponse extends Error {
  readonly host: string
  readonly status: number
  constructor(host: string, status: number) {
    super(`what came from ${host} with ${status} is no answer of Microsoft's`)
    this.host = host
    this.status = status
  }
}

/** 'directory' issues the portal's own token, 'power-bi' is the REST API. */
type UpstreamService = 'directory' | 'power-bi'
type UpstreamOutcome = 'ok' | 'refused' | 'throttled' | 'failed' | 'timeout' | 'unreachable'

/** Told of each call to an outside service, when its reply has been read or it fails. */
export type CountCall = (service: UpstreamService, outcome: UpstreamOutcome, ms: number) => void

/**
 * Makes a call, reads its reply and counts it by how it ends: the status, or the error that it rejects with.
 * @throws ForeignAnswer, and what the call throws
 */
export async function measureCall(
  countCall: CountCall,
  service: UpstreamService,
  call: () => Promise<Response>,
): Promise<{ reply: Response; text: string }> {
  const start = performance.now()
  try {
    const reply = await call()
    const text = await reply.text()
    // With these statuses the service's own gateways send pages too.
    const isTransient = reply.status === 429 || reply.status >= 500
    if (!isTransient && /^\s*</.test(text)) throw new UnexpectedResponse(new URL(reply.url).host, reply.status)
    countCall(service, classifyStatus(reply.status), performance.now() - start)
    return { reply, text }
  } catch (error) {
    const outcome = (error as Error).name === 'TimeoutError' ? 'timeout' : 'unreachable'
    countCall(service, outcome, performance.now() - start)
    throw error
  }
}

/** The object that a reply is; the parser's own error would quote the text, which may hold a token. */
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

function classifyStatus(status: number): UpstreamOutcome {
  if (status < 400) return 'ok'
  if (status === 429) return 'throttled'
  return status < 500 ? 'refused' : 'failed'
}
