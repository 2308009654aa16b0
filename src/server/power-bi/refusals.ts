import { ProblemError } from '#server/http/problem-error.ts'
import { PassingFailure, PowerBiRefusal, type ReportTest } from './power-bi.ts'

/** What was asked for when the service refused. */
export type Step = 'workspaces' | 'report' | 'dataset' | 'token'
type Outcome = ReportTest['outcome']

/** By what the service says, which its statuses do not tell apart. The sources stand in docs/power-bi.md. */
const BY_WORDS: [RegExp, Outcome][] = [
  [/CapacityNotActive|capacity.*\b(paused|suspended|not active)/i, 'capacity-paused'],
  [/exceeded.*embed token|embed token.*exceeded|\b(not|no)\b.*\bdedicated capacity/i, 'no-capacity'],
  [/ServicePrincipalIsNotAllowed/i, 'service-principals-off'],
  [/API is not accessible for application/i, 'api-closed'],
  [/PowerBIFolderNotFound/i, 'no-workspace-access'],
  [
    /shouldn't have effective identity|not.*effective identity.*supported|without.*RLS/i,
    'identity-forbidden',
  ],
  [/requires (effective identity|roles)/i, 'identity-required'],
  [/\brole\b/i, 'unknown-role'],
  [/dataset.*does not belong/i, 'dataset-mismatch'],
]

/** By the directory's own number (Microsoft Entra, 'Authentication and authorization error codes'). */
const BY_AADSTS: [RegExp, Outcome][] = [
  [/AADSTS(90002|900023|9002313)\b/, 'wrong-tenant'],
  [/AADSTS(700016|7000112)\b/, 'wrong-client-id'],
  [/AADSTS7000222\b/, 'secret-expired'],
]

const DENIED: Record<Step, Outcome> = {
  workspaces: 'api-closed',
  report: 'no-workspace-access',
  dataset: 'no-model-access',
  // Report and model could be read: what is left is the tenant's switch for embedding, or too low a role.
  token: 'embedding-off',
}

/** Which of the known troubles a refusal is; 'refused' for all others. */
function outcomeOfRefusal(refusal: PowerBiRefusal, step: Step): Outcome {
  const words = `${refusal.code} ${refusal.message}`
  const known = BY_WORDS.find(([pattern]) => pattern.test(words))
  if (known) return known[1]
  if (refusal.status === 404)
    return step === 'dataset' || /\bdataset\b/i.test(refusal.message)
      ? 'dataset-not-found'
      : 'report-not-found'
  return refusal.status === 401 || refusal.status === 403 ? DENIED[step] : 'refused'
}

/** Which of the known troubles the directory's refusal is, by its error_description. */
function outcomeOfDirectory(description: string): Outcome {
  return BY_AADSTS.find(([pattern]) => pattern.test(description))?.[1] ?? 'bad-credentials'
}

const POWER_BI_ADMINISTRATOR = 'o administrador do Power BI precisa'
const PORTAL_ADMINISTRATOR = 'o administrador do portal precisa'
const IT_TEAM = 'a equipe de TI precisa'

/** What is wrong and who mends it, one sentence each. */
const SENTENCES: Record<Exclude<Outcome, 'ok' | 'refused'>, (roles: string) => string> = {
  'bad-credentials': () =>
    `O Microsoft Entra recusou as credenciais do portal: ${IT_TEAM} conferir o segredo ou o certificado do aplicativo na configuração do servidor.`,
  'secret-expired': () =>
    `O segredo do aplicativo venceu no Microsoft Entra: ${IT_TEAM} criar um novo segredo e trocá-lo na configuração do servidor.`,
  'wrong-client-id': () =>
    `O Microsoft Entra não conhece o aplicativo do portal, ou o desativou: ${IT_TEAM} conferir POWERBI_CLIENT_ID e POWERBI_TENANT_ID na configuração do servidor.`,
  'wrong-tenant': () =>
    `O Microsoft Entra não conhece este locatário: ${IT_TEAM} conferir POWERBI_TENANT_ID e POWERBI_CLOUD na configuração do servidor.`,
  'service-principals-off': () =>
    `O Power BI não aceita aplicativos nesta organização: ${POWER_BI_ADMINISTRATOR} ligar “As entidades de serviço podem chamar APIs públicas do Fabric” no portal de administração, para um grupo de segurança que contenha o aplicativo do portal.`,
  'api-closed': () =>
    `O Power BI não deixa o aplicativo do portal usar esta API: ${POWER_BI_ADMINISTRATOR} conferir, no portal de administração, se as APIs estão liberadas para o grupo de segurança do aplicativo e se ele está no espaço de trabalho.`,
  'embedding-off': () =>
    `O portal lê o relatório, mas o Power BI não o deixa inserir: ${POWER_BI_ADMINISTRATOR} ligar “Inserir conteúdo em aplicativos” no portal de administração e ter o aplicativo como membro, não só como visualizador, do espaço de trabalho.`,
  'no-workspace-access': () =>
    `O portal não tem acesso a este espaço de trabalho: confira o Workspace ID e, se estiver certo, ${POWER_BI_ADMINISTRATOR} incluir o aplicativo do portal como membro.`,
  'no-model-access': () =>
    `O portal não tem acesso ao modelo de dados deste relatório: ${POWER_BI_ADMINISTRATOR} incluir o aplicativo do portal como membro também no espaço de trabalho em que o modelo está.`,
  'report-not-found': () =>
    `O relatório não existe neste espaço de trabalho: ${PORTAL_ADMINISTRATOR} conferir o Report ID e o Workspace ID.`,
  'dataset-not-found': () =>
    `O modelo de dados não existe no espaço de trabalho em que deveria estar: ${PORTAL_ADMINISTRATOR} conferir o Dataset ID ou deixá-lo em branco.`,
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
  'paginated-sources': () =>
    `Este relatório paginado não lê só de um modelo semântico, e o portal não consegue limitar os dados dele a cada pessoa: ${POWER_BI_ADMINISTRATOR} fazê-lo ler de um único modelo com segurança em nível de linha (RLS), no mesmo espaço de trabalho, ou use “URL Direta (SSO)”.`,
  'capacity-paused': () =>
    `A capacidade do Power BI deste espaço de trabalho está pausada: ${POWER_BI_ADMINISTRATOR} retomá-la.`,
  'no-capacity': () =>
    `O espaço de trabalho não está em uma capacidade (F, P, A ou EM), e sem ela o Power BI só dá alguns tokens de teste: ${POWER_BI_ADMINISTRATOR} atribuí-lo a uma.`,
  'rate-limited': () =>
    'O Power BI pediu uma pausa por excesso de pedidos: espere alguns minutos e teste de novo.',
  'service-down': () => 'O Power BI não respondeu como devia: espere alguns minutos e teste de novo.',
}

