import { formatReportTitle } from '#contract/messages.ts'
import type { ReplyOf } from '#contract/route.ts'
import type { viewAsRoutes } from '#contract/view-as.ts'
import type { Context } from '#server/http/context.ts'
import { findReader, hasScope, readReports, readVisibleReports } from './own-reports.ts'

const MAX_OPENED = 5

/**
 * Reads which reports a person sees, or why none, and which were opened last. Records nothing.
 * @throws ProblemError not-found
 */
export async function readReportUse(
  context: Pick<Context, 'db' | 'clock'>,
  userId: string,
): Promise<ReplyOf<typeof viewAsRoutes.readReportUse>> {
  const { db } = context
  const person = await findReader(context, userId)
  const { catalogue, visible } = await readVisibleReports(db, person.profile)
  const hindrance = findHindrance()
  const opened = await db
    .selectFrom('access_records')
    .select(({ fn }) => ['report_id', fn.max('at').as('at')])
    .where('user_id', '=', userId)
    .where('action', '=', 'report-shown')
    .where('viewed_as', 'is', null)
    .groupBy('report_id')
    .orderBy('at', 'desc')
    .limit(MAX_OPENED)
    .execute()
  const { reports } = await readReports(db)
  return {
    hindrance,
    reports: hindrance === null ? visible.map(({ label, name }) => formatReportTitle(label, name)) : [],
    opened: opened.map(({ report_id, at }) => {
      const report = reports.find((each) => (each.report_id ?? each.id) === report_id)
      return {
        at: new Date(at).toISOString(),
        title: report ? formatReportTitle(report.label, report.name) : null,
      }
    }),
  }

  function findHindrance() {
    if (person.accessEnded) return 'access-ended'
    if (!person.approved) return 'not-approved'
    if (person.profile.types.length === 0) return 'no-types'
    if (visible.length === 0) return 'no-reports'
    if (hasScope(catalogue, person.profile)) return null
    return hasScope(catalogue, { ...person.profile, estados: catalogue.estados.map(({ code }) => code) })
      ? 'no-estados'
      : 'no-marcas'
  }
}
