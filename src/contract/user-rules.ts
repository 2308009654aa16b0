// Texts and limits of the user administration, without schemas: loaded first by its screens.

/** 9873 → '9.873'. */
const formatCount = (count: number) => count.toLocaleString('pt-BR')

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
  approvedMany: (count: number) =>
    count === 1 ? '1 usuário aprovado com sucesso' : `${formatCount(count)} usuários aprovados com sucesso`,
  approveManyFailed: 'Erro ao aprovar usuários',
  approvalRemoved: 'Aprovação removida',
  removeFailed: 'Erro ao remover aprovação',
  bulkNothing: 'Selecione pelo menos um item para alterar',
  bulkAdd: 'Adicionar aos usuários selecionados',
  bulkRemove: 'Remover dos usuários selecionados',
  bulkNoEnd: 'Escolha o último dia do acesso, ou “Sem prazo”',
  bulkDone: (action: 'add' | 'remove' | 'replace' | 'validity', count: number) =>
    `${{ add: 'Dados adicionados', remove: 'Dados removidos', replace: 'Dados substituídos', validity: 'Prazo alterado' }[action]} com sucesso para ${formatCount(count)} usuário(s)`,
  bulkFailed: 'Erro ao atualizar dados dos usuários',
  deleteNothing: 'Nenhum usuário selecionado',
  deleted: (count: number) => `${formatCount(count)} usuário(s) excluído(s) com sucesso`,
  deleteFailed: 'Erro ao excluir usuários',
  deleteFailedFor: (count: number) => `Erro ao excluir ${formatCount(count)} usuário(s)`,
  sessionExpired: 'Sessão expirada',
  dayPassed: 'Este dia já passou. Escolha hoje ou um dia depois.',
  dayUnreadable: 'Escreva a data como 31/12/2026.',
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

/** The filter by a whole list, or all of it but one item: 'marcas:BYD'. */
export const WHOLE_LIST = /^(types|marcas|estados)(:[\w-]{1,40})?$/

/** Maximum of people per call by their ids. */
export const MAX_IDS = 1_000

/** Maximum of people from whom one review removes an access. */
export const MAX_REVIEWED = 10_000

/** In UTF-16 code units. */
export const MAX_NAME_LENGTH = 100

export const MAX_NOTE_LENGTH = 500

/** Created lazily: loading the time zones takes ten milliseconds. */
let days: Intl.DateTimeFormat | undefined
/** Returns the day in São Paulo of an instant in ms since the epoch: '2026-11-22', comparable as text. */
export function toSaoPauloDay(instant: number): string {
  days ??= new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/Sao_Paulo' })
  return days.format(instant)
}

/** Checks whether a day in São Paulo is over; '' never is. */
export const hasPassed = (day: string, instant: number): boolean => day !== '' && day < toSaoPauloDay(instant)

/** Whether the text is a day of the calendar, '2026-12-31'. */
export function isDay(text: string): boolean {
  const instant = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(text) : undefined
  return instant !== undefined && !Number.isNaN(+instant) && instant.toISOString().startsWith(text)
}

/**
 * Returns why access cannot end on a day; undefined where it can.
 * @param day '' for no end
 * @param instant now, in ms since the epoch
 */
export function checkEndDay(day: string, instant: number): string | undefined {
  if (day === '') return undefined
  if (!isDay(day)) return adminMessages.dayUnreadable
  return hasPassed(day, instant) ? adminMessages.dayPassed : undefined
}

/** Days without access before the filter 'Sem acesso há 90 dias' matches. */
export const IDLE_DAYS = 90
/** Days of the filters 'Entrou nos últimos 7 dias' and 'Termina em 30 dias'. */
export const RECENT_DAYS = 7
export const ENDING_DAYS = 30

/** Days after which who has an area or a brand should be reviewed again. */
export const REVIEW_DAYS = 180

/** How long the notice of a change of people offers to undo it; mails wait for that. */
export const UNDO_SECONDS = 30
/** How long 'Auditoria' offers it to whoever made the change. */
export const UNDO_HOURS = 24

/** Validity of an invitation's link, from its newest mail. */
export const INVITATION_DAYS = 7

/** Maximum of people per import, and of its file's size. */
export const MAX_INVITED = 1_000
export const MAX_IMPORT_BYTES = 512 * 1024
