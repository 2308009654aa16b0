/** Texts of /admin (SPEC sections 2, 5 and 8, word for word), apart from messages.ts so that no other screen loads them. */

/** 9873 → '9.873'. */
const grouped = (count: number) => count.toLocaleString('pt-BR')

export const adminMessages = {
  accessDenied: 'Acesso negado. Apenas administradores.',
  none: 'Nenhum usuário encontrado',
  loadFailed: 'Erro ao carregar usuários',
  typesLoadFailed: 'Erro ao carregar tipos de usuário',
  typesSaved: 'Tipos de acesso atualizados com sucesso',
  typesFailed: 'Erro ao atualizar tipos de acesso',
  scopeLoadFailed: 'Erro ao carregar marcas e estados',
  scopeSaved: 'Marcas e estados atualizados com sucesso!',
  scopeFailed: 'Erro ao atualizar marcas e estados',
  approved: 'Usuário aprovado com sucesso',
  approveFailed: 'Erro ao aprovar usuário',
  approvalRemoved: 'Aprovação removida',
  removeFailed: 'Erro ao remover aprovação',
  bulkNothing: 'Selecione pelo menos um item para alterar',
  bulkAdd: 'Adicionar aos usuários selecionados',
  bulkRemove: 'Remover dos usuários selecionados',
  bulkDone: (action: 'add' | 'remove', count: number) =>
    `Dados ${action === 'add' ? 'adicionados' : 'removidos'} com sucesso para ${grouped(count)} usuário(s)`,
  bulkFailed: 'Erro ao atualizar dados dos usuários',
  deleteNothing: 'Nenhum usuário selecionado',
  deleted: (count: number) => `${grouped(count)} usuário(s) excluído(s) com sucesso`,
  deleteFailed: 'Erro ao excluir usuários',
  deleteFailedFor: (count: number) => `Erro ao excluir ${grouped(count)} usuário(s)`,
  sessionExpired: 'Sessão expirada',
} as const

export const reportSettingMessages = {
  urlRequired: 'Por favor, insira uma URL válida',
  hostRefused: (hosts: readonly string[]) =>
    `Apenas URLs do Power BI são permitidas (${new Intl.ListFormat('pt-BR', { type: 'disjunction' }).format(hosts)})`,
  httpsOnly: 'Apenas URLs HTTPS são permitidas',
  urlInvalid: 'URL inválida. Por favor, insira uma URL válida do Power BI',
  idsRequired: 'Por favor, insira Workspace ID e Report ID',
  workspaceInvalid: 'Workspace ID inválido (formato UUID esperado)',
  reportInvalid: 'Report ID inválido (formato UUID esperado)',
  saved: (type: string) => `Configuração do Power BI para ${type} salva com sucesso`,
  removed: (type: string) => `Configuração do Power BI para ${type} removida com sucesso`,
  nothingToRemove: (type: string) => `Nenhuma configuração para remover em ${type}`,
  saveFailed: (type: string) => `Erro ao salvar configuração do Power BI para ${type}`,
} as const
