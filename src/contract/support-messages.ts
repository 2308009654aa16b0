/** Texts of /contato and /mensagens (SPEC sections 2, 5 and 8, word for word), apart from messages.ts so that no other screen loads them. */

export const contactMessages = {
  nameRequired: 'Nome é obrigatório',
  nameTooLong: 'Nome deve ter no máximo 100 caracteres',
  emailInvalid: 'E-mail inválido',
  emailTooLong: 'E-mail deve ter no máximo 255 caracteres',
  phoneRequired: 'Celular é obrigatório',
  phoneTooLong: 'Celular deve ter no máximo 20 caracteres',
  messageRequired: 'Mensagem é obrigatória',
  messageTooLong: 'Mensagem deve ter no máximo 1000 caracteres',
  send: 'Enviar Mensagem',
  sending: 'Enviando...',
  sent: 'Mensagem enviada com sucesso!',
  failed: 'Erro ao enviar mensagem. Tente novamente.',
} as const

export const inboxMessages = {
  none: 'Nenhuma mensagem recebida ainda',
  loadFailed: 'Erro ao carregar mensagens',
  read: 'Mensagem marcada como lida',
  readFailed: 'Erro ao marcar como lida',
  deleted: 'Mensagem excluída',
  deleteFailed: 'Erro ao excluir mensagem',
} as const
