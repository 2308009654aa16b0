import { sql } from 'kysely'
import type { Db } from '#server/database/schema.ts'
import type { RequestInfo } from '#server/http/request-info.ts'

/**
 * Records that somebody signed in or was given a report: what the IT team answers "who saw what" from. Of
 * somebody who is deleted at that moment nothing is written, because nobody would take the id out again.
 */
export async function recordAccess(
  db: Db,
  access: { action: 'sign-in' | 'report'; userId: string; reportId?: string; request: RequestInfo; at: Date },
): Promise<void> {
  const { ip, userAgent, requestId } = access.request
  await sql`
    insert into access_records (at, user_id, action, report_id, ip, user_agent, request_id)
    select ${access.at}::timestamptz, user_id, ${access.action}::text, ${access.reportId ?? null}::text,
      ${ip}::text, ${userAgent}::text, ${requestId}::text
    from profiles where user_id = ${access.userId}::uuid for key share`.execute(db)
}
