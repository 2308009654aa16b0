import type { Db } from '#server/database/schema.ts'
import type { RequestInfo } from '#server/http/request-info.ts'

/** Records that somebody signed in or was given a report: what the IT team answers "who saw what" from. */
export async function recordAccess(
  db: Db,
  access: { action: 'sign-in' | 'report'; userId: string; reportId?: string; request: RequestInfo; at: Date },
): Promise<void> {
  await db
    .insertInto('access_records')
    .values({
      at: access.at,
      user_id: access.userId,
      action: access.action,
      report_id: access.reportId ?? null,
      ip: access.request.ip,
      user_agent: access.request.userAgent,
      request_id: access.request.requestId,
    })
    .execute()
}
