import { ESTADOS, MARCAS } from '#contract/catalogue.ts'
import {
  isPublishedToWeb,
  type ReportSettingInput,
  type ReportTestOutcome,
} from '#contract/report-settings.ts'
import type { TakeFromLimit } from '#server/http/limits.ts'
import { writeInstant } from '#server/mail/compose-mail.ts'
import type { PowerBi, ReportTest } from '#server/power-bi/power-bi.ts'
import { effectiveIdentityOf } from './embed-token.ts'
import { columnsOf, type ReportSettingContext } from './report-settings.ts'

const NOT_TESTABLE =
  'Links de SSO não podem ser testados pelo portal: cada pessoa entra com a própria conta Microsoft, então abra o link no navegador para conferir.'
const PUBLIC_LINK =
  'Atenção: este é um link público (Publicar na Web), que qualquer pessoa na internet abre sem senha.'

const POWER_BI_ADMINISTRATOR = 'o administrador do Power BI precisa'
const PORTAL_ADMINISTRATOR = 'o administrador do portal precisa'
const IT_TEAM = 'a equipe de TI precisa'

type Sentences = Record<Exclude<ReportTest['outcome'], 'ok' | 'refused'>, (roles: string) => string>

/** What is wrong and who mends it, one sentence each. */
const SENTENCES: Sentences = {
  'bad-credentials': () =>
    `O Microsoft Entra recusou as credenciais do portal: ${IT_TEAM} renovar o segredo ou o certificado do aplicativo na configuração do servidor.`,
  'no-workspace-access': () =>
    `O portal não tem acesso a este espaço de trabalho: confira o Workspace ID e, se estiver certo, ${POWER_BI_ADMINISTRATOR} incluir o aplicativo do portal como membro.`,
  'report-not-found': () =>
    `O relatório não existe neste espaço de trabalho: ${PORTAL_ADMINISTRATOR} conferir o Report ID e o Workspace ID.`,
  'dataset-not-found': () =>
    `O modelo de dados não existe neste espaço de trabalho: ${PORTAL_ADMINISTRATOR} conferir o Dataset ID ou deixá-lo em branco.`,
  'dataset-mismatch': () =>
    `O relatório usa outro modelo de dados: ${PORTAL_ADMINISTRATOR} corrigir o Dataset ID ou deixá-lo em branco.`,
  'identity-required': (roles) =>
    `O modelo exige a identidade de quem o vê e não aceitou a do portal: ${IT_TEAM} conferir se ${roles} é o que o modelo espera em POWERBI_RLS_ROLES.`,
  'identity-forbidden': (roles) =>
    `O modelo não aceita identidade e mostraria tudo a todos: ${POWER_BI_ADMINISTRATOR} publicá-lo com ${roles} de segurança em nível de linha (RLS).`,
  'unknown-role': (roles) =>
    `O modelo não conhece ${roles}: ${POWER_BI_ADMINISTRATOR} criar essa função de segurança em nível de linha (RLS) no modelo.`,
  'without-rls': (roles) =>
    `O modelo não tem segurança em nível de linha (RLS) e mostraria tudo a todos: ${POWER_BI_ADMINISTRATOR} criar nele ${roles}.`,
  'capacity-paused': () =>
    `A capacidade do Power BI deste espaço de trabalho está pausada: ${POWER_BI_ADMINISTRATOR} retomá-la.`,
  'rate-limited': () =>
    'O Power BI pediu uma pausa por excesso de pedidos: espere alguns minutos e teste de novo.',
  'service-down': () => 'O Power BI não respondeu como devia: espere alguns minutos e teste de novo.',
}

const LIMIT = { max: 10, windowSeconds: 60 }

export interface ReportTestContext extends ReportSettingContext {
  powerBi: PowerBi
  rlsRoles: string[]
  takeFromLimit: TakeFromLimit
}

interface ReportTestReply {
  outcome: ReportTestOutcome
  message: string
  reportName: string | null
  refreshedAt: string | null
}

/**
 * Tries a setting out, saved or not, without changing anything. The embed token that it asks for is thrown
 * away, so it may be one for every brand and state, which is also right for an administrator who has none.
 * @throws ProblemError invalid-input, rate-limited
 */
export async function testReportSetting(
  context: ReportTestContext,
  input: ReportSettingInput,
): Promise<ReportTestReply> {
  const { powerBi, rlsRoles } = context
  const { profile } = context.actor
  const { report_url, workspace_id, report_id, dataset_id } = columnsOf(input, context.powerBiHosts)
  if (report_url !== null) {
    const message = isPublishedToWeb(report_url) ? `${NOT_TESTABLE} ${PUBLIC_LINK}` : NOT_TESTABLE
    return { outcome: 'not-testable', message, reportName: null, refreshedAt: null }
  }
  await context.takeFromLimit(`test-report ${profile.user_id}`, LIMIT)
  const report = { workspaceId: workspace_id ?? '', reportId: report_id ?? '', datasetId: dataset_id }
  const everything = { email: profile.email, marcas: [...MARCAS], estados: [...ESTADOS] }
  const test = await powerBi.testReport(report, effectiveIdentityOf(everything, rlsRoles))
  return {
    outcome: test.outcome,
    message: describeReportTest(test, rlsRoles),
    reportName: test.reportName,
    refreshedAt: test.refreshedAt?.toISOString() ?? null,
  }
}

/**
 * Tells the outcome of a dry run in one plain sentence: what is wrong and who mends it, or, when all is good,
 * the report's name and, where the service told it, when its data were last refreshed.
 */
function describeReportTest(test: ReportTest, rlsRoles: readonly string[]): string {
  if (test.outcome === 'ok') {
    const name = test.reportName === null ? 'o relatório' : `o relatório “${test.reportName}”`
    const refreshed = test.refreshedAt ? `, com dados atualizados em ${writeInstant(test.refreshedAt)}` : ''
    return `Tudo certo: ${name} abre no portal${refreshed}.`
  }
  if (test.outcome === 'refused') {
    const code = test.code ? ` com o código ${test.code}` : ''
    return `O Power BI recusou o relatório${code}: ${POWER_BI_ADMINISTRATOR} verificar o motivo no serviço.`
  }
  const roles = new Intl.ListFormat('pt-BR').format(rlsRoles.map((role) => `“${role}”`))
  return SENTENCES[test.outcome](rlsRoles.length === 1 ? `a função ${roles}` : `as funções ${roles}`)
}
