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

/** The Power BI service, as far as the portal needs it. */
export interface PowerBi {
  /**
   * Issues a view-only embed token for one report and one identity.
   * @throws ProblemError power-bi-rejected (a setting is wrong), power-bi-unavailable (try later)
   */
  generateEmbedToken(report: ReportRef, identity: EffectiveIdentity): Promise<EmbedToken>
}
