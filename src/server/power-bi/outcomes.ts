import { formatList } from '#contract/format-list.ts'
import { formatDuration } from '#contract/timing.ts'
import { ProblemError } from '#server/http/problem-error.ts'
import { PowerBiRefusal, ProxyReply, type ReportTest, TransientError } from './power-bi.ts'

/** The step that the service refused. */
export type Step = 'workspaces' | 'report' | 'dataset' | 'token' | 'export'
/** Every outcome but those of a report that opens. */
type Outcome = Exclude<ReportTest['outcome'], 'ok' | 'capacity-unknown' | 'refresh-failed'>

/** Outcomes by message, because statuses are ambiguous. Sources: docs/power-bi.md. */
const BY_WORDS: [RegExp, Outcome][] = [
  [/CapacityNotActive|capacity.*\b(paused|suspended|not active)/i, 'capacity-paused'],
  [/exceeded.*embed token|embed token.*exceeded|\b(not|no)\b.*\bdedicated capacity/i, 'no-capacity'],
  [/ServicePrincipalIsNotAllowed/i, 'service-principals-off'],
  [/API is not accessible for application/i, 'api-closed'],
  [/PowerBIFolderNotFound/i, 'no-workspace-access'],
  [
    /effective identity is not supported for this data ?source|effective identity username to be identical/i,
    'sso-connection',
  ],
  [
    /shouldn't have effective identity|not.*effective identity.*supported|without.*RLS/i,
    'identity-forbidden',
  ],
  [/requires (effective identity|roles)/i, 'identity-required'],
  [
    /effective identity.*\brole.*(not exist|not found|invalid)|\broles?\b.*effective identity.*(not exist|not found|invalid)/i,
    'unknown-role',
  ],
  [/dataset.*does not belong/i, 'dataset-mismatch'],
]

/** Outcomes by the directory's error number. Sources: docs/power-bi.md. */
const BY_AADSTS: [RegExp, Outcome][] = [
  [/AADSTS(90002|900023|9001023)\b/, 'wrong-tenant'],
  [/AADSTS(700016|7000229)\b/, 'wrong-client-id'],
  [/AADSTS7000112\b/, 'application-disabled'],
  [/AADSTS7000215\b/, 'bad-credentials'],
  [/AADSTS7000222\b/, 'secret-expired'],
  [/AADSTS(700027|700030|1000502)\b/, 'bad-certificate'],
  [/AADSTS700024\b/, 'wrong-clock'],
  [/AADSTS53003\b/, 'conditional-access'],
  [/AADSTS(500011|500014)\b/, 'no-power-bi'],
]

const DENIED: Record<Step, Outcome> = {
  workspaces: 'api-closed',
  report: 'no-workspace-access',
  dataset: 'no-model-access',
  // Report and model were readable: the tenant's switch for embedding is off, or the role too low.
  token: 'embedding-off',
  // The same for exports, which only some capacities have.
  export: 'export-off',
}

function classifyRefusal(refusal: PowerBiRefusal, step: Step): Outcome {
  const words = `${refusal.code} ${refusal.message}`
  const known = BY_WORDS.find(([pattern]) => pattern.test(words))
  if (known) return known[1]
  if (refusal.status === 404)
    return step === 'dataset' || /\bdataset\b/i.test(refusal.message)
      ? 'dataset-not-found'
      : 'report-not-found'
  return refusal.status === 401 || refusal.status === 403 ? DENIED[step] : 'refused'
}

function classifyDirectoryRefusal({ error, message }: DirectoryRefusal): Outcome {
  const known = BY_AADSTS.find(([pattern]) => pattern.test(message))
  if (known) return known[1]
  return error === 'invalid_client' && !/AADSTS/.test(message) ? 'bad-credentials' : 'directory-refused'
}

const POWER_BI_ADMINISTRATOR = 'o administrador do Power BI precisa'
const PORTAL_ADMINISTRATOR = 'o administrador do portal precisa'
const IT_TEAM = 'a equipe de TI precisa'

