import { sql } from 'kysely'
import type { ReplyOf } from '#contract/route.ts'
import { VIEW_AS_MINUTES, type viewAsRoutes } from '#contract/view-as.ts'
import { runAdminTransaction } from '#server/http/admin-transaction.ts'
import type { Context } from '#server/http/context.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { recordAudit } from '#server/operations/audit.ts'
import type { ReportRef } from '#server/power-bi/power-bi.ts'
import { lockProfile } from '#server/users/user-queries.ts'
import { type EmbedTokenContext, issueEmbedToken } from './issue-embed-token.ts'
import { findReader, readOwnReports } from './own-reports.ts'

const VIEW_MS = VIEW_AS_MINUTES * 60_000

/**
 * Starts a 'view as' of another person's reports, for 15 minutes. Its audit entry is its only record.
 * @throws ProblemError not-found
 */
export function readViewedReports(
  context: Context,
  userId: string,
): Promise<ReplyOf<typeof viewAsRoutes.readReportsOf>> {
  return runAdminTransaction(context, async (db) => {
    const txContext = { ...context, db }
    // Entries written during a deletion would keep the address.
    await lockProfile(db, userId)
    const person = await findReader(txContext, userId)
    const { profile } = person
    await recordAudit(txContext, { action: 'viewed-as', target: profile })
    const { id } = await db
      .selectFrom('audit_entries')
      .select('id')
      .where('request_id', '=', context.request.requestId)
      .where('actor_id', '=', context.actor.profile.user_id)
      .where('action', '=', 'viewed-as')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow()
    const reports = await readOwnReports(db, person)
    return {
      ...reports,
      // An SSO link would show the administrator's own data.
      areas: reports.areas.map(({ reports = [], ...area }) => ({
        ...area,
        reportUrl: null,
        reports: reports.map((report) => ({ ...report, reportUrl: null })),
      })),
      email: profile.email,
      full_name: profile.full_name,
      view: String(id),
      endsAt: new Date(context.clock() + VIEW_MS).toISOString(),
    }
  })
}

/**
 * Issues an embed token with the viewed person's identity that expires with the view.
 * @throws ProblemError view-ended, not-found, not-approved, and as issueEmbedToken does
 */
export async function issueViewToken(
  context: EmbedTokenContext,
  { userId, view, ...wanted }: { userId: string; view: string } & ReportRef,
) {
  const endsAt = await readViewEnd(context, { userId, view })
  const person = await findReader(context, userId)
  if (!person.approved) throw new ProblemError(person.accessEnded ? 'access-ended' : 'not-approved')
  return issueEmbedToken(context, person, wanted, { id: view, endsAt })
}

/** @returns ms since the epoch. @throws ProblemError view-ended for a past or foreign view */
async function readViewEnd(
  { db, clock, actor }: Context,
  { userId, view }: { userId: string; view: string },
): Promise<number> {
  const entry = await db
    .selectFrom('audit_entries')
    .select('at')
    .where('id', '=', sql<number>`${view}::bigint`)
    .where('action', '=', 'viewed-as')
    .where('actor_id', '=', actor.profile.user_id)
    .where('target_id', '=', userId)
    .executeTakeFirst()
  const endsAt = (entry?.at.getTime() ?? 0) + VIEW_MS
  if (endsAt <= clock()) throw new ProblemError('view-ended')
  return endsAt
}
