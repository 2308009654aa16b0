/** The call that failed. */
export type Step =
  | 'workspaces'
  | 'report'
  | 'dataset'
  | 'token'
  | 'refresh'
  | 'refresh-history'
  | 'export'
  | 'export-status'
  | 'export-file'

/** What each call asks for, in sentences. */
export const CALLS: Record<Step, string> = {
  workspaces: 'a lista de espaços de trabalho',
  report: 'o relatório',
  dataset: 'o modelo de dados do relatório',
  token: 'o token do relatório',
  refresh: 'a atualização dos dados',
  'refresh-history': 'o histórico de atualizações do modelo',
  export: 'a exportação',
  'export-status': 'o andamento da exportação',
  'export-file': 'o arquivo da exportação',
}

/** Who mends an outcome. */
export const OWNERS = {
  'power-bi': 'o administrador do Power BI',
  portal: 'o administrador do portal',
  it: 'a equipe de TI',
} as const

export interface OutcomeRow {
  /**
   * Of a temporary outcome: seconds to the next try if the service names none; below a minute the call
   * itself is tried once more. Tabs stay, exports and mails wait. Without it the outcome is definite.
   */
  pauseSeconds?: number
  /**
   * What happened, for everybody, and after `: {owner}` what the one who mends it has to do, for
   * administrators. `{roles}` and `{call}` are filled in.
   */
  text: string
  /** What readers are told to do, if it is not the usual; without an owner administrators too. */
  readers?: string
  /** Codes and words that mean it, of any status; the first row that matches counts. */
  words?: RegExp
  /** The only steps at which `words` mean it. */
  steps?: readonly Step[]
}

