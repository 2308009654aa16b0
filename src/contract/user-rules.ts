// Texts and bounds of the user administration, without the schemas: what its screens load first.

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
  approvedMany: (count: number) => `${grouped(count)} usuário(s) aprovado(s) com sucesso`,
  approveManyFailed: 'Erro ao aprovar usuários',
  approvalRemoved: 'Aprovação removida',
  removeFailed: 'Erro ao remover aprovação',
  bulkNothing: 'Selecione pelo menos um item para alterar',
  bulkAdd: 'Adicionar aos usuários selecionados',
  bulkRemove: 'Remover dos usuários selecionados',
  bulkValidity: 'Mudar até quando o acesso vale',
  bulkNoEnd: 'Escolha o último dia do acesso, ou “Sem prazo”',
  bulkDone: (action: 'add' | 'remove' | 'validity', count: number) =>
    `${{ add: 'Dados adicionados', remove: 'Dados removidos', validity: 'Prazo alterado' }[action]} com sucesso para ${grouped(count)} usuário(s)`,
  bulkFailed: 'Erro ao atualizar dados dos usuários',
  deleteNothing: 'Nenhum usuário selecionado',
  deleted: (count: number) => `${grouped(count)} usuário(s) excluído(s) com sucesso`,
  deleteFailed: 'Erro ao excluir usuários',
  deleteFailedFor: (count: number) => `Erro ao excluir ${grouped(count)} usuário(s)`,
  sessionExpired: 'Sessão expirada',
  dayPassed: 'Este dia já passou. Escolha hoje ou um dia depois.',
} as const

export const PROFILE_SORTS = [
  'email',
  'full_name',
  'approved',
  'email_verified_at',
  'created_at',
  'last_sign_in_at',
] as const
export type ProfileSort = (typeof PROFILE_SORTS)[number]

/** Largest number of people that one call takes by their ids. */
export const MAX_IDS = 1_000

/** So many people a review may take an access from. */
export const MAX_REVIEWED = 10_000

/** In characters as JavaScript counts them. */
export const MAX_NAME_LENGTH = 100

export const MAX_NOTE_LENGTH = 500

/** Made when first asked for: reading the time zones takes ten milliseconds. */
let days: Intl.DateTimeFormat | undefined
/** The day that an instant, in ms since the epoch, falls on in São Paulo: '2026-11-22'. Days are compared as texts. */
export function saoPauloDay(instant: number): string {
  days ??= new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/Sao_Paulo' })
  return days.format(instant)
}

/** Whether a day of São Paulo is over at an instant; an empty one never is. */
export const hasPassed = (day: string, instant: number): boolean => day !== '' && day < saoPauloDay(instant)

/** Whoever has not been here for so long may have left: 'Sem acesso há 90 dias'. */
export const IDLE_DAYS = 90

/** How long a bulk edit, or an approval of several, can be undone. */
export const UNDO_SECONDS = 30

/** How long the link of an invitation is good, from its newest mail on. */
export const INVITATION_DAYS = 7

/** So many people one import invites, and so large its file may be. */
export const MAX_INVITED = 1_000
export const MAX_IMPORT_BYTES = 512 * 1024
