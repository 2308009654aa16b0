import type { AccessType } from '#contract/catalogue.ts'
import type { EmbedMode } from '#contract/report-settings.ts'
import { supportRoutes } from '#contract/support.ts'
import { callApi } from '#web/http/api.ts'
import type { EmbedFailure } from './embed-failure.ts'

/** The report that a failure is about. */
export interface FailedReport {
  area: string
  embedMode: EmbedMode
  reportId: string | null
}

/** Nothing that people write is this long without a space; a token is. */
const TOKEN_LIKE = /[\w+/=.-]{60,}/g

/**
 * Files a support message about a report that failed; who, marcas, estados and browser the server knows itself.
 * @throws ApiError, NetworkError
 */
export async function reportProblem(
  { area, embedMode, reportId }: FailedReport,
  seen: EmbedFailure,
): Promise<void> {
  const failure = [seen.title, seen.code].filter(Boolean).join(' · ').replace(TOKEN_LIKE, '…').slice(0, 200)
  const requestId = seen.requestId?.slice(0, 100) ?? null
  // The server refuses an area that is none of the nine.
  const body = { type: area as AccessType, embedMode, reportId: reportId || null, failure, requestId }
  await callApi(supportRoutes.reportProblem, { body })
}