const MEMBER = 'incluir o aplicativo do portal como membro (pode demorar a valer)'
const TO_CAPACITY = 'atribuí-lo a uma capacidade F, P, A ou EM'
const CONFIGURATION = 'na configuração do servidor'
/** Microsoft's pages: docs/power-bi.md, and the tests' table of documented answers. */
const rows = {
  'bad-credentials': {
    text: `O Microsoft Entra recusou as credenciais do portal: {it} conferir o segredo do aplicativo ${CONFIGURATION} (vale o “Valor” dele, não o “ID do Segredo”)`,
    words: /AADSTS7000215\b/,
  },
  'secret-expired': {
    text: `O segredo do aplicativo venceu no Microsoft Entra: {it} criar um novo segredo e trocá-lo ${CONFIGURATION}`,
    words: /AADSTS7000222\b/,
  },
  'bad-certificate': {
    text: `O Microsoft Entra não aceita o certificado do portal: {it} enviar o certificado em uso ao aplicativo, em “Certificados e segredos”, ou pôr ${CONFIGURATION} um que esteja lá e não tenha vencido`,
    words: /AADSTS(700027|700030|1000502)\b/,
  },
  'wrong-clock': {
    text: 'Para o Microsoft Entra, o relógio deste servidor está errado: {it} acertá-lo e mantê-lo certo (NTP)',
    words: /AADSTS700024\b/,
  },
  'wrong-client-id': {
    text: `O Microsoft Entra não conhece o aplicativo do portal neste locatário: {it} conferir POWERBI_CLIENT_ID e POWERBI_TENANT_ID ${CONFIGURATION}`,
    words: /AADSTS(700016|7000229)\b/,
  },
  'application-disabled': {
    text: 'O aplicativo do portal está desativado no Microsoft Entra: {it} ligar “Habilitado para os usuários entrarem” nas propriedades dele, em “Aplicativos empresariais”',
    words: /AADSTS7000112\b/,
  },
  'not-assigned': {
    text: 'O Microsoft Entra só dá tokens do Power BI a quem foi atribuído a ele, e o aplicativo do portal não foi: {it} atribuí-lo ao “Power BI Service”, em “Aplicativos empresariais”, ou desligar lá “Atribuição necessária”',
    words: /AADSTS(501051|50105)\b/,
  },
  'wrong-cloud': {
    text: `O locatário do portal está em outra nuvem da Microsoft: {it} conferir POWERBI_CLOUD e POWERBI_TENANT_ID ${CONFIGURATION}`,
    words: /AADSTS(900382|90038)\b/,
  },
  'wrong-tenant': {
    text: `O Microsoft Entra não conhece este locatário: {it} conferir POWERBI_TENANT_ID e POWERBI_CLOUD ${CONFIGURATION}`,
    words: /AADSTS(90002|900023|9001023)\b/,
  },
  'conditional-access': {
    text: 'Uma política de Acesso Condicional do Microsoft Entra bloqueia o aplicativo do portal: {it} pôr o endereço IP deste servidor nos locais que ela permite, ou excluir dela o aplicativo (a política está no log de entrada das entidades de serviço)',
    words: /AADSTS53003\b/,
  },
  'no-power-bi': {
    text: `Neste locatário do Microsoft Entra o Power BI não existe ou está desativado: {it} conferir POWERBI_TENANT_ID e POWERBI_CLOUD ${CONFIGURATION}, e a assinatura do Power BI`,
    words: /AADSTS(500011|500014)\b/,
  },
  'directory-busy': {
    pauseSeconds: 10,
    text: 'O Microsoft Entra está ocupado ou fora do ar',
    words: /AADSTS(90033|90024|90006|90012|90055|90090|50033|50196)\b|temporarily_unavailable/,
  },
  'directory-silent': { pauseSeconds: 10, text: 'O Microsoft Entra não respondeu como devia' },
  'directory-refused': {
    text: 'O Microsoft Entra recusou o aplicativo do portal: {it} procurar o código em https://login.microsoftonline.com/error',
  },
  'foreign-answer': {
    pauseSeconds: 60,
    text: 'A resposta não veio da Microsoft: {it} liberar este endereço para o servidor do portal no proxy ou firewall que respondeu no lugar dela',
  },
  unreachable: {
    pauseSeconds: 10,
    text: 'O servidor do portal não chega à Microsoft: {it} conferir o DNS, o proxy (HTTPS_PROXY), o firewall e, se ele abre as conexões, o certificado dele (NODE_EXTRA_CA_CERTS)',
  },
  'network-blocked': {
    text: 'O Power BI só aceita este espaço de trabalho por redes permitidas, e o servidor do portal não está em uma delas: {power-bi} incluir o endereço deste servidor nas regras de entrada do espaço de trabalho, ou ligá-lo ao link privado com a equipe de TI',
    words: /RequestDeniedByInboundPolicy|inbound (communication )?polic|private ?link/i,
  },
  'capacity-overloaded': {
    pauseSeconds: 60,
    text: 'A capacidade do Power BI deste relatório, ou a do modelo dele, está sobrecarregada: {power-bi} ver no app Fabric Capacity Metrics o que a ocupa, e aliviá-la ou aumentá-la; enquanto isso o portal tenta de novo sozinho',
    words:
      /FabricThrottled|CapacityLimitExceeded|TooManyRequestsForCapacity|exceeded its limits|capacity limits?\b/i,
  },
  'capacity-paused': {
    pauseSeconds: 60,
    text: 'A capacidade do Power BI deste espaço de trabalho está pausada: {power-bi} retomá-la no portal do Azure, ou atribuir o espaço de trabalho a outra se ela foi excluída',
    readers: 'Quem pode retomá-la é o administrador do Power BI.',
    words: /CapacityNotActive|capacity.*\b(paused|suspended|deleted|not active)/i,
  },
  'no-capacity': {
    text: 'O espaço de trabalho do relatório, ou o do modelo dele, não está em uma capacidade (F, P, A ou EM), e sem ela o Power BI só dá alguns tokens de teste: {power-bi} atribuí-lo a uma',
    words: /exceeded.*embed token|embed token.*exceeded|\b(not|no)\b.*\bdedicated capacity/i,
  },
  'premium-per-user': {
    text: `O espaço de trabalho do relatório, ou o do modelo dele, está em “Premium por usuário”, que não serve para mostrar relatórios no portal: {power-bi} ${TO_CAPACITY}`,
  },
  'service-principals-off': {
    text: 'O Power BI não aceita aplicativos nesta organização: {power-bi} ligar “As entidades de serviço podem chamar APIs públicas do Fabric” no portal de administração, para um grupo de segurança que contenha o aplicativo do portal',
    words: /ServicePrincipalIsNotAllowed/i,
  },
  'api-closed': {
    text: 'O Power BI não deixa o aplicativo do portal usar esta API: {power-bi} conferir, no portal de administração, se “As entidades de serviço podem chamar APIs públicas do Fabric” vale para o grupo de segurança do aplicativo, e se ele está no espaço de trabalho',
    words: /API is not accessible for application/i,
  },
  'xmla-off': {
    text: 'O Power BI não deixa o portal ler o modelo deste relatório pelo ponto de extremidade XMLA: {power-bi} ligar “Permitir pontos de extremidade XMLA” no portal de administração e pôr o “Ponto de extremidade XMLA” da capacidade em “Somente leitura” ou “Leitura/gravação”',
    words: /\bXMLA\b/i,
    steps: ['token'],
  },
  'paginated-visual': {
    text: 'O relatório traz dentro um relatório paginado, que o portal não mostra: {power-bi} tirar o visual do relatório paginado, ou use “URL Direta (SSO)”',
    words: /paginated (report )?visual|rdl visual/i,
    steps: ['token', 'export'],
  },
  'sso-connection': {
    text: 'O modelo lê a fonte com a identidade de cada pessoa (logon único, Direct Lake ou conexão ao vivo), o que o Power BI não permite ao portal: {power-bi} ligar nele a conexão a uma identidade fixa, sem logon único (SSO), e criar nele {roles}',
    words:
      /effective identity is not supported for this data ?source|effective identity username to be identical/i,
  },
  'identity-forbidden': {
    text: 'O modelo não aceita identidade e mostraria tudo a todos: {power-bi} publicá-lo com {roles} de segurança em nível de linha (RLS)',
    words: /shouldn't have effective identity|not.*effective identity.*supported|without.*RLS/i,
  },
  'identity-required': {
    text: 'O modelo exige a identidade de quem o vê e não aceitou a do portal: {it} conferir se {roles} é o que o modelo espera em POWERBI_RLS_ROLES',
    words: /requires (effective identity|roles)/i,
  },
  'unknown-role': {
    text: 'O modelo não conhece {roles}: {power-bi} criar essa função de segurança em nível de linha (RLS) no modelo',
    words:
      /effective identity.*\brole.*(not exist|not found|invalid)|\broles?\b.*effective identity.*(not exist|not found|invalid)/i,
  },
  'without-rls': {
    text: 'O modelo não tem segurança em nível de linha (RLS) e mostraria tudo a todos: {power-bi} criar nele {roles}',
  },
  'paginated-sources': {
    text: 'Este relatório paginado não lê só de um modelo semântico, e o portal não consegue limitar os dados dele a cada pessoa: {power-bi} fazê-lo ler de um único modelo com segurança em nível de linha (RLS), no mesmo espaço de trabalho, ou use “URL Direta (SSO)”',
  },
  'limited-content': {
    text: 'O Power BI dá ao portal só o nome deste modelo de dados, e sem o resto o portal não sabe se ele limita os dados a cada pessoa: {power-bi} incluir o aplicativo do portal como membro, não só como visualizador, do espaço de trabalho do modelo (permissão de gravação nele)',
  },
  'dataset-mismatch': {
    text: 'O relatório usa outro modelo de dados: {portal} corrigir o Dataset ID ou deixá-lo em branco',
    words: /dataset.*does not belong/i,
  },
  'refresh-running': {
    text: 'Os dados já estão sendo atualizados no Power BI',
    readers: 'Espere o fim dessa atualização.',
    words: /already (executing|running|in progress)/i,
    steps: ['refresh'],
  },
  'refresh-limit': {
    text: `O Power BI já fez as atualizações que aceita por dia (oito em capacidade compartilhada, com as agendadas): {power-bi} esperar até amanhã, ou tirar o espaço de trabalho do modelo da capacidade compartilhada e ${TO_CAPACITY}`,
    words: /refresh(es| requests?)?\b.*\b(limit|exceeded|24 hours|a day|per day)/i,
    steps: ['refresh'],
  },
  'refresh-credentials': {
    text: 'O Power BI não tem como entrar na fonte dos dados deste modelo: {power-bi} preencher as credenciais da fonte ou escolher o gateway, nas configurações do modelo',
    words: /credential|gateway/i,
    steps: ['refresh'],
  },
  'refresh-unsupported': {
    text: 'Este modelo não tem atualização, porque lê a fonte na hora ou recebe os dados de outro lugar: {power-bi} atualizar a fonte dele (DirectQuery, Direct Lake, conexão ao vivo, modelo de envio por push)',
    words: /direct ?query|direct ?lake|live connection|push|model.based|refreshable|analysis services/i,
    steps: ['refresh'],
  },
  'no-write-permission': {
    text: 'O aplicativo do portal não pode atualizar os dados deste modelo: {power-bi} incluí-lo como membro ou colaborador do espaço de trabalho do modelo, não só como visualizador',
  },
  'export-labelled': {
    text: 'Este relatório tem um rótulo de confidencialidade, e com ele o Power BI não exporta por um aplicativo: {power-bi} tirar o rótulo, ou quem precisa do arquivo exportá-lo no Power BI',
    words: /sensitivity|\blabel/i,
    steps: ['export', 'export-status'],
  },
  'export-limit': {
    text: 'O relatório passa do que o Power BI exporta de uma vez (50 páginas, 250 MB): {power-bi} dividi-lo em relatórios menores',
    words: /number of (pages|exports)|\b50 pages|page.*(limit|exceed)|250 ?MB|too (large|many pages)/i,
    steps: ['export', 'export-status', 'export-file'],
  },
  'export-off': {
    text: 'O Power BI não deixa o portal exportar este relatório: {power-bi} conferir, no portal de administração, “Exportar relatórios como apresentações do PowerPoint ou documentos PDF”, e se a capacidade não é Premium Por Usuário',
  },
  'export-paginated': {
    text: 'Este é um relatório paginado, e o portal não o exporta',
    readers: 'Use a exportação na barra do próprio relatório.',
  },
  'export-without-capacity': {
    text: 'Sem capacidade não há exportação: {power-bi} atribuir o espaço de trabalho deste relatório a uma capacidade (F, P, A ou EM)',
  },
  'no-workspace-access': {
    text: `O portal não tem acesso a este espaço de trabalho: {power-bi} ${MEMBER}, se o Workspace ID estiver certo`,
    words: /PowerBIFolderNotFound/i,
  },
  'no-model-access': {
    text: `O portal não tem acesso ao modelo de dados deste relatório: {power-bi} ${MEMBER} também no espaço de trabalho em que o modelo está`,
    words: /permissions in both report and dataset/i,
  },
  'embedding-off': {
    text: 'O portal lê o relatório, mas o Power BI não o deixa inserir: {power-bi} ligar “Inserir conteúdo em aplicativos” no portal de administração e ter o aplicativo como membro, não só como visualizador, do espaço de trabalho',
  },
  'not-a-member': {
    text: `O portal lê o relatório e o modelo, mas o Power BI não os acha para o token: {power-bi} ${MEMBER}, não só como visualizador, dos espaços de trabalho do relatório e do modelo; se ele já é, confira os IDs`,
  },
  'report-not-found': {
    text: 'O relatório não existe neste espaço de trabalho: {portal} conferir o Report ID e o Workspace ID',
  },
  'dataset-not-found': {
    text: 'O modelo de dados não existe no espaço de trabalho em que deveria estar: {power-bi} ver em qual ele está e incluir lá o aplicativo do portal como membro, ou publicar o relatório de novo se o modelo foi excluído',
  },
  'rate-limited': { pauseSeconds: 10, text: 'O Power BI pediu uma pausa por excesso de pedidos' },
  'service-down': { pauseSeconds: 10, text: 'O Power BI não respondeu como devia' },
  refused: {
    text: 'O Power BI recusou {call}: {power-bi} verificar o motivo no serviço ou abrir um chamado na Microsoft com esses dados',
  },
} as const satisfies Record<string, OutcomeRow>

export type Outcome = keyof typeof rows

/** Every outcome of a call that failed, in the order in which words are compared. */
export const OUTCOMES: Record<Outcome, OutcomeRow> = rows

/** Whether an outcome heals by itself; false for those of a report that opens. */
export const isTemporary = (outcome: string): boolean =>
  Object.hasOwn(OUTCOMES, outcome) && OUTCOMES[outcome as Outcome].pauseSeconds !== undefined