/** Builds a sentence per outcome: the fault and who can fix it; `quoted` holds code and request id. */
const buildSentences = (roles: string, quoted: string, pause: string): Record<Outcome, string> => ({
  'bad-credentials': `O Microsoft Entra recusou as credenciais do portal: ${IT_TEAM} conferir o segredo do aplicativo na configuração do servidor (vale o “Valor” dele, não o “ID do Segredo”).`,
  'secret-expired': `O segredo do aplicativo venceu no Microsoft Entra: ${IT_TEAM} criar um novo segredo e trocá-lo na configuração do servidor.`,
  'bad-certificate': `O Microsoft Entra não aceita o certificado do portal: ${IT_TEAM} enviar o certificado em uso ao aplicativo, em “Certificados e segredos”, ou pôr na configuração do servidor um que esteja lá e não tenha vencido.`,
  'wrong-clock': `Para o Microsoft Entra, o relógio deste servidor está errado: ${IT_TEAM} acertá-lo e mantê-lo certo (NTP).`,
  'wrong-client-id': `O Microsoft Entra não conhece o aplicativo do portal neste locatário: ${IT_TEAM} conferir POWERBI_CLIENT_ID e POWERBI_TENANT_ID na configuração do servidor.`,
  'application-disabled': `O aplicativo do portal está desativado no Microsoft Entra: ${IT_TEAM} ligar “Habilitado para os usuários entrarem” nas propriedades dele, em “Aplicativos empresariais”.`,
  'conditional-access': `Uma política de Acesso Condicional do Microsoft Entra bloqueia o aplicativo do portal: ${IT_TEAM} pôr o endereço IP deste servidor nos locais que ela permite, ou excluir dela o aplicativo (a política está no log de entrada das entidades de serviço).`,
  'no-power-bi': `Neste locatário do Microsoft Entra o Power BI não existe ou está desativado: ${IT_TEAM} conferir POWERBI_TENANT_ID e POWERBI_CLOUD na configuração do servidor, e a assinatura do Power BI.`,
  'directory-refused': `O Microsoft Entra recusou o aplicativo do portal${quoted}: ${IT_TEAM} procurar o código em https://login.microsoftonline.com/error.`,
  'foreign-answer': `A resposta não veio da Microsoft${quoted}: ${IT_TEAM} liberar este endereço para o servidor do portal no proxy ou firewall que respondeu no lugar dela.`,
  unreachable: `O servidor do portal não chega à Microsoft${quoted}: ${IT_TEAM} conferir o DNS, o proxy (HTTPS_PROXY), o firewall e, se ele abre as conexões, o certificado dele (NODE_EXTRA_CA_CERTS).`,
  'wrong-tenant': `O Microsoft Entra não conhece este locatário: ${IT_TEAM} conferir POWERBI_TENANT_ID e POWERBI_CLOUD na configuração do servidor.`,
  'service-principals-off': `O Power BI não aceita aplicativos nesta organização: ${POWER_BI_ADMINISTRATOR} ligar “As entidades de serviço podem chamar APIs públicas do Fabric” no portal de administração, para um grupo de segurança que contenha o aplicativo do portal.`,
  'api-closed': `O Power BI não deixa o aplicativo do portal usar esta API: ${POWER_BI_ADMINISTRATOR} conferir, no portal de administração, se as APIs estão liberadas para o grupo de segurança do aplicativo e se ele está no espaço de trabalho.`,
  'embedding-off': `O portal lê o relatório, mas o Power BI não o deixa inserir: ${POWER_BI_ADMINISTRATOR} ligar “Inserir conteúdo em aplicativos” no portal de administração e ter o aplicativo como membro, não só como visualizador, do espaço de trabalho.`,
  'no-workspace-access': `O portal não tem acesso a este espaço de trabalho: confira o Workspace ID e, se estiver certo, ${POWER_BI_ADMINISTRATOR} incluir o aplicativo do portal como membro.`,
  'no-model-access': `O portal não tem acesso ao modelo de dados deste relatório: ${POWER_BI_ADMINISTRATOR} incluir o aplicativo do portal como membro também no espaço de trabalho em que o modelo está.`,
  'report-not-found': `O relatório não existe neste espaço de trabalho: ${PORTAL_ADMINISTRATOR} conferir o Report ID e o Workspace ID.`,
  'dataset-not-found': `O modelo de dados não existe no espaço de trabalho em que deveria estar: ${PORTAL_ADMINISTRATOR} conferir o Dataset ID ou deixá-lo em branco.`,
  'dataset-mismatch': `O relatório usa outro modelo de dados: ${PORTAL_ADMINISTRATOR} corrigir o Dataset ID ou deixá-lo em branco.`,
  'identity-required': `O modelo exige a identidade de quem o vê e não aceitou a do portal: ${IT_TEAM} conferir se ${roles} é o que o modelo espera em POWERBI_RLS_ROLES.`,
  'identity-forbidden': `O modelo não aceita identidade e mostraria tudo a todos: ${POWER_BI_ADMINISTRATOR} publicá-lo com ${roles} de segurança em nível de linha (RLS).`,
  'sso-connection': `O modelo lê a fonte com a identidade de cada pessoa (logon único, Direct Lake ou conexão ao vivo), o que o Power BI não permite ao portal: ${POWER_BI_ADMINISTRATOR} ligar nele a conexão a uma identidade fixa, sem logon único (SSO), e criar nele ${roles}.`,
  'unknown-role': `O modelo não conhece ${roles}: ${POWER_BI_ADMINISTRATOR} criar essa função de segurança em nível de linha (RLS) no modelo.`,
  'without-rls': `O modelo não tem segurança em nível de linha (RLS) e mostraria tudo a todos: ${POWER_BI_ADMINISTRATOR} criar nele ${roles}.`,
  'paginated-sources': `Este relatório paginado não lê só de um modelo semântico, e o portal não consegue limitar os dados dele a cada pessoa: ${POWER_BI_ADMINISTRATOR} fazê-lo ler de um único modelo com segurança em nível de linha (RLS), no mesmo espaço de trabalho, ou use “URL Direta (SSO)”.`,
  'limited-content': `O Power BI dá ao portal só o nome deste modelo de dados, e sem o resto o portal não sabe se ele limita os dados a cada pessoa: ${POWER_BI_ADMINISTRATOR} incluir o aplicativo do portal como membro ou colaborador, não só como visualizador, do espaço de trabalho do modelo (permissão de gravação nele).`,
  'capacity-paused': `A capacidade do Power BI deste espaço de trabalho está pausada: ${POWER_BI_ADMINISTRATOR} retomá-la.`,
  'no-capacity': `O espaço de trabalho do relatório, ou o do modelo dele, não está em uma capacidade (F, P, A ou EM), e sem ela o Power BI só dá alguns tokens de teste: ${POWER_BI_ADMINISTRATOR} atribuí-lo a uma.`,
  'premium-per-user': `O espaço de trabalho do relatório, ou o do modelo dele, está em “Premium por usuário”, que não serve para mostrar relatórios no portal: ${POWER_BI_ADMINISTRATOR} atribuí-lo a uma capacidade F, P, A ou EM.`,
  'rate-limited': `O Power BI pediu uma pausa por excesso de pedidos${quoted}: espere ${pause} e teste de novo.`,
  'service-down': `O Power BI não respondeu como devia${quoted}: espere ${pause} e teste de novo.`,
  'export-off': `O Power BI não deixa o portal exportar este relatório${quoted}: ${POWER_BI_ADMINISTRATOR} conferir, no portal de administração, “Exportar relatórios como apresentações do PowerPoint ou documentos PDF”, e se a capacidade não é Premium Por Usuário.`,
  'export-paginated':
    'Este é um relatório paginado, e o portal não o exporta: use a exportação na barra do próprio relatório.',
  'export-without-capacity': `Sem capacidade não há exportação: ${POWER_BI_ADMINISTRATOR} atribuir o espaço de trabalho deste relatório a uma capacidade (F, P, A ou EM).`,
  refused: `O Power BI recusou o relatório${quoted}: ${POWER_BI_ADMINISTRATOR} verificar o motivo no serviço ou abrir um chamado na Microsoft com esses dados.`,
})

