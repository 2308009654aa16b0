/** Texts for users that both sides or tests need. */

export const sessionMessages = {
  inactivityWarning: 'Sua sessão expirará em 2 minutos devido à inatividade.',
  inactivitySignOut: 'Sessão expirada devido à inatividade. Faça login novamente.',
  signedOut: 'Você saiu com sucesso',
  signOutFailed: 'Erro ao sair',
} as const

/** For a mailed link without its fragment, which some mail gateways drop. */
export const incompleteLinkMessages = {
  title: 'O link chegou incompleto',
  cause: 'O programa de e-mail ou um filtro da rede cortou o fim do endereço.',
  remedy: 'Na mensagem, copie o endereço inteiro, que está abaixo do botão, e cole-o no navegador.',
} as const

export const verificationMessages = {
  resend: 'Reenviar e-mail de verificação',
  resending: 'Reenviando...',
  resendIn: (seconds: number) => `Reenviar em ${seconds}s`,
  resent: 'E-mail enviado',
  resentDetail: 'Verifique sua caixa de entrada para confirmar seu cadastro.',
  resentOnReports: 'E-mail de verificação enviado',
  resendFailed: 'Erro ao reenviar e-mail',
  resendFailedDetail: 'Tente novamente mais tarde.',
} as const

export const reportMessages = {
  loading: 'Carregando configurações...',
  pending:
    'Sua conta está pendente de aprovação pelo administrador. Você receberá acesso assim que for aprovado.',
  ended: (day: string) =>
    `Seu acesso ao portal era válido até ${day}. Para continuar, peça a um administrador que o prorrogue.`,
  none: 'Nenhum relatório Power BI disponível. Os relatórios estão sendo configurados pelo administrador.',
  embedFailed: 'Erro ao carregar o relatório do Power BI',
  embedInvalid: 'Configuração de relatório inválida',
  capacityPaused: 'A capacidade está pausada',
  settingsFailed: 'Erro ao carregar configurações',
  tokenFailed: (area: string) => `Erro ao gerar token para ${area}`,
  incomplete: (area: string) => `Configuração incompleta para ${area}`,
  gone: (area: string) => `Este relatório não está mais na área ${area}. O primeiro dela foi aberto.`,
  allFailed:
    'O portal tentou e não conseguiu abrir nenhum dos seus relatórios. Peça ajuda com o motivo abaixo:',
  notLoaded: 'Os seus relatórios não puderam ser carregados agora. Se durar, escreva ao administrador.',
  askForReports: 'Se você já deveria ver algum, peça ao administrador do portal.',
  noScope: 'Sua conta ainda não tem marcas ou estados liberados. Peça ao administrador que os libere.',
} as const

/** How a refresh ended that brought no new data: 'a última atualização …'. */
export const REFRESH_ENDS = {
  failed: 'falhou',
  cancelled: 'foi cancelada',
  disabled: 'foi desativada',
} as const

/** Names a report: 'Vendas', or a further one of the area 'Vendas · Metas'. */
export function formatReportTitle(area: string, name?: string): string {
  return name === undefined || name === area ? area : `${area} · ${name}`
}

export const MAX_VIEW_NAME_LENGTH = 60

export const reportViewMessages = {
  nameRequired: 'Informe um nome para a visão',
  nameTooLong: `O nome deve ter no máximo ${MAX_VIEW_NAME_LENGTH} caracteres`,
  nameTaken: 'Outra visão sua já tem este nome.',
  nameInvalid: 'O nome tem um caractere que não pode ser usado',
  nothing: 'Informe o que deve mudar',
  stateInvalid: 'O Power BI não devolveu uma visão que possa ser salva',
  stateTooLong: 'Esta visão é grande demais para ser salva. Desfaça algumas seleções e tente de novo.',
  tooMany: 'Este relatório já tem 20 visões suas, o máximo. Exclua uma para salvar outra.',
  noRoom: 'Suas visões já ocupam 4 MB, o máximo. Exclua alguma para salvar outra.',
  openedAsPublished: 'O relatório mudou desde que ela foi salva e abriu como foi publicado.',
  noneForLinks: 'Este relatório abre com a sua conta da Microsoft e não tem visões.',
  noneForPaginated: 'Relatórios paginados não têm visões.',
  gone: 'Esta visão não existe mais ou não foi compartilhada com você. Quem mandou o link pode copiá-lo em “Compartilhar”.',
} as const

interface ExportedFile {
  /** The report's, and the saved view's. */
  title: string
  format: 'pdf' | 'pptx'
}

export const describeExport = ({ title, format }: ExportedFile) =>
  `${title} em ${format === 'pdf' ? 'PDF' : 'PowerPoint'}`

/**
 * Names a file, without the signs that some systems refuse: 'Vendas · Mês 2026-11-25 14h05.pdf'.
 * @param at ISO 8601, in São Paulo
 */
export function formatExportName({ title, format }: ExportedFile, at: string): string {
  const options = { timeZone: 'America/Sao_Paulo', dateStyle: 'short', timeStyle: 'short' } as const
  const time = new Date(at).toLocaleString('sv-SE', options).replace(':', 'h')
  return `${title.replace(/[\\/:*?"<>|]/g, '-')} ${time}.${format}`
}

/** Removes the request id, which differs for the same cause. */
export const removeRequestId = (message: string) => message.replace(/pedido [\w-]+/, '')

/** Groups failures of reports by cause, keeping their order. */
export function groupByCause<T extends { message: string }>(failures: readonly T[]): [T, ...T[]][] {
  const groups = Map.groupBy(failures, ({ message }) => removeRequestId(message))
  return [...groups.values()] as [T, ...T[]][]
}

export const notFoundMessage = 'Oops! Page not found'