interface Refused {
  outcome: Outcome
  code: string | null
  requestId: string | null
}

/** A refusal in one plain sentence: what is wrong and who mends it; what has no sentence is quoted for a ticket. */
export function describeRefusal({ outcome, code, requestId }: Refused, rlsRoles: readonly string[]): string {
  if (outcome === 'ok' || outcome === 'refused') {
    const quoted = [code && `código ${code}`, requestId && `pedido ${requestId}`].filter(Boolean).join(', ')
    return `O Power BI recusou o relatório${quoted && ` (${quoted})`}: ${POWER_BI_ADMINISTRATOR} verificar o motivo no serviço ou abrir um chamado na Microsoft com esses dados.`
  }
  const roles = new Intl.ListFormat('pt-BR').format(rlsRoles.map((role) => `“${role}”`))
  return SENTENCES[outcome](rlsRoles.length === 1 ? `a função ${roles}` : `as funções ${roles}`)
}

/** Thrown where the answers of the service show by themselves that the report may not be shown. */
export class UnfitReport extends Error {
  readonly outcome: Outcome
  constructor(outcome: Outcome) {
    super(outcome)
    this.outcome = outcome
  }
}

/** The directory's refusal; its description names the trouble. */
export class DirectoryRefusal extends Error {
  readonly correlationId: string | null
  constructor(description: string, correlationId: string | null) {
    super(description)
    this.correlationId = correlationId
  }
}

/** Anything that a call threw, as the outcome of a test. */
export function outcomeOf(error: unknown, step: Step): Refused {
  const unquoted = { code: null, requestId: null }
  if (error instanceof UnfitReport) return { outcome: error.outcome, ...unquoted }
  if (error instanceof PowerBiRefusal)
    return {
      outcome: outcomeOfRefusal(error, step),
      // Only what looks like a code: the text comes from outside.
      code: /^\w{1,60}$/.exec(error.code)?.[0] ?? null,
      requestId: /^[\w-]{1,60}$/.exec(error.requestId ?? '')?.[0] ?? null,
    }
  if (error instanceof DirectoryRefusal)
    return {
      outcome: outcomeOfDirectory(error.message),
      code: /AADSTS\d{1,10}/.exec(error.message)?.[0] ?? null,
      requestId: /^[\w-]{1,60}$/.exec(error.correlationId ?? '')?.[0] ?? null,
    }
  if (!(error instanceof ProblemError)) throw error
  const isWait = error.cause instanceof PassingFailure && error.cause.status === 429
  return { outcome: isWait ? 'rate-limited' : 'service-down', ...unquoted }
}

/** The same for somebody who wanted a report: a problem with a sentence that names who mends it. */
export function problemOfRefusal(error: unknown, step: Step, rlsRoles: readonly string[]): ProblemError {
  if (error instanceof ProblemError) return error
  const refused = outcomeOf(error, step)
  const detail = describeRefusal(refused, rlsRoles)
  // It may be resumed at any time, so it is worth trying again.
  if (refused.outcome === 'capacity-paused')
    return new ProblemError('capacity-paused', { detail, retryAfterSeconds: 60, cause: error })
  return new ProblemError('power-bi-rejected', { detail, cause: error })
}