interface Refused {
  outcome: Outcome
  code: string | null
  requestId: string | null
  retryAfterSeconds?: number | undefined
}

/** Describes a refusal in one sentence: the fault and who can fix it. */
export function describeRefusal(refused: Refused, rlsRoles: readonly string[]): string {
  const { outcome, retryAfterSeconds } = refused
  const roles = formatList(rlsRoles.map((role) => `“${role}”`))
  const named = rlsRoles.length === 1 ? `a função ${roles}` : `as funções ${roles}`
  const pause = retryAfterSeconds ? formatDuration(retryAfterSeconds) : 'alguns minutos'
  return buildSentences(named, formatQuote(refused), pause)[outcome]
}

/** Returns ' (código AADSTS7000222, pedido 49c2e739-…)', for a support ticket. */
function formatQuote({ code, requestId }: Pick<Refused, 'code' | 'requestId'>): string {
  const quoted = [code && `código ${code}`, requestId && `pedido ${requestId}`].filter(Boolean).join(', ')
  return quoted && ` (${quoted})`
}

/** A report that checkReport does not allow. */
export class ReportCheckError extends Error {
  readonly outcome: Outcome
  constructor(outcome: Outcome) {
    super(outcome)
    this.outcome = outcome
  }
}

/** A refusal by the directory (Microsoft Entra, 'Handling error codes in your application'). */
export class DirectoryRefusal extends Error {
  readonly error: string
  readonly correlationId: string
  constructor(body: { error?: unknown; error_description?: unknown; correlation_id?: unknown }) {
    super(String(body.error_description ?? ''))
    this.error = String(body.error ?? '')
    this.correlationId = String(body.correlation_id ?? '')
  }
}

