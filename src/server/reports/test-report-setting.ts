import type { Catalogue } from '#contract/catalogue.ts'
import { getValues } from '#contract/entitlement-lists.ts'
import { formatReportTitle, REFRESH_ENDS } from '#contract/messages.ts'
import type { ReportSettingInput, reportSettingsRoutes } from '#contract/report-settings.ts'
import type { ReplyOf } from '#contract/route.ts'
import { findFrameIssue, isPublishedToWeb } from '#contract/share-url.ts'
import { findArea, readCatalogue } from '#server/catalogue/catalogue.ts'
import type { ConsumeRateLimit } from '#server/http/rate-limits.ts'
import { formatInstant } from '#server/mail/compose-mail.ts'
import { describeFailure } from '#server/power-bi/classify-failure.ts'
import { isTemporary } from '#server/power-bi/outcomes.ts'
import type { PowerBi, ReportTest } from '#server/power-bi/power-bi.ts'
import { toEffectiveIdentity } from './issue-embed-token.ts'
import { readReports } from './own-reports.ts'
import { type ReportSettingContext, toSettingColumns } from './report-settings.ts'

const NOT_TESTABLE =
  'Links de SSO não podem ser testados pelo portal: cada pessoa entra com a própria conta Microsoft, então abra o link no navegador para conferir.'
const PUBLIC_LINK =
  'Atenção: este é um link público (Publicar na Web), que qualquer pessoa na internet abre sem senha.'

const NOT_FRAMED = 'Atenção: este link não abre dentro do portal.'

/** Allows two tests of every area of a large group. */
const LIMIT = { max: 40, windowSeconds: 60 }

export interface ReportTestContext extends ReportSettingContext {
  powerBi: PowerBi
  rlsRoles: string[]
  consumeRateLimit: ConsumeRateLimit
}

const NO_RESULT = {
  outcome: 'not-testable',
  isTemporary: false,
  reportName: null,
  refreshedAt: null,
  code: null,
  requestId: null,
  answer: null,
} as const

/**
 * Tests a setting, saved or not, without changing anything. The embed token is discarded, so it may
 * cover every brand and state, because an administrator may have none.
 * @throws ProblemError invalid-input, rate-limited
 */
export async function testReportSetting(
  context: ReportTestContext,
  { slug, input }: { slug: string; input: ReportSettingInput },
): Promise<ReplyOf<typeof reportSettingsRoutes.testReportSetting>> {
  const { powerBi, rlsRoles } = context
  const { profile } = context.actor
  const catalogue = await readCatalogue(context.db)
  findArea(catalogue, { slug })
  const { report_url, workspace_id, report_id, dataset_id } = toSettingColumns(input, context.powerBiHosts)
  if (report_url !== null) {
    const issue = findFrameIssue(report_url)?.kind
    const message = [
      NOT_TESTABLE,
      isPublishedToWeb(report_url) && PUBLIC_LINK,
      // A missing autoAuth is added when the report is shown.
      issue && issue !== 'sign-in' && NOT_FRAMED,
    ]
    return { ...NO_RESULT, message: message.filter(Boolean).join(' ') }
  }
  await context.consumeRateLimit(`test-report ${profile.user_id}`, LIMIT)
  const report = { workspaceId: workspace_id ?? '', reportId: report_id ?? '', datasetId: dataset_id }
  const test = await powerBi.testReport(report, buildFullIdentity(catalogue, profile.email, rlsRoles))
  return {
    outcome: test.outcome,
    isTemporary: isTemporary(test.outcome),
    message: describeReportTest(test, rlsRoles),
    reportName: test.reportName,
    refreshedAt: test.refreshedAt?.toISOString() ?? null,
    code: test.code,
    requestId: test.requestId,
    answer: test.answer,
  }
}

/**
 * Returns the test of every report, in tab order.
 * @param email the identity to test with
 */
export async function testSavedReports(
  { db, powerBi, rlsRoles }: Pick<ReportTestContext, 'db' | 'powerBi' | 'rlsRoles'>,
  email: string,
) {
  const { catalogue, reports } = await readReports(db)
  const identity = buildFullIdentity(catalogue, email, rlsRoles)
  return reports.map(({ label, name, workspace_id, report_id, dataset_id }) => ({
    title: formatReportTitle(label, name),
    async test() {
      if (workspace_id === null || report_id === null)
        return { outcome: 'not-testable', message: NOT_TESTABLE } as const
      const report = { workspaceId: workspace_id, reportId: report_id, datasetId: dataset_id }
      const test = await powerBi.testReport(report, identity)
      return { outcome: test.outcome, message: describeReportTest(test, rlsRoles) }
    },
  }))
}

function buildFullIdentity(catalogue: Catalogue, email: string, roles: string[]) {
  const [marcas, estados] = [getValues(catalogue, 'marcas'), getValues(catalogue, 'estados')]
  return toEffectiveIdentity(catalogue, { email, marcas, estados }, roles)
}

const CAPACITY_UNKNOWN =
  'Não foi possível saber se a capacidade do espaço de trabalho serve, porque o aplicativo do portal não a vê: o administrador da capacidade precisa dar a ele a permissão de colaborador. “Premium por usuário” não serve.'

/** Describes the outcome: the fault and who can fix it, or the report and its refresh. */
function describeReportTest(test: ReportTest, rlsRoles: readonly string[]): string {
  const { outcome, reportName, refreshedAt, certificateEndsAt, refreshEnd = 'failed' } = test
  const opens = `o relatório${reportName === null ? '' : ` “${reportName}”`} abre no portal`
  const refreshed = refreshedAt ? `, com dados atualizados em ${formatInstant(refreshedAt)}` : ''
  const ends = certificateEndsAt
    ? ` Atenção: a credencial do portal no Power BI vence em ${formatInstant(certificateEndsAt)}, e a equipe de TI precisa trocá-la antes.`
    : ''
  if (outcome === 'ok') return `Tudo certo: ${opens}${refreshed}.${ends}`
  if (outcome === 'capacity-unknown') return `O${opens.slice(1)}${refreshed}. ${CAPACITY_UNKNOWN}${ends}`
  if (outcome === 'refresh-failed') {
    const old = refreshedAt ? `, e os dados são de ${formatInstant(refreshedAt)}` : ''
    return `O${opens.slice(1)}, mas a última atualização dos dados ${REFRESH_ENDS[refreshEnd]}${old}: o administrador do Power BI precisa ver o motivo no histórico de atualizações do modelo.${ends}`
  }
  return describeFailure({ ...test, outcome }, { roles: rlsRoles, to: 'administrators' })
}
