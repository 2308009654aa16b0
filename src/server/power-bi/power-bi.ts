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
}

/** What a dry run found. */
export interface ReportTest {
  outcome: Exclude<ReportTestOutcome, 'not-testable'>
  /** Null when the service was not asked that far. */
  reportName: string | null
  /** When the dataset was last refreshed; null when the service does not tell. */
  refreshedAt: Date | null
  /** The service's own code of a refusal that has no outcome of its own. */
  code: string | null
}

/** The Power BI service, as far as the portal needs it. */
export interface PowerBi {
  /**
   * Issues a view-only embed token for one report and one identity.
   * @throws ProblemError power-bi-rejected (a setting is wrong), power-bi-unavailable (try later)
   */
  generateEmbedToken(report: ReportRef, identity: EffectiveIdentity): Promise<EmbedToken>
  /**
   * Goes the same way from the credentials to the token with nothing remembered, throws the token away and
   * says where it stopped. Takes 8 s at most and never fails: what goes wrong is the answer.
   */
  testReport(report: ReportRef, identity: EffectiveIdentity): Promise<ReportTest>
}