/** Converts any error of a call to an outcome. */
export function classifyError(error: unknown, step: Step): Refused {
  const unquoted = { code: null, requestId: null }
  if (error instanceof ReportCheckError) return { outcome: error.outcome, ...unquoted }
  if (error instanceof PowerBiRefusal)
    return {
      outcome: classifyRefusal(error, step),
      code: error.code || null,
      requestId: toTicketId(error.requestId),
    }
  if (error instanceof DirectoryRefusal)
    return {
      outcome: classifyDirectoryRefusal(error),
      code: findDirectoryCode(error) ?? null,
      requestId: toTicketId(error.correlationId),
    }
  if (error instanceof ProxyReply)
    return { outcome: 'foreign-answer', code: `HTTP ${error.status} de ${error.host}`, requestId: null }
  if (!(error instanceof ProblemError)) throw error
  const { cause } = error
  if (cause instanceof TransientError)
    return {
      outcome: cause.status === 429 ? 'rate-limited' : 'service-down',
      code: cause.code,
      requestId: toTicketId(cause.requestId),
      retryAfterSeconds: cause.retryAfterSeconds,
    }
  const code = findSystemCode(cause)
  if (!code) return { outcome: 'service-down', ...unquoted }
  const { host } = cause as { host?: string }
  return { outcome: 'unreachable', code: `${code} de ${host}`, requestId: null }
}

const toTicketId = (id: string | null) => /^[\w-]{1,60}$/.exec(id ?? '')?.[0] ?? null

/** Returns the number of a directory's refusal, such as AADSTS7000222. */
export const findDirectoryCode = ({ message }: Error) => /AADSTS\d{1,10}/.exec(message)?.[0]

/** Creates the problem of a transient failure; of a refusal with its code, request id and pause. */
export function createUnavailableProblem(cause: unknown): ProblemError {
  if (!(cause instanceof TransientError))
    return new ProblemError('power-bi-unavailable', { retryAfterSeconds: 10, cause })
  const { status, code, retryAfterSeconds } = cause
  const happened = status === 429 ? 'pediu uma pausa por excesso de pedidos' : 'não respondeu como devia'
  const quoted = formatQuote({ code, requestId: toTicketId(cause.requestId) })
  const pause = retryAfterSeconds ? formatDuration(retryAfterSeconds) : 'instantes'
  const detail = `O Power BI ${happened}${quoted}. Tente novamente em ${pause}.`
  return new ProblemError('power-bi-unavailable', {
    detail,
    retryAfterSeconds: retryAfterSeconds ?? 10,
    cause,
  })
}

/** Returns the first error code among the causes: why a connection failed. */
function findSystemCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : findSystemCode(error.cause)
}

/** Converts any error of a call to a problem that names who can fix it. */
export function toRefusalProblem(error: unknown, step: Step, rlsRoles: readonly string[]): ProblemError {
  if (error instanceof ProblemError) return error
  const refused = classifyError(error, step)
  const sentence = describeRefusal(refused, rlsRoles)
  const quoted = formatQuote(refused)
  const detail = sentence.includes(quoted) ? sentence : `${sentence.slice(0, -1)}${quoted}.`
  const { outcome } = refused
  // A paused capacity may resume at any time, so a retry is worthwhile.
  if (outcome === 'capacity-paused')
    return new ProblemError('capacity-paused', { detail, retryAfterSeconds: 60, cause: error })
  if (outcome === 'foreign-answer')
    return new ProblemError('power-bi-unavailable', { detail, retryAfterSeconds: 60, cause: error })
  return new ProblemError('power-bi-rejected', { detail, cause: error })
}
